#include "weir/report/study.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "weir/base/error.h"
#include "weir/report/read.h"

namespace weir::report {
namespace {

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::string text_or_empty(const std::string& path) {
  std::string text = is_there(path) ? read_text(path) : "";
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// The unit of each column of points.csv: those before "seeds" are labels and have none.
std::vector<std::string> units_of(const std::vector<std::string>& columns, const Json& units) {
  std::vector<std::string> out;
  bool label = true;
  for (const std::string& column : columns) {
    std::string measure = column;
    for (const std::string_view end : {"_low", "_high"})
      if (!units.contains(measure) && measure.ends_with(end)) measure.resize(measure.size() - end.size());
    if (column == "seeds") label = false;
    out.push_back(label ? "" : units.value(measure, "1"));
  }
  return out;
}

// What a table of sweep.json by measures says of each column of points.csv; nothing of labels and ends of intervals.
std::vector<std::string> told_of(const std::vector<std::string>& columns, const Json& measures) {
  std::vector<std::string> out;
  for (const std::string& column : columns) out.push_back(measures.value(column, ""));
  return out;
}

// The rows of points.csv that are marked in each column.
std::vector<std::vector<std::size_t>> best_of(const std::vector<std::string>& columns, const Json& best) {
  std::vector<std::vector<std::size_t>> out;
  for (const std::string& column : columns) out.push_back(best.value(column, std::vector<std::size_t>()));
  return out;
}

// What each column of points.csv is a percentile of, point by point.
std::vector<std::vector<std::optional<Study::Count>>> counts_of(const std::vector<std::string>& columns,
                                                                const Json& counts, std::size_t points) {
  std::vector<std::vector<std::optional<Study::Count>>> out(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    // a table of other rows than these: they belong to another state of the sweep
    if (!counts.contains(columns[c]) || counts.at(columns[c]).size() != points) continue;
    for (const Json& n : counts.at(columns[c]))
      out[c].push_back(n.is_null() ? std::nullopt
                                   : std::optional(Study::Count{n.at("fewest"), n.at("most"), n.at("few")}));
  }
  return out;
}

// What sweep.json says; {} if there is none.
Json read_sweep(const std::string& file) {
  if (!is_there(file)) return Json::object();
  Json sweep = parse_json(read_text(file), file);
  check_made_by(sweep, "weir", file);
  try {
    sweep.at("runs").at("planned").get<std::size_t>();
    if (sweep.contains("title")) sweep.at("title").get_ref<const std::string&>();
    for (const Json& unit : sweep.at("units")) unit.get_ref<const std::string&>();
    for (const char* told : {"measures", "better"})
      if (sweep.contains(told))
        for (const Json& words : sweep.at(told)) words.get_ref<const std::string&>();
    if (sweep.contains("best"))
      for (const Json& rows : sweep.at("best"))
        for (const Json& row : rows) row.get_ref<const Json::number_unsigned_t&>();
    if (sweep.contains("counts"))
      for (const auto& [column, counts] : sweep.at("counts").items())
        counts_of({column}, sweep.at("counts"), counts.size());
    return sweep;
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: a value is missing or of the wrong type; see docs/reference/results.md", file));
  }
}

}  // namespace

StudyResult read_study(const std::string& directory, const std::string& name) {
  StudyResult out;
  Study& study = out.study;
  study.name = name;
  for (const result::SweepRun& run : result::read_sweep_runs(directory).runs) {
    if (run.done) {
      out.done.push_back(run);
    } else {
      const std::string message = text_or_empty(fmt::format("{}/failed/{}.txt", directory, run.name));
      study.failed.emplace_back(run.name, message.empty() ? run.message : message);
    }
  }
  study.done = out.done.size();
  study.runs = out.done.size() + study.failed.size();
  out.sweep = read_sweep(directory + "/sweep.json");
  if (out.sweep.contains("runs")) study.runs = out.sweep.at("runs").at("planned").get<std::size_t>();
  return out;
}

void read_points(const std::string& directory, StudyResult& to) {
  const std::string file = directory + "/points.csv";
  if (!is_there(file)) return;
  const CsvTable table(file);
  std::vector<std::vector<std::string>> points;
  table.each({"seeds"}, [](std::span<const double>, std::span<const std::string>) {});
  table.each([&](const std::vector<std::string>& fields) { points.push_back(fields); });
  Study& study = to.study;
  study.columns = table.columns();
  study.units = units_of(study.columns, to.sweep.value("units", Json::object()));
  study.words = told_of(study.columns, to.sweep.value("measures", Json::object()));
  study.better = told_of(study.columns, to.sweep.value("better", Json::object()));
  study.best = best_of(study.columns, to.sweep.value("best", Json::object()));
  study.counts = counts_of(study.columns, to.sweep.value("counts", Json::object()), points.size());
  study.points = std::move(points);
}

}  // namespace weir::report
