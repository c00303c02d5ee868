// The two binary trees by which NCCL reduces and broadcasts: each rank but one is a leaf of one of them, so that both
// together keep all links busy (Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and
// scan", Parallel Computing 35(12), 2009; NCCL, trees.cc).
#pragma once

#include <array>
#include <cstdint>

namespace weir::traffic {

inline constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

struct TreePlace {
  std::uint32_t parent = kNoRank;
  std::array<std::uint32_t, 2> children{kNoRank, kNoRank};
};

// The place of a rank among n ranks in the first (tree = 0) or the second (tree = 1) tree.
TreePlace double_tree(std::uint32_t rank, std::uint32_t n, std::uint32_t tree);

}  // namespace weir::traffic
