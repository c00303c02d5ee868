// Rates that are kept up to date are those of progressive filling from nothing, after every change.
#include "weir/theory/live_max_min.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "weir/theory/max_min.h"
#include "weir/theory/random_network.h"

namespace weir::theory {
namespace {

using Use = LiveNetwork::Use;

// Flows come and go on links 0, 1, ...; `mirror` is what the theory library is given.
class Both {
 public:
  explicit Both(std::vector<double> capacities) : live_(capacities), capacities_(std::move(capacities)) {}

  std::uint32_t add(const Flow& flow) {
    std::vector<Use> path;
    for (std::size_t k = 0; k < flow.links.size(); ++k) path.push_back({.link = flow.links[k], .share = flow.share(k)});
    std::uint32_t number = 0;
    while (flows_.contains(number)) ++number;
    live_.add(number, path);
    flows_.emplace(number, flow);
    return number;
  }
  void remove(std::uint32_t number) {
    live_.remove(number);
    flows_.erase(number);
  }
  // The number of some flow.
  std::uint32_t any(Draws& draw) const { return std::next(flows_.begin(), draw.below(size()))->first; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(flows_.size()); }

  // The library's rates within rounding, no link above its capacity, a bottleneck for each flow; and those that were
  // told to have changed have, the others have not.
  void check(double tolerance, const std::string& what) {
    std::map<std::uint32_t, double> before = rates_;
    const auto told = live_.update();
    const std::vector<std::uint32_t> changed(told.begin(), told.end());
    Network network{capacities_, {}};
    std::vector<double> rates;
    rates_.clear();
    for (const auto& [number, flow] : flows_) {
      network.flows.push_back(flow);
      rates.push_back(live_.rate(number));
      rates_[number] = rates.back();
    }
    const Filling wanted = max_min(network);
    for (std::size_t j = 0; j < rates.size(); ++j)
      ASSERT_NEAR(rates[j], wanted.rates[j], tolerance * wanted.rates[j]) << what << ", flow " << j;
    const auto load = loads(network, rates);
    for (std::size_t i = 0; i < load.size(); ++i)
      ASSERT_LE(load[i], capacities_[i] * (1 + tolerance)) << what << ", link " << i;
    for (const auto& b : bottlenecks(network, rates, tolerance)) ASSERT_TRUE(b.has_value()) << what;
    for (const auto& [number, rate] : rates_) {
      const bool is_told = std::find(changed.begin(), changed.end(), number) != changed.end();
      const auto known = before.find(number);
      if (!is_told) {
        ASSERT_TRUE(known != before.end()) << what;
        ASSERT_EQ(known->second, rate) << what;
      }
    }
  }

  const Effort& effort() const { return live_.effort(); }

