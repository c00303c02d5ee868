#include "weir/report/host_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "weir/base/params.h"
#include "weir/figure/thin.h"
#include "weir/report/figure_parts.h"
#include "weir/result/percentile.h"

namespace weir::report {
namespace {

constexpr double kPs = 1'000;  // per ns

std::string time_text(double ns) { return format_value(Time{static_cast<std::int64_t>(ns) * 1'000}); }

// Delays by time; both in ps.
struct Delays {
  std::vector<double> at;
  std::vector<double> delay;
};

Delays delays_of(const HostCapture& capture) {
  Delays out;
  const std::int64_t begin = capture.trace.begin();
  for (const auto& ack : capture.trace.or_acks) {
    out.at.push_back(static_cast<double>(ack.time - begin) * kPs);
    out.delay.push_back(static_cast<double>(ack.delay) * kPs);
  }
  return out;
}

Delays delays_of(const Run& run) {
  Delays out;
  run.table("delays.csv")
      .each({"time_ps", "measured_ps"}, [&](std::span<const double> v, std::span<const std::string>) {
        out.at.push_back(v[0]);
        out.delay.push_back(v[1]);
      });
  return out;
}

void add_facts(HostCapture& to) {
  const result::HostTrace& t = to.trace;
  const auto fact = [&](std::string name, std::string value) {
    to.facts.emplace_back(std::move(name), std::move(value));
  };
  fact("captured", time_text(static_cast<double>(t.meta.at("end_ns").get<std::int64_t>() - t.begin())));
  fact("mode", t.meta.value("mode", ""));
  fact("connections", std::to_string(t.flows.size()));
  fact("packets", fmt::format("{}, offloads' segments as one", t.packets.size()));
  std::size_t held = 0;
  double held_ns = 0;
  std::int64_t longest = 0;
  for (const auto& packet : t.packets) {
    held += packet.held > 0;
    held_ns += static_cast<double>(std::max<std::int64_t>(packet.held, 0));
    longest = std::max(longest, packet.held);
  }
  fact("held", held == 0 ? "none"
                         : fmt::format("{} of them, {} on average, {} at most", held,
                                       time_text(held_ns / static_cast<double>(held)),
                                       time_text(static_cast<double>(longest))));
  std::vector<double> delays;
  std::size_t pauses = 0;
  for (const auto& ack : t.or_acks) {
    delays.push_back(static_cast<double>(ack.delay));
    pauses += ack.pause > 0;
  }
  std::sort(delays.begin(), delays.end());
  fact("OR-ACKs", fmt::format("{}, of which {} paused a flow", delays.size(), pauses));
  if (!delays.empty())
    fact("one-way delay",
         fmt::format("median {}, 99th percentile {}", time_text(delays[result::percentile_place(delays.size(), 500)]),
                     time_text(delays[result::percentile_place(delays.size(), 990)])));
  std::map<std::string, std::int64_t> thresholds;
  for (const auto& flow : t.flows)
    if (const auto threshold = t.threshold(flow.destination); threshold > 0) thresholds[flow.destination] = threshold;
  for (const auto& [destination, threshold] : thresholds)
    fact("T to " + destination, time_text(static_cast<double>(threshold)));
  if (const auto lost = t.meta.value("lost", std::uint64_t{0}); lost > 0)
    fact("lost", fmt::format("{} decisions, which the trace could not keep up with", lost));
}

}  // namespace

HostCapture read_host_capture(const std::string& path, std::string name) {
  HostCapture out{.name = std::move(name), .trace = result::read_host_trace(path)};
  add_facts(out);
  return out;
}

std::vector<Figure> host_figures(std::span<const HostCapture> captures, std::span<const Run> runs) {
  Figure shares{.id = "one-way-delays", .title = "One-way delays"};
  shares.kind = "steps";
  shares.x = {"one-way delay, as On-Ramp knew it", "ps", "log", {}};
  shares.y = {"share of OR-ACKs", "1", "linear", {}};
  shares.caption =
      "The share of OR-ACKs that told of no longer a delay, by the clocks of both hosts. Hosts count each OR-ACK that "
      "was heard, simulations the last one of each flow between two looks of the probe.";
  Figure over_time{.id = "one-way-delays-over-time", .title = "One-way delays over time"};
  over_time.x = {"time", "ps", "linear", {}};
  over_time.y = {"one-way delay", "ps", "linear", {}};
  const auto add = [&](const std::string& name, Delays delays) {
    if (delays.at.empty()) return;
    shares.series.push_back(distribution(delays.delay));
    shares.series.back().name = name;
    over_time.series.push_back({.name = name, .x = std::move(delays.at), .y = std::move(delays.delay)});
  };
  for (const HostCapture& capture : captures) add(capture.name, delays_of(capture));
  for (const Run& run : runs)
    if (run.has("delays.csv")) {
      add(run.name, delays_of(run));
      shares.runs.push_back(run.name);
      over_time.runs.push_back(run.name);
    }
  const auto negative = [](const Series& s) { return !s.x.empty() && s.x.front() <= 0; };
  if (std::any_of(shares.series.begin(), shares.series.end(), negative)) shares.x.scale = "linear";

  Figure holds{.id = "holds", .title = "How long packets were held"};
  holds.kind = "steps";
  holds.x = {"held before they left", "ps", "linear", {}};
  holds.y = {"share of packets", "1", "linear", {}};
  for (const HostCapture& capture : captures) {
    std::vector<double> held;
    for (const auto& packet : capture.trace.packets) held.push_back(static_cast<double>(packet.held) * kPs);
    holds.series.push_back(distribution(std::move(held)));
    holds.series.back().name = capture.name;
  }

  std::vector<Figure> out;
  for (Figure* figure : {&shares, &over_time, &holds}) {
    if (!has_values(*figure)) continue;
    figure->group = "Hosts";
    thin(*figure, figure == &over_time ? kMaxPoints : kMaxQuantiles);
    out.push_back(std::move(*figure));
  }
  return out;
}

}  // namespace weir::report
