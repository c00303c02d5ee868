// Claims of Fast Convergence to Fairness about other flows and other algorithms than those of its figures. How the
// rules were read: docs/evidence/claims/fairness.md.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/measures.h"
#include "weir/claims/outcomes.h"
#include "weir/claims/watch.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr Time kJoins = 1_ms;

// From the start of the new flow on, in us. The index of HPCC is that of rates, of Swift that of deliveries.
double time_after_joining(const Context& context, bool is_swift, const std::string& suffix) {
  std::vector<std::string> overrides{"algorithm.preset=fast-convergence" + suffix};
  if (is_swift) {
    const std::string scaling = suffix.empty() ? ", fs_max_cwnd=50.0" : "";
    overrides = {
        fmt::format(R"(algorithm={{name="swift", preset="fast-convergence{}", T="4.2 us"{}}})", suffix, scaling)};
  }
  Watch watch(context.scenario("late-joiner.toml"), "10->9", overrides);
  Shares shares;
  watch.record(1_us, 3_ms, [&](Time now, const host::FlowView& f) { shares.add(now, f); });
  require(watch.finished().empty(), "a flow has ended");
  const auto index = is_swift ? index_of_deliveries(shares, 20_us) : index_of_rates(shares);
  return us(time_to_fairness(index, kJoins));
}

void b40_a_new_flow_joins_old_ones(Context& context) {
  bool holds = true;
  std::string measured;
  for (const bool is_swift : {false, true}) {
    const double plain = time_after_joining(context, is_swift, "");
    const double with = time_after_joining(context, is_swift, "-vai-sf");
    holds = holds && with < plain;
    measured += fmt::format("{}{} {} us, VAI SF {} us", is_swift ? "; " : "", is_swift ? "Swift" : "HPCC", text(plain),
                            text(with));
  }
  context.judge("B40", holds, measured);
}

// How long the flow that stays has less than 90 % of line after all others have left, in us.
double grabbed(const Context& context, const std::vector<std::string>& overrides) {
  Watch watch(context.scenario("last-one-stays.toml"), "17->16", overrides);
  std::map<Time, double> rate;
  watch.record(1_us, 14_ms, [&](Time now, const host::FlowView& f) {
    if (f.src == 15) rate[now] = watch.share(f.rate);
  });
  require(watch.finished().size() == 15, "not all others have left");
  const Time left = watch.finished().back().finish;
  const auto first =
      std::find_if(rate.begin(), rate.end(), [&](const auto& at) { return at.first > left && at.second >= 0.9; });
  return us(first == rate.end() ? Time::max() : first->first - left);
}

void b47_hyper_additive_increase(Context& context) {
  const double plain = grabbed(context, {});
  const double hyper = grabbed(context, {"algorithm.hai_after=5"});
  context.judge("B47", 2 * hyper <= plain, fmt::format("{} us, without {} us", text(hyper), text(plain)));
}

// The standard deviation of the finishes of the staggered incast, in us: the mean of five seeds, since marks are drawn.
double mean_deviation(const Context& context, const std::string& algorithm) {
  double sum = 0;
  for (int seed = 1; seed <= 5; ++seed) {
    Watch watch(context.scenario("staggered-hpcc.toml"), "17->16",
                {fmt::format("algorithm={{name=\"{}\", preset=\"hpcc\"}}", algorithm), "network.ecn.enabled=true",
                 fmt::format("run.seed={}", seed)});
    watch.record(10_us, 20_ms);
    require(watch.finished().size() == 16, "some flows have not ended");
    require(watch.counters().retransmitted == 0, "packets were lost");
    std::vector<double> finish;
    for (const host::FlowRecord& f : watch.finished()) finish.push_back(us(f.finish));
    sum += deviation(finish);
  }
  return sum / 5;
}

void b48_other_algorithms(Context& context) {
  bool holds = true;
  std::string measured;
  for (const std::string name : {"dcqcn", "timely", "dctcp"}) {
    const double plain = mean_deviation(context, name);
    const double with = mean_deviation(context, name + "-vai-sf");
    holds = holds && with < plain;
    measured += fmt::format("{}{}: {:.1f} us, without {:.1f} us", measured.empty() ? "" : "; ", name, with, plain);
  }
  context.judge("B48", holds, measured);
}

}  // namespace

std::vector<Evaluator> fairness_elsewhere() {
  return {
      {{"B40"}, Tier::quick, 0.2, b40_a_new_flow_joins_old_ones},
      {{"B47"}, Tier::quick, 0.3, b47_hyper_additive_increase},
      {{"B48"}, Tier::quick, 1, b48_other_algorithms},
  };
}

}  // namespace weir::claims
