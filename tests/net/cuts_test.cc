#include "weir/net/model/cuts.h"

#include <gtest/gtest.h>

#include <vector>

#include "weir/net/model/topologies.h"

namespace weir::net {
namespace {

using namespace weir::literals;

TEST(Cuts, ANetworkThatIsWideEnoughHasNone) {
  EXPECT_TRUE(narrow_divisions(build(Star{})).empty());
  EXPECT_TRUE(narrow_divisions(build(FatTree{.k = 4})).empty());
  EXPECT_TRUE(narrow_divisions(build(LeafSpine{.leaves = 2, .spines = 1, .hosts_per_leaf = 4})).empty());
}

TEST(Cuts, OfRacksThatAreOversubscribed) {
  const auto all =
      narrow_divisions(build(LeafSpine{.leaves = 3, .spines = 2, .hosts_per_leaf = 4, .fabric_rate = 100_Gbps}));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].group, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(all[0].capacity, (std::vector<Rate>{200_Gbps, 200_Gbps, 200_Gbps}));
}

// Racks that are wide enough, in pods that are not.
TEST(Cuts, OfPods) {
  Clos clos{};
  clos.core_rate = 100_Gbps;
  const Topology t = build(clos);
  const auto all = narrow_divisions(t);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_LT(all[0].capacity.size(), 20u);
  Rate into_hosts;
  for (const Link& l : t.links)
    if (l.a < t.hosts || l.b < t.hosts) into_hosts = into_hosts + l.rate;
  Rate out_of_pods;
  for (const Rate rate : all[0].capacity) out_of_pods = out_of_pods + rate;
  EXPECT_LT(out_of_pods, into_hosts);
}

TEST(Cuts, OfADumbbell) {
  const auto all = narrow_divisions(build(Dumbbell{.left = 2, .right = 3, .bottleneck_rate = 50_Gbps}));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].group, (std::vector<std::uint32_t>{0, 0, 1, 1, 1}));
  EXPECT_EQ(all[0].capacity, (std::vector<Rate>{50_Gbps, 50_Gbps}));
}

}  // namespace
}  // namespace weir::net
