// Claims of Fast Convergence to Fairness, each judged by a rule that was set before it was measured. docs/claims.md has
// the rules, what the paper says and what is measured here; these tests keep the last two columns of its table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/claims/figures.h"
#include "tests/claims/measures.h"
#include "tests/claims/record.h"
#include "tests/claims/staggered.h"
#include "tests/claims/watch.h"
#include "weir/base/units.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

const std::string kTable = "fast-convergence";

// The four forms of one algorithm that the paper compares.
struct Four {
  std::vector<Outcome> plain, one_gbps, probabilistic, vai_sf;
};
Four run_four(const Incast& incast, Variant (*form)(const std::string&, const std::vector<std::string>&)) {
  return {run_staggered(incast, form("", {})), run_staggered(incast, form("-1g", {})),
          run_staggered(incast, form("-probabilistic", {})), run_staggered(incast, form("-vai-sf", {}))};
}

// A figure of the four forms, as "HPCC 1; 1Gbps 2; Probabilistic 3; VAI SF 4 us".
template <class Figure>
std::string compare(const Four& four, const std::string& name, Figure figure, const std::string& unit, int digits = 0) {
  return fmt::format("{} {}; 1Gbps {}; Probabilistic {}; VAI SF {}{}", name, range(all(four.plain, figure), digits),
                     range(all(four.one_gbps, figure), digits), range(all(four.probabilistic, figure), digits),
                     range(all(four.vai_sf, figure), digits), unit);
}

void expect_and_record(const std::string& claim, bool expected, bool holds, const std::string& measured) {
  EXPECT_EQ(holds, expected) << claim << (holds ? " holds now" : " does not hold any more");
  record(kTable, claim, holds, measured);
}

TEST(FairnessClaims, B5LateHpccFlowsFinishFirst) {
  const auto plain = all(run_staggered(kSixteen, hpcc("")), correlation);
  expect_and_record("B5", true, most(plain) < -0.5, range(plain, 2));
}

TEST(FairnessClaims, B6FairHpccFlowsFinishTogether) {
  const Four four = run_four(kSixteen, hpcc);
  const double half = 0.5 * four.plain.front().spread;
  const bool holds = most(all(four.one_gbps, spread)) <= half && most(all(four.probabilistic, spread)) <= half;
  expect_and_record("B6", true, holds, compare(four, "HPCC", spread, " us"));
}

TEST(FairnessClaims, B7LateSwiftFlowsFinishFirst) {
  const auto plain = all(run_staggered(kSixteen, swift("")), correlation);
  expect_and_record("B7", true, most(plain) < -0.3, range(plain, 2));
}

TEST(FairnessClaims, B8FairSwiftFlowsFinishTogether) {
  const Four four = run_four(kSixteen, swift);
  const double part = 0.6 * four.plain.front().spread;
  const bool holds = most(all(four.one_gbps, spread)) <= part && most(all(four.probabilistic, spread)) <= part;
  expect_and_record("B8", false, holds, compare(four, "Swift", spread, " us"));
}

TEST(FairnessClaims, B9ToB14HpccsTimeToFairness) {
  const Four four = run_four(kSixteen, hpcc);
  const double plain = four.plain.front().fair_rates;
  const std::string measured = compare(four, "HPCC", fair_rates, " us");
  expect_and_record("B9", true, plain >= 200, text(plain) + " us");
  expect_and_record(
      "B10", false,
      most(all(four.one_gbps, fair_rates)) <= 0.5 * plain && most(all(four.probabilistic, fair_rates)) <= 0.5 * plain,
      measured);
  expect_and_record("B14", true, most(all(four.vai_sf, fair_rates)) <= 0.5 * plain, measured);
}

TEST(FairnessClaims, B11AndB16SwiftsTimeToFairness) {
  const Four four = run_four(kSixteen, swift);
  const double plain = four.plain.front().fair_deliveries;
  const std::string measured = compare(four, "Swift", fair_deliveries, " us");
  expect_and_record("B11", true,
                    plain >= 200 && most(all(four.one_gbps, fair_deliveries)) < plain &&
                        most(all(four.probabilistic, fair_deliveries)) < plain,
                    measured);
  expect_and_record("B16", true, most(all(four.vai_sf, fair_deliveries)) <= 0.5 * plain, measured);
}

