#include "weir/probe/queue_probe.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "weir/engine/model/model.h"

namespace weir::probe {

void QueueProbe::check(const Params& params, const Checks& checks) {
  check_ports(params.ports, checks);
  if (params.exact && params.series)
    checks.of_key("series",
                  [] { throw InputError("with exact = true there are no samples to write; set only one of them"); });
  if (params.per_packet == PerPacket::off) return;
  for (const auto& [is_set, key] : {std::pair{params.exact, "exact"}, std::pair{params.series, "series"}})
    if (is_set)
      checks.of_key(key, [] {
        throw InputError(
            "with per_packet, queues count once for each packet and not at any time; set only one of them");
      });
}

std::optional<std::string_view> QueueProbe::trace_key(const Params& params) {
  if (params.per_packet != PerPacket::off) return "per_packet";
  return params.exact ? std::optional<std::string_view>("exact") : std::nullopt;
}

std::unique_ptr<Probe> QueueProbe::make(const Params& params, const Context& context) {
  if (params.per_packet != PerPacket::off) return std::make_unique<PacketQueueProbe>(params, context);
  if (params.exact) return std::make_unique<ExactQueueProbe>(params, context);
  return std::make_unique<QueueProbe>(params, context);
}

void QueueProbe::add_possible(const Params& params, const Setting& setting, Summary& out) {
  QueueSummary& queues = out.queues.emplace();
  queues.all = queues.busiest_port = kSomeValue;
  add_possible_tiers(queues, model_of(setting.network).topology, params.ports);
  for (auto* names : {&queues.by_tier, &queues.by_direction})
    for (auto& name : *names) name.values = kSomeValue;
  queues.busiest.emplace();
  queues.peak.emplace();
  queues.of_packets = params.per_packet != PerPacket::off;
  if (params.exact || queues.of_packets) return;
  queues.interval = params.interval;
  queues.peak->has_flows = true;
  queues.peak->top.resize(QueuePeak::kTop);
  queues.peak->by_tag.resize(setting.tags.size());
}

QueueProbe::QueueProbe(const Params& params, const Context& context)
    : params_(params),
      simulation_(context.engine),
      tags_(context.tags),
      out_(context.out),
      tally_(model_of(simulation_).topology, params.ports) {
  simulation_.every(params.interval, [this](Time now) { sample(now); });
  if (out_ == nullptr || !params.series) return;
  series_.emplace(out_->table("queues.csv"));
}

void QueueProbe::sample(Time now) {
  if (now < params_.start || (params_.stop.ps != 0 && now >= params_.stop)) return;
  ++instants_;
  const net::Topology& topology = model_of(simulation_).topology;
  const std::vector<std::uint32_t>& ports = tally_.ports();
  std::size_t longest = 0;
  std::uint64_t most = peak_ ? peak_->bytes : 0;
  bool is_peak = false;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::uint32_t queued = simulation_.queued_bytes(ports[i]);
    tally_.add(i, queued);
    if (queued > most) {
      most = queued;
      longest = i;
      is_peak = true;
    }
    if (series_)
      series_->print("{},{},{},{},{}\n", now.ps, ports[i], topology.port_owner(ports[i]), topology.port_peer(ports[i]),
                     queued);
  }
  if (!is_peak) return;
  peak_.emplace();
  peak_->time = now;
  peak_->port = tally_.name_of(longest);
  peak_->bytes = most;
  look_into(*peak_);
}

