#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "hosts/agent/status.h"
#include "weir/base/text_table.h"

namespace weir::hosts {
namespace {

using Json = nlohmann::json;

double number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string duration_or(const Json& object, const char* key, std::string_view otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() && found->get<double>() != 0 ? duration_text(found->get<double>())
                                                                                  : std::string(otherwise);
}

// Thousands are set apart.
std::string count_text(double value) {
  std::string out = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3)
    out.insert(static_cast<std::size_t>(at), ",");
  return out;
}

std::string rate_text(double bits_per_second) {
  if (bits_per_second >= 1e9) return fmt::format("{:.3g} Gb/s", bits_per_second / 1e9);
  if (bits_per_second >= 1e6) return fmt::format("{:.3g} Mb/s", bits_per_second / 1e6);
  return fmt::format("{:.3g} kb/s", bits_per_second / 1e3);
}

std::string end_text(const Json& flow, const char* address, const char* port) {
  const auto host = flow.at(address).get<std::string>();
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, flow.at(port).get<int>())
                                             : fmt::format("[{}]:{}", host, flow.at(port).get<int>());
}

std::string flow_key(const Json& flow) {
  return end_text(flow, "source", "source_port") + " > " + end_text(flow, "destination", "destination_port");
}

std::string head_text(const Json& s) {
  std::string interfaces;
  for (const auto& name : s.at("interfaces")) interfaces += (interfaces.empty() ? "" : ", ") + name.get<std::string>();
  std::string out =
      fmt::format("weir-host {}, mode {} by {}, on {}, up for {}, process {}\n", s.at("version").get<std::string>(),
                  s.at("mode").get<std::string>(), s.at("path").get<std::string>(), interfaces,
                  duration_text(number(s, "up_ns")), s.at("pid").get<int>());
  if (const auto trouble = s.at("trouble").get<std::string>(); !trouble.empty()) out += "trouble: " + trouble + "\n";
  for (const auto& warning : s.at("warnings")) out += "warning: " + warning.get<std::string>() + "\n";
  return out;
}

// What chronyd is told.
std::string refclock_text(const Json& refclock) {
  const auto& last = refclock.at("last");
  std::string out = fmt::format("refclock   chronyd has been told the time of {} {} times",
                                refclock.at("reference").get<std::string>(), count_text(number(refclock, "samples")));
  if (!last.is_null())
    out += fmt::format(", last {} ago: {} away, within {}", duration_text(number(last, "ago_ns")),
                       duration_text(number(last, "difference_ns")), duration_text(number(last, "error_ns")));
  if (const auto why = refclock.at("why").get<std::string>(); !why.empty()) out += fmt::format("; not now: {}", why);
  return out + "\n";
}

}  // namespace

std::string duration_text(double ns) {
  const double size = std::abs(ns);
  if (size >= 86'400e9) return fmt::format("{:.4g} d", ns / 86'400e9);
  if (size >= 3'600e9) return fmt::format("{:.4g} h", ns / 3'600e9);
  if (size >= 1e9) return fmt::format("{:.4g} s", ns / 1e9);
  if (size >= 1e6) return fmt::format("{:.4g} ms", ns / 1e6);
  if (size >= 1e3) return fmt::format("{:.4g} us", ns / 1e3);
  return fmt::format("{:.4g} ns", ns);
}

std::string peers_text(const Json& status) {
  if (status.at("peers").empty()) return "no peers; add [[peer]] tables to the configuration\n";
  TextRows rows{{"peer", "from", "state", "T", "least delay", "clock within", "meaning"}};
  for (const auto& peer : status.at("peers"))
    rows.push_back({peer.at("address"), peer.at("local").is_null() ? "?" : peer.at("local").get<std::string>(),
                    peer.at("state"), duration_or(peer, "T_ns", "?"), duration_or(peer, "least_delay_ns", "?"),
                    peer.at("clock").is_null() ? "?" : duration_text(number(peer.at("clock"), "sigma_ns")),
                    peer.at("meaning")});
  return text_table(rows, 7);
}

