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

INSTANTIATE_TEST_SUITE_P(Alphas, Alpha, testing::Values(0.5, 1.0, 2.0, 8.0), [](const auto& info) {
  return "alpha_" + std::to_string(static_cast<int>(10 * info.param)) + "_tenths";
});

}  // namespace
}  // namespace weir::theory
