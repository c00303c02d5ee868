// The files of one result directory (docs/results.md), as measures and figures read them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/csv.h"
#include "weir/base/params.h"
#include "weir/scenario/scenario.h"

namespace weir::study {

// A CSV of a result and its columns of numbers.
struct ResultFile {
  std::string_view name;
  std::string_view probe;  // that writes it; "" = always written
  bool has_time = false;   // a column time_ps
  std::string_view of;     // the column that tells what a row is of; "" = of the network
  std::vector<std::string> columns;
};
// Null if there is none of this name.
const ResultFile* result_file(std::string_view name);
// Of those with a column time_ps.
std::vector<std::string> series_files();

// How a scenario asks for a probe, as an advice.
std::string turn_on(std::string_view probe);
// Why a run of this scenario would not write the file, as an advice; "" if it would.
std::string missing_probe(const scenario::Scenario&, std::string_view file);

// The unit that a column's name ends in: "ps", "B", "bit/s", or "1".
std::string unit_of_column(std::string_view column);

// Texts are read once.
class RunFiles {
 public:
  explicit RunFiles(std::string folder) : folder_(std::move(folder)) {}
  // Throws InputError if it cannot be read.
  const std::string& text(std::string_view name) const;
  // The same of a JSON document.
  nlohmann::ordered_json document(std::string_view name) const;
  bool has(std::string_view name) const;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  mutable std::map<std::string, std::string, std::less<>> texts_;
};

// Some columns of a CSV with a header, row by row.
class Columns {
 public:
  // `text` outlives this. Throws InputError if a column is not there.
  Columns(const std::string& text, std::string_view file, const std::vector<std::string>& names);
  bool next();
  const std::string& text(std::size_t column) const { return fields_[at_[column]]; }
  double number(std::size_t column) const;  // NaN if empty

 private:
  CsvReader reader_;
  std::vector<std::size_t> at_;
  std::vector<std::string> fields_;
  std::size_t width_ = 0;
};

struct FlowRow {
  std::string_view tag;
  std::string_view algorithm;
  std::int64_t src = 0;
  std::int64_t dst = 0;
  double start = 0;  // ps; NaN = not known yet
  double size = 0;
  double value = 0;  // of the column asked for; NaN = none
};

// Flows of flows.csv.
struct FlowFilter {
  std::string tag;
  std::string algorithm;
  std::int64_t src = -1;
  std::int64_t dst = -1;
  Bytes above;
  Bytes up_to;
  Time from;
  Time until;

  static void describe(ParamList<FlowFilter>& p);

  enum class Condition : std::uint8_t { tag, algorithm, src, dst, size, start };
  static constexpr std::size_t kConditions = 6;
  bool passes(Condition condition, const FlowRow& row) const {
    switch (condition) {
      case Condition::tag: return tag.empty() || row.tag == tag;
      case Condition::algorithm: return algorithm.empty() || row.algorithm == algorithm;
      case Condition::src: return src < 0 || row.src == src;
      case Condition::dst: return dst < 0 || row.dst == dst;
      case Condition::size:
        return row.size > static_cast<double>(above.count) &&
               (up_to == Bytes{} || row.size <= static_cast<double>(up_to.count));
      case Condition::start:
        return !(row.start < static_cast<double>(from.ps)) &&
               (until == Time{} || !(row.start >= static_cast<double>(until.ps)));
    }
    return false;
  }
  bool passes(const FlowRow& row) const {
    for (std::size_t i = 0; i < kConditions; ++i)
      if (!passes(static_cast<Condition>(i), row)) return false;
    return true;
  }
};

// All rows of flows.csv that the filter lets through, with one column of numbers.
template <class Visit>
void for_each_flow(const RunFiles& files, const FlowFilter& f, const std::string& column, Visit&& visit) {
  constexpr std::string_view kFile = "flows.csv";
  Columns rows(files.text(kFile), kFile, {"tag", "algorithm", "src", "dst", "start_ps", "size_bytes", column});
  while (rows.next()) {
    const FlowRow row{rows.text(0),
                      rows.text(1),
                      static_cast<std::int64_t>(rows.number(2)),
                      static_cast<std::int64_t>(rows.number(3)),
                      rows.number(4),
                      rows.number(5),
                      rows.number(6)};
    if (f.passes(row)) visit(row);
  }
}

}  // namespace weir::study
