#include "hosts/agent/status.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "weir/base/version.h"

namespace weir::hosts {
namespace {

using C = Counters;

constexpr std::array kCounters{
    CounterKind{"packets", "TCP data packets to peers, super-packets of offloads", &C::packets},
    CounterKind{"bytes", "bytes of data in them", &C::bytes},
    CounterKind{"held", "packets that left later for On-Ramp", &C::held},
    CounterKind{"held_ns", "time for which packets were held, in all", &C::held_ns},
    CounterKind{"held_ns_max", "longest time for which a packet was held", &C::held_ns_max, false},
    CounterKind{"clipped", "packets whose hold was cut to its bound", &C::clipped},
    CounterKind{"bypassed", "packets that passed although their peer is held", &C::bypassed},
    CounterKind{"notes", "packets whose departure was noted", &C::notes},
    CounterKind{"flows", "flows that have sent within 30 s, or ended within 1 s", &C::flows, false},
    CounterKind{"flows_refused", "flows that found no room", &C::flows_refused},
    CounterKind{"or_acks_received", "OR-ACKs that arrived", &C::or_acks_received},
    CounterKind{"or_acks_accepted", "OR-ACKs that were heard", &C::or_acks_accepted},
    CounterKind{"pauses", "OR-ACKs that paused a flow", &C::pauses},
    CounterKind{"refused_form", "OR-ACKs refused: truncated or of another version", &C::refused_form},
    CounterKind{"refused_peer", "OR-ACKs refused: from no peer or of an unknown key", &C::refused_peer},
    CounterKind{"refused_tag", "OR-ACKs refused: wrong tag", &C::refused_tag},
    CounterKind{"refused_flow", "OR-ACKs refused: no such flow", &C::refused_flow},
    CounterKind{"refused_note", "OR-ACKs refused: no such packet, or answered before", &C::refused_note},
    CounterKind{"refused_time", "OR-ACKs refused: time of arrival impossible", &C::refused_time},
    CounterKind{"rules_removed", "times that another program had removed the rules of mode queue, which were set again",
                &C::rules_removed},
    CounterKind{"heartbeat_expiries", "times that holding ended because the agent gave no sign of life",
                &C::heartbeat_expiries},
    CounterKind{"data_packets", "TCP data packets from peers", &C::data_packets},
    CounterKind{"data_bytes", "bytes of data in them", &C::data_bytes},
    CounterKind{"or_acks_sent", "OR-ACKs that were sent", &C::or_acks_sent},
    CounterKind{"or_ack_bytes", "bytes of OR-ACKs on the wire", &C::or_ack_bytes},
    CounterKind{"or_acks_limited", "OR-ACKs not sent because of or_ack.per_second", &C::or_acks_limited},
    CounterKind{"processor_ns", "processor time of the data path, as far as it is known", &C::processor_ns},
    CounterKind{"decisions_lost", "decisions that a trace has lost", &C::decisions_lost},
};

nlohmann::ordered_json to_json(const PeerStatus& peer) {
  nlohmann::ordered_json out{{"address", to_text(peer.address)},
                             {"local", peer.local ? nlohmann::ordered_json(to_text(*peer.local)) : nullptr},
                             {"state", name_of(peer.state)},
                             {"meaning", meaning(peer.state)},
                             {"held", peer.held},
                             {"T_ns", peer.threshold},
                             {"least_delay_ns", peer.least ? nlohmann::ordered_json(*peer.least) : nullptr},
                             {"clock", nullptr}};
  if (peer.clock)
    out["clock"] = {{"at_ns", peer.clock->at},
                    {"offset_ns", peer.clock->offset},
                    {"drift_ns_per_s", static_cast<double>(peer.clock->drift) * 1e9 / (1 << 30)},
                    {"sigma_ns", peer.clock->sigma},
                    {"silence_ns", peer.silence}};
  return out;
}

nlohmann::ordered_json to_json(const RefclockStatus& refclock, std::int64_t now) {
  nlohmann::ordered_json out{{"reference", to_text(refclock.reference)},
                             {"socket", refclock.socket},
                             {"state", name_of(refclock.state)},
                             {"why", refclock.why},
                             {"samples", refclock.samples},
                             {"last", nullptr}};
  if (refclock.last)
    out["last"] = {{"ago_ns", now - refclock.given},
                   {"at_unix_ns", refclock.last->at},
                   {"difference_ns", refclock.last->difference},
                   {"error_ns", refclock.last->error}};
  return out;
}

nlohmann::ordered_json to_json(const FlowView& flow, std::int64_t now) {
  return {{"source", to_text(flow.flow.source)},
          {"source_port", flow.flow.source_port},
          {"destination", to_text(flow.flow.destination)},
          {"destination_port", flow.flow.destination_port},
          {"delay_ns", flow.delay},
          {"beta", flow.beta},
          {"pause_left_ns", std::max<std::int64_t>(flow.pause_end - now, 0)},
          {"idle_ns", std::max<std::int64_t>(now - flow.last, 0)},
          {"packets", flow.packets},
          {"bytes", flow.bytes},
          {"held", flow.held},
          {"held_ns", flow.held_ns},
          {"or_acks", flow.or_acks}};
}

// A label's value: backslashes, quotes and line ends are escaped.
std::string label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// The metrics of peers: a name, its meaning, and its value for one.
struct PeerMetric {
  std::string_view name;
  std::string_view meaning;
  std::optional<double> (*value)(const PeerStatus&);
};

constexpr double kSeconds = 1e-9;  // per ns

const std::array kPeerMetrics{
    PeerMetric{"peer_held", "whether flows to the peer may be held",
               [](const PeerStatus& p) -> std::optional<double> { return p.held ? 1 : 0; }},
    PeerMetric{"peer_agent", "whether an agent answers there",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.state == PeerState::no_agent || p.state == PeerState::no_route ? 0 : 1;
               }},
    PeerMetric{"peer_threshold_seconds", "T in force",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.threshold == 0 ? std::nullopt : std::optional(kSeconds * static_cast<double>(p.threshold));
               }},
    PeerMetric{"peer_least_delay_seconds", "least one-way delay to the peer",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.least ? std::optional(kSeconds * static_cast<double>(*p.least)) : std::nullopt;
               }},
    PeerMetric{"clock_offset_seconds", "the peer's monotonic clock minus this host's",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.clock ? std::optional(kSeconds * static_cast<double>(p.clock->offset)) : std::nullopt;
               }},
    PeerMetric{"clock_drift_ratio", "by how much the peer's clock is faster",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.clock ? std::optional(static_cast<double>(p.clock->drift) / (1 << 30)) : std::nullopt;
               }},
    PeerMetric{"clock_error_bound_seconds", "bound of the offset's error",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.clock ? std::optional(kSeconds * static_cast<double>(p.clock->sigma)) : std::nullopt;
               }},
    PeerMetric{"clock_silence_seconds", "time since the peer's clock was heard of",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.clock ? std::optional(kSeconds * static_cast<double>(p.silence)) : std::nullopt;
               }},
    PeerMetric{"time_of_day_difference_seconds", "the peer's time of day minus this host's",
               [](const PeerStatus& p) -> std::optional<double> {
                 return p.time ? std::optional(kSeconds * static_cast<double>(p.time->difference)) : std::nullopt;
               }},
    PeerMetric{"time_of_day_error_bound_seconds", "bound of the difference's error", [](const PeerStatus& p) {
                 return p.time ? std::optional(kSeconds * static_cast<double>(p.time->error)) : std::nullopt;
               }}};

