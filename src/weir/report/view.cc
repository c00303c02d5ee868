#include "weir/report/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/base/version.h"
#include "weir/report/assets.h"
#include "weir/report/packed.h"
#include "weir/report/render.h"
#include "weir/result/anatomy_parts.h"
#include "weir/result/rows.h"
#include "weir/result/used_plugins.h"

namespace weir::report {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Columns of a table of the result, by name; an empty field is NaN.
class Columns {
 public:
  Columns(const result::Directory& run, const std::string& file, const std::vector<std::string>& names)
      : names_(names), values_(names.size()) {
    if (!run.has(file)) return;
    const std::string text = run.text(file);
    result::Rows rows(text, run.file(file), names);
    while (rows.next())
      for (std::size_t i = 0; i < names.size(); ++i) values_[i].push_back(rows.number(i));
  }

  std::size_t rows() const { return values_.front().size(); }
  const std::vector<double>& operator[](std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    return values_[static_cast<std::size_t>(at - names_.begin())];
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;
};

std::vector<double> divided(std::vector<double> values, double by) {
  for (double& value : values) value = std::floor(value / by + 0.5);
  return values;
}

// Texts by their place in a list, which grows.
class Words {
 public:
  double place(const std::string& word) {
    const auto [at, is_new] = places_.try_emplace(word, list_.size());
    if (is_new) list_.push_back(word);
    return static_cast<double>(at->second);
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
  std::map<std::string, std::size_t> places_;
};

// The flows in order of their ids; other tables name them by their rows.
class FlowRows {
 public:
  explicit FlowRows(const result::Directory& run) {
    const std::string text = run.text("flows.csv");
    result::Rows rows(text, run.file("flows.csv"),
                      {"flow_id", "src", "dst", "size_bytes", "start_ps", "finish_ps", "ideal_fct_ps", "slowdown",
                       "retransmitted_packets", "algorithm", "tag"});
    std::vector<std::vector<double>> unsorted;
    while (rows.next()) {
      std::vector<double> row;
      for (std::size_t i = 0; i < 9; ++i) row.push_back(rows.number(i));
      row.push_back(algorithms.place(rows.text(9)));
      row.push_back(tags.place(rows.text(10)));
      unsorted.push_back(std::move(row));
    }
    std::sort(unsorted.begin(), unsorted.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
    for (const auto& row : unsorted) row_of_.emplace(static_cast<std::uint64_t>(row[0]), row_of_.size());
    const std::vector<std::pair<const char*, Packing>> kinds{
        {"flow_id", Packing::f64},    {"src", Packing::u32},      {"dst", Packing::u32},
        {"size_bytes", Packing::f64}, {"start_ps", Packing::f64}, {"finish_ps", Packing::f64},
        {"ideal_ps", Packing::f64},   {"slowdown", Packing::f64}, {"retransmitted", Packing::u32},
        {"algorithm", Packing::u16},  {"tag", Packing::u16}};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      PackedColumn column{kinds[i].first, kinds[i].second, i == 0};
      for (const auto& row : unsorted) column.values.push_back(row[i]);
      columns_.push_back(std::move(column));
    }
  }

  std::vector<double> rows(const std::vector<double>& ids) const {
    std::vector<double> out;
    for (const double id : ids) {
      const auto at = std::isnan(id) ? row_of_.end() : row_of_.find(static_cast<std::uint64_t>(id));
      out.push_back(at == row_of_.end() ? kNone : static_cast<double>(at->second));
    }
    return out;
  }
  Json table() const { return packed(columns_); }

  Words algorithms;
  Words tags;

