#include "weir/net/model/planes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/net/model/topologies.h"

namespace weir::net::planes_test {
namespace {

using namespace literals;

std::vector<std::uint32_t> list(std::span<const std::uint32_t> all) { return {all.begin(), all.end()}; }

// Switches of a plane follow each other, tier by tier.
TEST(Planes, AreThoseOfTheTopology) {
  const Topology t = build(LeafSpine{.leaves = 2, .spines = 1, .hosts_per_leaf = 2, .planes = 3});
  const Planes planes(t);
  for (std::uint32_t h = 0; h < t.hosts; ++h) {
    EXPECT_EQ(planes.of(h).size(), 3u);
    EXPECT_EQ(list(planes.of(h)), list(planes.of(0)));
  }
  EXPECT_FALSE(planes.hosts_apart());
  EXPECT_EQ(Planes(build(FatTree{.k = 4, .tors = 2})).of(0).size(), 1u);
}

// Both hosts reach all others, by hosts that forward nothing.
TEST(Planes, OfHostsThatHaveLostAPlaneEachDoNotMeet) {
  const Topology t = build(Star{.hosts = 4, .planes = 2});
  std::vector<bool> down(t.links.size());
  const auto take_down = [&](std::uint32_t host, std::uint32_t node) {
    for (std::size_t l = 0; l < t.links.size(); ++l)
      down[l] = down[l] || (t.links[l].a == host && t.links[l].b == node);
  };
  take_down(0, 4);
  EXPECT_FALSE(Planes(t, down).hosts_apart());
  take_down(3, 5);
  const Planes left(t, down);
  EXPECT_EQ(left.hosts_apart(), std::pair(3u, 0u));
  EXPECT_FALSE(left.join(0, 3));
  EXPECT_FALSE(left.join(3, 0));
  for (const std::uint32_t other : {1u, 2u}) EXPECT_TRUE(left.join(0, other) && left.join(other, 3));
  take_down(3, 4);
  EXPECT_TRUE(Planes(t, down).of(3).empty());
  EXPECT_EQ(Planes(t, down).hosts_apart(), std::pair(3u, 2u));
}

TEST(Planes, ThatDoNotMeetAreNoTopology) {
  Topology t = build(Star{.hosts = 3, .planes = 2});
  // Host 0 has links to the first switch alone and host 2 to the second one; host 1 has both.
  std::erase_if(t.links, [](const Link& l) { return (l.a == 0 && l.b == 4) || (l.a == 2 && l.b == 3); });
  t.tree.clear();
  try {
    check(t);
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "host 2 cannot reach host 0; links must connect all nodes, and hosts forward nothing");
  }
}

}  // namespace
}  // namespace weir::net::planes_test
