// Claims of the On-Ramp paper (NSDI'21). How the rules were read: docs/evidence/claims/on-ramp.md.
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
#include "weir/claims/watch.h"
#include "weir/study/range_text.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

using Overrides = std::vector<std::string>;
Overrides operator+(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The scenario of figures 1, 2, 22 and 23.
constexpr Time kJoin = 50_ms;
constexpr Time kEquilibrium = 80_ms;       // until the end, at 90 ms
constexpr Bytes kTimelySettled = 6250_KB;  // T_high = 500 us
constexpr Bytes kDcqcnSettled = 1600_KB;   // k_max
constexpr int kC38Seeds = 3;
const Overrides kOnRamp{"algorithm.on_ramp.T=30 us"};
const Overrides kStrawman{"algorithm.on_ramp.T=30 us", "algorithm.on_ramp.rule=strawman"};

Overrides timely(const std::string& beta) { return {"algorithm.beta=" + beta}; }
Overrides dcqcn(const std::string& timers) { return {"algorithm.name=dcqcn", "algorithm.preset=" + timers}; }

struct Joining {
  double used = 0;       // 37 to 40 ms after the ten flows began
  double transient = 0;  // ms from then until the queue stays below a bound
  double peak = 0;       // of the queueing delay, us
  double p5 = 0;         // the same, in equilibrium
  double p50 = 0;
  double p95 = 0;
  double deviation = 0;
  double fairness = 0;  // mean of Jain's index over milliseconds of equilibrium
};

Joining join(const Context& context, const Overrides& overrides, Bytes settled) {
  Watch watch(context.scenario("twelve-to-one.toml"), "13->12", overrides);
  Shares shares;
  watch.record(10_us, 90_ms, [&](Time now, const host::FlowView& f) {
    if (now >= kEquilibrium && now.ps % (1_ms).ps == 0) shares.add(now, f);
  });
  Joining out;
  out.used = watch.utilisation(kJoin + 37_ms, kJoin + 40_ms);
  std::vector<double> delays;
  for (const Watch::Sample& s : watch.samples()) {
    if (s.time < kJoin) continue;
    const double delay = us(transmission_time({s.queue}, watch.rate()));
    if (s.queue >= settled.count) out.transient = us(s.time - kJoin) / 1e3;
    out.peak = std::max(out.peak, delay);
    if (s.time >= kEquilibrium) delays.push_back(delay);
  }
  out.p5 = percentile(delays, 50);
  out.p50 = percentile(delays, 500);
  out.p95 = percentile(delays, 950);
  out.deviation = deviation(delays);
  out.fairness = mean_index(index_of_deliveries(shares, 1_ms), kEquilibrium, 90_ms);
  return out;
}

// Each is run once.
class Joins {
 public:
  explicit Joins(const Context& context) : context_(context) {}

  const Joining& at(const Overrides& overrides) {
    const auto [it, is_new] = known_.try_emplace(overrides);
    if (is_new) {
      const bool is_timely = overrides.front().find("beta") != std::string::npos;
      it->second = join(context_, overrides, is_timely ? kTimelySettled : kDcqcnSettled);
    }
    return it->second;
  }

 private:
  const Context& context_;
  std::map<Overrides, Joining> known_;
};

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string delays(const Joining& j) { return fmt::format("{:.0f} / {:.0f} / {:.0f} us", j.p5, j.p50, j.p95); }

void c1_a_high_gain_underuses_the_link(Context& context, Joins& joins) {
  const Joining& high = joins.at(timely("0.8"));
  const bool holds = high.used >= 0.52 && high.used <= 0.72;
  context.judge("C1", holds, percent(high.used));
}

void c2_a_low_gain_is_slow(Context& context, Joins& joins) {
  const Joining& low = joins.at(timely("0.2"));
  const Joining& high = joins.at(timely("0.8"));
  const bool holds = low.used >= 0.98 && low.transient >= 10 && low.transient >= 3 * high.transient;
  context.judge(
      "C2", holds,
      fmt::format("{}; transient {:.1f} ms, with 0.8 {:.1f} ms", percent(low.used), low.transient, high.transient));
}

void c3_the_largest_gain_that_uses_the_link(Context& context, Joins& joins) {
  double largest = 0;
  std::string text;
  for (const double beta : {0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4}) {
    const double used = joins.at(timely(fmt::format("{}", beta))).used;
    if (used >= 0.98) largest = beta;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", beta, percent(used));
  }
  const bool holds = largest >= 0.1 && largest <= 0.35;
  context.judge("C3", holds, text);
}

void c4_on_ramp_quickens_a_low_gain(Context& context, Joins& joins) {
  const Joining& without = joins.at(timely("0.2"));
  const Joining& with = joins.at(timely("0.2") + kOnRamp);
  const bool holds =
      with.transient <= 0.2 * without.transient && with.used >= 0.98 && with.deviation < without.deviation;
  context.judge("C4", holds,
                fmt::format("transient {:.1f} -> {:.1f} ms; {}; delay {} -> {}", without.transient, with.transient,
                            percent(with.used), delays(without), delays(with)));
}

void c5_on_ramp_uses_the_link_with_a_high_gain(Context& context, Joins& joins) {
  const Joining& without = joins.at(timely("0.8"));
  const Joining& with = joins.at(timely("0.8") + kOnRamp);
  const bool holds = with.used >= 0.95;
  context.judge("C5", holds,
                fmt::format("{} -> {}; delay {} -> {}", percent(without.used), percent(with.used), delays(without),
                            delays(with)));
}

void c6_the_same_tension_in_dcqcn(Context& context, Joins& joins) {
  const Joining& low = joins.at(dcqcn("55-50"));
  const Joining& high = joins.at(dcqcn("300-4"));
  const bool holds = low.used > high.used && low.transient > high.transient;
  context.judge("C6", holds,
                fmt::format("(55, 50): {}, {:.1f} ms, delay {}; (300, 4): {}, {:.1f} ms, delay {}", percent(low.used),
                            low.transient, delays(low), percent(high.used), high.transient, delays(high)));
}

std::string with_and_without(const Joining& without, const Joining& with) {
  return fmt::format("{} -> {}; transient {:.1f} -> {:.1f} ms; delay {} -> {}", percent(without.used),
                     percent(with.used), without.transient, with.transient, delays(without), delays(with));
}

void c7_on_ramp_helps_dcqcn(Context& context, Joins& joins) {
  bool holds = true;
  std::string text;
  for (const std::string timers : {"300-4", "55-50"}) {
    const Joining& without = joins.at(dcqcn(timers));
    const Joining& with = joins.at(dcqcn(timers) + kOnRamp);
    const bool helps = with.used >= 0.95 && with.transient < without.transient;
    holds &= helps;
    text += fmt::format("{}({}): {}{}", text.empty() ? "" : "; ", timers == "300-4" ? "300, 4" : "55, 50",
                        helps ? "" : "fails: ", with_and_without(without, with));
  }
  context.judge("C7", holds, text);
}

// Two parameters each of the algorithms that On-Ramp stands under, and how texts name them one after another.
std::vector<std::pair<std::string, Overrides>> tuned_algorithms() {
  return {{"TIMELY 0.2", timely("0.2")},
          {"0.8", timely("0.8")},
          {"DCQCN (55, 50)", dcqcn("55-50")},
          {"(300, 4)", dcqcn("300-4")}};
}

void c8_on_ramp_is_fairer(Context& context, Joins& joins) {
  bool holds = true;
  std::string text;
  for (const auto& [name, base] : tuned_algorithms()) {
    const double without = joins.at(base).fairness;
    const double with = joins.at(base + kOnRamp).fairness;
    holds &= with > without;
    text += fmt::format("{}{}: {:.3f} -> {:.3f}", text.empty() ? "" : "; ", name, without, with);
  }
  context.judge("C8", holds, text);
}

// CUBIC at 10 Gb/s with T = 50 us.
struct Cubic {
  double used = 0;
  double deviation = 0;  // of the queueing delay, us
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
  double fairness = 0;  // mean of Jain's index over periods of 10 ms
};

Cubic cubic(const Context& context, int flows, const Overrides& overrides) {
  Watch watch(context.scenario("cubic-10g.toml"), "13->12",
              Overrides{fmt::format("traffic.0.fan_in={}", flows)} + overrides);
  const Time from = 200_ms;
  const Time to = 400_ms;
  Shares shares;
  watch.record(10_us, to, [&](Time now, const host::FlowView& f) {
    if (f.tag == 0 && now >= from && now.ps % (10_ms).ps == 0) shares.add(now, f);
  });
  std::vector<double> delay;
  for (const Watch::Sample& s : watch.samples())
    if (s.time >= from) delay.push_back(us(transmission_time({s.queue}, watch.rate())));
  return {.used = watch.utilisation(from, to),
          .deviation = deviation(delay),
          .p5 = percentile(delay, 50),
          .p50 = percentile(delay, 500),
          .p95 = percentile(delay, 950),
          .fairness = mean_index(index_of_deliveries(shares, 10_ms), from, to)};
}

const Overrides kCubicFinal{"algorithm.on_ramp.T=50 us", "algorithm.on_ramp.packets_per_ack=10",
                            "algorithm.on_ramp.burst_gap=0 us", "algorithm.stack.pacing=fq"};
const Overrides kCubicStrawman = kCubicFinal + Overrides{"algorithm.on_ramp.rule=strawman"};

std::string text_of(const Cubic& c) {
  return fmt::format("{}, delay {:.0f} / {:.0f} / {:.0f} us", percent(c.used), c.p5, c.p50, c.p95);
}

// Whether the strawman uses clearly less of the link, and how that is told.
struct Underused {
  bool holds = false;
  std::string text;
};

Underused with_cubic(const Context& context) {
  const Cubic without = cubic(context, 2, {});
  const Cubic strawman = cubic(context, 2, kCubicStrawman);
  const Cubic final = cubic(context, 2, kCubicFinal);
  return {strawman.used <= final.used - 0.02,
          fmt::format("without {}; strawman {}; final {}", text_of(without), text_of(strawman), text_of(final))};
}

Underused with_timely(Joins& joins, const std::string& beta) {
  const double strawman = joins.at(timely(beta) + kStrawman).used;
  const double final = joins.at(timely(beta) + kOnRamp).used;
  return {strawman <= final - 0.02,
          fmt::format("TIMELY {}: strawman {}, final {}", beta, percent(strawman), percent(final))};
}

void c9_the_strawman_underuses_the_link(Context& context, Joins& joins) {
  const Underused a = with_cubic(context);
  const Underused b = with_timely(joins, "0.2");
  const Underused c = with_timely(joins, "0.8");
  context.judge("C9", a.holds && b.holds && c.holds, fmt::format("CUBIC: {}; {}; {}", a.text, b.text, c.text));
}

// Figures 1, 2, 5, 22 and 23.
void joining_flows(Context& context) {
  Joins joins(context);
  c1_a_high_gain_underuses_the_link(context, joins);
  c2_a_low_gain_is_slow(context, joins);
  c3_the_largest_gain_that_uses_the_link(context, joins);
  c4_on_ramp_quickens_a_low_gain(context, joins);
  c5_on_ramp_uses_the_link_with_a_high_gain(context, joins);
  c6_the_same_tension_in_dcqcn(context, joins);
  c7_on_ramp_helps_dcqcn(context, joins);
  c8_on_ramp_is_fairer(context, joins);
  c9_the_strawman_underuses_the_link(context, joins);
}

void c10_twelve_cubic_flows(Context& context) {
  const Cubic without = cubic(context, 12, {});
  const Cubic strawman = cubic(context, 12, kCubicStrawman);
  const Cubic final = cubic(context, 12, kCubicFinal);
  const bool holds = final.deviation <= 0.7 * strawman.deviation && final.fairness > strawman.fairness;
  context.judge(
      "C10", holds,
      fmt::format("deviation of the delay: without {:.1f}, strawman {:.1f}, final {:.1f} us; index {:.3f}, {:.3f}, "
                  "{:.3f}",
                  without.deviation, strawman.deviation, final.deviation, without.fairness, strawman.fairness,
                  final.fairness));
}

void c38_or_acks_cost_little(Context& context) {
  const double formula = 0.4 * 10e9 / (10 * 1500 * 8) * 78 * 8;
  require(std::abs(formula / 20.8e6 - 1) < 1e-3, "the formula gives another figure");
  std::vector<double> per_host;
  for (int seed = 1; seed <= kC38Seeds; ++seed) {
    Watch watch(context.scenario("websearch-10g.toml"), "32->0",
                {"algorithm.on_ramp.packets_per_ack=10", fmt::format("run.seed={}", seed)});
    watch.record(1_ms, 400_ms);
    per_host.push_back(static_cast<double>(watch.counters().or_acks) * 78 * 8 / 0.4 / 32);
  }
  Compared most{.text = "at most 1.2 times the formula"};
  Compared least{.text = "at least 0.8 times the formula"};
  for (const double r : per_host) {
    most.by.push_back(1.2 - r / formula);
    least.by.push_back(r / formula - 0.8);
  }
  const auto [low, high] = std::minmax_element(per_host.begin(), per_host.end());
  context.judge("C38", {{most, least}},
                fmt::format("formula {:.1f} Mb/s; measured {} Mb/s for each host ({} seeds)", formula / 1e6,
                            study::range_text("{:.1f}", *low / 1e6, *high / 1e6), kC38Seeds));
}

// By how much a flow has sent more in a microsecond than its algorithm's rate lets it, at most: the rate is the larger
// one of those at both ends, and a packet is always let go.
Bytes largest_excess(const Context& context, const Overrides& overrides) {
  constexpr Time kStep = 1_us;
  constexpr std::int64_t kPacket = 1'000;  // payload, twelve-to-one.toml
  constexpr std::int64_t kWire = 1'048;
  Watch watch(context.scenario("twelve-to-one.toml"), "0->13", overrides);
  struct Seen {
    Time time;
    std::int64_t sent = 0;  // first byte that has not left
    Rate rate;
  };
  std::map<std::uint32_t, Seen> last;
  std::int64_t out = 0;
  watch.record(kStep, 60_ms, [&](Time now, const host::FlowView& flow) {
    Seen& seen = last[flow.src];
    if (seen.time + kStep == now) {
      const Rate rate = std::max(seen.rate, flow.rate);
      out = std::max(out, flow.next.count - seen.sent - bytes_in(kStep, rate).count * kPacket / kWire - kPacket);
    }
    seen = {now, flow.next.count, flow.rate};
  });
  return Bytes{out};
}

void c46_no_burst_after_a_pause(Context& context) {
  bool holds = true;
  std::string text;
  for (const auto& [name, base] : tuned_algorithms()) {
    const Bytes excess = largest_excess(context, base + kOnRamp);
    holds &= excess == Bytes{};
    text += fmt::format("{}{}: {} bytes more", text.empty() ? "" : "; ", name, excess.count);
  }
  context.judge("C46", holds, text);
}

}  // namespace

std::vector<Evaluator> on_ramp_runs() {
  return {
      {{"C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"}, Tier::slow, 7, joining_flows},
      {{"C10"}, Tier::quick, 1, c10_twelve_cubic_flows},
      {{"C38"}, Tier::slow, 13, c38_or_acks_cost_little, Evidence::seeds},
      {{"C46"}, Tier::quick, 2.5, c46_no_burst_after_a_pause},
  };
}

}  // namespace weir::claims
