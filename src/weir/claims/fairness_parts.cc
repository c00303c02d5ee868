// Claims of Fast Convergence to Fairness about its mechanisms one by one: what the dampener, AI_Cap, the period of
// Sampling Frequency, the reference window and flow-based scaling do. How the rules were read:
// docs/evidence/claims/fairness.md.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/units.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/outcomes.h"
#include "weir/claims/staggered.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

using Changes = std::vector<std::string>;

// The two algorithms of the paper; t is by rates for HPCC, and by deliveries for Swift.
struct Protocol {
  std::string name;
  Variant (*form)(const std::string& suffix, const Changes&);
  double (*t)(const Outcome&);
};
const Protocol kOfHpcc{"HPCC", hpcc, fair_rates};
const Protocol kOfSwift{"Swift", swift, fair_deliveries};

// VAI SF with these overrides, which draws nothing.
Outcome run_vai_sf(const Context& context, const Incast& incast, const Protocol& protocol, const Changes& overrides) {
  return run_staggered(context, incast, protocol.form("-vai-sf", overrides)).front();
}

// Joins the texts of what has been measured.
void tell_also(std::string& measured, const std::string& more) { measured += (measured.empty() ? "" : "; ") + more; }

struct ProtocolAndIncast {
  const Protocol& protocol;
  const Incast& incast;
  std::string text() const { return fmt::format("{}, {} flows", protocol.name, incast.flows); }
};
std::vector<ProtocolAndIncast> four_cases() {
  return {{kOfHpcc, kSixteen}, {kOfSwift, kSixteen}, {kOfHpcc, kNinetySix}, {kOfSwift, kNinetySix}};
}

void b36_the_dampener_prevents_feedback(Context& context) {
  bool holds = true;
  std::string measured;
  for (const ProtocolAndIncast& c : four_cases()) {
    const double with = mean_queue(run_vai_sf(context, c.incast, c.protocol, {}));
    const double without =
        mean_queue(run_vai_sf(context, c.incast, c.protocol, {"algorithm.vai_dampener_constant=1e9"}));
    holds = holds && with < without;
    tell_also(measured, fmt::format("{}: {:.1f} KB, without {:.1f} KB", c.text(), with, without));
  }
  context.judge("B36", holds, measured);
}

void b37_a_larger_cap(Context& context) {
  bool holds = true;
  std::string measured;
  for (const Protocol& protocol : {kOfHpcc, kOfSwift}) {
    std::vector<Outcome> found;
    for (const int cap : {20, 100, 400}) {
      found.push_back(run_vai_sf(context, kSixteen, protocol, {fmt::format("algorithm.vai_ai_cap={}", cap)}));
      const Outcome& o = found.back();
      tell_also(measured, fmt::format("{}, {}: {} us, mean queue {:.1f} KB", protocol.name, cap, text(protocol.t(o)),
                                      mean_queue(o)));
    }
    for (std::size_t i = 1; i < found.size(); ++i)
      holds =
          holds && mean_queue(found[i]) > mean_queue(found[i - 1]) && protocol.t(found[i]) < protocol.t(found[i - 1]);
  }
  context.judge("B37", holds, measured);
}

void b38_a_shorter_period(Context& context) {
  bool holds = true;
  std::string measured;
  for (const Protocol& protocol : {kOfHpcc, kOfSwift}) {
    std::vector<Outcome> found;
    for (const int s : {10, 30, 90}) {
      found.push_back(run_vai_sf(context, kSixteen, protocol,
                                 {"algorithm.vai_enabled=false", fmt::format("algorithm.sf_acks={}", s)}));
      const Outcome& o = found.back();
      tell_also(measured, fmt::format("{}, s = {}: {} us, 95th percentile {:.1f} KB, throughput {:.2f} %",
                                      protocol.name, s, text(protocol.t(o)), p95_queue(o), 100 * o.busy));
    }
    for (std::size_t i = 1; i < found.size(); ++i)
      holds = holds && protocol.t(found[i - 1]) <= protocol.t(found[i]) &&
              p95_queue(found[i - 1]) <= p95_queue(found[i]) && found[i - 1].busy <= found[i].busy;
  }
  context.judge("B38", holds, measured);
}

