#include "weir/net/model/multipath.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "weir/net/model/graph_file.h"
#include "weir/net/model/routing.h"
#include "weir/net/model/topologies.h"

namespace weir::net {
namespace {

constexpr std::uint64_t kSeed = 3;

std::vector<bool> without(const Topology& t, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::vector<bool> down(t.links.size());
  for (const auto& [a, b] : pairs)
    for (std::uint32_t l = 0; l < t.links.size(); ++l)
      if (t.links[l].a == a && t.links[l].b == b) {
        down[l] = true;
        break;  // one of those that are parallel
      }
  return down;
}

// The share of each next hop, by node, as shares() tells and as `kDraws` entropies find it.
std::map<std::uint32_t, double> shares_by_node(const Routing& r, std::uint32_t node, std::uint32_t dst) {
  constexpr std::uint32_t kDraws = 40'000;
  const Topology& t = r.topology();
  const std::uint32_t s = node - t.hosts;
  std::map<std::uint32_t, double> told;
  const auto hops = r.next_hops(s, dst);
  const auto shares = r.shares(s, dst);
  for (std::size_t i = 0; i < hops.size(); ++i) told[t.port_peer(hops[i])] += shares[i];
  std::map<std::uint32_t, std::uint32_t> found;
  for (std::uint32_t e = 0; e < kDraws; ++e) ++found[t.port_peer(r.egress(s, dst, e))];
  for (const auto& [peer, share] : told)  // four standard deviations
    EXPECT_NEAR(found[peer], kDraws * share, 4 * std::sqrt(kDraws * share * (1 - share))) << node << " to " << peer;
  return told;
}

// Towards host 1, on the switch of node 3 (node 2 has host 0).
struct Case {
  std::string name;
  std::string links;  // of switches 2 .. 7; host 0 is on 2 and host 1 on 3
  std::map<std::uint32_t, double> from_2;
};

class ByCapacity : public testing::TestWithParam<Case> {};

TEST_P(ByCapacity, SharesAreThoseOfTheDefinition) {
  const Topology t = parse_graph(
      "hosts 2\nswitches 6\nlink 0 2 100 Gbps 1 us\nlink 1 3 100 Gbps 1 us\n" + GetParam().links, "test.graph");
  const auto shares = shares_by_node(Routing(t, kSeed, {}, Multipath::capacity), 2, 1);
  ASSERT_EQ(shares.size(), GetParam().from_2.size());
  for (const auto& [peer, share] : GetParam().from_2) EXPECT_NEAR(shares.at(peer), share, 1e-9) << peer;

  // sharing equally, the same hops get one part per port
  const Routing equal(t, kSeed);
  const auto hops = equal.next_hops(0, 1);
  for (const double share : equal.shares(0, 1)) EXPECT_EQ(share, 1.0 / static_cast<double>(hops.size()));
  const bool differ = GetParam().name.find("Same") == std::string::npos;
  EXPECT_EQ(equal.uneven().has_value(), differ);
}

const std::string kUnused = "link 2 6 1 Gbps 1 us\nlink 6 7 1 Gbps 1 us\n";

INSTANTIATE_TEST_SUITE_P(
    Graphs, ByCapacity,
    testing::Values(
        Case{"NextLink",
             "link 2 4 300 Gbps 1 us\nlink 2 5 100 Gbps 1 us\nlink 4 3 300 Gbps 1 us\nlink 5 3 100 Gbps 1 us\n" +
                 kUnused,
             {{4, 0.75}, {5, 0.25}}},
        // the thin link is the one beyond
        Case{
            "Beyond",
            "link 2 4 100 Gbps 1 us\nlink 2 5 100 Gbps 1 us\nlink 4 3 100 Gbps 1 us\nlink 5 3 25 Gbps 1 us\n" + kUnused,
            {{4, 0.8}, {5, 0.2}}},
        // of two parallel links, one of double the rate: 4 can get 300 and hand on 150, 5 gets 50
        Case{"Parallel",
             "link 2 4 100 Gbps 1 us\nlink 2 4 200 Gbps 1 us\nlink 2 5 50 Gbps 1 us\nlink 4 3 150 Gbps 1 us\n"
             "link 5 3 100 Gbps 1 us\n" +
                 kUnused,
             {{4, 0.75}, {5, 0.25}}},
        // two hops on: 4 leads to 6 and 7, 5 only to 7
        Case{"SumsOfWays",
             "link 2 4 400 Gbps 1 us\nlink 2 5 400 Gbps 1 us\nlink 4 6 100 Gbps 1 us\nlink 4 7 100 Gbps 1 us\n"
             "link 5 7 100 Gbps 1 us\nlink 6 3 100 Gbps 1 us\nlink 7 3 100 Gbps 1 us\n",
             {{4, 2.0 / 3}, {5, 1.0 / 3}}},
        Case{"Same",
             "link 2 4 100 Gbps 1 us\nlink 2 5 100 Gbps 1 us\nlink 4 3 40 Gbps 1 us\nlink 5 3 40 Gbps 1 us\n" + kUnused,
             {{4, 0.5}, {5, 0.5}}}),
    [](const auto& test) { return test.param.name; });

// Regular networks have equal capacities, whether by arithmetic or by tables: each packet goes where it goes if they
// are shared equally.
TEST(ByCapacityInTrees, NothingChanges) {
  for (Topology t : {build(FatTree{.k = 4}), build(Clos{.pods = 3, .aggs_per_pod = 2, .cores = 4}),
                     build(LeafSpine{.spines = 3, .links_per_pair = 2}), build(Dumbbell{})}) {
    const Routing equal(t, kSeed);
    ASSERT_TRUE(equal.by_arithmetic());
    EXPECT_FALSE(equal.uneven().has_value());
    Topology plain = t;
    plain.tree.clear();
    const Routing tree(t, kSeed, {}, Multipath::capacity);
    const Routing tables(plain, kSeed, {}, Multipath::capacity);
    EXPECT_FALSE(Routing(plain, kSeed).uneven().has_value());
    for (std::uint32_t s = 0; s < t.switches; ++s)
      for (std::uint32_t h = 0; h < t.hosts; ++h)
        for (std::uint32_t e = 0; e < 5; ++e) {
          ASSERT_EQ(tree.egress(s, h, mix32(e)), equal.egress(s, h, mix32(e)));
          ASSERT_EQ(tables.egress(s, h, mix32(e)), equal.egress(s, h, mix32(e)));
        }
  }
}

// A Clos of 2 pods, of which Agg 14 has lost one of its two links to cores: its plane carries half of what the other
// one does, hence a third of all.
TEST(ByCapacityInTrees, SharesFollowFailures) {
  const Topology t = build(Clos{.pods = 2,
                                .tors_per_pod = 2,
                                .hosts_per_tor = 2,
                                .aggs_per_pod = 2,
                                .cores = 4,
                                .fabric_rate = 400_Gbps,
                                .core_rate = 200_Gbps});
  const std::uint32_t tor = 8;     // hosts 0 and 1
  const std::uint32_t agg = 12;    // 12 and 13 are of pod 0, 14 and 15 of pod 1
  const std::uint32_t core = 16;   // 16 and 17 are linked to 12 and 14, 18 and 19 to 13 and 15
  const std::uint32_t remote = 6;  // a host of pod 1
  const auto down = without(t, {{14, core}});
  const Routing weighted(t, kSeed, down, Multipath::capacity);
  const auto at_tor = shares_by_node(weighted, tor, remote);
  EXPECT_NEAR(at_tor.at(agg), 1.0 / 3, 1e-9);
  EXPECT_NEAR(at_tor.at(agg + 1), 2.0 / 3, 1e-9);
  EXPECT_EQ(shares_by_node(weighted, agg, remote), (std::map<std::uint32_t, double>{{core + 1, 1.0}}));
  EXPECT_EQ(shares_by_node(Routing(t, kSeed, down), tor, remote).at(agg), 0.5);
  // within the pod nothing has changed
  EXPECT_EQ(shares_by_node(weighted, tor, 2).at(agg), 0.5);
}

// One of two parallel links is down: two thirds by the spine that has both.
TEST(ByCapacityInTrees, SharesFollowFailuresOfParallelLinks) {
  const Topology t = build(LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 1, .links_per_pair = 2});
  const auto down = without(t, {{2, 4}});
  EXPECT_NEAR(shares_by_node(Routing(t, kSeed, down, Multipath::capacity), 2, 1).at(5), 2.0 / 3, 1e-9);
  EXPECT_NEAR(shares_by_node(Routing(t, kSeed, down, Multipath::capacity), 3, 0).at(5), 2.0 / 3, 1e-9);
}

// What cannot be reached any more goes where it went, in equal parts.
TEST(ByCapacityInTrees, WhatIsCutOffKeepsItsWay) {
  const Topology t = build(LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 1});
  const auto down = without(t, {{2, 4}, {2, 5}});
  const Routing weighted(t, kSeed, down, Multipath::capacity);
  const Routing equal(t, kSeed, down);
  for (std::uint32_t e = 0; e < 100; ++e) EXPECT_EQ(weighted.egress(0, 1, e), equal.egress(0, 1, e));
}

TEST(HashShares, OfEqualWeightsAreThoseOfTheHash) {
  for (const std::size_t n : {2u, 3u, 5u, 7u, 16u, 641u, 65'535u}) {
    const auto first = hash_shares(std::vector<std::uint64_t>(n, 40'000'000'000));
    ASSERT_EQ(first.size(), n);
    EXPECT_EQ(first[0], 0u);
    for (std::uint64_t i = 1; i < n; ++i) {
      ASSERT_EQ((first[i] * n) >> 32, i);
      ASSERT_EQ(((first[i] - std::uint64_t{1}) * n) >> 32, i - 1);
    }
  }
}

TEST(HashShares, HoldAnyRates) {
  const auto extremes = hash_shares(std::vector<std::uint64_t>{1, ~std::uint64_t{0}, ~std::uint64_t{0}, 1});
  EXPECT_EQ(extremes, (std::vector<std::uint32_t>{0, 1, 0x8000'0000, 0xffff'ffff}));
}

}  // namespace
}  // namespace weir::net
