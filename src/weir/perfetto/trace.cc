#include "weir/perfetto/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/engine/model/model.h"
#include "weir/host/transport.h"

namespace weir::perfetto {
namespace {

using net::EventKind;

constexpr std::string_view kPrefix = "--trace";

constexpr net::EventKinds kShown = net::kind_bit(EventKind::lost) | net::kind_bit(EventKind::marked) |
                                   net::kind_bit(EventKind::trimmed) | net::kind_bit(EventKind::dropped) |
                                   net::kind_bit(EventKind::told_loss);
constexpr net::EventKinds kPauses = net::kind_bit(EventKind::paused) | net::kind_bit(EventKind::resumed);

std::int64_t ns(Time time) { return time.ps / 1'000; }
std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

net::TraceFilter filter_of(const TraceOptions& o, const net::Topology& topology) {
  net::TraceFilter filter;
  filter.kinds = kShown;
  const capture::Span span = capture::span_of(kPrefix, o.from, o.until);
  filter.from = span.from;
  filter.until = span.until;
  if (o.at.empty()) return filter;
  filter.ports.resize(topology.ports());
  capture::of_option("--trace-at", [&] {
    for (const std::uint32_t port : capture::capture_ports(topology, fmt::format("{}", fmt::join(o.at, ","))))
      filter.ports[port] = true;
  });
  return filter;
}

Time interval_of(const TraceOptions& o) {
  if (o.interval.empty()) return kInterval;
  return capture::of_option("--trace-interval", [&] {
    const Time interval = parse_time(o.interval);
    if (interval < Time{1'000}) throw InputError("write a time of at least 1 ns, like '1 us'");
    return interval;
  });
}

probe::ResultFile open(probe::WholeFiles& files, const std::string& file) {
  try {
    return files.open(file);
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("--trace: {}", error.what()));
  }
}

}  // namespace

Trace::Trace(const TraceOptions& o, const engine::Model& model, std::vector<std::string> tags)
    : model_(model),
      tags_(std::move(tags)),
      filter_(filter_of(o, model.topology)),
      span_{filter_.from, filter_.until},
      flows_(capture::flows_of(kPrefix, o.flows)),
      interval_(interval_of(o)),
      packets_(open(files_, o.file)),
      slices_(packets_, kSliceSequence, Clock::simulated),
      events_(packets_, kEventSequence, Clock::differences),
      tracks_(model.topology, slices_),
      sends_(model.topology.hosts),
      lanes_(model.topology.hosts),
      where_(model.topology.hosts) {
  if (o.engine) engine_time_.emplace(packets_, kEngineSequence);
  for (std::uint32_t port = 0; port < model.topology.ports(); ++port) {
    if (!filter_.ports.empty() && !filter_.ports[port]) continue;
    ports_.push_back(port);
    if (const std::uint32_t owner = model.topology.port_owner(port); owner < model.topology.hosts) sends_[owner] = true;
  }
  queues_.resize(ports_.size());
}

void Trace::check_flows(std::uint64_t flows) const { capture::check_flows(kPrefix, flows_, flows); }

void Trace::attach(engine::Engine& engine) {
  // Starts whatever the time, since they tell which flow is where; pauses, since they last.
  net::TraceFilter starts;
  starts.kinds = net::kind_bit(EventKind::started);
  engine.trace(starts, [this](net::TraceEvents events) {
    for (const net::TraceEvent& event : events) start(event);
  });
  net::TraceFilter pauses{.ports = filter_.ports, .from = {}, .kinds = kPauses};
  engine.trace(pauses, [this](net::TraceEvents events) {
    for (const net::TraceEvent& event : events) pause(event);
  });
  engine.trace(filter_, [this](net::TraceEvents events) {
    for (const net::TraceEvent& event : events) show(event);
  });
  engine.every(interval_, [this, &engine](Time now) { sample(engine, now); });
  engine.on_finish([this](const host::FlowRecord& record) { end(record, record.finish); }, engine::FinishCalls::later);
  if (engine_time_)
    engine.on_phase_times([this](Time from, Time until, std::span<const engine::PhaseTime> times) {
      if (overlaps(from, until)) engine_time_->add(from, until, times);
    });
}

bool Trace::is_chosen(std::uint64_t flow, std::uint32_t src) const {
  return flows_.empty() ? bool{sends_[src]} : probe::contains(flows_, flow);
}

// The first place that is free. That of a flow which ends in the same epoch is still taken.
void Trace::start(const net::TraceEvent& event) {
  if (event.time >= span_.until || !is_chosen(event.flow, event.src)) return;
  auto& lanes = lanes_[event.src];
  auto lane = std::find_if(lanes.begin(), lanes.end(), [](const Lane& l) { return l.flow == net::kNoFlow; });
  if (lane == lanes.end()) lane = lanes.emplace(lanes.end());
  lane->flow = event.flow;
  lane->slot = event.packet.slot;
  lane->generation = event.packet.generation;
  lane->window_now = lane->window = lane->rate_now = lane->rate = 0;
  auto& where = where_[event.src];
  if (lane->slot >= where.size()) where.resize(lane->slot + std::size_t{1});
  where[lane->slot] = 1 + static_cast<std::uint32_t>(lane - lanes.begin());
}

void Trace::pause(const net::TraceEvent& event) {
  const std::pair key(event.port, event.packet.traffic_class);
  if (event.kind == EventKind::paused) {
    paused_.emplace(key, event.time);
    return;
  }
  const auto at = paused_.find(key);
  if (at == paused_.end()) return;
  end_pause(event.port, event.packet.traffic_class, at->second, event.time);
  paused_.erase(at);
}

void Trace::end_pause(std::uint32_t port, net::TrafficClass of, Time from, Time until) {
  if (!overlaps(from, until)) return;
  const TrackId track = tracks_.pauses(port, of);
  slices_.begin(ns(from), track, Name::paused, {{FactName::paused_ps, number((until - from).ps)}});
  slices_.end(ns(until), track);
}

void Trace::show(const net::TraceEvent& event) {
  if (event.kind == EventKind::told_loss) {
    auto& lanes = lanes_[event.src];
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.flow == event.flow; });
    if (lane == lanes.end()) return;
    events_.instant(ns(event.time), tracks_.flows(event.src, static_cast<std::uint32_t>(lane - lanes.begin())),
                    event.cause == net::Cause::timeout ? Name::timeout : Name::loss_told,
                    {{FactName::flow, event.flow}, {FactName::bytes, number(event.window.count)}});
    return;
  }
  if (!flows_.empty() && !probe::contains(flows_, event.flow)) return;
  const TrackId track = tracks_.port(event.port);
  const auto name = [&] {
    switch (event.kind) {
      case EventKind::marked: return Name::mark;
      case EventKind::trimmed: return Name::trim;
      case EventKind::dropped: return Name::drop;
      default: return Name::loss_on_link;
    }
  }();
  const Fact size{FactName::bytes, std::uint64_t{event.packet.wire}};
  const Fact flow{FactName::flow, event.flow};
  const Fact queued{FactName::queued, std::uint64_t{event.queued}};
  if (event.flow == net::kNoFlow)
    events_.instant(ns(event.time), track, name, {size});
  else if (name == Name::loss_on_link)
    events_.instant(ns(event.time), track, name, {flow, size});
  else
    events_.instant(ns(event.time), track, name, {flow, size, queued});
}

void Trace::sample(engine::Engine& engine, Time now) {
  if (now < span_.from || now >= span_.until) return;
  counts_.clear();
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::uint32_t queued = engine.queued_bytes(ports_[i]);
    if (queued == queues_[i]) continue;
    queues_[i] = queued;
    counts_.push_back({tracks_.queue(ports_[i]), queued});
  }
  engine.for_each_active([this](const host::FlowView& flow) {
    const auto& where = where_[flow.src];
    if (flow.slot >= where.size() || where[flow.slot] == 0) return;
    Lane& lane = lanes_[flow.src][where[flow.slot] - 1];
    if (lane.flow != flow.id) return;
    lane.window_now = flow.window == cc::kNoWindow ? 0 : flow.window.count;
    lane.rate_now = flow.rate.bits_per_second / 1'000'000;
  });
  for (std::uint32_t src = 0; src < lanes_.size(); ++src)
    for (std::uint32_t i = 0; i < lanes_[src].size(); ++i) {
      Lane& lane = lanes_[src][i];
      if (lane.flow == net::kNoFlow) continue;
      if (lane.window_now != lane.window) counts_.push_back({tracks_.window(src, i), lane.window = lane.window_now});
      if (lane.rate_now != lane.rate) counts_.push_back({tracks_.rate(src, i), lane.rate = lane.rate_now});
    }
  events_.counts(ns(now), counts_);
}