void b41_throughput(Context& context) {
  bool holds = true;
  std::string measured;
  for (const ProtocolAndIncast& c : four_cases()) {
    const double plain = run_staggered(context, c.incast, c.protocol.form("", {})).front().busy;
    const double with = run_vai_sf(context, c.incast, c.protocol, {}).busy;
    holds = holds && with >= 0.99 * plain;
    tell_also(measured, fmt::format("{}: {:.2f} %, without {:.2f} %", c.text(), 100 * with, 100 * plain));
  }
  context.judge("B41", holds, measured);
}

// The delay above the target, 7 us, at which a flow with its fair share of 100 Gb/s decreases by 50 Mb/s, as bytes that
// wait.
double delay_of_the_step(int flows) {
  constexpr double kTargetDelay = 7e-6;
  constexpr double kSwiftBeta = 0.8;
  const double share = 0.05 / (kSwiftBeta * 100.0 / flows);
  return kTargetDelay * share / (1 - share) * 100e9 / 8;
}

void b42_always_increasing(Context& context) {
  constexpr double kFullPacket = 1'048;
  bool holds = true;
  std::string measured;
  for (const Incast& incast : {kSixteen, kNinetySix}) {
    const double always = mean_queue(run_vai_sf(context, incast, kOfSwift, {}));
    const double not_always = mean_queue(run_vai_sf(context, incast, kOfSwift, {"algorithm.always_ai=false"}));
    const double allowed = kb(delay_of_the_step(incast.flows) + kFullPacket);
    holds = holds && always - not_always <= allowed;
    tell_also(measured, fmt::format("{} flows: {:.1f} KB, without {:.1f} KB, where {:.1f} more are allowed",
                                    incast.flows, always, not_always, allowed));
  }
  context.judge("B42", holds, measured);
}

void b44_as_quick_as_the_others(Context& context) {
  bool holds = true;
  std::string measured;
  for (const Protocol& protocol : {kOfHpcc, kOfSwift}) {
    const auto times = [&](const std::string& suffix) {
      return all(run_staggered(context, kSixteen, protocol.form(suffix, {})), protocol.t);
    };
    const double t = times("-vai-sf").front();
    const auto one_gbps = times("-1g");
    const auto probabilistic = times("-probabilistic");
    holds = holds && t <= 2 * one_gbps.front() && t <= 2 * least(probabilistic);
    tell_also(measured, fmt::format("{} VAI SF {} us, 1Gbps {}, Probabilistic {}", protocol.name, text(t),
                                    range(one_gbps), range(probabilistic)));
  }
  context.judge("B44", holds, measured);
}

void b45_flow_based_scaling(Context& context) {
  const Changes scaling{"algorithm.fs_range=25 us", "algorithm.fs_min_cwnd=0.1", "algorithm.fs_max_cwnd=50"};
  bool holds = true;
  std::string measured;
  for (const Incast& incast : {kSixteen, kNinetySix}) {
    const double without = mean_queue(run_vai_sf(context, incast, kOfSwift, {}));
    const double with = mean_queue(run_vai_sf(context, incast, kOfSwift, scaling));
    holds = holds && without < with;
    tell_also(measured,
              fmt::format("{} flows: {:.1f} KB, with flow-based scaling {:.1f} KB", incast.flows, without, with));
  }
  context.judge("B45", holds, measured);
}

void b46_the_reference_window(Context& context) {
  const Outcome with = run_vai_sf(context, kNinetySix, kOfSwift, {});
  const Outcome without = run_vai_sf(context, kNinetySix, kOfSwift, {"algorithm.reference_window=false"});
  const bool holds = fair_deliveries(with) < fair_deliveries(without) && p95_queue(with) < p95_queue(without);
  context.judge("B46", holds,
                fmt::format("{} us, 95th percentile {:.1f} KB; without {} us, {:.1f} KB", text(fair_deliveries(with)),
                            p95_queue(with), text(fair_deliveries(without)), p95_queue(without)));
}

}  // namespace

std::vector<Evaluator> fairness_parts() {
  return {
      {{"B36"}, Tier::quick, 1, b36_the_dampener_prevents_feedback},
      {{"B37"}, Tier::quick, 0.2, b37_a_larger_cap},
      {{"B38"}, Tier::quick, 0.2, b38_a_shorter_period},
      {{"B41"}, Tier::quick, 1, b41_throughput},
      {{"B42"}, Tier::quick, 0.5, b42_always_increasing},
      {{"B44"}, Tier::quick, 0.6, b44_as_quick_as_the_others},
      {{"B45"}, Tier::quick, 0.5, b45_flow_based_scaling},
      {{"B46"}, Tier::quick, 0.4, b46_the_reference_window},
  };
}

}  // namespace weir::claims
