#include "weir/theory/network.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "weir/base/error.h"

namespace weir::theory {
namespace {

using Links = std::vector<std::uint32_t>;
using Rates = std::vector<double>;

TEST(Network, OfAnIncidenceMatrix) {
  const Network n = from_incidence({{1, 1, 0}, {1, 0, 1}}, {10, 20});
  ASSERT_EQ(n.flows.size(), 3u);
  EXPECT_EQ(n.flows[0].links, (Links{0, 1}));
  EXPECT_EQ(n.flows[1].links, Links{0});
  EXPECT_EQ(n.flows[2].links, Links{1});
  EXPECT_NO_THROW(check(n));
}

TEST(Network, LoadsAndCongestion) {
  const Network n = from_incidence({{1, 1, 0}, {1, 0, 1}}, {10, 20});
  EXPECT_EQ(loads(n, {4, 8, 2}), (Rates{12, 6}));
  // 12 / 10 and 6 / 20; the flow on both sees the larger
  EXPECT_EQ(congestion(n, {4, 8, 2}), (Rates{1.2, 1.2, 0.3}));
}

TEST(Network, ParetoOptimality) {
  const Network n = from_incidence({{1, 1, 0}, {1, 0, 1}}, {10, 20});
  EXPECT_TRUE(pareto_optimal(n, {4, 6, 16}));
  EXPECT_TRUE(pareto_optimal(n, {10, 1e-12, 10}));  // fair it need not be
  EXPECT_FALSE(pareto_optimal(n, {4, 6, 15}));      // the third could have one more
  EXPECT_FALSE(pareto_optimal(n, {4, 7, 16}));      // too much for link 0
}

TEST(Network, Bottlenecks) {
  const Network n = from_incidence({{1, 1, 0}, {1, 0, 1}}, {10, 20});
  using Found = std::vector<std::optional<std::uint32_t>>;
  EXPECT_EQ(bottlenecks(n, {5, 5, 15}), (Found{0, 0, 1}));
  EXPECT_EQ(bottlenecks(n, {4, 6, 16}), (Found{std::nullopt, 0, 1}));  // on link 0 another one has more
  EXPECT_EQ(bottlenecks(n, {5, 5, 14}), (Found{0, 0, std::nullopt}));  // link 1 is not full
  Network weighted = n;
  weighted.flows[1].weight = 1.5;
  EXPECT_EQ(bottlenecks(weighted, {4, 6, 16}), (Found{0, 0, 1}));
}

TEST(Network, RefusesWhatIsNone) {
  const auto error = [](std::vector<double> capacities, std::vector<Flow> flows) -> std::string {
    try {
      check({std::move(capacities), std::move(flows)});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error({1}, {}), "");
  EXPECT_EQ(error({1, 0}, {{{0}}}), "link 1 has a capacity of 0; valid is more than 0");
  EXPECT_EQ(error({std::numeric_limits<double>::infinity()}, {}), "link 0 has a capacity of inf; valid is more than 0");
  EXPECT_EQ(error({1}, {{{0}, -1}}), "flow 0 has a weight of -1; valid is more than 0");
  EXPECT_EQ(error({1}, {{{0}}, {}}), "flow 1 crosses no link; valid is at least one");
  EXPECT_EQ(error({1}, {{{1}}}), "flow 0 crosses link 1, but there are 1, counted from 0");
  EXPECT_EQ(error({1, 1}, {{{1, 0, 1}}}), "flow 0 crosses link 1 twice; valid is once");
}

}  // namespace
}  // namespace weir::theory