std::string status_text(const Json& status) {
  const auto& c = status.at("counters");
  const auto count = [&](const char* key) { return count_text(number(c, key)); };
  std::string out = head_text(status);
  const double held = number(c, "held");
  out += fmt::format(
      "\nsent       {} packets, {} bytes to peers; {} held for {} in the mean, {} at most; {} bypassed\n",
      count("packets"), count("bytes"), count("held"), duration_text(held == 0 ? 0 : number(c, "held_ns") / held),
      duration_text(number(c, "held_ns_max")), count("bypassed"));
  out += fmt::format("OR-ACKs    {} received, {} accepted, {} paused a flow; {} sent, {} bytes, {} above the rate\n",
                     count("or_acks_received"), count("or_acks_accepted"), count("pauses"), count("or_acks_sent"),
                     count("or_ack_bytes"), count("or_acks_limited"));
  std::string refused;
  for (const char* reason : {"form", "peer", "tag", "flow", "note", "time"})
    if (const double n = number(c, (std::string("refused_") + reason).c_str()); n != 0)
      refused += fmt::format("{}{} {}", refused.empty() ? "" : ", ", count_text(n), reason);
  if (!refused.empty()) out += fmt::format("refused    {}\n", refused);
  if (number(c, "heartbeat_expiries") != 0)
    out += fmt::format("expired    {} times the agent gave no sign of life and packets passed\n",
                       count("heartbeat_expiries"));
  out += fmt::format("cost       {} of processor time in the data path\n", duration_text(number(c, "processor_ns")));
  out += fmt::format("flows      {} have sent lately, {} found no room\n", count("flows"), count("flows_refused"));
  if (const auto& refclock = status.at("refclock"); !refclock.is_null()) out += refclock_text(refclock);
  return out + "\n" + peers_text(status);
}

std::string top_text(const Json& status, const Json& before, int rows) {
  std::string out = head_text(status);
  const double span = (number(status, "now_ns") - number(before, "now_ns")) * 1e-9;
  out += "\n" + peers_text(status) + "\n";
  std::map<std::string, const Json*> old;
  for (const auto& flow : before.at("flows")) old[flow_key(flow)] = &flow;
  struct Row {
    double rate;
    std::vector<std::string> cells;
  };
  std::vector<Row> flows;
  for (const auto& flow : status.at("flows")) {
    const auto found = old.find(flow_key(flow));
    const auto grown = [&](const char* key) {
      return number(flow, key) - (found == old.end() ? 0 : number(*found->second, key));
    };
    const double rate = span > 0 ? 8 * grown("bytes") / span : 0;
    const double packets = grown("packets");
    flows.push_back({rate,
                     {flow_key(flow), rate_text(rate), duration_or(flow, "delay_ns", "?"),
                      fmt::format("{:.2f}", number(flow, "beta")),
                      fmt::format("{:.0f} %", packets > 0 ? 100 * grown("held") / packets : 0),
                      duration_text(grown("held") > 0 ? grown("held_ns") / grown("held") : 0),
                      duration_or(flow, "pause_left_ns", "-"), duration_text(number(flow, "idle_ns"))}});
  }
  std::stable_sort(flows.begin(), flows.end(), [](const Row& a, const Row& b) { return a.rate > b.rate; });
  const auto lines = static_cast<int>(std::count(out.begin(), out.end(), '\n'));
  const std::size_t room = static_cast<std::size_t>(std::max(rows - lines - 2, 1));
  TextRows table{{"flow", "rate", "delay", "beta", "held", "for", "pause", "idle"}};
  for (const auto& row : flows)
    if (table.size() <= room) table.push_back(row.cells);
  out += text_table(table, 1);
  if (flows.size() > room) out += fmt::format("and {} more\n", flows.size() - room);
  return out;
}

}  // namespace weir::hosts
