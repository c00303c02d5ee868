#include "weir/net/model/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/random.h"
#include "weir/net/model/topologies.h"

namespace weir::net {
namespace {

using namespace weir::literals;

// What every partition promises.
void expect_sound(const Topology& t, const Split& p, std::uint32_t wanted) {
  ASSERT_EQ(p.of_node.size(), t.nodes());
  ASSERT_GE(p.parts, 1u);
  ASSERT_LE(p.parts, wanted);
  for (const auto part : p.of_node) ASSERT_LT(part, p.parts);
  Time lookahead = Time::max();
  std::uint32_t cut = 0;
  for (const Link& l : t.links) {
    if (p.of_node[l.a] == p.of_node[l.b]) continue;
    ASSERT_GE(l.a, t.hosts);
    ASSERT_GE(l.b, t.hosts);
    ASSERT_GT(l.delay, Time{});
    lookahead = std::min(lookahead, l.delay);
    ++cut;
  }
  EXPECT_EQ(p.lookahead, lookahead);
  EXPECT_EQ(p.cut_links, cut);
}

// The heaviest part's work over its fair share.
double imbalance(const Topology& t, const Split& p) {
  std::vector<double> work(p.parts, 0);
  double total = 0;
  for (const Link& l : t.links) {
    for (const auto node : {l.a, l.b}) work[p.of_node[node]] += l.rate.bytes_per_second();
    total += 2 * l.rate.bytes_per_second();
  }
  return *std::max_element(work.begin(), work.end()) / (total / p.parts);
}

// The work of the heaviest switch and its hosts, over that of the whole network.
double heaviest_switch(const Topology& t) {
  std::vector<double> work(t.nodes(), 0);
  double total = 0;
  for (const Link& l : t.links) {
    const double rate = l.rate.bytes_per_second();
    work[l.b] += l.a < t.hosts ? 2 * rate : rate;
    work[l.a] += rate;
    total += 2 * rate;
  }
  return *std::max_element(work.begin(), work.end()) / total;
}

std::vector<int> count(const Topology& t, const Split& p, std::uint8_t tier) {
  std::vector<int> out(p.parts, 0);
  for (std::uint32_t n = 0; n < t.nodes(); ++n) out[p.of_node[n]] += t.tier[n] == tier;
  return out;
}

// A file's view of a topology: the same graph without rules.
Topology without_rules(Topology t) {
  t.tree.clear();
  assign_tiers(t);
  return t;
}

TEST(Split, HalvesOfTheHpccFatTree) {
  const Topology t = build(Clos{});
  const Split p = split(t, 2);
  expect_sound(t, p, 2);
  ASSERT_EQ(p.parts, 2u);
  EXPECT_EQ(count(t, p, 0), (std::vector<int>{160, 160}));
  EXPECT_EQ(count(t, p, 1), (std::vector<int>{10, 10}));
  EXPECT_EQ(count(t, p, 2), (std::vector<int>{10, 10}));
  EXPECT_EQ(count(t, p, 3), (std::vector<int>{8, 8}));
  EXPECT_EQ(p.lookahead, 1_us);
  EXPECT_DOUBLE_EQ(imbalance(t, p), 1);
  // pods 0 and 1 stay whole (ToRs 320 to 327, Aggs 340 to 347), and so do 3 and 4
  for (std::uint32_t n = 0; n < 8; ++n) {
    EXPECT_EQ(p.of_node[320 + n], 0);
    EXPECT_EQ(p.of_node[340 + n], 0);
    EXPECT_EQ(p.of_node[332 + n], 1);
    EXPECT_EQ(p.of_node[352 + n], 1);
  }
  // In pod 2, 8 of the 16 links between ToRs and Aggs. A core meets one Agg of each pod: two of
  // its five are across, whichever side it is on.
  EXPECT_EQ(p.cut_links, 8u + 16u * 2u);
}

TEST(Split, PodsWhereTheyFit) {
  const Topology t = build(Clos{});
  const Split p = split(t, 5);
  ASSERT_EQ(p.parts, 5u);
  for (std::uint32_t n = 320; n < 340; ++n) {
    EXPECT_EQ(p.of_node[n], (n - 320) / 4);
    EXPECT_EQ(p.of_node[n + 20], (n - 320) / 4);
  }
}

TEST(Split, SameCutWithoutRules) {
  const Topology t = without_rules(build(Clos{}));
  const Split p = split(t, 2);
  expect_sound(t, p, 2);
  EXPECT_EQ(count(t, p, 1), (std::vector<int>{10, 10}));
  EXPECT_EQ(count(t, p, 2), (std::vector<int>{10, 10}));
  EXPECT_EQ(count(t, p, 3), (std::vector<int>{8, 8}));
  EXPECT_EQ(p.cut_links, 40u);
}

// Nothing rests on how a file happens to number its nodes and order its links.
TEST(Split, FindsThePodsOfAShuffledFatTree) {
  const RandomStream draw(5, 0, Purpose::permutation);
  std::uint64_t next = 0;
  const auto shuffle = [&](auto& items, std::size_t first, std::size_t last) {
    for (std::size_t i = last - 1; i > first; --i)
      std::swap(items[i], items[first + draw.below(next++, i - first + 1)]);
  };
  for (int round = 0; round < 20; ++round) {
    Topology t = build(Clos{});
    std::vector<std::uint32_t> label(t.nodes());
    std::iota(label.begin(), label.end(), 0u);
    shuffle(label, 0, t.hosts);
    shuffle(label, t.hosts, t.nodes());
    for (Link& l : t.links) l = {label[l.a], label[l.b], l.rate, l.delay};
    shuffle(t.links, 0, t.links.size());
    t = without_rules(t);
    const Split p = split(t, 2);
    expect_sound(t, p, 2);
    EXPECT_EQ(p.cut_links, 40u);
    EXPECT_DOUBLE_EQ(imbalance(t, p), 1);
  }
}

TEST(Split, SoundAndEvenOnAllKinds) {
  for (const Topology& regular :
       {build(Clos{}), build(FatTree{.k = 8}), build(LeafSpine{.leaves = 8, .spines = 4}),
        build(ParkingLot{.switches = 64}), build(Clos{.pods = 3, .hosts_per_tor = 5, .aggs_per_pod = 3, .cores = 9})}) {
    for (const Topology& t : {regular, without_rules(regular)}) {
      for (const std::uint32_t wanted : {1u, 2u, 3u, 4u, 7u, 8u}) {
        SCOPED_TRACE(t.name + " in " + std::to_string(wanted));
        const Split p = split(t, wanted);
        expect_sound(t, p, wanted);
        EXPECT_EQ(p.parts, wanted);
        // no part exceeds its share by more than a rack
        EXPECT_LE(imbalance(t, p), 1 + heaviest_switch(t) * p.parts);
        const Split again = split(t, wanted);
        EXPECT_EQ(p.of_node, again.of_node);
      }
    }
  }
}

// Hosts are never apart from any of their switches: the ToRs of a rack are of one part, and so are the leaves of all
// planes.
TEST(Split, KeepsTheSwitchesOfAHostTogether) {
  for (const Topology& t : {build(LeafSpine{.leaves = 8, .spines = 4, .hosts_per_leaf = 4, .tors = 2}),
                            build(LeafSpine{.leaves = 8, .spines = 4, .hosts_per_leaf = 4, .planes = 4}),
                            build(FatTree{.k = 4, .planes = 2, .tors = 2}),
                            build(Rail{.servers = 8, .gpus = 4, .servers_per_segment = 2, .tors = 2})}) {
    for (const std::uint32_t wanted : {2u, 4u}) {
      SCOPED_TRACE(t.name + " in " + std::to_string(wanted));
      const Split p = split(t, wanted);
      expect_sound(t, p, wanted);
      EXPECT_EQ(p.parts, wanted);
      for (const Link& l : t.links) EXPECT_TRUE(l.a >= t.hosts || p.of_node[l.a] == p.of_node[l.b]);
    }
  }
}

// Random trees with some more links, some of them without delay.
TEST(Split, SoundOnRandomGraphs) {
  const RandomStream draw(11, 0, Purpose::algorithm);
  std::uint64_t next = 0;
  for (int round = 0; round < 200; ++round) {
    Topology t;
    t.hosts = 2 + static_cast<std::uint32_t>(draw.below(next++, 30));
    t.switches = 1 + static_cast<std::uint32_t>(draw.below(next++, 40));
    const auto a_switch = [&](std::uint32_t n) { return t.hosts + static_cast<std::uint32_t>(draw.below(next++, n)); };
    const auto a_delay = [&] { return Time{static_cast<std::int64_t>(draw.below(next++, 4)) * 1'000'000}; };
    for (std::uint32_t h = 0; h < t.hosts; ++h) t.links.push_back({h, a_switch(t.switches), 100_Gbps, a_delay()});
    for (std::uint32_t s = 1; s < t.switches; ++s) t.links.push_back({t.hosts + s, a_switch(s), 400_Gbps, a_delay()});
    for (std::uint32_t i = 0; i < t.switches; ++i) {
      const Link l{a_switch(t.switches), a_switch(t.switches), 400_Gbps, a_delay()};
      if (l.a != l.b) t.links.push_back(l);
    }
    check(t);
    assign_tiers(t);
    for (const std::uint32_t wanted : {1u, 2u, 5u}) expect_sound(t, split(t, wanted), wanted);
  }
}

TEST(Split, ChainsAreCutBetweenNeighbours) {
  const Topology t = build(ParkingLot{.switches = 64});
  for (const std::uint32_t wanted : {2u, 4u, 8u}) {
    const Split p = split(t, wanted);
    EXPECT_EQ(p.cut_links, wanted - 1);
    EXPECT_LT(imbalance(t, p), 1.1);
  }
}

TEST(Split, NoMorePartsThanRacks) {
  EXPECT_EQ(split(build(Star{}), 8).parts, 1u);
  EXPECT_EQ(split(build(Star{}), 8).lookahead, Time::max());
  EXPECT_EQ(split(build(Dumbbell{}), 8).parts, 2u);
  EXPECT_EQ(split(build(LeafSpine{.leaves = 3}), 8).parts, 3u);
}

TEST(Split, LinksWithoutDelayAreNotCut) {
  const Topology pods = build(Clos{.fabric_delay = {}});  // a pod is one unit
  const Split p = split(pods, 8);
  expect_sound(pods, p, 8);
  EXPECT_EQ(p.parts, 5u);
  const Topology whole = build(Clos{.fabric_delay = {}, .core_delay = {}});
  EXPECT_EQ(split(whole, 8).parts, 1u);
}

TEST(Split, ImpossibleNumbersOfParts) {
  EXPECT_THROW(split(build(Star{}), 0), InputError);
  EXPECT_THROW(split(build(Star{}), 65536), InputError);
}

}  // namespace
}  // namespace weir::net
