#include "weir/net/model/routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "weir/base/error.h"
#include "weir/net/model/topologies.h"

namespace weir::net {
namespace {

// A different draw at each call, the same in every run.
class Draws {
 public:
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(stream_.below(next_++, high - low + 1));
  }

 private:
  RandomStream stream_{7, 0, Purpose::algorithm};
  std::uint64_t next_ = 0;
};

std::vector<std::uint32_t> list(std::span<const std::uint32_t> s) { return {s.begin(), s.end()}; }

void expect_indices_of_ports(const Routing& r) {
  for (std::uint32_t s = 0; s < r.topology().switches; ++s)
    for (std::uint32_t h = 0; h < r.topology().hosts; ++h)
      for (std::uint32_t e = 0; e < 4; ++e)
        ASSERT_EQ(r.ports(s)[r.egress_index(s, h, mix32(e))], r.egress(s, h, mix32(e)));
}

// The same where some switches may lead nowhere.
void expect_indices_of_ports_that_lead(const Routing& r) {
  const Topology& t = r.topology();
  for (std::uint32_t src = 0; src < t.hosts; ++src)
    for (std::uint32_t dst = 0; dst < t.hosts; ++dst)
      for (const std::uint32_t own : r.ports_of(src)) {
        if (src == dst || !r.leads(own, dst)) continue;
        const std::uint32_t s = t.port_peer(own) - t.hosts;
        for (std::uint32_t e = 0; e < 4; ++e)
          ASSERT_EQ(r.ports(s)[r.egress_index(s, dst, mix32(e))], r.egress(s, dst, mix32(e)));
      }
}

void expect_rule_equals_shortest_paths(const Topology& t) {
  SCOPED_TRACE(summary(t));
  Topology plain = t;
  plain.tree.clear();
  const Routing rule(t, 1);
  const Routing tables(plain, 1);
  ASSERT_TRUE(rule.by_arithmetic());
  ASSERT_FALSE(tables.by_arithmetic());
  expect_indices_of_ports(rule);
  expect_indices_of_ports(tables);
  for (std::uint32_t s = 0; s < t.switches; ++s)
    for (std::uint32_t h = 0; h < t.hosts; ++h) {
      ASSERT_EQ(list(rule.next_hops(s, h)), list(tables.next_hops(s, h))) << "switch " << s << " to host " << h;
      ASSERT_EQ(rule.egress(s, h, 12345), tables.egress(s, h, 12345));
    }
}

TEST(Routing, DivisionByMultiplicationIsExact) {
  const auto check_divisor = [](std::uint32_t d) {
    const std::uint64_t m = reciprocal(d);
    // x / d changes at multiples of d: its error would show there first
    const std::uint32_t step = std::max(1u, kMaxHosts / d / 64);
    for (std::uint32_t q = 0; q <= kMaxHosts / d; q += step)
      for (const std::uint32_t x : {q * d, std::min(q * d + d - 1, kMaxHosts)})
        ASSERT_EQ(divide(x, m), x / d) << x << " / " << d;
    ASSERT_EQ(divide(kMaxHosts, m), kMaxHosts / d) << d;
    ASSERT_EQ(divide(kMaxHosts - 1, m), (kMaxHosts - 1) / d) << d;
  };
  for (std::uint32_t d = 1; d <= kMaxHosts; d += d < 65536 ? 1 : 97) check_divisor(d);
  check_divisor(kMaxHosts);
  for (const std::uint32_t d : {1u, 2u, 3u, 7u, 16u, 641u, 65535u, 1048575u})
    for (std::uint32_t x = 0; x <= kMaxHosts; ++x) ASSERT_EQ(divide(x, reciprocal(d)), x / d) << x << " / " << d;
}

TEST(Routing, TreeRulesAreShortestPaths) {
  expect_rule_equals_shortest_paths(build(Star{.hosts = 9}));
  expect_rule_equals_shortest_paths(build(Dumbbell{.left = 1, .right = 5}));
  expect_rule_equals_shortest_paths(build(Clos{}));
  for (const std::uint32_t k : {2u, 4u, 6u, 8u}) expect_rule_equals_shortest_paths(build(FatTree{.k = k}));

  Draws draw;
  for (int i = 0; i < 60; ++i) {
    const auto aggs = draw.between(1, 4);
    expect_rule_equals_shortest_paths(build(Clos{.pods = draw.between(2, 4),
                                                 .tors_per_pod = draw.between(1, 4),
                                                 .hosts_per_tor = draw.between(1, 7),
                                                 .aggs_per_pod = aggs,
                                                 .cores = aggs * draw.between(1, 3)}));
    expect_rule_equals_shortest_paths(build(Clos{.pods = 1,
                                                 .tors_per_pod = draw.between(2, 4),
                                                 .hosts_per_tor = draw.between(1, 7),
                                                 .aggs_per_pod = aggs,
                                                 .cores = aggs * draw.between(0, 2)}));
    expect_rule_equals_shortest_paths(build(LeafSpine{.leaves = draw.between(2, 6),
                                                      .spines = draw.between(1, 5),
                                                      .hosts_per_leaf = draw.between(1, 9),
                                                      .links_per_pair = draw.between(1, 3)}));
    const auto rails = draw.between(1, 4), per_segment = draw.between(1, 3);
    expect_rule_equals_shortest_paths(build(Rail{.servers = per_segment * draw.between(2, 4),
                                                 .gpus = rails * draw.between(1, 3),
                                                 .rails = rails,
                                                 .servers_per_segment = per_segment,
                                                 .spines = draw.between(1, 3),
                                                 .links_per_pair = draw.between(1, 2),
                                                 .planes = draw.between(1, 2),
                                                 .tors = draw.between(1, 2),
                                                 .host_links = draw.between(1, 2)}));
    // hosts of several ports
    expect_rule_equals_shortest_paths(
        build(Star{.hosts = 4, .planes = draw.between(1, 3), .host_links = draw.between(1, 3)}));
    expect_rule_equals_shortest_paths(build(LeafSpine{.leaves = draw.between(1, 4),
                                                      .spines = draw.between(1, 3),
                                                      .hosts_per_leaf = draw.between(2, 4),
                                                      .links_per_pair = draw.between(1, 2),
                                                      .planes = draw.between(1, 2),
                                                      .tors = draw.between(1, 3),
                                                      .host_links = draw.between(1, 2)}));
    expect_rule_equals_shortest_paths(build(Clos{.pods = draw.between(2, 3),
                                                 .tors_per_pod = draw.between(1, 3),
                                                 .hosts_per_tor = draw.between(1, 4),
                                                 .aggs_per_pod = 2,
                                                 .cores = 2 * draw.between(1, 2),
                                                 .planes = draw.between(1, 2),
                                                 .tors = draw.between(1, 2),
                                                 .host_links = draw.between(1, 2)}));
  }
}

TEST(Routing, PathsEndAtTheirHostInFewestHops) {
  for (const Topology& t : {build(FatTree{.k = 4}), build(ParkingLot{.switches = 7}), build(LeafSpine{.leaves = 3}),
                            build(Rail{.servers = 4, .gpus = 4, .servers_per_segment = 2})}) {
    const Routing routing(t, 3);
    for (std::uint32_t a = 0; a < t.hosts; ++a) {
      for (std::uint32_t b = 0; b < t.hosts; ++b) {
        if (a == b) continue;
        const auto path = routing.path(a, b, a * 977 + b);
        ASSERT_EQ(path.front(), routing.nic(a));
        ASSERT_EQ(t.port_peer(path.back()), b);
        for (std::size_t i = 1; i < path.size(); ++i) ASSERT_EQ(t.port_owner(path[i]), t.port_peer(path[i - 1]));
        ASSERT_EQ(path.size(), routing.path(b, a, 0).size());
      }
    }
  }
  const Topology t = build(FatTree{.k = 4});
  const Routing routing(t, 3);
  EXPECT_EQ(routing.path(0, 1, 0).size(), 2u);
  EXPECT_EQ(routing.path(0, 2, 0).size(), 4u);
  EXPECT_EQ(routing.path(0, 15, 0).size(), 6u);
}

TEST(Routing, HashIsTheDocumentedOne) {
  const Topology t = build(Clos{});
  const Routing routing(t, 42);
  for (std::uint32_t s = 0; s < 40; ++s) {
    const auto salt = static_cast<std::uint32_t>(RandomStream(42, s, Purpose::ecmp_salt).bits(0));
    const std::uint32_t far_host = (t.tree[s].first_host + 160) % 320;
    for (std::uint32_t e = 0; e < 50; ++e) {
      const auto hops = routing.next_hops(s, far_host);
      ASSERT_EQ(hops.size(), 4u);
      ASSERT_TRUE(std::is_sorted(hops.begin(), hops.end()));
      ASSERT_EQ(routing.egress(s, far_host, e), hops[(std::uint64_t{mix32(e ^ salt)} * 4) >> 32]);
    }
  }
  // another seed sends about one in 16 entropies the same way
  const Routing other(t, 43);
  int alike = 0;
  for (std::uint32_t e = 0; e < 1600; ++e) alike += routing.path(0, 319, e) == other.path(0, 319, e);
  EXPECT_NEAR(alike, 100, 40);
}

// Consecutive entropies over the 16 paths between two pods of the fat tree. With 15 degrees of
// freedom chi-square exceeds 37.7 once in a thousand times; the draws are fixed, so this is a fact.
TEST(Routing, SpreadsEvenly) {
  const Topology t = build(Clos{});
  const Routing routing(t, 1);
  constexpr int kDraws = 16'000;
  std::vector<int> by_core(16, 0);
  for (std::uint32_t e = 0; e < kDraws; ++e) {
    const auto path = routing.path(0, 319, e);
    ++by_core[t.port_peer(path[2]) - 360];
  }
  double chi2 = 0;
  for (const int n : by_core) chi2 += (n - kDraws / 16.0) * (n - kDraws / 16.0) / (kDraws / 16.0);
  EXPECT_LT(chi2, 37.7);
}

TEST(Routing, IrregularGraphUsesAllShortestPathsOnly) {
  // a ring of five switches with a host on each, and a doubled link between the first two
  Topology t;
  t.hosts = t.switches = 5;
  for (std::uint32_t i = 0; i < 5; ++i) t.links.push_back({i, 5 + i, Rate{1'000'000'000}, Time{1}});
  for (std::uint32_t i = 0; i < 5; ++i) t.links.push_back({5 + i, 5 + (i + 1) % 5, Rate{1'000'000'000}, Time{1}});
  t.links.push_back({6, 5, Rate{1'000'000'000}, Time{1}});
  check(t);
  const Routing r(t, 1);
  EXPECT_EQ(list(r.next_hops(0, 0)), (std::vector<std::uint32_t>{1}));       // port 1: link 0, at its end b
  EXPECT_EQ(list(r.next_hops(0, 1)), (std::vector<std::uint32_t>{10, 21}));  // both links to switch 1
  EXPECT_EQ(list(r.next_hops(0, 2)), (std::vector<std::uint32_t>{10, 21}));
  EXPECT_EQ(list(r.next_hops(0, 3)), (std::vector<std::uint32_t>{19}));  // the other way round
  EXPECT_EQ(list(r.ports(0)), (std::vector<std::uint32_t>{1, 10, 19, 21}));
  expect_indices_of_ports(r);
  expect_indices_of_ports(Routing(t, 1, {}, Multipath::capacity));
}

// A fat-tree with 16 hosts and the first link of switch 0 upwards down: everybody still reaches everybody, by links
// that are up, and as shortly as before where the choice of a path was free.
TEST(Routing, AvoidsLinksThatAreDown) {
  const Topology t = build(FatTree{4});
  const Routing whole(t, 1);
  const std::uint32_t gone = whole.next_hops(0, 15).front();
  std::vector<bool> down(t.links.size(), false);
  down[gone / 2] = true;
  const Routing left(t, 1, down);
  EXPECT_FALSE(left.by_arithmetic());
  expect_indices_of_ports(left);
  for (std::uint32_t a = 0; a < t.hosts; ++a)
    for (std::uint32_t b = 0; b < t.hosts; ++b)
      for (std::uint32_t e = 0; e < 8 && a != b; ++e) {
        const auto path = left.path(a, b, e);
        EXPECT_EQ(path.size(), whole.path(a, b, e).size());
        for (const std::uint32_t port : path) EXPECT_NE(port / 2, gone / 2);
      }
}

// What cannot be reached any more: packets go where they went before, and so to the link that is down.
TEST(Routing, LeadsToTheDeadLinkWhereNoPathIsLeft) {
  const Topology t = build(Dumbbell{2, 2});
  const Routing whole(t, 1);
  const std::uint32_t trunk = whole.next_hops(0, 2).front();
  std::vector<bool> down(t.links.size(), false);
  down[trunk / 2] = true;
  const Routing left(t, 1, down);
  EXPECT_EQ(left.path(0, 3, 5), whole.path(0, 3, 5));
  EXPECT_EQ(left.path(0, 1, 5), whole.path(0, 1, 5));
}

// Random graphs of few nodes, whose hosts have up to three links to any switches, some of them down. What a packet
// takes is one of the shortest ways of links that are up from the port that it leaves by, and ports that lead nowhere
// are told.
TEST(Routing, HostsOfSeveralPortsAreReachedByTheShortestWays) {
  constexpr std::uint32_t kFar = 1000;
  Draws draw;
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    Topology t;
    t.hosts = draw.between(2, 5);
    t.switches = draw.between(2, 6);
    const auto any_switch = [&] { return t.hosts + draw.between(0, t.switches - 1); };
    for (std::uint32_t h = 0; h < t.hosts; ++h)
      for (std::uint32_t n = draw.between(1, 3); n > 0; --n)
        t.links.push_back({h, any_switch(), Rate{1'000'000'000}, Time{1}});
    for (std::uint32_t n = draw.between(1, 8); n > 0; --n)
      if (const std::uint32_t a = any_switch(), b = any_switch(); a != b)
        t.links.push_back({a, b, Rate{1'000'000'000}, Time{1}});
    try {
      check(t);
    } catch (const InputError&) {
      continue;  // not connected
    }
    std::vector<bool> down(t.links.size());
    for (auto&& is_down : down) is_down = draw.between(0, 9) == 0;
    const Routing r(t, 1, down);
    for (std::uint32_t dst = 0; dst < t.hosts; ++dst) {
      const auto own = r.ports_of(dst);
      if (std::all_of(own.begin(), own.end(), [&](std::uint32_t port) { return down[port / 2]; })) continue;
      // links from each switch to dst, over those that are up
      std::vector<std::uint32_t> away(t.nodes(), kFar);
      for (std::uint32_t round = 0; round < t.switches; ++round)
        for (std::uint32_t port = 0; port < t.ports(); ++port) {
          const std::uint32_t from = t.port_owner(port), to = t.port_peer(port);
          if (from < t.hosts || down[port / 2] || (to < t.hosts && to != dst)) continue;
          away[from] = std::min(away[from], to == dst ? 1 : away[to] + 1);
        }
      for (std::uint32_t src = 0; src < t.hosts; ++src) {
        if (src == dst) continue;
        bool some_lead = false;
        for (const std::uint32_t port : r.ports_of(src)) {
          const bool leads = !down[port / 2] && away[t.port_peer(port)] < kFar;
          some_lead = some_lead || leads;
          if (r.ports_of(src).size() > 1) {
            EXPECT_EQ(r.leads(port, dst), leads);
          }
        }
        if (!some_lead) continue;
        for (std::uint32_t e = 0; e < 8; ++e) {
          const auto path = r.path(src, dst, mix32(e));
          EXPECT_EQ(path.size(), 1 + away[t.port_peer(path.front())]);
          for (const std::uint32_t port : path) EXPECT_FALSE(down[port / 2]);
          EXPECT_EQ(t.port_peer(path.back()), dst);
          ++checked;
        }
      }
    }
    expect_indices_of_ports_that_lead(r);
  }
  EXPECT_GT(checked, 5'000);
}

// Two planes, and the only link of one host to the first of them down: all go by the other plane, and those between
// other hosts by both.
TEST(Routing, AHostThatHasLostAPlaneIsReachedByTheOther) {
  const Topology t = build(Star{.hosts = 3, .planes = 2});
  std::vector<bool> down(t.links.size());
  const Routing whole(t, 1);
  down[whole.ports_of(1)[0] / 2] = true;
  const Routing left(t, 1, down);
  EXPECT_EQ(left.ports_to(0, 1), (std::vector<std::uint32_t>{left.ports_of(0)[1]}));
  EXPECT_EQ(left.ports_to(1, 0), (std::vector<std::uint32_t>{left.ports_of(1)[1]}));
  EXPECT_EQ(left.ports_to(0, 2), list(left.ports_of(0)));
  for (std::uint32_t e = 0; e < 16; ++e) EXPECT_EQ(left.nic(0, 2, mix32(e)), whole.nic(0, 2, mix32(e)));
}

}  // namespace
}  // namespace weir::net
