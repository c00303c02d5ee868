#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "weir/probe/fast_forward_json.h"
#include "weir/probe/summary.h"

namespace weir::probe {
namespace {

using Json = nlohmann::ordered_json;

// Seven significant digits: what slowdown is kept with, and more than any sample supports.
double rounded(double v) { return std::strtod(fmt::format("{:.7g}", v).c_str(), nullptr); }

Json values(const Distribution& d) {
  Json json;
  json["count"] = d.count;
  const auto put = [&](const char* key, double v) { json[key] = d.count > 0 ? Json(rounded(v)) : Json(nullptr); };
  put("mean", d.mean);
  put("p50", d.p50);
  put("p95", d.p95);
  put("p99", d.p99);
  put("p999", d.p999);
  put("max", d.max);
  return json;
}

Json by_name(const std::vector<NamedDistribution>& rows) {
  Json json = Json::object();
  for (const auto& row : rows) json[row.name] = values(row.values);
  return json;
}

Json by_size(const std::vector<SizeBucket>& rows) {
  Json json = Json::array();
  for (const auto& row : rows) {
    Json item;
    item["above_bytes"] = row.above.count;
    item["up_to_bytes"] = row.up_to == SizeBucket::kNoLimit ? Json(nullptr) : Json(row.up_to.count);
    item.update(values(row.slowdown));
    json.push_back(std::move(item));
  }
  return json;
}

Json flows(const FlowSummary& f) {
  const auto time = [&](Time t) { return f.finished > 0 ? Json(t.ps) : Json(nullptr); };
  Json json;
  json["finished"] = f.finished;
  json["unfinished"] = f.unfinished;
  json["retransmitted_packets"] = f.retransmitted_packets;
  json["mean_fct_ps"] = time(f.mean_fct);
  json["max_fct_ps"] = time(f.max_fct);
  json["last_finish_ps"] = time(f.last_finish);
  return json;
}

Json slowdown(const FlowSummary& f) {
  Json json;
  json["ideal"] = f.ideal == net::IdealFct::exact ? "exact" : "hpcc";
  json["all"] = values(f.slowdown);
  json["by_tag"] = by_name(f.by_tag);
  json["by_algorithm"] = by_name(f.by_algorithm);
  json["by_size"] = by_size(f.by_size);
  if (!f.by_equal_count.empty()) json["by_equal_count"] = by_size(f.by_equal_count);
  return json;
}

Json collective(const CollectiveSummary& c) {
  const auto time = [](const std::optional<Time>& t) { return t ? Json(t->ps) : Json(nullptr); };
  const auto bound = [&](Time t) { return c.start && t > Time{} ? Json(t.ps) : Json(nullptr); };
  const auto share = [](const std::optional<double>& s) { return s ? Json(rounded(*s)) : Json(nullptr); };
  Json json;
  json["tag"] = c.tag;
  json["messages"] = c.messages;
  json["unfinished"] = c.unfinished;
  json["payload_bytes"] = c.payload.count;
  json["start_ps"] = time(c.start);
  json["completion_ps"] = time(c.completion);
  json["bound_ps"] = bound(c.bound);
  json["excess"] = share(c.excess());
  json["acknowledged_ps"] = time(c.acknowledged);
  json["acknowledged_bound_ps"] = bound(c.acknowledged_bound);
  json["acknowledged_excess"] = share(c.acknowledged_excess());
  for (const std::string& tag : c.shares_hosts_with) json["shares_hosts_with"].push_back(tag);
  for (const ActivitySummary& a : c.activities)
    json["activities"].push_back(
        {{"name", a.name}, {"mean_ps", a.mean.ps}, {"longest_ps", a.longest.ps}, {"longest_at_host", a.host}});
  if (c.bus_factor > 0) {
    const auto rate = [](const std::optional<double>& bps) { return bps ? Json(std::llround(*bps)) : Json(nullptr); };
    json["buffer_bytes"] = c.buffer.count;
    json["algorithm_bandwidth_bps"] = rate(c.algorithm_bandwidth());
    json["bus_bandwidth_bps"] = rate(c.bus_bandwidth());
  }
  return json;
}

Json port(const PortName& p) { return {{"port", p.port}, {"from", p.from}, {"to", p.to}, {"direction", p.group}}; }

Json peak(const QueuePeak& p) {
  Json json;
  json["time_ps"] = p.time.ps;
  json.update(port(p.port));
  json["queue_bytes"] = p.bytes;
  json["flows"] = p.has_flows ? Json(p.top.size() + p.other_flows) : Json(nullptr);
  if (!p.has_flows) return json;
  json["top"] = Json::array();
  for (const auto& s : p.top)
    json["top"].push_back({{"flow_id", s.flow}, {"src", s.src}, {"dst", s.dst}, {"tag", s.tag}, {"bytes", s.bytes}});
  json["by_tag"] = Json::array();
  for (const auto& s : p.by_tag) json["by_tag"].push_back({{"tag", s.tag}, {"flows", s.flows}, {"bytes", s.bytes}});
  json["other_flows"] = p.other_flows;
  json["other_bytes"] = p.other_bytes;
  json["ended_bytes"] = p.ended_bytes;
  return json;
}

Json queues(const QueueSummary& q) {
  Json json;
  const bool is_sampled = q.interval > Time{};
  json["interval_ps"] = is_sampled ? Json(q.interval.ps) : Json(nullptr);
  json["ports"] = q.ports;
  json["instants"] = is_sampled ? Json(q.instants) : Json(nullptr);
  json["all"] = values(q.all);
  json["by_tier"] = by_name(q.by_tier);
  json["by_direction"] = by_name(q.by_direction);
  if (q.busiest) {
    json["busiest"] = port(*q.busiest);
    json["busiest"].update(values(q.busiest_port));
  }
  if (q.peak) json["peak"] = peak(*q.peak);
  return json;
}

Json shares(const Shares& s) {
  const auto value = [&](double v) { return s.count > 0 ? Json(rounded(v)) : Json(nullptr); };
  Json json;
  json["count"] = s.count;
  json["least_bps"] = value(s.least_bps);
  json["mean_bps"] = value(s.mean_bps);
  json["most_bps"] = value(s.most_bps);
  json["min_over_max"] = value(s.min_over_max);
  json["jain"] = value(s.jain);
  return json;
}

Json fairness(const FairnessSummary& f) {
  Json json;
  json["interval_ps"] = f.interval.ps;
  json["intervals"] = f.intervals;
  json["mean_jain"] = f.intervals > 0 ? Json(rounded(f.mean_jain)) : Json(nullptr);
  json["min_jain"] = f.intervals > 0 ? Json(rounded(f.min_jain)) : Json(nullptr);
  json["last_start_ps"] = f.last_start.ps;
  json["convergence_ps"] = f.convergence ? Json(f.convergence->ps) : Json(nullptr);
  json["begin_ps"] = f.begin.ps;
  json["end_ps"] = f.end.ps;
  json["flows"] = shares(f.flows);
  json["senders"] = shares(f.senders);
  return json;
}

Json pfc_tier(const PfcTier& t) {
  Json json;
  json["ports"] = t.ports;
  json["pauses"] = t.pauses;
  json["paused_ps"] = t.paused.ps;
  json["share"] = rounded(t.share);
  json["capacity_share"] = rounded(t.capacity_share);
  json["storms"] = t.storms;
  json["storm_dropped_packets"] = t.storm_dropped;
  return json;
}

Json pfc(const PfcSummary& p) {
  Json json;
  json["all"] = pfc_tier(p.all);
  json["by_tier"] = Json::object();
  for (const auto& t : p.by_tier) json["by_tier"][t.name] = pfc_tier(t);
  json["by_direction"] = Json::object();
  for (const auto& t : p.by_direction) json["by_direction"][t.name] = pfc_tier(t);
  return json;
}

Json link_tier(const LinkTier& t) {
  Json json;
  json["ports"] = t.ports;
  json["sent_bytes"] = t.sent_bytes;
  json["utilisation"] = rounded(t.utilisation);
  json["max_utilisation"] = rounded(t.max_utilisation);
  return json;
}

Json links(const LinkSummary& l) {
  Json json;
  json["begin_ps"] = l.begin.ps;
  json["end_ps"] = l.end.ps;
  json["all"] = link_tier(l.all);
  json["by_tier"] = Json::object();
  for (const auto& t : l.by_tier) json["by_tier"][t.name] = link_tier(t);
  json["by_direction"] = Json::object();
  for (const auto& t : l.by_direction) json["by_direction"][t.name] = link_tier(t);
  json["marked_packets"] = l.marked_packets;
  json["dropped_packets"] = l.dropped_packets;
  json["lost_packets"] = l.lost_packets;
  return json;
}

Json figures(const Section& section) {
  Json json = Json::object();
  for (const auto& [key, number] : section.figures) {
    const auto* real = std::get_if<double>(&number);
    json[key] = real != nullptr ? Json(rounded(*real)) : Json(std::get<std::int64_t>(number));
  }
  return json;
}

}  // namespace

std::string to_json(const Summary& s) {
  Json json;
  json["fidelity"] = s.fidelity;
  if (s.changes > 0) json["changes"] = s.changes;
  json["sim_time_ps"] = s.sim_time.ps;
  if (s.fast_forward) json["fast_forward"] = to_json(*s.fast_forward);
  json["flows"] = flows(s.flows);
  for (const auto& c : s.collectives) json["collectives"].push_back(collective(c));
  json["slowdown"] = slowdown(s.flows);
  if (s.queues) json["queues"] = queues(*s.queues);
  if (s.fairness) json["fairness"] = fairness(*s.fairness);
  if (s.pfc) json["pfc"] = pfc(*s.pfc);
  if (s.links) json["links"] = links(*s.links);
  for (const Section& section : s.sections) json["probes"][section.probe] = figures(section);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weir::probe
