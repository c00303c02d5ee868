// The network effect (H3 to H5).
#include "hosts/clock/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hosts/clock/clocks.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock {
namespace {

constexpr std::int64_t kAt = 1'000'000'000'000;

// Edges of clocks that are all right, measured with errors of this standard deviation.
GraphEdge edge(std::size_t from, std::size_t to, double offset, double error) {
  return {from, to, {kAt, std::llround(offset), 0, error, error * 1e-9}};
}

std::vector<std::pair<std::size_t, std::size_t>> complete(std::size_t hosts) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t i = 0; i < hosts; ++i) {
    for (std::size_t j = i + 1; j < hosts; ++j) out.emplace_back(i, j);
  }
  return out;
}

// Every host has `degree` edges, which is even, or one or two fewer: random circles, which hardly share an edge.
std::vector<std::pair<std::size_t, std::size_t>> regular(std::size_t hosts, std::size_t degree, Random& random) {
  std::set<std::pair<std::size_t, std::size_t>> out;
  std::vector<std::size_t> circle(hosts);
  for (std::size_t i = 0; i < hosts; ++i) circle[i] = i;
  while (out.size() + degree < hosts * degree / 2) {
    for (std::size_t i = hosts; i-- > 1;) std::swap(circle[i], circle[random.below(i + 1)]);
    auto more = out;
    for (std::size_t i = 0; i < hosts; ++i) more.insert(std::minmax(circle[i], circle[(i + 1) % hosts]));
    if (more.size() + 2 >= out.size() + hosts) out = std::move(more);
  }
  return {out.begin(), out.end()};
}

// The standard deviation of corrected edges over that of measured ones.
double shrunk(std::size_t hosts, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, Random& random,
              int rounds) {
  constexpr double deviation = 100'000;  // so that rounding does not matter
  double squares = 0;
  std::size_t count = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<GraphEdge> edges;
    for (const auto& [a, b] : pairs) edges.push_back(edge(a, b, random.normal(deviation), deviation));
    const Solution s = reconcile(hosts, edges, kAt);
    for (const auto& [a, b] : pairs) {
      const auto error = static_cast<double>(s.nodes[b].estimate.offset - s.nodes[a].estimate.offset);
      squares += error * error;
      ++count;
    }
  }
  return std::sqrt(squares / static_cast<double>(count)) / deviation;
}

TEST(NetworkEffect, ShrinksErrorsAsTheGraphIsConnected) {
  Random random(1);
  EXPECT_NEAR(shrunk(20, complete(20), random, 50) / std::sqrt(2.0 / 20), 1, 0.1);
  EXPECT_NEAR(shrunk(100, regular(100, 10, random), random, 10), 0.45, 0.05);
}

TEST(NetworkEffect, SpreadsAnAsymmetryOverTheLoops) {
  // an edge of a complete graph of 8 has a path that is 1 us longer in one direction
  const std::size_t hosts = 8;
  std::vector<GraphEdge> edges;
  for (const auto& [a, b] : complete(hosts)) edges.push_back(edge(a, b, a == 2 && b == 5 ? 500 : 0, 50));
  const Solution s = reconcile(hosts, edges, kAt);
  const auto bias = static_cast<double>(s.nodes[5].estimate.offset - s.nodes[2].estimate.offset);
  const double resistance = 2.0 / hosts;
  EXPECT_LE(std::abs(bias), 500 * resistance + 1);
  EXPECT_GT(s.scale, 1);
  EXPECT_EQ(s.loops, 21u);
}

TEST(NetworkEffect, LeavesNoSurplusInAnyLoop) {
  Random random(3);
  std::vector<GraphEdge> edges;
  for (const auto& [a, b] : complete(9)) edges.push_back(edge(a, b, random.normal(500), 500));
  const Solution s = reconcile(9, edges, kAt);
  for (std::size_t a = 0; a < 9; ++a) {
    for (std::size_t b = 0; b < 9; ++b) {
      for (std::size_t c = 0; c < 9; ++c) {
        const auto along = [&](std::size_t from, std::size_t to) {
          return s.nodes[to].estimate.offset - s.nodes[from].estimate.offset;
        };
        EXPECT_EQ(along(a, b) + along(b, c) + along(c, a), 0);
      }
    }
  }
  // and what there was tells how good the measurements were
  EXPECT_NEAR(s.surplus, 500, 150);
}