void Trace::end(const host::FlowRecord& r, Time now) {
  auto& lanes = lanes_[r.src];
  const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.flow == r.id; });
  if (lane == lanes.end()) return;
  const auto number_of_lane = static_cast<std::uint32_t>(lane - lanes.begin());
  std::uint32_t& where = where_[r.src][lane->slot];
  if (where == 1 + number_of_lane) where = 0;  // else a later message of the connection is there
  lane->flow = net::kNoFlow;
  if (!overlaps(r.start, now)) return;
  std::array<Count, 2> counts;
  std::size_t n = 0;
  if (lane->window != 0) counts[n++] = {tracks_.window(r.src, number_of_lane), 0};
  if (lane->rate != 0) counts[n++] = {tracks_.rate(r.src, number_of_lane), 0};
  const TrackId track = tracks_.flows(r.src, number_of_lane);
  const bool finished = r.finish != Time::max();
  slices_.begin(ns(r.start), track, fmt::format("flow {} to {}", r.id, r.dst),
                {{FactName::flow, r.id},
                 {FactName::src, std::uint64_t{r.src}},
                 {FactName::dst, std::uint64_t{r.dst}},
                 {FactName::size, number(r.size.count)},
                 {FactName::tag, std::string_view(r.tag < tags_.size() ? tags_[r.tag] : "")},
                 {FactName::algorithm, std::string_view(model_.profiles[r.profile].name)},
                 {FactName::start_ps, number(r.start.ps)},
                 {FactName::retransmitted, std::uint64_t{r.retransmitted}},
                 {FactName::finished, finished}});
  const std::span<const Count> changed(counts.data(), n);
  if (!finished) {
    slices_.end(ns(now), track, {}, changed);
    return;
  }
  const Time took = now - r.start;
  const net::Framing bare = model_.framing_without_int(model_.profiles[r.profile]);
  const Time ideal = model_.paths.ideal_fct(r.src, r.dst, r.size, bare);
  slices_.end(ns(now), track,
              {{FactName::completion_ps, number(took.ps)},
               {FactName::slowdown, static_cast<double>(took.ps) / static_cast<double>(ideal.ps)}},
              changed);
}

void Trace::conclude(const engine::Engine& engine) {
  const Time now = engine.now();
  std::vector<host::FlowRecord> left;
  engine.for_each_active([&](const host::FlowView& flow) { left.push_back(host::record_of(flow, Time::max())); });
  std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  for (const host::FlowRecord& record : left) end(record, now);
  for (const auto& [key, from] : paused_) end_pause(key.first, key.second, from, now);
  paused_.clear();
}

void Trace::finish() {
  packets_.close();
  files_.commit();
}

}  // namespace weir::perfetto
