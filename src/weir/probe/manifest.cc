#include "weir/probe/manifest.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "weir/base/version.h"

namespace weir::probe {
namespace {

double process_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

RunClock::RunClock() : wall_(std::chrono::steady_clock::now()), cpu_(process_seconds()) {}

double RunClock::wall_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
}

double RunClock::cpu_s() const { return process_seconds() - cpu_; }

std::uint64_t max_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string to_json(const Manifest& m) {
  const auto& c = m.counters;
  nlohmann::ordered_json json;
  json["title"] = m.title;
  json["version"] = version();
  json["complete"] = !m.interrupted && m.reason.empty();
  json["interrupted"] = m.interrupted;
  if (!m.reason.empty()) json["reason"] = m.reason;
  json["seed"] = m.seed;
  json["threads"] = m.threads;
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
  json["pfc_pauses"] = c.pauses;
  json["digest"] = fmt::format("{:016x}", m.digest);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace weir::probe