TEST(NetworkEffect, ClocksThatAreDaysApartAndDrift) {
  // truth: host i shows t + offset_i + drift_i (t - kAt); edges are measured by clocks that are wrong themselves, in
  // either direction, some seconds ago
  Random random(4);
  const std::size_t hosts = 6;
  std::vector<double> offsets{0};
  std::vector<double> drifts{0};
  for (std::size_t i = 1; i < hosts; ++i) {
    offsets.push_back(std::round(random.uniform(-1, 1) * 86'400e9 * 30));
    drifts.push_back(random.uniform(-30e-6, 30e-6));
  }
  const auto shown = [&](std::size_t host, double since) {  // at kAt + since, minus kAt
    return offsets[host] + since + drifts[host] * since;
  };
  std::vector<GraphEdge> edges;
  for (const auto& [a, b] : complete(hosts)) {
    const bool turned = random.below(2) == 1;
    const std::size_t from = turned ? b : a;
    const std::size_t to = turned ? a : b;
    const double since = -random.uniform(1e9, 4e9);
    GraphEdge e{from, to, {}};
    e.measured.at = kAt + std::llround(shown(from, since));
    e.measured.offset = std::llround(shown(to, since) - shown(from, since));
    // per ns of from's clock
    e.measured.drift = (drifts[to] - drifts[from]) / (1 + drifts[from]);
    e.measured.error = 50;
    e.measured.growth = 20e-9;
    edges.push_back(e);
  }
  const Solution s = reconcile(hosts, edges, kAt);
  for (std::size_t i = 1; i < hosts; ++i) {
    const Estimate& e = s.nodes[i].estimate;
    EXPECT_NEAR(static_cast<double>(e.offset) - offsets[i], 0, 4) << i;
    EXPECT_NEAR((e.drift - drifts[i]) * 1e9, 0, 4) << i;
    EXPECT_GT(e.error, 0);
    EXPECT_GT(e.growth, 0);
    EXPECT_LT(e.error, 120);
  }
}

TEST(NetworkEffect, KnowsWhomItReaches) {
  const Solution s = reconcile(4, std::vector<GraphEdge>{edge(0, 1, 5, 1), edge(2, 3, 7, 1)}, kAt);
  EXPECT_TRUE(s.nodes[1].known);
  EXPECT_EQ(s.nodes[1].estimate.offset, 5);
  EXPECT_FALSE(s.nodes[2].known);
  EXPECT_EQ(s.loops, 0u);
  EXPECT_FALSE(reconcile(1, {}, kAt).nodes[0].estimate.offset != 0);
}

Address host(std::uint8_t i) { return {{10, 77, 0, i}, false}; }

Report report(std::uint8_t origin, std::uint32_t number, const std::vector<std::uint8_t>& to) {
  Report r{.origin = host(origin), .started = 1, .number = number, .at = kAt};
  for (const std::uint8_t t : to) r.edges.push_back({host(t), 100 * (t - origin), 0, 10, 0});
  return r;
}

TEST(Reports, TheLatestCounts) {
  Reports reports;
  EXPECT_EQ(reports.take(report(1, 5, {2, 3}), 0), Reports::News::more);
  EXPECT_EQ(reports.take(report(1, 5, {2, 3}), 1), Reports::News::none);
  EXPECT_EQ(reports.take(report(1, 4, {2, 3}), 1), Reports::News::none);
  EXPECT_EQ(reports.take(report(1, 6, {3}), 1), Reports::News::less);
  // one that has been silent for long may start again with any number
  EXPECT_EQ(reports.take(report(1, 1, {3}), 10'000'000'000), Reports::News::more);
  reports.expire(20'000'000'000);
  int count = 0;
  reports.each([&](const Report&) { ++count; });
  EXPECT_EQ(count, 0);
}

TEST(Clocks, ReachHostsThatOthersMeasure) {
  // 1 measures 2; 2 reports 3, 3 reports 4, of which we know nothing else; 9 is not connected
  Reports reports;
  reports.take(report(2, 1, {1, 3}), 0);
  reports.take(report(3, 1, {2, 4}), 0);
  reports.take(report(9, 1, {8}), 0);
  const std::vector<OwnEdge> own{{host(2), {kAt, 100, 0, 10, 0}}};
  const std::vector<Address> self{host(1)};
  Clocks clocks;
  clocks.solve(own, reports, self, kAt);
  for (std::uint8_t i = 2; i <= 4; ++i) {
    const auto found = clocks.find(host(i));
    ASSERT_TRUE(found) << int{i};
    EXPECT_EQ(found->offset, 100 * (i - 1));
    EXPECT_NEAR(found->error, 10 * std::sqrt(i - 1), 0.1);
  }
  EXPECT_FALSE(clocks.find(host(9)));
  EXPECT_FALSE(clocks.find(host(77)));
  // without our own measurement nothing is known, whatever others say of us
  clocks.solve({}, reports, self, kAt);
  EXPECT_FALSE(clocks.find(host(2)));
}

}  // namespace
}  // namespace weir::hosts::clock
