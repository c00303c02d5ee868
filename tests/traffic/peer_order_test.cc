// The order of NCCL's sends and receives, against what its own function gives (NCCL 2.30.7).
#include "weir/traffic/peer_order.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace weir::traffic {
namespace {

std::vector<std::uint32_t> sends(std::uint32_t ranks, std::uint32_t group, std::uint32_t rank) {
  const PeerOrder order(ranks, group);
  std::vector<std::uint32_t> out;
  for (std::uint32_t round = 0; round < ranks; ++round) out.push_back(order.to(rank, round));
  return out;
}

TEST(PeerOrder, IsNccls) {
  using Ranks = std::vector<std::uint32_t>;
  EXPECT_EQ(sends(16, 4, 8), (Ranks{8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(sends(6, 1, 3), (Ranks{3, 4, 0, 5, 2, 1}));
  EXPECT_EQ(sends(24, 8, 12),
            (Ranks{12, 13, 14, 15, 8, 9, 10, 11, 20, 21, 22, 23, 16, 17, 18, 19, 4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(sends(5, 5, 2), (Ranks{2, 3, 4, 0, 1}));
}

TEST(PeerOrder, MeetsEachOtherRankOnce) {
  for (std::uint32_t ranks = 2; ranks <= 40; ++ranks)
    for (std::uint32_t group = 1; group <= ranks; ++group) {
      const PeerOrder order(ranks, group);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::set<std::uint32_t> met;
        for (std::uint32_t round = 0; round < ranks; ++round) {
          met.insert(order.to(rank, round));
          EXPECT_EQ(order.from(order.to(rank, round), round), rank);
        }
        EXPECT_EQ(met.size(), ranks);
        EXPECT_EQ(order.to(rank, 0), rank);
      }
    }
}

}  // namespace
}  // namespace weir::traffic