 private:
  std::unordered_map<std::uint64_t, std::size_t> row_of_;
  std::vector<PackedColumn> columns_;
};

Json ports_table(const Columns& ports) {
  return packed({{"from", Packing::u32, false, ports["from"]},
                 {"to", Packing::u32, false, ports["to"]},
                 {"rate_bps", Packing::f64, false, ports["rate_bps"]},
                 {"delay_ps", Packing::f64, false, ports["delay_ps"]}});
}

Json nodes_table(const Columns& ports, std::size_t nodes) {
  std::vector<double> tiers(nodes, 0);
  for (std::size_t i = 0; i < ports.rows(); ++i) tiers[static_cast<std::size_t>(ports["from"][i])] = ports["tier"][i];
  return packed({{"tier", Packing::u8, false, tiers}});
}

Json series_table(const result::Directory& run, double interval) {
  const Columns c(run, "view_series.csv",
                  {"time_ps", "port", "sent_bytes", "queue_bytes", "marked_packets", "dropped_packets",
                   "trimmed_packets", "paused_ps"});
  return packed({{"bin", Packing::u32, true, divided(c["time_ps"], interval)},
                 {"port", Packing::u32, true, c["port"]},
                 {"sent_bytes", Packing::u32, false, c["sent_bytes"]},
                 {"queue_bytes", Packing::u32, false, c["queue_bytes"]},
                 {"marked", Packing::u32, false, c["marked_packets"]},
                 {"dropped", Packing::u32, false, c["dropped_packets"]},
                 {"trimmed", Packing::u32, false, c["trimmed_packets"]},
                 {"paused_ps", Packing::f64, false, c["paused_ps"]}});
}

Json occupancy_table(const result::Directory& run, const FlowRows& flows, double interval) {
  const Columns c(run, "view_queues.csv", {"time_ps", "port", "flow_id", "queue_bytes"});
  return packed({{"at", Packing::u32, true, divided(c["time_ps"], interval)},
                 {"port", Packing::u32, true, c["port"]},
                 {"flow", Packing::u32, false, flows.rows(c["flow_id"])},
                 {"bytes", Packing::u32, false, c["queue_bytes"]}});
}

Json pauses_table(const result::Directory& run) {
  const Columns c(run, "view_pauses.csv", {"time_ps", "port", "class", "until_ps", "by", "by_bytes", "parent"});
  return packed({{"port", Packing::u32, false, c["port"]},
                 {"class", Packing::u8, false, c["class"]},
                 {"from_ps", Packing::f64, true, c["time_ps"]},
                 {"until_ps", Packing::f64, false, c["until_ps"]},
                 {"by", Packing::u32, false, c["by"]},
                 {"by_bytes", Packing::u32, false, c["by_bytes"]},
                 {"parent", Packing::u32, false, c["parent"]}});
}

Json events_table(const result::Directory& run, const FlowRows& flows) {
  const Columns c(run, "view_events.csv", {"time_ps", "port", "flow_id", "seq"});
  std::vector<double> kinds;
  const std::string text = run.text("view_events.csv");
  result::Rows rows(text, run.file("view_events.csv"), {"event"});
  while (rows.next()) kinds.push_back(rows.text(0) == "dropped" ? 0 : rows.text(0) == "trimmed" ? 1 : 2);
  return packed({{"time_ps", Packing::f64, true, c["time_ps"]},
                 {"kind", Packing::u8, false, kinds},
                 {"port", Packing::u32, false, c["port"]},
                 {"flow", Packing::u32, false, flows.rows(c["flow_id"])},
                 {"seq", Packing::f64, false, c["seq"]}});
}

Json paths_table(const result::Directory& run, const FlowRows& flows) {
  const Columns c(run, "view_paths.csv", {"flow_id", "port", "sent_bytes"});
  const std::vector<double> row = flows.rows(c["flow_id"]);
  std::vector<std::size_t> order(row.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return row[a] < row[b]; });
  PackedColumn flow{"flow", Packing::u32, true};
  PackedColumn port{"port", Packing::u32, false};
  PackedColumn bytes{"bytes", Packing::u32, false};
  for (const std::size_t i : order) {
    flow.values.push_back(row[i]);
    port.values.push_back(c["port"][i]);
    bytes.values.push_back(std::min(c["sent_bytes"][i], 4294967294.0));
  }
  return packed({flow, port, bytes});
}

// What hosts did, and whose activities these are: for each driver its tag and the names.
void add_activities(const result::Directory& run, Json& out) {
  const std::string file = "view_activities.csv";
  const Columns c(run, file, {"driver", "host", "begin_ps", "end_ps", "waited_for", "parts"});
  std::vector<double> places;  // of activities, among those of the driver
  std::vector<double> drivers;
  std::vector<std::pair<std::string, Words>> known;
  if (run.has(file)) {
    const std::string text = run.text(file);
    result::Rows rows(text, run.file(file), {"driver", "tag", "activity"});
    double driver = kNone;
    while (rows.next()) {
      if (rows.number(0) != driver) known.emplace_back(rows.text(1), Words());
      driver = rows.number(0);
      drivers.push_back(static_cast<double>(known.size() - 1));
      places.push_back(known.back().second.place(rows.text(2)));
    }
  }
  out["drivers"] = Json::array();
  for (const auto& [tag, names] : known) out["drivers"].push_back({{"tag", tag}, {"activities", names.list()}});
  out["tables"]["activities"] = packed({{"driver", Packing::u16, false, drivers},
                                        {"host", Packing::u32, true, c["host"]},
                                        {"activity", Packing::u16, false, places},
                                        {"begin_ps", Packing::f64, true, c["begin_ps"]},
                                        {"end_ps", Packing::f64, true, c["end_ps"]},
                                        {"waited_for", Packing::u32, false, c["waited_for"]},
                                        {"parts", Packing::u32, false, c["parts"]}});
}

Json outages_table(const result::Directory& run) {
  const Columns c(run, "view_outages.csv", {"time_ps", "port", "until_ps"});
  return packed({{"port", Packing::u32, false, c["port"]},
                 {"from_ps", Packing::f64, true, c["time_ps"]},
                 {"until_ps", Packing::f64, false, c["until_ps"]}});
}

// One row per flow, and its rows of `course`.
void add_courses(const result::Directory& run, const FlowRows& flows, Json& tables) {
  const Columns c(run, "view_courses.csv",
                  {"flow_id", "time_ps", "interval_ps", "window_bytes", "rate_bps", "rtt_ps", "sent_bytes",
                   "again_bytes", "acked_bytes", "lost_bytes", "timeouts"});
  const std::vector<double> row = flows.rows(c["flow_id"]);
  PackedColumn flow{"flow", Packing::u32}, first{"first", Packing::u32}, count{"count", Packing::u32},
      interval{"interval_ps", Packing::f64};
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == 0 || row[i] != row[i - 1]) {
      flow.values.push_back(row[i]);
      first.values.push_back(static_cast<double>(i));
      count.values.push_back(0);
      interval.values.push_back(c["interval_ps"][i]);
    }
    ++count.values.back();
  }
  tables["followed"] = packed({flow, first, count, interval});
  tables["course"] = packed({{"time_ps", Packing::f64, true, c["time_ps"]},
                             {"window_bytes", Packing::f64, false, c["window_bytes"]},
                             {"rate_bps", Packing::f64, false, c["rate_bps"]},
                             {"rtt_ps", Packing::f64, false, c["rtt_ps"]},
                             {"sent_bytes", Packing::u32, false, c["sent_bytes"]},
                             {"again_bytes", Packing::u32, false, c["again_bytes"]},
                             {"acked_bytes", Packing::u32, false, c["acked_bytes"]},
                             {"lost_bytes", Packing::u32, false, c["lost_bytes"]},
                             {"timeouts", Packing::u32, false, c["timeouts"]}});
}

