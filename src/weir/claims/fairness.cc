// Claims of Fast Convergence to Fairness. How the rules were read: docs/evidence/claims/fairness.md.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/measures.h"
#include "weir/claims/outcomes.h"
#include "weir/claims/staggered.h"
#include "weir/claims/watch.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

const std::string kDocument = "docs/evidence/claims/fairness.md";

using Form = Variant (*)(const std::string&, const std::vector<std::string>&);

// The four forms of one algorithm that the paper compares.
struct Four {
  std::vector<Outcome> plain, one_gbps, probabilistic, vai_sf;
};
Four run_four(const Context& context, const Incast& incast, Form form) {
  const auto run = [&](const std::string& suffix) { return run_staggered(context, incast, form(suffix, {})); };
  return {run(""), run("-1g"), run("-probabilistic"), run("-vai-sf")};
}

// A figure of the four forms, as "HPCC 1; 1Gbps 2; Probabilistic 3; VAI SF 4 us".
template <class Kind>
std::string compare(const Four& four, const std::string& name, Kind figure, const std::string& unit, int digits = 0) {
  return fmt::format("{} {}; 1Gbps {}; Probabilistic {}; VAI SF {}{}", name, range(all(four.plain, figure), digits),
                     range(all(four.one_gbps, figure), digits), range(all(four.probabilistic, figure), digits),
                     range(all(four.vai_sf, figure), digits), unit);
}

using OfOutcome = double (*)(const Outcome&);
double swing_of_all(const Outcome& o) { return kb(o.queue_of_all.swing()); }
double mean_of_all(const Outcome& o) { return kb(o.queue_of_all.mean); }
double index_of(const Outcome& o) { return o.mean_index; }

// 1Gbps and Probabilistic have at most this much of it, with each seed.
bool others_at_most(const Four& four, OfOutcome figure, double limit) {
  return most(all(four.one_gbps, figure)) <= limit && most(all(four.probabilistic, figure)) <= limit;
}

bool vai_sf_has_least(const Four& four, OfOutcome figure) {
  const double most_of = most(all(four.vai_sf, figure));
  return most_of < least(all(four.plain, figure)) && most_of < least(all(four.one_gbps, figure)) &&
         most_of < least(all(four.probabilistic, figure));
}

void judge_deviation(Context& context, const std::string& claim, const Four& four, double part) {
  const double from = deviation_of(four.plain.front());
  const double to = deviation_of(four.vai_sf.front());
  context.judge(claim, to <= part * from, fmt::format("{:.0f} us to {:.0f} us", from, to));
}

// A row of the tables of all variants.
void tell(Context& context, const std::string& table, const std::string& name, const std::vector<Outcome>& o) {
  context.row({kDocument,
               table,
               name,
               {range(all(o, fair_rates)), range(all(o, fair_deliveries)), range(all(o, correlation), 2),
                range(all(o, spread)), range(all(o, deviation_of)), range(all(o, mean_queue), 1),
                range(all(o, p50_queue), 1), range(all(o, p95_queue), 1)}});
}

void tell(Context& context, const std::string& table, const std::string& name, const Four& four) {
  tell(context, table, name, four.plain);
  tell(context, table, name + " 1Gbps", four.one_gbps);
  tell(context, table, name + " Probabilistic", four.probabilistic);
  tell(context, table, name + " VAI SF", four.vai_sf);
}

// Other readings of what the paper leaves open.
struct OtherReading {
  std::string name;
  Variant variant;
};
void tell(Context& context, const std::string& table, const Incast& incast, const std::vector<OtherReading>& readings) {
  if (!context.wants_rows()) return;
  for (const OtherReading& r : readings) tell(context, table, r.name, run_staggered(context, incast, r.variant));
}

std::vector<OtherReading> hpcc_readings() {
  return {
      {"`probabilistic = \"keep\"`, HPCC", hpcc("-probabilistic", {"algorithm.probabilistic=keep"})},
      {"`probabilistic = \"retry\"`, HPCC", hpcc("-probabilistic", {"algorithm.probabilistic=retry"})},
      {"`sf_restart = \"any\"`, HPCC", hpcc("-vai-sf", {"algorithm.sf_restart=any"})},
      {"`sf_restart = \"separate\"`, HPCC", hpcc("-vai-sf", {"algorithm.sf_restart=separate"})},
      {"`sf_every_round = true`, HPCC", hpcc("-vai-sf", {"algorithm.sf_every_round=true"})},
      {"`vai_tokens = \"excess\"`, HPCC", hpcc("-vai-sf", {"algorithm.vai_tokens=excess"})},
      {"`r_min = \"1 Gbps\"`, HPCC VAI SF", hpcc("-vai-sf", {"algorithm.r_min=1 Gbps"})},
      {"`r_min = \"1 Gbps\"`, HPCC", hpcc("", {"algorithm.r_min=1 Gbps"})},
  };
}