TEST(FairnessClaims, B12AndB15HpccsQueue) {
  const Four four = run_four(kSixteen, hpcc);
  expect_and_record("B12", true, most(all(four.one_gbps, swing)) >= 2 * four.plain.front().queue.swing() * 1e-3,
                    compare(four, "HPCC", swing, " KB", 1));
  expect_and_record("B15", true, most(all(four.vai_sf, p95_queue)) <= 2 * kb(four.plain.front().queue.p95) + 5,
                    compare(four, "HPCC", p95_queue, " KB", 1));
}

bool smallest(const std::vector<Outcome>& of, const Four& four, double (*figure)(const Outcome&)) {
  const double most_of = most(all(of, figure));
  return most_of < least(all(four.plain, figure)) && most_of < least(all(four.one_gbps, figure)) &&
         most_of < least(all(four.probabilistic, figure));
}

TEST(FairnessClaims, B13AndB17SwiftsQueue) {
  const auto swing_of_all = [](const Outcome& o) { return kb(o.queue_of_all.swing()); };
  const auto mean_of_all = [](const Outcome& o) { return kb(o.queue_of_all.mean); };
  const Four four = run_four(kSixteen, swift);
  expect_and_record("B13", false, least(all(four.one_gbps, swing)) >= 1.5 * kb(four.plain.front().queue.swing()),
                    compare(four, "Swift", swing, " KB", 1) + "; until the first finish " +
                        compare(four, "Swift", swing_of_all, " KB", 1));
  expect_and_record("B17", false, smallest(four.vai_sf, four, mean_queue),
                    compare(four, "Swift", mean_queue, " KB", 1) + "; until the first finish " +
                        compare(four, "Swift", mean_of_all, " KB", 1));
}

TEST(FairnessClaims, B18AndB19NinetySixHpccFlows) {
  const Four four = run_four(kNinetySix, hpcc);
  const Outcome& plain = four.plain.front();
  const Outcome& vai_sf = four.vai_sf.front();
  const auto index = [](const Outcome& o) { return o.mean_index; };

  EXPECT_FALSE(vai_sf.fair_rates <= 0.5 * plain.fair_rates) << "B18 holds now";
  EXPECT_FALSE(vai_sf.mean_index >= plain.mean_index + 0.1) << "B18 holds in part now";
  record(kTable, "B18", false,
         compare(four, "HPCC", fair_rates, " us") + "; mean index " + compare(four, "HPCC", index, "", 3));

  const bool near_zero = vai_sf.queue.p95 <= 2 * plain.queue.p95 + 5000;
  const bool below_others = mean_queue(vai_sf) < least(all(four.one_gbps, mean_queue)) &&
                            mean_queue(vai_sf) < least(all(four.probabilistic, mean_queue));
  EXPECT_FALSE(near_zero) << "B19 holds now";
  EXPECT_TRUE(below_others);
  EXPECT_LE(vai_sf.queue.p50, 0.5 * four.one_gbps.front().queue.p50);
  record_verdict(kTable, "B19", "**partly reproduced**",
                 "95th percentile " + compare(four, "HPCC", p95_queue, " KB", 1) + "; mean " +
                     compare(four, "HPCC", mean_queue, " KB", 1) + "; median " +
                     compare(four, "HPCC", p50_queue, " KB", 1));
}

TEST(FairnessClaims, B20NinetySixSwiftFlows) {
  const Four four = run_four(kNinetySix, swift);
  EXPECT_TRUE(smallest(four.vai_sf, four, mean_queue));
  const bool holds = four.vai_sf.front().fair_deliveries < four.plain.front().fair_deliveries &&
                     smallest(four.vai_sf, four, mean_queue) && smallest(four.vai_sf, four, swing);
  expect_and_record("B20", false, holds,
                    compare(four, "Swift", fair_deliveries, " us") + "; mean queue " +
                        compare(four, "Swift", mean_queue, " KB", 1) + "; swing " +
                        compare(four, "Swift", swing, " KB", 1));
}

