#include "weir/claims/measures.h"

#include <gtest/gtest.h>

namespace weir::claims {
namespace {

using namespace weir::literals;
using Values = std::vector<double>;

TEST(Measures, RankCorrelation) {
  EXPECT_DOUBLE_EQ(rank_correlation(Values{1, 2, 3, 4}, Values{10, 100, 1000, 10000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(Values{1, 2, 3, 4}, Values{9, 7, 5, 1}), -1);
  // 1 - 6 sum d^2 / (n (n^2 - 1)) with d = 0, 1, 1, 0
  EXPECT_DOUBLE_EQ(rank_correlation(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), 0.8);
  // ranks 1.5, 1.5, 3 and 1, 2, 3: covariance 1.5, variances 1.5 and 2
  EXPECT_DOUBLE_EQ(rank_correlation(Values{0, 0, 20}, Values{1, 2, 3}), 1.5 / std::sqrt(3.0));
  EXPECT_EQ(rank_correlation(Values{5, 5, 5}, Values{1, 2, 3}), 0);
}

TEST(Measures, Deviation) {
  EXPECT_DOUBLE_EQ(deviation(Values{2, 4, 4, 4, 5, 5, 7, 9}), 2);
  EXPECT_EQ(deviation(Values{3}), 0);
}

TEST(Measures, Percentile) {
  const Values x{40, 10, 30, 20};
  EXPECT_EQ(percentile(x, 0), 10);
  EXPECT_EQ(percentile(x, 500), 30);
  EXPECT_EQ(percentile(x, 950), 40);
}

TEST(Measures, TurnsIgnoreWhatIsSmall) {
  EXPECT_EQ(turns(Values{0, 10, 20, 30}, 5), 0);
  EXPECT_EQ(turns(Values{0, 20, 17, 25, 22, 30}, 5), 0);
  EXPECT_EQ(turns(Values{0, 20, 0}, 5), 1);
  EXPECT_EQ(turns(Values{0, 20, 0, 3, 1, 0}, 5), 1);
  EXPECT_EQ(turns(Values{0, 20, 15, 20, 15}, 5), 3);
  EXPECT_EQ(turns(Values{20, 18, 16, 14, 16, 18, 20}, 5), 1);  // slow ones count as well
}

host::FlowView flow(std::uint32_t src, Time start, std::int64_t acked, Rate rate) {
  return {.src = src, .start = start, .in_order = Bytes{acked}, .rate = rate};
}

TEST(Measures, IndexOfRatesNeedsTwo) {
  Shares shares;
  shares.add(1_us, flow(0, 0_us, 0, 30_Gbps));
  shares.add(2_us, flow(0, 0_us, 0, 30_Gbps));
  shares.add(2_us, flow(1, 2_us, 0, 10_Gbps));
  const auto index = index_of_rates(shares);
  ASSERT_EQ(index.size(), 2u);
  EXPECT_LT(index[0].value, 0);
  EXPECT_DOUBLE_EQ(index[1].value, 0.8);  // 40^2 / (2 (900 + 100))
  EXPECT_EQ(index[1].begin, 1_us);
  EXPECT_EQ(index[1].end, 2_us);
}

TEST(Measures, IndexOfDeliveriesIsOfFlowsActiveThroughout) {
  Shares shares;
  shares.add(0_us, flow(0, 0_us, 0, {}));
  shares.add(5_us, flow(0, 0_us, 99, {}));
  shares.add(5_us, flow(1, 2_us, 7, {}));
  shares.add(10_us, flow(0, 0_us, 200, {}));
  shares.add(10_us, flow(1, 2_us, 50, {}));
  shares.add(20_us, flow(0, 0_us, 500, {}));
  shares.add(20_us, flow(1, 2_us, 150, {}));
  shares.add(20_us, flow(2, 10_us, 100, {}));  // it is seen for the first time, but has started
  const auto index = index_of_deliveries(shares, 10_us);
  ASSERT_EQ(index.size(), 2u);
  EXPECT_LT(index[0].value, 0);
  EXPECT_DOUBLE_EQ(index[1].value, 25.0 / 33);  // of 300, 100, 100
}

TEST(Measures, FairnessHasToLast) {
  std::vector<Index> series;
  const auto add = [&](double value) {
    const Time begin = 20_us * static_cast<std::int64_t>(series.size());
    series.push_back({begin, begin + 20_us, value});
  };
  for (const double v : {1.0, 0.5, 0.95, 0.99, 0.94, 0.96, 0.95, 0.97, 1.0}) add(v);
  EXPECT_EQ(time_to_fairness(series, 20_us), 100_us);  // from 100 to 120 us on
  EXPECT_EQ(time_to_fairness(std::span(series).first(8), 20_us), Time::max());
  EXPECT_DOUBLE_EQ(mean_index(series, 40_us, 80_us), 0.97);
}

}  // namespace
}  // namespace weir::claims