std::vector<OtherReading> swift_readings() {
  return {
      {"`probabilistic = \"keep\"`, Swift", swift("-probabilistic", {"algorithm.probabilistic=keep"})},
      {"`probabilistic = \"increase\"`, Swift", swift("-probabilistic", {"algorithm.probabilistic=increase"})},
      {"`sf_restart = \"any\"`, Swift", swift("-vai-sf", {"algorithm.sf_restart=any"})},
      {"`sf_restart = \"separate\"`, Swift", swift("-vai-sf", {"algorithm.sf_restart=separate"})},
      {"`sf_every_round = true`, Swift", swift("-vai-sf", {"algorithm.sf_every_round=true"})},
  };
}

void sixteen_hpcc_flows(Context& context) {
  const Four four = run_four(context, kSixteen, hpcc);
  const Outcome& plain = four.plain.front();
  context.judge("B5", plain.correlation < -0.5, text(plain.correlation, 2));
  context.judge("B6", others_at_most(four, spread, 0.5 * plain.spread), compare(four, "HPCC", spread, " us"));

  const std::string times = compare(four, "HPCC", fair_rates, " us");
  context.judge("B9", plain.fair_rates >= 200, text(plain.fair_rates) + " us");
  const bool sooner = most(all(four.one_gbps, fair_rates)) < plain.fair_rates &&
                      most(all(four.probabilistic, fair_rates)) < plain.fair_rates;
  context.judge("B10", sooner, times);
  context.judge("B14", most(all(four.vai_sf, fair_rates)) <= 0.5 * plain.fair_rates, times);

  const double one_gbps_swing = least(all(four.one_gbps, swing));
  context.judge("B12", {one_gbps_swing >= 2 * swing(plain), one_gbps_swing > swing(plain)},
                compare(four, "HPCC", swing, " KB", 1));
  context.judge("B15", most(all(four.vai_sf, p95_queue)) <= 2 * p95_queue(plain) + 5,
                compare(four, "HPCC", p95_queue, " KB", 1));
  judge_deviation(context, "B21", four, 0.5);

  tell(context, "sixteen", "HPCC", four);
  tell(context, "sixteen", kSixteen, hpcc_readings());
}

void sixteen_swift_flows(Context& context) {
  const Four four = run_four(context, kSixteen, swift);
  const Outcome& plain = four.plain.front();
  context.judge("B7", plain.correlation < -0.3, text(plain.correlation, 2));
  context.judge("B8", others_at_most(four, spread, 0.6 * plain.spread), compare(four, "Swift", spread, " us"));

  const std::string times = compare(four, "Swift", fair_deliveries, " us");
  const bool faster = most(all(four.one_gbps, fair_deliveries)) < plain.fair_deliveries &&
                      most(all(four.probabilistic, fair_deliveries)) < plain.fair_deliveries;
  context.judge("B11", plain.fair_deliveries >= 200 && faster, times);
  context.judge("B16", most(all(four.vai_sf, fair_deliveries)) <= 0.5 * plain.fair_deliveries, times);

  const auto both = [&](OfOutcome until_the_end, OfOutcome until_the_first_finish) {
    return compare(four, "Swift", until_the_end, " KB", 1) + "; until the first finish " +
           compare(four, "Swift", until_the_first_finish, " KB", 1);
  };
  context.judge("B13", least(all(four.one_gbps, swing_of_all)) > swing_of_all(plain), both(swing, swing_of_all));
  context.judge("B17", vai_sf_has_least(four, mean_of_all), both(mean_queue, mean_of_all));
  const double calm = most(all(four.vai_sf, swing_of_all));
  context.judge("B39",
                calm <= swing_of_all(plain) && calm <= least(all(four.one_gbps, swing_of_all)) &&
                    calm <= least(all(four.probabilistic, swing_of_all)),
                compare(four, "Swift", swing_of_all, " KB", 1));
  judge_deviation(context, "B22", four, 0.6);

  tell(context, "sixteen", "Swift", four);
  tell(context, "sixteen", kSixteen, swift_readings());
}