TEST(FairnessClaims, B21AndB22Finishes) {
  const auto judge = [](const std::string& claim, double part, const std::vector<Outcome>& plain,
                        const std::vector<Outcome>& vai_sf) {
    const double from = deviation_of(plain.front());
    const double to = deviation_of(vai_sf.front());
    expect_and_record(claim, true, to <= part * from, fmt::format("{:.0f} us to {:.0f} us", from, to));
  };
  judge("B21", 0.5, run_staggered(kSixteen, hpcc("")), run_staggered(kSixteen, hpcc("-vai-sf")));
  judge("B22", 0.6, run_staggered(kSixteen, swift("")), run_staggered(kSixteen, swift("-vai-sf")));
}

TEST(FairnessClaims, B34WhoDecreasesHowOften) {
  // Each decrease takes half of alpha, which stays as it is at first.
  const auto ratio = [](const std::string& decrease) {
    Watch watch("two-rates.toml", "3->2", {"algorithm.rate_decrease=" + decrease});
    std::map<std::uint32_t, double> rate;
    watch.record(1_us, 100_us, [&](Time, std::uint32_t src, const host::Flow& f) {
      rate[src] = static_cast<double>(f.control.rate.bits_per_second);
    });
    const auto decreases = [&](std::uint32_t src, double from) {
      return std::log(rate.at(src) / from) / std::log(1 - 0.0002 / 2);
    };
    return std::pair{decreases(0, 100e9), decreases(1, 50e9)};
  };
  const auto [each_fast, each_slow] = ratio("on-cnp");
  const auto [round_fast, round_slow] = ratio("periodic");
  const bool holds = std::abs(each_fast / each_slow - 2) <= 0.2 && std::abs(round_fast / round_slow - 1) <= 0.1;
  expect_and_record("B34", true, holds,
                    fmt::format("in 100 us, each mark: {:.0f} and {:.0f}; each round trip: {:.0f} and {:.0f}",
                                each_fast, each_slow, round_fast, round_slow));
}

TEST(FairnessClaims, B35DcqcnIsFairer) {
  struct Fair {
    double by_deliveries;
    double by_rates;
  };
  const auto run = [](std::vector<std::string> overrides, int seed) {
    overrides.push_back("traffic.0.size=20 MB");
    overrides.push_back(fmt::format("run.seed={}", seed));
    Watch watch("staggered-hpcc.toml", "17->16", overrides);
    Shares shares;
    watch.record(20_us, 1140_us, [&](Time now, std::uint32_t src, const host::Flow& f) { shares.add(now, src, f); });
    EXPECT_EQ(watch.counters().retransmitted, 0u);
    return Fair{mean_index(index_of_deliveries(shares, 20_us), 140_us, 1140_us),
                mean_index(index_of_rates(shares), 140_us, 1140_us)};
  };
  const auto range_of = [](const std::vector<Fair>& seeds) {
    std::vector<double> deliveries;
    std::vector<double> rates;
    for (const Fair& f : seeds) {
      deliveries.push_back(f.by_deliveries);
      rates.push_back(f.by_rates);
    }
    return fmt::format("{} (of rates: {})", range(deliveries, 3), range(rates, 3));
  };
  const auto dcqcn = [&](const std::string& preset, const std::string& ecn) {
    std::vector<Fair> seeds;
    for (int seed = 1; seed <= 10; ++seed)
      seeds.push_back(
          run({fmt::format("algorithm={{name=\"dcqcn\", preset=\"{}\"}}", preset), "network.ecn=" + ecn}, seed));
    return seeds;
  };
  const Fair hpcc = run({}, 1);
  const auto paper =
      dcqcn("paper", R"({enabled = true, k_min = "5 KB", k_max = "200 KB", p_max = 0.01, at_rate = "40 Gbps"})");
  const auto artifact = dcqcn("hpcc", "{enabled = true}");
  const bool holds =
      std::all_of(paper.begin(), paper.end(), [&](const Fair& f) { return f.by_deliveries > hpcc.by_deliveries; });
  expect_and_record("B35", true, holds,
                    fmt::format("HPCC {}; DCQCN {}; with the parameters of HPCC's authors {}", range_of({hpcc}),
                                range_of(paper), range_of(artifact)));
}

}  // namespace
}  // namespace weir::claims