// Of what chronyd is told; all of it has the label `reference`.
struct RefclockMetric {
  std::string_view name;
  std::string_view meaning;
  std::string_view type;
  std::optional<double> (*value)(const RefclockStatus&, std::int64_t now);
};

const std::array kRefclockMetrics{
    RefclockMetric{"refclock_given", "whether chronyd is told the time of the reference", "gauge",
                   [](const RefclockStatus& r, std::int64_t) -> std::optional<double> {
                     return r.state == RefclockState::given ? 1 : 0;
                   }},
    RefclockMetric{
        "refclock_samples_total", "samples that chronyd was given", "counter",
        [](const RefclockStatus& r, std::int64_t) -> std::optional<double> { return static_cast<double>(r.samples); }},
    RefclockMetric{"refclock_sample_age_seconds", "time since the last sample", "gauge",
                   [](const RefclockStatus& r, std::int64_t now) -> std::optional<double> {
                     return r.last ? std::optional(kSeconds * static_cast<double>(now - r.given)) : std::nullopt;
                   }},
    RefclockMetric{"refclock_difference_seconds", "the reference's time of day minus this host's, in the last sample",
                   "gauge",
                   [](const RefclockStatus& r, std::int64_t) -> std::optional<double> {
                     return r.last ? std::optional(kSeconds * static_cast<double>(r.last->difference)) : std::nullopt;
                   }},
    RefclockMetric{"refclock_error_bound_seconds", "bound of its error", "gauge",
                   [](const RefclockStatus& r, std::int64_t) {
                     return r.last ? std::optional(kSeconds * static_cast<double>(r.last->error)) : std::nullopt;
                   }}};

