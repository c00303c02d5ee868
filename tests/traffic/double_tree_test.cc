// The two trees of an all-reduce, against NCCL's (ncclGetDtree of 2.30.7) and what makes them trees.
#include "weir/traffic/double_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace weir::traffic {
namespace {

constexpr int kNo = -1;
int number(std::uint32_t rank) { return rank == kNoRank ? kNo : static_cast<int>(rank); }

// By rank: parent and both children in the first tree, then in the second.
TEST(DoubleTree, IsThatOfNccl) {
  const std::vector<std::vector<int>> six{{kNo, kNo, 4, 1, kNo, kNo}, {2, kNo, kNo, 5, 3, 0},
                                          {4, 1, 3, 3, kNo, kNo},     {2, kNo, kNo, 1, 4, 2},
                                          {0, 2, 5, 3, kNo, kNo},     {4, kNo, kNo, kNo, kNo, 1}};
  const std::vector<std::vector<int>> seven{
      {kNo, kNo, 4, 5, 6, kNo}, {2, kNo, kNo, kNo, kNo, 5}, {4, 1, 3, 3, kNo, kNo},  {2, kNo, kNo, 5, 2, 4},
      {0, 2, 6, 3, kNo, kNo},   {6, kNo, kNo, 1, 3, 0},     {4, 5, kNo, 0, kNo, kNo}};
  for (const auto& rows : {six, seven})
    for (std::uint32_t rank = 0; rank < rows.size(); ++rank)
      for (std::uint32_t tree = 0; tree < 2; ++tree) {
        const TreePlace place = double_tree(rank, static_cast<std::uint32_t>(rows.size()), tree);
        EXPECT_EQ(number(place.parent), rows[rank][3 * tree]) << rank << " of " << rows.size();
        EXPECT_EQ(number(place.children[0]), rows[rank][3 * tree + 1]) << rank << " of " << rows.size();
        EXPECT_EQ(number(place.children[1]), rows[rank][3 * tree + 2]) << rank << " of " << rows.size();
      }
}

TEST(DoubleTree, IsTwoTreesOfAllRanks) {
  for (std::uint32_t n = 2; n <= 130; ++n) {
    std::vector<std::uint32_t> inner(n);
    for (std::uint32_t tree = 0; tree < 2; ++tree) {
      std::uint32_t roots = 0;
      for (std::uint32_t rank = 0; rank < n; ++rank) {
        const TreePlace place = double_tree(rank, n, tree);
        roots += place.parent == kNoRank;
        for (const std::uint32_t child : place.children)
          if (child != kNoRank) {
            EXPECT_EQ(double_tree(child, n, tree).parent, rank) << n;
            inner[rank] |= 1u << tree;
          }
        std::uint32_t depth = 0;
        for (std::uint32_t at = rank; at != kNoRank && depth <= n; at = double_tree(at, n, tree).parent) ++depth;
        EXPECT_LE(depth, std::bit_width(n) + 1u) << rank << " of " << n;
      }
      EXPECT_EQ(roots, 1u) << n;
    }
    // Both trees send by the same rank in one place at most, so that no link carries twice as much.
    EXPECT_LE(std::count(inner.begin(), inner.end(), 3u), 1) << n;
  }
}

}  // namespace
}  // namespace weir::traffic
