// Claims of Fast Convergence to Fairness, each judged by a rule that was set before it was measured. docs/claims.md has
// the rules, what the paper says and what is measured here; these tests keep the last two columns of its table, and
// the tables of all variants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/claims/measures.h"
#include "tests/claims/record.h"
#include "tests/claims/staggered.h"
#include "tests/claims/watch.h"
#include "weir/base/units.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

const std::string kTable = "fast-convergence";

Variant hpcc(const std::string& preset, const std::vector<std::string>& overrides = {}) {
  Variant out{"staggered-hpcc.toml", {"algorithm.preset=fast-convergence" + preset}, preset == "-probabilistic"};
  out.overrides.insert(out.overrides.end(), overrides.begin(), overrides.end());
  return out;
}
Variant swift(const std::string& preset, const std::vector<std::string>& overrides = {}) {
  Variant out = hpcc(preset, overrides);
  out.file = "staggered-swift.toml";
  return out;
}

// The four forms of one algorithm that the paper compares.
struct Four {
  std::vector<Outcome> plain, one_gbps, probabilistic, vai_sf;
};
Four run_four(const Incast& incast, Variant (*form)(const std::string&, const std::vector<std::string>&)) {
  return {run_staggered(incast, form("", {})), run_staggered(incast, form("-1g", {})),
          run_staggered(incast, form("-probabilistic", {})), run_staggered(incast, form("-vai-sf", {}))};
}