void add_head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  out += fmt::format("# HELP weir_host_{} {}\n# TYPE weir_host_{} {}\n", name, help, name, type);
}

}  // namespace

std::span<const CounterKind> counter_kinds() { return kCounters; }

nlohmann::ordered_json to_json(const Status& status) {
  nlohmann::ordered_json counters;
  for (const auto& kind : kCounters) counters[std::string(kind.name)] = status.counters.*kind.value;
  auto peers = nlohmann::ordered_json::array();
  for (const auto& peer : status.peers) peers.push_back(to_json(peer));
  auto flows = nlohmann::ordered_json::array();
  for (const auto& flow : status.flows) flows.push_back(to_json(flow, status.now));
  return {{"version", version()},
          {"pid", status.pid},
          {"mode", name_of(status.mode)},
          {"path", status.path},
          {"now_ns", status.now},
          {"up_ns", status.now - status.since},
          {"interfaces", status.interfaces},
          {"segment_bytes", status.segment},
          {"trouble", status.trouble},
          {"warnings", status.warnings},
          {"peers", peers},
          {"refclock", status.refclock ? to_json(*status.refclock, status.now) : nlohmann::ordered_json()},
          {"counters", counters},
          {"flows", flows}};
}

std::string to_metrics(const Status& status) {
  std::string out;
  add_head(out, "info", "the agent", "gauge");
  out += fmt::format("weir_host_info{{version=\"{}\",mode=\"{}\",path=\"{}\"}} 1\n", label(version()),
                     name_of(status.mode), status.path);
  add_head(out, "up_seconds", "time since the agent went up", "gauge");
  out += fmt::format("weir_host_up_seconds {}\n", kSeconds * static_cast<double>(status.now - status.since));
  add_head(out, "trouble", "whether something is wrong, such as a vanished interface", "gauge");
  out += fmt::format("weir_host_trouble {}\n", status.trouble.empty() ? 0 : 1);
  for (const auto& kind : kCounters) {
    const std::string name = std::string(kind.name) + (kind.grows ? "_total" : "");
    add_head(out, name, kind.meaning, kind.grows ? "counter" : "gauge");
    out += fmt::format("weir_host_{} {}\n", name, status.counters.*kind.value);
  }
  for (const auto& metric : kPeerMetrics) {
    if (status.peers.empty()) break;
    add_head(out, metric.name, metric.meaning, "gauge");
    for (const auto& peer : status.peers)
      if (const auto value = metric.value(peer))
        out += fmt::format("weir_host_{}{{peer=\"{}\"}} {}\n", metric.name, to_text(peer.address), *value);
  }
  for (const auto& metric : kRefclockMetrics) {
    if (!status.refclock) break;
    add_head(out, metric.name, metric.meaning, metric.type);
    if (const auto value = metric.value(*status.refclock, status.now))
      out += fmt::format("weir_host_{}{{reference=\"{}\"}} {}\n", metric.name, to_text(status.refclock->reference),
                         *value);
  }
  return out;
}

}  // namespace weir::hosts