 private:
  LiveMaxMin live_;
  std::vector<double> capacities_;
  std::map<std::uint32_t, Flow> flows_;
  std::map<std::uint32_t, double> rates_;
};

Flow random_flow(Draws& draw, std::uint32_t links, std::uint32_t longest, bool shares) {
  Flow flow;
  const std::uint32_t length = 1 + draw.below(std::min(links, longest));
  while (flow.links.size() < length) {
    const std::uint32_t link = draw.below(links);
    if (std::find(flow.links.begin(), flow.links.end(), link) == flow.links.end()) flow.links.push_back(link);
  }
  if (shares)
    for (std::size_t k = 0; k < flow.links.size(); ++k)
      flow.shares.push_back(k % 2 == 0 ? 1 : std::vector{0.5, 0.25, 1.0 / 3, 0.01}[draw.below(4)]);
  return flow;
}

// Hand-computed: link 0 (6) and link 1 (9).
TEST(LiveMaxMin, TwoLinksByHand) {
  LiveMaxMin live({6, 9});
  constexpr std::uint32_t a = 0, b = 1, c = 2, d = 3;
  live.add(a, std::vector<Use>{{.link = 0}});
  live.update();
  EXPECT_EQ(live.rate(a), 6);
  live.add(b, std::vector<Use>{{.link = 0}, {.link = 1}});
  live.update();
  EXPECT_EQ(live.rate(a), 3);
  EXPECT_EQ(live.rate(b), 3);
  live.add(c, std::vector<Use>{{.link = 1}});
  EXPECT_EQ(live.update().size(), 1u);  // it has the 6 that b leaves, and nobody else changes
  EXPECT_EQ(live.rate(c), 6);
  live.add(d, std::vector<Use>{{.link = 1}});
  live.update();  // b, c and d would have 3 each on link 1, as b has on link 0
  EXPECT_EQ(live.rate(c), 3);
  EXPECT_EQ(live.rate(d), 3);
  live.remove(a);
  live.update();  // link 1 still limits b
  EXPECT_EQ(live.rate(b), 3);
  live.remove(c);
  live.update();  // b and d share 9, and b has room on link 0
  EXPECT_EQ(live.rate(b), 4.5);
  EXPECT_EQ(live.rate(d), 4.5);
}

// A flow that puts half of itself on each of two links of 4 and 6 gets 8, and 6 if another one has 1 of the first.
TEST(LiveMaxMin, AFlowOnTwoPathsByHand) {
  LiveMaxMin live({4, 6, 1});
  constexpr std::uint32_t spread = 1, other = 0;
  live.add(spread, std::vector<Use>{{.link = 0, .share = 0.5}, {.link = 1, .share = 0.5}});
  live.update();
  EXPECT_EQ(live.rate(spread), 8);
  live.add(other, std::vector<Use>{{.link = 0}, {.link = 2}});
  live.update();
  EXPECT_EQ(live.rate(spread), 6);
  EXPECT_EQ(live.rate(other), 1);
}

class Random : public testing::TestWithParam<bool> {};

TEST_P(Random, AfterEachChangeAsFromNothing) {
  for (std::uint32_t number = 0; number < 60; ++number) {
    Draws draw(number);
    std::vector<double> capacities;
    const std::uint32_t links = 2 + draw.below(30);
    for (std::uint32_t i = 0; i < links; ++i)
      capacities.push_back(number % 2 == 0 ? draw.between(0.1, 10) : std::vector{1.0, 2.0, 4.0}[draw.below(3)]);
    Both both(capacities);
    const std::uint32_t many = 1 + draw.below(60);
    for (int step = 0; step < 80; ++step) {
      // one change, or several at once
      for (std::uint32_t changes = 1 + draw.below(3); changes > 0; --changes) {
        if (both.size() > 0 && draw.below(2 * many) < both.size())
          both.remove(both.any(draw));
        else
          both.add(random_flow(draw, links, 6, GetParam()));
      }
      both.check(1e-9, "network " + std::to_string(number) + ", step " + std::to_string(step));
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shares, Random, testing::Bool(),
                         [](const auto& info) { return info.param ? "of_rates" : "whole"; });

// Rounding does not add up: ten thousand changes of one network.
TEST(LiveMaxMin, LongHistoriesEndAsShortOnes) {
  Draws draw(1);
  std::vector<double> capacities;
  for (int i = 0; i < 40; ++i) capacities.push_back(draw.between(1, 3));
  Both both(capacities);
  for (int step = 0; step < 10'000; ++step) {
    if (both.size() > 80)
      both.remove(both.any(draw));
    else
      both.add(random_flow(draw, 40, 5, step % 3 == 0));
    if (step % 50 == 0) both.check(1e-9, "step " + std::to_string(step));
    if (HasFatalFailure()) return;
  }
}

// A thousand pairs that share nothing: whoever comes or goes is all that is looked at.
TEST(LiveMaxMin, LooksOnlyAtWhatChanges) {
  LiveMaxMin live(std::vector<double>(1000, 1.0));
  for (std::uint32_t i = 0; i < 1000; ++i) live.add(i, std::vector<Use>{{.link = i}});
  live.update();
  const Effort before = live.effort();
  live.remove(500);
  EXPECT_TRUE(live.update().empty());
  live.add(500, std::vector<Use>{{.link = 500}});
  EXPECT_EQ(live.update().size(), 1u);
  EXPECT_EQ(live.effort().flows - before.flows, 1u);
  EXPECT_EQ(live.effort().links - before.links, 1u);
}

}  // namespace
}  // namespace weir::theory