Json anatomy_table(const result::Directory& run, const FlowRows& flows) {
  std::vector<std::string> names{"flow_id"};
  for (const result::PartKind& part : result::part_kinds()) names.push_back(part.name + "_ps");
  const Columns c(run, "anatomy.csv", names);
  std::vector<PackedColumn> columns{{"flow", Packing::u32, false, flows.rows(c["flow_id"])}};
  for (const result::PartKind& part : result::part_kinds())
    columns.push_back({part.name, Packing::f64, false, c[part.name + "_ps"]});
  return packed(columns);
}

void check_recorded(const result::Directory& run, const std::string& directory) {
  if (run.has("view_series.csv")) return;
  const std::string shown = printable(directory);
  throw InputError(run.has("scenario.toml")
                       ? fmt::format("{}: the run has recorded nothing to look at; run it again with: weir run "
                                     "{}/scenario.toml --view-data --out ANOTHER{}",
                                     shown, shown, result::plugin_options(run.manifest()))
                       : fmt::format("{}: this is no result of weir run; make one to look at with: weir run FILE "
                                     "--view-data --out DIR",
                                     shown));
}

}  // namespace

Json view_document(const std::string& directory) {
  const result::Directory run(directory);
  check_recorded(run, directory);
  run.check_sizes();
  const Json summary = run.document("summary.json");
  const Json& manifest = run.manifest();
  const Json& facts = summary.at("probes").at("view");
  const auto interval = facts.at("interval_ps").get<double>();
  const auto queue_interval = facts.at("queue_interval_ps").get<double>();
  const Columns ports(run, "view_ports.csv", {"port", "from", "to", "tier", "rate_bps", "delay_ps"});
  const FlowRows flows(run);
  std::size_t nodes = 0;
  std::size_t hosts = 0;
  for (std::size_t i = 0; i < ports.rows(); ++i) {
    nodes = std::max(nodes, static_cast<std::size_t>(ports["from"][i]) + 1);
    if (ports["tier"][i] == 0) hosts = std::max(hosts, static_cast<std::size_t>(ports["from"][i]) + 1);
  }

  Json out;
  out["weir"] = version();
  out["format"] = 1;
  out["title"] = manifest.value("title", std::string());
  out["result"] = std::filesystem::path(directory).lexically_normal().filename().string();
  out["complete"] = manifest.value("complete", true);
  out["ended_by"] = manifest.value("ended_by", std::string());
  if (manifest.contains("reason")) out["reason"] = manifest.at("reason");
  if (manifest.contains("changes")) out["changes"] = manifest.at("changes");
  out["hosts"] = hosts;
  out["hosts_per_server"] = facts.value("hosts_per_server", 1);  // older results have none
  out["switches"] = nodes - hosts;
  out["sim_time_ps"] = manifest.at("sim_time_ps");
  out["interval_ps"] = interval;
  out["occupancy_interval_ps"] = queue_interval;
  out["omitted"] = {{"pauses", facts.at("omitted_pauses")},
                    {"events", facts.at("omitted_events")},
                    {"activities", facts.value("omitted_activities", 0)}};
  out["activities_within_ps"] = facts.value("activities_within_ps", 0.0);
  out["tags"] = flows.tags.list();
  out["algorithms"] = flows.algorithms.list();
  out["parts"] = Json::array();
  for (const result::PartKind& part : result::part_kinds())
    out["parts"].push_back({{"name", part.name}, {"label", part.label}, {"meaning", part.meaning}});
  Json& tables = out["tables"];
  tables["nodes"] = nodes_table(ports, nodes);
  tables["ports"] = ports_table(ports);
  tables["flows"] = flows.table();
  tables["anatomy"] = anatomy_table(run, flows);
  tables["series"] = series_table(run, interval);
  tables["occupancy"] = occupancy_table(run, flows, queue_interval);
  tables["pauses"] = pauses_table(run);
  tables["events"] = events_table(run, flows);
  tables["paths"] = paths_table(run, flows);
  tables["outages"] = outages_table(run);
  add_courses(run, flows, tables);
  add_activities(run, out);
  return out;
}

void require_view() {
  require();
  if (!can_pack())
    throw InputError(
        "this build cannot make the page of weir view: zlib was missing (Debian: zlib1g-dev); install it "
        "and build again");
}

std::string view_html(const std::string& directory, bool live) {
  require_view();
  Json document = view_document(directory);
  if (live) document["live"] = "ended";
  return filled(view_template(), document, fmt::format("{} - weir view", document.at("title").get<std::string>()));
}

std::string live_html(const Json& document) {
  return filled(view_template(), document, fmt::format("{} - weir run", document.at("title").get<std::string>()));
}

}  // namespace weir::report
