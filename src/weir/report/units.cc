#include "weir/report/units.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include "weir/base/error.h"
#include "weir/report/read.h"
#include "weir/scenario/toml_parser.h"

namespace weir::report {
namespace {

using scenario::List;
using Toml = scenario::Table;

std::string unit_of_name(std::string_view name) {
  if (name.ends_with("_ps")) return "ps";
  if (name.ends_with("_bytes")) return "B";
  if (name.ends_with("_bps")) return "bit/s";
  return "1";
}

std::string text(const Toml& of, std::string_view key) {
  const auto* value = of.find(key);
  const auto* found = value == nullptr ? nullptr : value->as<std::string>();
  return found == nullptr ? "" : *found;
}

bool is_scaled(const Toml& measure) {
  const auto* scale = measure.find("scale");
  if (scale == nullptr) return false;
  const auto* whole = scale->as<std::int64_t>();
  const auto* number = scale->as<double>();
  return !(whole != nullptr && *whole == 1) && !(number != nullptr && *number == 1);
}

// As in the study's own figures: what it says; or that of the column it is taken from, unless it was scaled or counted.
std::string unit_of(const Toml& measure) {
  if (const auto said = text(measure, "unit"); !said.empty()) return said;
  if (is_scaled(measure) || text(measure, "statistic") == "count") return "1";
  if (text(measure, "of") == "queues") return "B";
  const auto column = text(measure, "column");
  return unit_of_name(column.empty() ? text(measure, "key") : column);
}

// By the names of measures.
std::map<std::string, std::string> units_of_study(const std::string& file) {
  std::map<std::string, std::string> out;
  try {
    const auto root = scenario::parse_toml(read_text(file), file);
    const auto* measures = root.as<Toml>()->find("measure");
    const auto* list = measures == nullptr ? nullptr : measures->as<List>();
    if (list == nullptr) return out;
    for (const auto& measure : *list)
      if (const auto* table = measure.as<Toml>()) out[text(*table, "name")] = unit_of(*table);
  } catch (const InputError&) {  // the numbers are shown without it
    out.clear();
  }
  return out;
}

}  // namespace

std::vector<std::string> units_of(const std::vector<std::string>& columns, const std::string& directory) {
  const auto known = units_of_study(directory + "/study.toml");
  const auto seeds = std::find(columns.begin(), columns.end(), "seeds");  // no axis has this name
  std::vector<std::string> out;
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    std::string measure = *column;
    for (const std::string_view end : {"_low", "_high"})
      if (!known.contains(measure) && measure.ends_with(end)) measure.resize(measure.size() - end.size());
    const auto found = known.find(measure);
    out.push_back(seeds != columns.end() && column < seeds ? ""
                  : found != known.end()                   ? found->second
                                                           : unit_of_name(measure));
  }
  return out;
}

}  // namespace weir::report
