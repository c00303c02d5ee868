// Rates that are kept up to date are those that are found from nothing.
#include "weir/theory/live_alpha_fair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "weir/theory/alpha_fair.h"
#include "weir/theory/random_network.h"

namespace weir::theory {
namespace {

using Use = LiveNetwork::Use;

// One flow over two links and one on each: with alpha = 1 the long one has a third of both.
TEST(LiveAlphaFair, AParkingLotByHand) {
  LiveAlphaFair live({3, 3}, 1);
  constexpr std::uint32_t both = 0, first = 1, second = 2;
  live.add(both, std::vector<Use>{{.link = 0}, {.link = 1}});
  live.add(first, std::vector<Use>{{.link = 0}});
  live.update();
  EXPECT_NEAR(live.rate(both), 1.5, 1e-9);
  EXPECT_NEAR(live.rate(first), 1.5, 1e-9);
  live.add(second, std::vector<Use>{{.link = 1}});
  EXPECT_EQ(live.update().size(), 3u);
  EXPECT_NEAR(live.rate(both), 1, 1e-9);
  EXPECT_NEAR(live.rate(first), 2, 1e-9);
  live.remove(both);
  live.update();
  EXPECT_NEAR(live.rate(first), 3, 1e-9);
}

class Alpha : public testing::TestWithParam<double> {};

TEST_P(Alpha, AfterEachChangeAsFromNothing) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    Draws draw(number);
    std::vector<double> capacities;
    const std::uint32_t links = 2 + draw.below(8);
    for (std::uint32_t i = 0; i < links; ++i) capacities.push_back(draw.between(0.5, 4));
    LiveAlphaFair live(capacities, GetParam());
    std::map<std::uint32_t, Flow> flows;
    for (int step = 0; step < 20; ++step) {
      if (!flows.empty() && draw.below(24) < flows.size()) {
        const auto gone = std::next(flows.begin(), draw.below(static_cast<std::uint32_t>(flows.size())));
        live.remove(gone->first);
        flows.erase(gone);
      } else {
        Flow flow;
        std::vector<Use> path;
        for (std::uint32_t i = 0; i < links; ++i)
          if (draw.below(3) == 0 || (i + 1 == links && path.empty())) {
            flow.links.push_back(i);
            flow.shares.push_back(draw.below(2) == 0 ? 1 : 0.5);
            path.push_back({.link = i, .share = flow.shares.back()});
          }
        std::uint32_t id = 0;
        while (flows.contains(id)) ++id;
        live.add(id, path);
        flows[id] = flow;
      }
      live.update();
      Network network{capacities, {}};
      for (const auto& [id, flow] : flows) network.flows.push_back(flow);
      if (flows.empty()) continue;
      const auto wanted = alpha_fair(network, GetParam()).rates;
      std::size_t j = 0;
      std::vector<double> rates;
      for (const auto& [id, flow] : flows) {
        // the loads of both are right within kAlphaFair, which tells rates less exactly
        ASSERT_NEAR(live.rate(id), wanted[j], 1e-6 * wanted[j]) << "network " << number << ", step " << step;
        rates.push_back(live.rate(id));
        ++j;
      }
      const auto load = loads(network, rates);
      for (std::size_t i = 0; i < load.size(); ++i) ASSERT_LE(load[i], capacities[i] * (1 + 2 * kAlphaFair));
    }
  }
}

// Each of 16 hosts sends to all others, by one of four spines between leaves of four: when a flow ends, all change, and
// each link would be filled some 120 times before all loads are right within the tolerance.
TEST(LiveAlphaFair, FillsFewLinksWhereAllFlowsMeet) {
  constexpr std::uint32_t kHosts = 16, kLeaf = 4, kSpines = 4, kLeaves = kHosts / kLeaf;
  Draws draw(1);
  Network network{std::vector<double>(2 * kHosts + 2 * kLeaves * kSpines, 1.0), {}};
  LiveAlphaFair live(network.capacities, 1);
  for (std::uint32_t src = 0; src < kHosts; ++src)
    for (std::uint32_t dst = 0; dst < kHosts; ++dst) {
      if (src == dst) continue;
      Flow flow{.links = {src, kHosts + dst}};
      if (src / kLeaf != dst / kLeaf) {
        const std::uint32_t spine = draw.below(kSpines);
        flow.links.push_back(2 * kHosts + src / kLeaf * kSpines + spine);
        flow.links.push_back(2 * kHosts + (kLeaves + dst / kLeaf) * kSpines + spine);
      }
      std::vector<Use> path;
      for (const auto link : flow.links) path.push_back({.link = static_cast<std::uint32_t>(link)});
      live.add(static_cast<std::uint32_t>(network.flows.size()), path);
      network.flows.push_back(flow);
    }
  live.update();
  const std::uint64_t before = live.effort().rounds;
  for (int ended = 0; ended < 10; ++ended) {
    live.remove(static_cast<std::uint32_t>(network.flows.size()) - 1);
    network.flows.pop_back();
    live.update();
  }
  EXPECT_LT(live.effort().rounds - before, 10 * network.capacities.size());
  const std::vector<double> wanted = alpha_fair(network, 1).rates;
  for (std::uint32_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(live.rate(i), wanted[i], 1e-6 * wanted[i]);
}

INSTANTIATE_TEST_SUITE_P(Alphas, Alpha, testing::Values(0.5, 1.0, 2.0, 8.0), [](const auto& info) {
  return "alpha_" + std::to_string(static_cast<int>(10 * info.param)) + "_tenths";
});

}  // namespace
}  // namespace weir::theory
