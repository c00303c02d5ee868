#include "weir/probe/manifest.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "weir/base/simulator.h"
#include "weir/base/version.h"
#include "weir/probe/fast_forward_json.h"

namespace weir::probe {
namespace {

using Json = nlohmann::ordered_json;

double process_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Json stall(const engine::Stall& s) {
  Json json;
  json["since_ps"] = s.since.ps;
  json["unfinished_flows"] = s.unfinished;
  for (const auto& flow : s.flows)
    json["flows"].push_back({{"flow_id", flow.id}, {"src", flow.src}, {"dst", flow.dst}});
  if (s.kind != engine::Stall::Kind::deadlock) return json;
  json["blocked_ports"] = s.blocked;
  for (const auto& p : s.cycle)
    json["cycle"].push_back({{"port", p.port}, {"from", p.from}, {"to", p.to}, {"class", p.data_class}});
  return json;
}

Json document_of(const Manifest& m) {
  const auto& c = m.counters;
  Json json;
  json["title"] = m.title;
  json["version"] = version();
  json["simulator"] = simulator();
  json["fidelity"] = m.fidelity;
  json["complete"] = !m.interrupted && m.reason.empty();
  json["interrupted"] = m.interrupted;
  json["ended_by"] = m.interrupted       ? "interrupted"
                     : m.stall           ? engine::name_of(m.stall->kind)
                     : !m.reason.empty() ? "memory"
                                         : "done";
  if (!m.reason.empty()) json["reason"] = m.reason;
  if (m.stall) json["stall"] = stall(*m.stall);
  if (m.forked_at) json["forked_at_ps"] = m.forked_at->ps;
  if (m.changes > 0) json["changes"] = m.changes;
  if (!m.notices.empty()) json["notices"] = m.notices;
  for (const UsedPlugin& plugin : m.plugins)
    json["plugins"].push_back({{"file", plugin.file}, {"xxh128", plugin.checksum}});
  json["seed"] = m.seed;
  json["threads"] = m.threads;
  if (m.regime)
    json["regime"] = {{"events", m.regime->events},
                      {"sides", m.regime->sides},
                      {"epochs_at_once", m.regime->epochs_at_once},
                      {"switch_ports", m.regime->switch_ports},
                      {"host_ports", m.regime->host_ports},
                      {"cache", m.regime->cache},
                      {"traced", m.regime->traced},
                      {"on_one_thread", std::round(1'000 * m.regime->on_one_thread) / 1'000}};
  json["wall_s"] = m.wall_s;
  json["cpu_s"] = m.cpu_s;
  json["max_rss_bytes"] = m.max_rss_bytes;
  json["sim_time_ps"] = m.sim_time.ps;
  json["events"] = c.events;
  json["packet_hops"] = c.packet_hops;
  json["data_packet_hops"] = c.data_packet_hops;
  json["data_packets"] = c.data_packets;
  json["flows_started"] = c.flows_started;
  json["flows_completed"] = c.flows_completed;
  json["packets_dropped"] = c.dropped;
  json["packets_trimmed"] = c.trimmed;
  json["packets_lost"] = c.lost;
  json["packets_marked"] = c.marked;
  json["retransmitted_packets"] = c.retransmitted;
  json["timeouts"] = c.timeouts;
  json["nacks"] = c.nacks;
  json["cnps"] = c.cnps;
  json["or_acks"] = c.or_acks;
  json["probes"] = c.probes;
  json["pfc_pauses"] = c.pauses;
  json["pfc_storms"] = c.storms;
  json["pfc_storm_dropped"] = c.storm_dropped;
  if (m.fast_forward) json["fast_forward"] = to_json(*m.fast_forward);
  json["digest"] = fmt::format("{:016x}", m.digest);
  return json;
}

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

RunClock::RunClock(double wall_s_before, double cpu_s_before)
    : wall_(std::chrono::steady_clock::now()),
      cpu_(process_seconds()),
      wall_before_(wall_s_before),
      cpu_before_(cpu_s_before) {}

double RunClock::wall_s() const {
  return wall_before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
}

double RunClock::cpu_s() const { return cpu_before_ + process_seconds() - cpu_; }

std::uint64_t max_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string to_json(const Manifest& m) { return text_of(document_of(m)); }

std::string to_json(const Manifest& m, const result::Contents& contents) {
  Json json = document_of(m);
  json["files"] = Json::object();
  for (const auto& [name, facts] : contents) json["files"][name] = {{"bytes", facts.bytes}, {"xxh128", facts.checksum}};
  return result::sealed(text_of(json));
}

}  // namespace weir::probe