// Whose packets are in the queue.
void QueueProbe::look_into(QueuePeak& peak) {
  std::map<std::uint64_t, QueuePeak::Share> shares;
  peak.has_flows = simulation_.for_each_queued(peak.port.port, [&](const engine::QueuedPacket& packet) {
    if (packet.flow == net::kNoFlow) {
      peak.ended_bytes += packet.bytes;
      return;
    }
    auto& share = shares[packet.flow];
    share.flow = packet.flow;
    share.src = packet.src;
    share.dst = packet.dst;
    share.tag = tags_.at(packet.tag);
    share.bytes += packet.bytes;
  });
  std::map<std::string, QueuePeak::TagShare> by_tag;
  for (auto& [id, share] : shares) {
    QueuePeak::TagShare& of_tag = by_tag[share.tag];
    of_tag.tag = share.tag;
    ++of_tag.flows;
    of_tag.bytes += share.bytes;
    peak.top.push_back(std::move(share));
  }
  for (auto& [tag, share] : by_tag) peak.by_tag.push_back(std::move(share));
  std::stable_sort(peak.by_tag.begin(), peak.by_tag.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::stable_sort(peak.top.begin(), peak.top.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  while (peak.top.size() > QueuePeak::kTop) {
    ++peak.other_flows;
    peak.other_bytes += peak.top.back().bytes;
    peak.top.pop_back();
  }
}

void QueueProbe::finish(Summary& out) {
  if (series_) series_->close();
  QueueSummary& summary = out.queues.emplace();
  summary.interval = params_.interval;
  summary.instants = instants_;
  tally_.report([this](std::size_t) { return instants_; }, summary, out_);
  summary.peak = std::move(peak_);
}

ExactQueueProbe::ExactQueueProbe(const QueuesParams& params, const Context& context)
    : params_(params),
      simulation_(context.engine),
      out_(context.out),
      tally_(model_of(simulation_).topology, params.ports),
      place_of_(model_of(simulation_).topology.ports()),
      queues_(tally_.ports().size(), Queue{.since = params.start}) {
  for (std::size_t i = 0; i < queues_.size(); ++i) place_of_[tally_.ports()[i]] = static_cast<std::uint32_t>(i);
  // From the beginning on, so that the lengths at `start` are known.
  simulation_.trace(
      trace_filter(model_of(simulation_).topology, params.ports, Time{}, params.stop),
      [this](net::TraceEvents events) { follow(events); }, net::Telling::beside);
}

void ExactQueueProbe::follow(net::TraceEvents events) {
  using Kind = net::EventKind;
  for (const net::TraceEvent& event : events) {
    if (event.kind != Kind::accepted && event.kind != Kind::left && event.kind != Kind::dropped) continue;
    const std::size_t place = place_of_[event.port];
    count_until(place, event.time);
    queues_[place].length = event.queued;
  }
}

void ExactQueueProbe::count_until(std::size_t place, Time time) {
  Queue& queue = queues_[place];
  if (time <= queue.since) return;
  tally_.add(place, queue.length, static_cast<std::uint64_t>((time - queue.since).ps));
  const std::uint64_t most = peak_ ? peak_->bytes : 0;
  const auto is_before = [&] {
    const std::uint32_t port = tally_.ports()[place];
    return queue.since != peak_->time ? queue.since < peak_->time : port < peak_->port.port;
  };
  if (queue.length > most || (most > 0 && queue.length == most && is_before())) {
    peak_.emplace();
    peak_->time = queue.since;
    peak_->port = tally_.name_of(place);
    peak_->bytes = queue.length;
  }
  queue.since = time;
}

void ExactQueueProbe::finish(Summary& out) {
  Time end = simulation_.now();
  if (params_.stop.ps != 0) end = std::min(end, params_.stop);
  for (std::size_t place = 0; place < queues_.size(); ++place) count_until(place, end);
  QueueSummary& summary = out.queues.emplace();
  const auto observed = static_cast<std::uint64_t>(std::max(end - params_.start, Time{}).ps);
  tally_.report([&](std::size_t) { return observed; }, summary, out_);
  summary.peak = std::move(peak_);
}

PacketQueueProbe::PacketQueueProbe(const QueuesParams& params, const Context& context)
    : found_(params.per_packet == PerPacket::found),
      simulation_(context.engine),
      out_(context.out),
      tally_(model_of(simulation_).topology, params.ports),
      place_of_(model_of(simulation_).topology.ports()),
      packets_(tally_.ports().size()) {
  for (std::size_t i = 0; i < packets_.size(); ++i) place_of_[tally_.ports()[i]] = static_cast<std::uint32_t>(i);
  auto filter = trace_filter(model_of(simulation_).topology, params.ports, params.start, params.stop);
  filter.kinds = net::kind_bit(found_ ? net::EventKind::accepted : net::EventKind::left);
  filter.passes_over_others = true;
  simulation_.trace(
      filter, [this](net::TraceEvents events) { count(events); }, net::Telling::beside);
}

void PacketQueueProbe::count(net::TraceEvents events) {
  for (const net::TraceEvent& event : events) {
    if (found_ && event.kind == net::EventKind::accepted)
      add(place_of_[event.port], event.queued - event.packet.wire, event.time);
    else if (!found_ && event.kind == net::EventKind::left)
      add(place_of_[event.port], event.queued, event.time);
  }
}

void PacketQueueProbe::add(std::size_t place, std::uint32_t length, Time time) {
  tally_.add(place, length);
  ++packets_[place];
  if (length <= (peak_ ? peak_->bytes : 0)) return;
  peak_.emplace();
  peak_->time = time;
  peak_->port = tally_.name_of(place);
  peak_->bytes = length;
}

void PacketQueueProbe::finish(Summary& out) {
  QueueSummary& summary = out.queues.emplace();
  summary.of_packets = true;
  tally_.report([this](std::size_t place) { return packets_[place]; }, summary, out_);
  summary.peak = std::move(peak_);
}

}  // namespace weir::probe
