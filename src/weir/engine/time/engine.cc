#include "weir/engine/engine.h"

#include <algorithm>
#include <stdexcept>

#include "weir/engine/model/model.h"
#include "weir/traffic/program.h"

namespace weir::engine {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v;
  h *= 0x9fb21c651e98df25ull;
  return h ^ (h >> 32);
}

}  // namespace

void Engine::refuse_trace() { throw std::logic_error("this run does not tell single events, or has begun"); }

void Engine::refuse_phase_times() {
  throw std::logic_error("this run does not tell what takes it how long, or tells somebody else, or has begun");
}

void Engine::refuse_decide() {
  throw std::logic_error("this run asks nobody for decisions, or somebody else, or has begun");
}

UnhinderedDriver unhindered(const traffic::Driver& driver) {
  return {driver.unhindered(), driver.scale_up().has_value()};
}

std::optional<DriverReport> empty_report(const traffic::Driver& driver, const UnhinderedDriver& unhindered,
                                         std::uint32_t hosts) {
  const auto sums = driver.sums();
  if (!sums) return std::nullopt;
  DriverReport out{.sums = *sums, .unhindered = unhindered};
  for (std::uint32_t host = 0; host < hosts; ++host) out.takes_part.push_back(driver.takes_part(host));
  for (const std::string& name : driver.activities()) out.activities.push_back({.name = name});
  return out;
}

void DriverReport::add(const traffic::Driver& driver, std::uint32_t host) {
  driver.add(host, sums);
  const std::vector<Time> times = driver.times_of(host);
  hosts += !times.empty();
  for (std::size_t i = 0; i < times.size(); ++i) {
    ActivityTimes& activity = activities[i];
    activity.total += times[i];
    if (times[i] > activity.longest) {
      activity.longest = times[i];
      activity.host = host;
    }
  }
}

void DriverReport::merge(const DriverReport& other) {
  sums.unfinished -= sums.messages - other.sums.unfinished;
  sums.start = std::min(sums.start, other.sums.start);
  sums.received = std::max(sums.received, other.sums.received);
  sums.acknowledged = std::max(sums.acknowledged, other.sums.acknowledged);
  hosts += other.hosts;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    activities[i].total += other.activities[i].total;
    if (other.activities[i].longest <= activities[i].longest) continue;
    activities[i].longest = other.activities[i].longest;
    activities[i].host = other.activities[i].host;
  }
}

void Engine::refuse_drive() {
  throw std::logic_error("this run takes no drivers, or no more: it has begun, or skips messages");
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps both
void Engine::trace(net::TraceFilter, net::TraceVisit, net::Telling) { refuse_trace(); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps it
void Engine::on_phase_times(PhaseTimesVisit) { refuse_phase_times(); }

const traffic::Program& Engine::program() const {
  static const traffic::Program none;
  return none;
}

Stall Engine::stall_of(Stall::Kind kind) const {
  Stall out{.kind = kind, .found = now(), .since = now(), .cycle = {}, .flows = {}};
  for_each_active([&](const host::FlowView& flow) { out.flows.push_back({flow.id, flow.src, flow.dst}); });
  out.unfinished = out.flows.size();
  std::sort(out.flows.begin(), out.flows.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  if (out.flows.size() > Stall::kFewFlows) out.flows.resize(Stall::kFewFlows);
  return out;
}

std::uint64_t Engine::state_digest() {
  const net::Topology& topology = model().topology;
  std::uint64_t h = 0x243f6a8885a308d3ull;
  for (std::uint32_t id = 0; id < topology.ports(); ++id) {
    const PortFigures p = port_figures(id);
    for (const std::uint64_t v : {p.sent_bytes, std::uint64_t{queued_bytes(id)}, p.marked, std::uint64_t{p.pauses},
                                  static_cast<std::uint64_t>(p.paused.ps)})
      h = mix(h, v);
    if (p.lost != 0) h = mix(h, p.lost);
  }
  for (std::uint32_t s = 0; s < topology.switches; ++s) {
    const SwitchFigures of = switch_figures(s);
    h = mix(h, of.dropped);
    h = mix(h, of.pauses_sent);
  }
  return h;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps it
void Engine::decide(host::Policy) { refuse_decide(); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): the same
void Engine::decide(host::BatchPolicy) { refuse_decide(); }

std::uint64_t Engine::inject(traffic::Flow) { throw std::logic_error("this engine takes no flows from outside"); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps it
void Engine::drive(std::unique_ptr<traffic::Driver>) { refuse_drive(); }

bool advance_unstalled(Engine& engine, Time until) {
  const bool ended = engine.advance(until);
  if (engine.stall() != nullptr) throw std::runtime_error(to_text(*engine.stall()));
  return ended;
}

}  // namespace weir::engine
