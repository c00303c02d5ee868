// Claims of the HPCC paper about what its parameters and filters are for (sections 3.2 and 3.3), in incasts through one
// switch. How the rules were read: docs/evidence/claims/hpcc.md.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/measures.h"
#include "weir/claims/watch.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr Time kBaseRtt = 4200_ns;
constexpr std::int64_t kBdp = 52'500;  // 100 Gb/s * T

// Queue lengths in bytes at the samples of [from, to), in ascending order.
std::vector<double> queue_lengths(const Watch& watch, Time from, Time to) {
  std::vector<double> out;
  for (const Watch::Sample& s : watch.samples())
    if (s.time >= from && s.time < to) out.push_back(static_cast<double>(s.queue));
  return out;
}

// An incast of so many flows, looked at each microsecond from `from` to `to`.
struct Steady {
  double load = 0;
  double least = 0;  // throughput of 10 us
  double p5 = 0;
  double p95 = 0;
};
Steady steady(const Context& context, int flows, Time from, Time to, std::vector<std::string> overrides = {}) {
  overrides.push_back(fmt::format("topology.hosts={}", flows + 1));
  Watch watch(context.scenario("incast-16.toml"), fmt::format("{}->{}", flows + 1, flows), overrides);
  watch.record(1_us, to);
  const auto queue = queue_lengths(watch, from, to);
  return {.load = watch.utilisation(from, to),
          .least = watch.least_utilisation(10_us, from, to),
          .p5 = percentile(queue, 50),
          .p95 = percentile(queue, 950)};
}

void a58_more_flows_than_expected(Context& context) {
  std::vector<Steady> found;
  std::string measured;
  for (const int flows : {16, 32, 64, 128}) {
    const Steady s = steady(context, flows, 3_ms, 6_ms);
    found.push_back(s);
    measured += fmt::format("{}{} flows: load {:.3f}, at least {:.0f} % in 10 us, 95th percentile {:.1f} KB",
                            measured.empty() ? "" : "; ", flows, s.load, 100 * s.least, kb(s.p95));
  }
  bool holds = true;
  for (const std::size_t i : {2, 3})
    holds = holds && found[i].load >= 0.95 && found[i].least >= 0.8 && found[i].p95 > found[i - 1].p95;
  context.judge("A58", holds, measured);
}

void a59_one_round_resolves_an_incast(Context& context) {
  Watch watch(context.scenario("incast-16.toml"), "17->16");
  struct Seen {
    std::int64_t burst = 0;  // bytes sent before the first acknowledgement
    bool heard = false;      // all of them have been acknowledged
  };
  std::map<std::uint32_t, Seen> flows;
  std::map<Time, std::int64_t> windows;
  watch.record(50_ns, 400_us, [&](Time now, const host::FlowView& f) {
    Seen& seen = flows[f.src];
    if (f.in_order.count == 0) seen.burst = f.next.count;
    seen.heard |= f.in_order.count > 0 && f.in_order.count >= seen.burst;
    const bool all = flows.size() == 16 &&
                     std::all_of(flows.begin(), flows.end(), [](const auto& flow) { return flow.second.heard; });
    if (all || windows.contains(now)) windows[now] += f.window.count;
  });
  // At the first of these instants some flows had been looked at before the last one had heard.
  require(windows.size() > 2, "the first windows were not acknowledged");
  windows.erase(windows.begin());
  const Time heard = windows.begin()->first;
  require(heard + 10 * kBaseRtt < 400_us, "the run was too short");
  const auto in_bdp = [](std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(kBdp); };
  double most = 0;
  for (const auto& [time, bytes] : windows)
    if (time < heard + 10 * kBaseRtt) most = std::max(most, in_bdp(bytes));
  context.judge("A59", most <= 1,
                fmt::format("all first windows have been acknowledged after {:.1f} us; all windows then are {:.2f} "
                            "bandwidth-delay products, at most {:.2f} in the next 10 T",
                            us(heard), in_bdp(windows.begin()->second), most));
}

