#include "weir/study/result_files.h"

#include <fmt/format.h>

#include "weir/probe/catalogue.h"

namespace weir::study {

std::vector<std::string> measured_columns(const result::TableKind& table) {
  std::vector<std::string> out;
  for (const auto& column : table.columns)
    if (column.is_measure) out.emplace_back(column.name);
  return out;
}

Bounds bounds_of_column(std::string_view file, std::string_view column) {
  for (const auto& known : result::find_table(file)->columns)
    if (known.name == column) return {known.name == "slowdown" ? 1 : known.least, known.most};
  return {};
}

std::vector<std::string> series_files() {
  std::vector<std::string> out;
  for (const auto& table : result::table_kinds())
    if (table.has_time()) out.emplace_back(table.file);
  return out;
}

std::string turn_on(std::string_view probe) {
  return fmt::format("add [probes.{}] to the scenario, or set \"probes.{}\" = true", probe, probe);
}

std::string missing_probe(const scenario::Scenario& s, std::string_view file) {
  const result::TableKind* known = result::find_table(file);
  const probe::ProbeKind* kind = known == nullptr ? nullptr : probe::find_kind(known->probe);
  if (kind == nullptr) return "";
  const void* params = s.probes.get(*kind);
  if (params == nullptr) return turn_on(known->probe);
  if (known->if_set.empty() || std::get<bool>(kind->params->find(known->if_set)->get(params))) return "";
  return fmt::format("set \"probes.{}.{}\" = true", known->probe, known->if_set);
}

std::string unit_of_column(std::string_view column) {
  if (column.ends_with("_ps")) return "ps";
  if (column.ends_with("_bytes")) return "B";
  if (column.ends_with("_bps")) return "bit/s";
  return "1";
}

const std::string& RunFiles::text(std::string_view name) const {
  const auto known = texts_.find(name);
  if (known != texts_.end()) return known->second;
  return texts_.emplace(std::string(name), directory_.text(name)).first->second;
}

result::Rows RunFiles::rows(std::string_view name, const std::vector<std::string>& columns) const {
  return {text(name), directory_.file(name), columns};
}

void FlowFilter::describe(ParamList<FlowFilter>& p) {
  p.text("tag", &FlowFilter::tag, "flows of this tag");
  p.text("algorithm", &FlowFilter::algorithm, "flows of this algorithm or profile");
  p.integer("src", &FlowFilter::src, -1, kMaxHosts, "flows of this sender; -1 = all");
  p.integer("dst", &FlowFilter::dst, -1, kMaxHosts, "flows to this receiver; -1 = all");
  p.bytes("above", &FlowFilter::above, "flows larger than this");
  p.bytes("up_to", &FlowFilter::up_to, "flows no larger than this; 0 = all");
  p.time("from", &FlowFilter::from, "flows that start then or later; of a series: rows from then on");
  p.time("until", &FlowFilter::until, "flows that start before; of a series: rows before; 0 = to the end");
}

}  // namespace weir::study