void ninety_six_hpcc_flows(Context& context) {
  const Four four = run_four(context, kNinetySix, hpcc);
  const Outcome& plain = four.plain.front();
  const Outcome& vai_sf = four.vai_sf.front();
  context.judge("B18", vai_sf.fair_rates <= 0.5 * plain.fair_rates,
                compare(four, "HPCC", fair_rates, " us") + "; mean index " + compare(four, "HPCC", index_of, "", 3));

  const auto late = [](const Outcome& o) { return kb(o.late_queue.p95); };
  const auto late_mean = [](const Outcome& o) { return kb(o.late_queue.mean); };
  const bool near_zero = late(vai_sf) <= 2 * late(plain) + 5;
  const bool below_others = late_mean(vai_sf) < least(all(four.one_gbps, late_mean)) &&
                            late_mean(vai_sf) < least(all(four.probabilistic, late_mean));
  context.judge("B19", near_zero && below_others,
                "from 2 ms on, 95th percentile " + compare(four, "HPCC", late, " KB", 1) + "; mean " +
                    compare(four, "HPCC", late_mean, " KB", 1) + "; from the first 200 us on, 95th percentile " +
                    compare(four, "HPCC", p95_queue, " KB", 1));

  tell(context, "ninety-six", "HPCC", four);
  tell(context, "ninety-six", kNinetySix, hpcc_readings());
}

void ninety_six_swift_flows(Context& context) {
  const Four four = run_four(context, kNinetySix, swift);
  const bool sooner = four.vai_sf.front().fair_deliveries < four.plain.front().fair_deliveries;
  const bool shortest = vai_sf_has_least(four, mean_queue);
  const bool steadiest = vai_sf_has_least(four, swing);
  const auto part = [](bool holds) { return holds ? "" : "not "; };
  context.judge("B20", sooner && shortest && steadiest,
                fmt::format("{}fair sooner, {}shortest queue, {}smallest swing: ", part(sooner), part(shortest),
                            part(steadiest)) +
                    compare(four, "Swift", fair_deliveries, " us") + "; mean queue " +
                    compare(four, "Swift", mean_queue, " KB", 1) + "; swing " +
                    compare(four, "Swift", swing, " KB", 1));

  tell(context, "ninety-six", "Swift", four);
  tell(context, "ninety-six", kNinetySix, swift_readings());
}

void b34_who_decreases_how_often(Context& context) {
  // Each decrease takes half of alpha, which stays as it is at first.
  const auto ratio = [&](const std::string& decrease) {
    Watch watch(context.scenario("two-rates.toml"), "3->2", {"algorithm.rate_decrease=" + decrease});
    std::map<std::uint32_t, double> rate;
    watch.record(1_us, 100_us,
                 [&](Time, const host::FlowView& f) { rate[f.src] = static_cast<double>(f.rate.bits_per_second); });
    const auto decreases = [&](std::uint32_t src, double from) {
      return std::log(rate.at(src) / from) / std::log(1 - 0.0002 / 2);
    };
    return std::pair{decreases(0, 100e9), decreases(1, 50e9)};
  };
  const auto [each_fast, each_slow] = ratio("on-cnp");
  const auto [round_fast, round_slow] = ratio("periodic");
  const bool holds = std::abs(each_fast / each_slow - 2) <= 0.2 && std::abs(round_fast / round_slow - 1) <= 0.1;
  context.judge("B34", holds,
                fmt::format("in 100 us, each mark: {:.0f} and {:.0f}; each round trip: {:.0f} and {:.0f}", each_fast,
                            each_slow, round_fast, round_slow));
}

void b35_dcqcn_is_fairer(Context& context) {
  struct Fair {
    double by_deliveries;
    double by_rates;
  };
  const auto run = [&](std::vector<std::string> overrides, int seed) {
    overrides.emplace_back("traffic.0.size=20 MB");
    overrides.push_back(fmt::format("run.seed={}", seed));
    Watch watch(context.scenario("staggered-hpcc.toml"), "17->16", overrides);
    Shares shares;
    watch.record(20_us, 1140_us, [&](Time now, const host::FlowView& f) { shares.add(now, f); });
    require(watch.counters().retransmitted == 0, "packets were lost");
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
  context.judge("B35", holds,
                fmt::format("HPCC {}; DCQCN {}; with the parameters of HPCC's authors {}", range_of({hpcc}),
                            range_of(paper), range_of(artifact)));
}

}  // namespace

std::vector<Evaluator> fairness_runs() {
  return {
      {{"B5", "B6", "B9", "B10", "B12", "B14", "B15", "B21"}, Tier::quick, 0.5, sixteen_hpcc_flows},
      {{"B7", "B8", "B11", "B13", "B16", "B17", "B22", "B39"}, Tier::quick, 0.4, sixteen_swift_flows},
      {{"B18", "B19"}, Tier::quick, 3, ninety_six_hpcc_flows},
      {{"B20"}, Tier::quick, 2, ninety_six_swift_flows},
      {{"B34"}, Tier::quick, 0.01, b34_who_decreases_how_often},
      {{"B35"}, Tier::quick, 0.2, b35_dcqcn_is_fairer},
  };
}

}  // namespace weir::claims