void a60_eta_trades_load_for_queue(Context& context) {
  std::vector<Steady> found;
  std::string measured;
  for (const std::string eta : {"0.9", "0.95", "0.98"}) {
    found.push_back(steady(context, 16, 1_ms, 10_ms - 10_us, {"algorithm.eta=" + eta}));
    measured += fmt::format("{}{}: load {:.3f}, 95th percentile {:.1f} KB", measured.empty() ? "" : "; ", eta,
                            found.back().load, kb(found.back().p95));
  }
  bool holds = true;
  for (std::size_t i = 1; i < found.size(); ++i)
    holds = holds && found[i].load > found[i - 1].load && found[i].p95 >= found[i - 1].p95;
  context.judge("A60", holds, measured);
}

// How long after the other flow's end a flow has less than 90 % of line, with the paper's W_AI and its EWMA.
Time reclaimed(const Context& context, int max_stage) {
  Watch watch(context.scenario("single-bottleneck.toml"), "3->2",
              {"algorithm.w_ai=80 B", "algorithm.ewma=true", fmt::format("algorithm.max_stage={}", max_stage),
               "run.stop=4 ms"});
  std::map<Time, double> rate;
  watch.record(100_ns, 3500_us, [&](Time now, const host::FlowView& f) {
    if (f.src == 0) rate[now] = watch.share(f.rate);
  });
  const Time left = watch.finish_of(1);
  Time below = left;
  for (const auto& [time, r] : rate)
    if (time > left && r < 0.9) below = time;
  return below - left;
}

void a61_stages_trade_speed_for_stability(Context& context) {
  std::vector<Time> times;
  std::vector<double> swings;
  std::string measured;
  for (const int stages : {0, 5, 20}) {
    times.push_back(reclaimed(context, stages));
    const Steady s = steady(context, 16, 1_ms, 10_ms - 10_us, {fmt::format("algorithm.max_stage={}", stages)});
    swings.push_back(s.p95 - s.p5);
    measured += fmt::format("{}{}: 90 % of line after {:.1f} us, queue swings by {:.1f} KB",
                            measured.empty() ? "" : "; ", stages, us(times.back()), kb(swings.back()));
  }
  const bool slower = times[0] < times[1] && times[1] < times[2];
  const bool steadier = swings[0] >= swings[1] && swings[1] >= swings[2];
  context.judge("A61", slower && steadier, measured);
}

void a62_faster_than_additive_increase(Context& context) {
  const Time stages = reclaimed(context, 5);
  const Time additive = reclaimed(context, 1'000'000);
  context.judge("A62", 2 * stages <= additive,
                fmt::format("maxStage = 5: {:.1f} us; additive increase alone: {:.0f} us", us(stages), us(additive)));
}

// The standard deviation of a flow's window, in the mean of the flows.
double restlessness(const Context& context, const std::vector<std::string>& overrides) {
  Watch watch(context.scenario("incast-16.toml"), "17->16", overrides);
  std::map<std::uint32_t, std::vector<double>> windows;
  watch.record(1_us, 10_ms - 10_us, [&](Time now, const host::FlowView& f) {
    if (now >= 1_ms) windows[f.src].push_back(static_cast<double>(f.window.count));
  });
  require(windows.size() == 16, "not all flows were seen");
  double sum = 0;
  for (const auto& [src, w] : windows) sum += deviation(w);
  return sum / 16;
}

void a64_filters_make_windows_steady(Context& context) {
  const double both = restlessness(context, {});
  const double no_minimum = restlessness(context, {"algorithm.min_queue=false"});
  const double no_ewma = restlessness(context, {"algorithm.ewma=false"});
  context.judge(
      "A64", both < no_minimum && both < no_ewma,
      fmt::format("{:.0f} B; without the minimum {:.0f} B, without the EWMA {:.0f} B", both, no_minimum, no_ewma));
}

}  // namespace

std::vector<Evaluator> hpcc_parameters() {
  return {
      {{"A58"}, Tier::quick, 0.2, a58_more_flows_than_expected},
      {{"A59"}, Tier::quick, 0.02, a59_one_round_resolves_an_incast},
      {{"A60"}, Tier::quick, 0.2, a60_eta_trades_load_for_queue},
      {{"A61"}, Tier::quick, 0.3, a61_stages_trade_speed_for_stability},
      {{"A62"}, Tier::quick, 0.1, a62_faster_than_additive_increase},
      {{"A64"}, Tier::quick, 0.3, a64_filters_make_windows_steady},
  };
}

}  // namespace weir::claims
