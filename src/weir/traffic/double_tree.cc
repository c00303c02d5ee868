#include "weir/traffic/double_tree.h"

#include <bit>

namespace weir::traffic {
namespace {

// In-order numbering: the lowest set bit of a rank is its level, leaves are odd, and rank 0 is the root.
TreePlace binary_tree(std::uint32_t rank, std::uint32_t n) {
  TreePlace out;
  if (rank == 0) {
    if (n > 1) out.children[1] = std::bit_ceil(n) / 2;
    return out;
  }
  const std::uint32_t level = rank & (~rank + 1);
  out.parent = (rank ^ level) | (2 * level);
  if (out.parent >= n) out.parent = rank ^ level;
  if (level == 1) return out;
  out.children[0] = rank - level / 2;
  for (std::uint32_t below = level / 2; below > 0; below /= 2)
    if (rank + below < n) {
      out.children[1] = rank + below;
      break;
    }
  return out;
}

template <class Map>
TreePlace mapped(TreePlace place, Map&& map) {
  for (std::uint32_t* rank : {&place.parent, &place.children[0], &place.children[1]})
    if (*rank != kNoRank) *rank = map(*rank);
  return place;
}

}  // namespace

// The second tree is the first one mirrored, or for an odd number of ranks shifted by one.
TreePlace double_tree(std::uint32_t rank, std::uint32_t n, std::uint32_t tree) {
  if (tree == 0) return binary_tree(rank, n);
  if (n % 2 == 0) return mapped(binary_tree(n - 1 - rank, n), [&](std::uint32_t r) { return n - 1 - r; });
  return mapped(binary_tree((rank + n - 1) % n, n), [&](std::uint32_t r) { return (r + 1) % n; });
}

}  // namespace weir::traffic
