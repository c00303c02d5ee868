// Claims of the HPCC paper (SIGCOMM'19) at 100 Gb/s. How the rules were read: docs/evidence/claims/hpcc.md.
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
#include "weir/probe/statistics.h"
#include "weir/study/range_text.h"
#include "weir/theory/recursion.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr Time kT = 4200_ns;       // T of the scenarios at 100 Gb/s
constexpr double kWInit = 52'500;  // 100 Gb/s * T
constexpr double kEta = 0.95;

// How long after the other flow's end the rate is off the target for the last time, and the load from the end of the
// second round trip on.
struct Settling {
  Time settled;
  double load = 0;
  bool holds() const { return settled < 2 * kT && std::abs(load / kEta - 1) < 0.02; }
  std::string text() const {
    return fmt::format(
        "rate within 2 % of eta from {:.1f} RTT after the other flow's end on, load over the 20 RTT after "
        "the second {:.4f}",
        us(settled) / us(kT), load);
  }
};

Settling settling(const Context& context, const std::string& reaction) {
  Watch watch(context.scenario("single-bottleneck.toml"), "3->2", {"algorithm.reaction=" + reaction, "run.stop=2 ms"});
  std::map<Time, double> rate;
  watch.record(100_ns, 1_ms, [&](Time now, const host::FlowView& f) {
    if (f.src == 0) rate[now] = watch.share(f.rate);
  });
  const Time left = watch.finish_of(1);
  Time settled = left;
  for (const auto& [time, r] : rate)
    if (time > left && std::abs(r / kEta - 1) >= 0.02) settled = time;
  const Time second = left + 2 * kT;
  const Time from = second + (100_ns - Time{second.ps % 100'000});
  return {settled - left, watch.utilisation(from, from + 20 * kT)};
}

void a7_target_is_reached_in_one_round_trip(Context& context) {
  const std::vector<double> fluid = theory::next_rates({{kEta}, {{{0}}}}, {kEta / 2});
  const Settling per_rtt = settling(context, "per-rtt");
  context.judge("A7", std::abs(fluid.front() / kEta - 1) < 1e-9 && per_rtt.holds(),
                fmt::format("once per round trip: {}; with HPCC's reaction to each acknowledgement: {}", per_rtt.text(),
                            settling(context, "hpcc").text()));
}

void a15_sixty_four_new_flows(Context& context) {
  Watch watch(context.scenario("burst-64.toml"), "66->65");
  struct Seen {
    std::int64_t burst = 0;       // bytes sent before the first acknowledgement
    std::int64_t last = 0;        // the window after the acknowledgement of the last of them
    std::int64_t least = 52'500;  // the least window until then
  };
  std::map<std::uint32_t, Seen> flows;
  watch.record(50_ns, 1500_us, [&](Time, const host::FlowView& f) {
    if (f.src == 64) return;
    Seen& seen = flows[f.src];
    const std::int64_t w = f.window.count;
    if (f.in_order.count == 0) seen.burst = f.next.count;
    if (seen.last == 0) seen.least = std::min(seen.least, w);
    if (seen.last == 0 && f.in_order.count >= seen.burst && f.in_order.count > 0) seen.last = w;
  });
  require(flows.size() == 64, "not all flows were seen");
  std::vector<double> least;
  std::vector<double> last;
  for (const auto& [src, seen] : flows) {
    least.push_back(kWInit / static_cast<double>(seen.least));
    last.push_back(kWInit / static_cast<double>(seen.last));
  }
  std::sort(least.begin(), least.end());
  std::sort(last.begin(), last.end());
  // A window counts payload; 53 packets of 1,000 B and 90 B of headers fill it.
  constexpr double kWire = 53 * 1'090;
  const double peak = static_cast<double>(watch.peak().queue) / kWire;
  const bool holds = std::abs(peak / 64 - 1) <= 0.1 && last.front() >= 55 && last.back() <= 75;
  context.judge("A15", holds,
                fmt::format("peak {:.1f} windows on the wire ({:+.1f} %); W = W_init / {} after the ACK "
                            "of the last initial packet, at the least W_init / {} before it",
                            peak, 100 * (peak / 64 - 1), study::range_text("{:.1f}", last.front(), last.back()),
                            study::range_text("{:.0f}", least.front(), least.back())));
  const engine::Counters counters = watch.counters();
  context.judge("A65", counters.pauses == 0 && counters.dropped == 0,
                fmt::format("{} pauses, {} packets dropped", counters.pauses, counters.dropped));
}

void a16_a_lone_flow_keeps_line_rate(Context& context) {
  Watch watch(context.scenario("lone-flow.toml"), "0->2");
  std::int64_t room = 52'500;
  watch.record(100_ns, 1_ms,
               [&](Time, const host::FlowView& f) { room = std::min(room, (f.window - f.in_flight).count); });
  const double least = watch.least_utilisation(10_us, 0_us, 1_ms);
  const bool holds = least >= 0.93 && room > 0;
  context.judge(
      "A16", holds,
      fmt::format("{:.1f} % of line over the whole run, {:.1f} % in the least 10 us; the window always had room for "
                  "{} B more",
                  100 * watch.utilisation(0_us, 1_ms), 100 * least, room));
}

void a18_the_input_rate_makes_the_queue_oscillate(Context& context) {
  const auto queue_turns = [&](const std::string& signal) {
    Watch watch(context.scenario("two-to-one.toml"), "3->2", {"algorithm.signal=" + signal});
    watch.record(100_ns, 300_us);
    std::vector<double> queue;
    for (const Watch::Sample& s : watch.samples())
      if (s.time >= kT) queue.push_back(static_cast<double>(s.queue));
    return std::pair{turns(queue, 5'000), watch.peak().queue};
  };
  const auto [tx, tx_peak] = queue_turns("txrate");
  const auto [rx, rx_peak] = queue_turns("rxrate");
  const bool holds = tx <= 1 && rx >= 3;
  context.judge("A18", holds,
                fmt::format("txRate: {} turn, peak {:.1f} KB; rxRate: {} turns, peak {:.1f} KB", tx, kb(tx_peak), rx,
                            kb(rx_peak)));
}

void a19_reacting_to_each_acknowledgement_overreacts(Context& context) {
  Watch watch(context.scenario("incast-16.toml"), "17->16", {"algorithm.reaction=per-ack"});
  watch.record(100_ns, 1_ms);
  const Watch::Sample& peak = watch.peak();
  const Time rtt = kT + transmission_time({peak.queue}, watch.rate());  // as for A21
  const double least = watch.least_utilisation(10_us, peak.time, peak.time + 5 * rtt - Time{(5 * rtt).ps % 100'000});
  std::vector<double> later;
  for (Time t = 100_us; t < 1_ms; t += 10_us) later.push_back(watch.utilisation(t, t + 10_us));
  const bool holds = least < 0.1;
  context.judge(
      "A19", holds,
      fmt::format("least {:.1f} % within 5 RTT of {:.0f} us; between 0.1 and 1 ms {} %, with {} turns by 30 %",
                  100 * least, us(rtt),
                  study::range_text("{:.0f}", 100 * *std::min_element(later.begin(), later.end()),
                                    100 * *std::max_element(later.begin(), later.end())),
                  turns(later, 0.3)));
}

void a20_reacting_once_per_round_trip_keeps_the_queue(Context& context) {
  const auto time_above = [&](const std::string& reaction) {
    Watch watch(context.scenario("incast-16.toml"), "17->16", {"algorithm.reaction=" + reaction});
    watch.record(100_ns, 1_ms);
    const auto long_queue = [](const Watch::Sample& s) { return s.queue > 50'000; };
    const Time above = 100_ns * std::count_if(watch.samples().begin(), watch.samples().end(), long_queue);
    return std::pair{above, transmission_time({watch.peak().queue}, watch.rate())};
  };
  const auto [hpcc, hpcc_drain] = time_above("hpcc");
  const auto [per_rtt, per_rtt_drain] = time_above("per-rtt");
  const Time hpcc_beyond = hpcc - hpcc_drain;
  const Time per_rtt_beyond = per_rtt - per_rtt_drain;
  const bool holds = per_rtt_beyond >= 2 * hpcc_beyond;
  context.judge(
      "A20", {holds, per_rtt >= 2 * hpcc},
      fmt::format("HPCC: {:.0f} us, of which the peak takes {:.0f} us at line rate; per round trip: {:.0f} us, "
                  "{:.0f} us; beyond that {:.0f} and {:.0f} us, {:.1f} times",
                  us(hpcc), us(hpcc_drain), us(per_rtt), us(per_rtt_drain), us(hpcc_beyond), us(per_rtt_beyond),
                  us(per_rtt_beyond) / us(hpcc_beyond)));
}

void a21_hpcc_neither_overreacts_nor_keeps_a_queue(Context& context) {
  Watch watch(context.scenario("incast-16.toml"), "17->16");
  watch.record(100_ns, 1_ms);
  const Watch::Sample& peak = watch.peak();
  const Time drain_at_line_rate = transmission_time({peak.queue}, watch.rate());
  const Time rtt = kT + drain_at_line_rate;  // of a packet that arrives at the peak
  const Time took = watch.drained(10_KB, peak.time) - peak.time;
  const double least = watch.least_utilisation(10_us, peak.time, 990_us);
  const bool holds = took <= 5 * rtt && least >= 0.8;
  context.judge(
      "A21", holds,
      fmt::format("peak {:.0f} KB; below 10 KB after {:.1f} us = {:.1f} RTT of {:.1f} us (a line-rate drain takes "
                  "{:.1f} us); least throughput in 10 us: {:.1f} %",
                  kb(peak.queue), us(took), us(took) / us(rtt), us(rtt), us(drain_at_line_rate), 100 * least));
}

std::int64_t p95_queue(const Context& context, const std::string& w_ai) {
  Watch watch(context.scenario("incast-16.toml"), "17->16", {"algorithm.w_ai=" + w_ai});
  watch.record(1_us, 10_ms - 1_us);
  std::vector<std::int64_t> queue;
  for (const Watch::Sample& s : watch.samples()) queue.push_back(s.queue);
  return static_cast<std::int64_t>(probe::distribution_of(queue).p95);
}

void a22_small_steps_keep_the_queue_short(Context& context) {
  std::int64_t most = 0;
  std::string measured;
  for (const std::string w_ai : {"25 B", "50 B", "100 B", "150 B"}) {
    const std::int64_t p95 = p95_queue(context, w_ai);
    most = std::max(most, p95);
    measured += fmt::format("{}{}: {} B", measured.empty() ? "" : "; ", w_ai, p95);
  }
  context.judge("A22", {most <= 5'500, most <= 4'000}, measured);
}

void a23_a_large_step_costs_some_queue(Context& context) {
  const std::int64_t p95 = p95_queue(context, "300 B");
  const bool holds = p95 >= 9'000 && p95 <= 18'000;
  context.judge("A23", holds, fmt::format("{:.1f} KB", kb(p95)));
}

void a24_a_larger_step_is_fairer(Context& context) {
  std::vector<double> index;
  std::string measured;
  const std::vector<std::string> steps{"25 B", "50 B", "100 B", "150 B", "300 B"};
  for (const std::string& w_ai : steps) {
    Watch watch(context.scenario("incast-16.toml"), "17->16", {"algorithm.w_ai=" + w_ai});
    Shares shares;
    watch.record(100_us, 10_ms - 100_us, [&](Time now, const host::FlowView& f) { shares.add(now, f); });
    index.push_back(mean_index(index_of_deliveries(shares, 100_us), 0_us, 10_ms));
    measured += fmt::format("{}{}: {:.4f}", measured.empty() ? "" : "; ", w_ai, index.back());
  }
  bool holds = index[3] > index[0];
  for (std::size_t i = 1; i < index.size(); ++i) holds = holds && index[i] >= index[i - 1] - 0.02;
  context.judge("A24", holds, measured);
  context.judge("A63", index[0] >= 0.95, fmt::format("{:.4f}", index[0]));
}

}  // namespace

std::vector<Evaluator> hpcc_runs() {
  return {
      {{"A7"}, Tier::quick, 0.01, a7_target_is_reached_in_one_round_trip},
      {{"A15", "A65"}, Tier::quick, 0.02, a15_sixty_four_new_flows},
      {{"A16"}, Tier::quick, 0.01, a16_a_lone_flow_keeps_line_rate},
      {{"A18"}, Tier::quick, 0.01, a18_the_input_rate_makes_the_queue_oscillate},
      {{"A19"}, Tier::quick, 0.01, a19_reacting_to_each_acknowledgement_overreacts},
      {{"A20"}, Tier::quick, 0.02, a20_reacting_once_per_round_trip_keeps_the_queue},
      {{"A21"}, Tier::quick, 0.01, a21_hpcc_neither_overreacts_nor_keeps_a_queue},
      {{"A22"}, Tier::quick, 0.2, a22_small_steps_keep_the_queue_short},
      {{"A23"}, Tier::quick, 0.1, a23_a_large_step_costs_some_queue},
      {{"A24", "A63"}, Tier::quick, 0.3, a24_a_larger_step_is_fairer},
  };
}

}  // namespace weir::claims
