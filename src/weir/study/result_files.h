// The files of one result directory (docs/reference/results.md), as measures and figures read them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/params.h"
#include "weir/result/directory.h"
#include "weir/result/rows.h"
#include "weir/scenario/scenario.h"
#include "weir/study/statistics.h"

namespace weir::study {

// Its columns of numbers that can be measured.
std::vector<std::string> measured_columns(const result::TableKind& table);
// The range in which values of this column must lie, of a column that the file has: that of the table, and a slowdown
// is 1 or more, since its ideal is the least that a flow can take on its path.
Bounds bounds_of_column(std::string_view file, std::string_view column);
// Tables with a column time_ps.
std::vector<std::string> series_files();

// How a scenario asks for a probe, as an advice.
std::string turn_on(std::string_view probe);
// Why a run of this scenario would not write the file, as an advice; "" if it would.
std::string missing_probe(const scenario::Scenario&, std::string_view file);

// The unit that a column's name ends in: "ps", "B", "bit/s", or "1".
std::string unit_of_column(std::string_view column);

// Texts are read once, and are as the run wrote them (result/directory.h).
class RunFiles {
 public:
  // Throws InputError if the manifest is broken.
  explicit RunFiles(std::string folder) : directory_(std::move(folder)) {}
  // Throws InputError if it cannot be read.
  const std::string& text(std::string_view name) const;
  // The same of a JSON document.
  nlohmann::ordered_json document(std::string_view name) const { return directory_.document(name); }
  // Rows of a table, of which these columns are asked for; this must outlive them.
  result::Rows rows(std::string_view name, const std::vector<std::string>& columns) const;
  bool has(std::string_view name) const { return directory_.has(name); }
  const result::Directory& directory() const { return directory_; }

 private:
  result::Directory directory_;
  mutable std::map<std::string, std::string, std::less<>> texts_;
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

  friend bool operator==(const FlowFilter&, const FlowFilter&) = default;
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
  result::Rows rows = files.rows(kFile, {"tag", "algorithm", "src", "dst", "start_ps", "size_bytes", column});
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