// One figure of each outcome.
template <class Figure>
std::vector<double> all(const std::vector<Outcome>& outcomes, Figure figure) {
  std::vector<double> out;
  for (const Outcome& o : outcomes) out.push_back(figure(o));
  return out;
}
double most(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
double least(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }

std::string text(double value, int digits = 0) {
  return std::isinf(value) ? "never" : fmt::format("{:.{}f}", value, digits);
}
// "a" or "a ... b".
std::string range(const std::vector<double>& x, int digits = 0) {
  const std::string low = text(least(x), digits);
  const std::string high = text(most(x), digits);
  return low == high ? low : low + " ... " + high;
}

double spread(const Outcome& o) { return o.spread; }
double deviation_of(const Outcome& o) { return o.deviation; }
double correlation(const Outcome& o) { return o.correlation; }
double fair_rates(const Outcome& o) { return o.fair_rates; }
double fair_deliveries(const Outcome& o) { return o.fair_deliveries; }
double mean_queue(const Outcome& o) { return kb(o.queue.mean); }
double p50_queue(const Outcome& o) { return kb(o.queue.p50); }
double p95_queue(const Outcome& o) { return kb(o.queue.p95); }
double swing(const Outcome& o) { return kb(o.queue.swing()); }

// A figure of the four forms, as "HPCC 1; 1Gbps 2; Probabilistic 3; VAI SF 4 us".
template <class Figure>
std::string compare(const Four& four, const std::string& name, Figure figure, const std::string& unit, int digits = 0) {
  return fmt::format("{} {}; 1Gbps {}; Probabilistic {}; VAI SF {}{}", name, range(all(four.plain, figure), digits),
                     range(all(four.one_gbps, figure), digits), range(all(four.probabilistic, figure), digits),
                     range(all(four.vai_sf, figure), digits), unit);
}

void expect_and_record(const std::string& claim, bool expected, bool holds, const std::string& measured) {
  EXPECT_EQ(holds, expected) << claim << (holds ? " holds now" : " does not hold any more");
  record_row(kTable, claim, verdict(holds), measured);
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
  record_row(kTable, "B18", verdict(false),
             compare(four, "HPCC", fair_rates, " us") + "; mean index " + compare(four, "HPCC", index, "", 3));

  const bool near_zero = vai_sf.queue.p95 <= 2 * plain.queue.p95 + 5000;
  const bool below_others = mean_queue(vai_sf) < least(all(four.one_gbps, mean_queue)) &&
                            mean_queue(vai_sf) < least(all(four.probabilistic, mean_queue));
  EXPECT_FALSE(near_zero) << "B19 holds now";
  EXPECT_TRUE(below_others);
  EXPECT_LE(vai_sf.queue.p50, 0.5 * four.one_gbps.front().queue.p50);
  record_row(kTable, "B19", "**partly reproduced**",
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

// The tables of all variants and of other readings of what the paper leaves open.
void record_variants(const std::string& table, const Incast& incast,
                     const std::vector<std::pair<std::string, Variant>>& variants) {
  for (const auto& [name, variant] : variants) {
    const auto o = run_staggered(incast, variant);
    expect_row("docs/claims.md", table, name,
               {range(all(o, fair_rates)), range(all(o, fair_deliveries)), range(all(o, correlation), 2),
                range(all(o, spread)), range(all(o, deviation_of)), range(all(o, mean_queue), 1),
                range(all(o, p50_queue), 1), range(all(o, p95_queue), 1)});
  }
}

std::vector<std::pair<std::string, Variant>> hpcc_variants() {
  return {
      {"HPCC", hpcc("")},
      {"HPCC 1Gbps", hpcc("-1g")},
      {"HPCC Probabilistic", hpcc("-probabilistic")},
      {"`probabilistic = \"keep\"`, HPCC", hpcc("-probabilistic", {"algorithm.probabilistic=keep"})},
      {"`probabilistic = \"retry\"`, HPCC", hpcc("-probabilistic", {"algorithm.probabilistic=retry"})},
      {"HPCC VAI SF", hpcc("-vai-sf")},
      {"`sf_restart = \"any\"`, HPCC", hpcc("-vai-sf", {"algorithm.sf_restart=any"})},
      {"`sf_restart = \"separate\"`, HPCC", hpcc("-vai-sf", {"algorithm.sf_restart=separate"})},
      {"`sf_every_round = true`, HPCC", hpcc("-vai-sf", {"algorithm.sf_every_round=true"})},
      {"`vai_tokens = \"excess\"`, HPCC", hpcc("-vai-sf", {"algorithm.vai_tokens=excess"})},
      {"`r_min = \"1 Gbps\"`, HPCC VAI SF", hpcc("-vai-sf", {"algorithm.r_min=1 Gbps"})},
      {"`r_min = \"1 Gbps\"`, HPCC", hpcc("", {"algorithm.r_min=1 Gbps"})},
  };
}

std::vector<std::pair<std::string, Variant>> swift_variants() {
  return {
      {"Swift", swift("")},
      {"Swift 1Gbps", swift("-1g")},
      {"Swift Probabilistic", swift("-probabilistic")},
      {"`probabilistic = \"keep\"`, Swift", swift("-probabilistic", {"algorithm.probabilistic=keep"})},
      {"`probabilistic = \"increase\"`, Swift", swift("-probabilistic", {"algorithm.probabilistic=increase"})},
      {"Swift VAI SF", swift("-vai-sf")},
      {"`sf_restart = \"any\"`, Swift", swift("-vai-sf", {"algorithm.sf_restart=any"})},
      {"`sf_restart = \"separate\"`, Swift", swift("-vai-sf", {"algorithm.sf_restart=separate"})},
      {"`sf_every_round = true`, Swift", swift("-vai-sf", {"algorithm.sf_every_round=true"})},
  };
}

TEST(FairnessVariants, SixteenHpccFlows) { record_variants("sixteen", kSixteen, hpcc_variants()); }
TEST(FairnessVariants, SixteenSwiftFlows) { record_variants("sixteen", kSixteen, swift_variants()); }
TEST(FairnessVariants, NinetySixHpccFlows) { record_variants("ninety-six", kNinetySix, hpcc_variants()); }
TEST(FairnessVariants, NinetySixSwiftFlows) { record_variants("ninety-six", kNinetySix, swift_variants()); }

}  // namespace
}  // namespace weir::claims
