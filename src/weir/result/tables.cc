#include "weir/result/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "weir/base/error.h"
#include "weir/result/anatomy_parts.h"

namespace weir::result {
namespace {

using Type = Column::Type;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

Column text(std::string name) { return {.name = std::move(name), .type = Type::text, .is_measure = false}; }
Column key(std::string name) { return {.name = std::move(name), .type = Type::whole, .is_measure = false}; }
Column whole(std::string name) { return {.name = std::move(name), .type = Type::whole}; }
Column real(std::string name, double most = kNoLimit) {
  return {.name = std::move(name), .type = Type::real, .most = most};
}
Column maybe(Column column) {
  column.may_be_empty = true;
  return column;
}
Column no_measure(Column column) {
  column.is_measure = false;
  return column;
}
// By the clocks of two hosts, of which either may be ahead.
Column by_clocks(Column column) {
  column.least = -kNoLimit;
  return column;
}

std::string flow_fault(std::span<const Value> v) {
  const Value &start = v[4], &finish = v[5], &fct = v[6], &slowdown = v[8];
  const bool finished = !std::isnan(finish.number);
  if (finished == std::isnan(fct.number) || finished == std::isnan(slowdown.number))
    return "finish_ps, fct_ps and slowdown must all have values, or all be empty as of an unfinished flow";
  if (finished && finish.whole - start.whole != fct.whole)
    return fmt::format("fct_ps is {}, but finish_ps - start_ps is {}", fct.whole, finish.whole - start.whole);
  return "";
}

std::vector<Column> anatomy_columns() {
  std::vector<Column> out{key("flow_id"), whole("fct_ps")};
  for (const PartKind& part : part_kinds()) out.push_back(whole(part.name + "_ps"));
  return out;
}

std::string anatomy_fault(std::span<const Value> v) {
  std::int64_t sum = 0;
  for (std::size_t i = 2; i < v.size(); ++i) sum += v[i].whole;
  return sum == v[1].whole ? "" : fmt::format("its parts add up to {}, but fct_ps is {}", sum, v[1].whole);
}

std::deque<TableKind>& all_tables() {
  static std::deque<TableKind> list{
      {"flows.csv",
       "flows",
       "",
       "flow_id",
       {key("flow_id"), key("src"), key("dst"), whole("size_bytes"), whole("start_ps"), maybe(whole("finish_ps")),
        maybe(whole("fct_ps")), whole("ideal_fct_ps"), maybe(real("slowdown")), text("algorithm"), text("tag"),
        whole("retransmitted_packets")},
       flow_fault},
      {"paths.csv",
       "flows",
       "paths",
       "flow_id",
       {key("flow_id"), maybe(key("hop")), maybe(key("port")), maybe(key("from")), maybe(key("to"))}},
      {"queue_cdf.csv",
       "queues",
       "",
       "tier",
       {text("tier"), real("queue_bytes"), key("samples"), no_measure(real("cumulative", 1))}},
      {"queues.csv",
       "queues",
       "series",
       "port",
       {key("time_ps"), key("port"), key("from"), key("to"), whole("queue_bytes")}},
      {"rates.csv",
       "rates",
       "series",
       "flow_id",
       {key("time_ps"), key("flow_id"), whole("rate_bps"), maybe(whole("pacing_bps")), maybe(whole("window_bytes"))}},
      {"delays.csv",
       "delays",
       "",
       "flow_id",
       {key("time_ps"), key("flow_id"), whole("sent_ps"), whole("delay_ps"), by_clocks(whole("measured_ps")),
        whole("rtt_ps"), maybe(by_clocks(whole("known_delay_ps"))), maybe(whole("known_rtt_ps"))}},
      {"fairness.csv",
       "rates",
       "",
       "",
       {key("time_ps"), whole("active"), maybe(real("jain", 1)), maybe(real("jain_pacing", 1))}},
      {"pfc.csv",
       "pfc",
       "",
       "port",
       {key("port"), key("from"), key("to"), text("tier"), whole("pauses"), whole("paused_ps"), real("share", 1),
        whole("storms"), whole("storm_dropped_packets")}},
      {"links.csv",
       "links",
       "",
       "port",
       {key("port"), key("from"), key("to"), text("tier"), whole("rate_bps"), whole("sent_bytes"), real("utilisation"),
        whole("marked_packets"), whole("lost_packets")}},
      {"switches.csv",
       "links",
       "",
       "node",
       {key("node"), text("tier"), whole("marked_packets"), whole("dropped_packets"), whole("pauses_sent")}},
      {"packets.csv",
       "packets",
       "",
       "flow_id",
       {key("time_ps"), text("event"), key("port"), key("from"), key("to"), maybe(key("flow_id")), text("packet"),
        maybe(no_measure(whole("seq"))), maybe(whole("wire_bytes")), maybe(whole("queue_bytes")), maybe(key("entropy")),
        maybe(key("marked")), maybe(key("again")), maybe(whole("window_bytes")), maybe(whole("rate_bps")),
        maybe(whole("lost_bytes"))}},
      {"anatomy.csv", "anatomy", "", "flow_id", anatomy_columns(), anatomy_fault},
      {"view_ports.csv",
       "view",
       "",
       "port",
       {key("port"), key("from"), key("to"), key("tier"), key("rate_bps"), key("delay_ps")}},
      {"view_series.csv",
       "view",
       "",
       "port",
       {key("time_ps"), key("port"), whole("sent_bytes"), whole("queue_bytes"), whole("marked_packets"),
        whole("dropped_packets"), whole("trimmed_packets"), whole("paused_ps")}},
      {"view_queues.csv",
       "view",
       "",
       "port",
       {key("time_ps"), key("port"), maybe(key("flow_id")), whole("queue_bytes")}},
      {"view_pauses.csv",
       "view",
       "",
       "port",
       {key("time_ps"), key("port"), key("class"), maybe(no_measure(whole("until_ps"))), maybe(key("by")),
        no_measure(whole("by_bytes")), maybe(key("parent"))}},
      {"view_events.csv",
       "view",
       "",
       "port",
       {key("time_ps"), text("event"), key("port"), maybe(key("flow_id")), no_measure(whole("seq"))}},
      {"view_courses.csv",
       "view",
       "",
       "flow_id",
       {key("flow_id"), no_measure(whole("time_ps")), no_measure(whole("interval_ps")), maybe(whole("window_bytes")),
        maybe(whole("rate_bps")), maybe(whole("rtt_ps")), whole("sent_bytes"), whole("again_bytes"),
        whole("acked_bytes"), whole("lost_bytes"), whole("timeouts")}},
      {"view_activities.csv",
       "view",
       "",
       "host",
       {key("driver"), text("tag"), key("host"), text("activity"), no_measure(whole("begin_ps")),
        no_measure(whole("end_ps")), maybe(key("waited_for")), key("parts")}},
      {"view_outages.csv", "view", "", "port", {key("time_ps"), key("port"), maybe(no_measure(whole("until_ps")))}},
      {"view_paths.csv", "view", "", "flow_id", {key("flow_id"), key("port"), whole("sent_bytes")}},
      {"link_series.csv",
       "links",
       "series",
       "port",
       {key("time_ps"), key("port"), key("from"), key("to"), whole("sent_bytes"), real("utilisation")}},
  };
  return list;
}

}  // namespace

bool TableKind::has_time() const { return !columns.empty() && columns.front().name == "time_ps"; }

std::string TableKind::header() const {
  std::string out;
  for (const Column& column : columns) out += fmt::format("{}{}", out.empty() ? "" : ",", column.name);
  return out + "\n";
}

const std::deque<TableKind>& table_kinds() { return all_tables(); }

const TableKind* find_table(std::string_view file) {
  for (const TableKind& kind : table_kinds())
    if (kind.file == file) return &kind;
  return nullptr;
}

void add_tables(std::vector<TableKind> tables) {
  for (const TableKind& table : tables) {
    const auto error = [&](const std::string& why) {
      return InputError(fmt::format("table '{}': {}", table.file, why));
    };
    const bool is_csv = table.file.ends_with(".csv") && table.file.find('/') == std::string::npos;
    if (!is_csv) throw error("its file is to be called NAME.csv, without a directory");
    const auto has_its_name = [&](const TableKind& other) { return &other != &table && other.file == table.file; };
    if (find_table(table.file) != nullptr || std::any_of(tables.begin(), tables.end(), has_its_name))
      throw error("there is one of this name; choose another");
    if (table.columns.empty()) throw error("it has no columns");
    std::set<std::string_view> names;
    for (const Column& column : table.columns)
      if (column.name.empty() || !names.insert(column.name).second)
        throw error(fmt::format("column '{}': each needs a name of its own", column.name));
  }
  for (TableKind& table : tables) all_tables().push_back(std::move(table));
}

}  // namespace weir::result
