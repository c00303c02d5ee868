#include "weir/study/recovery.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace weir::study {
namespace {

struct At {
  double time = 0;
  double value = 0;
};

// Sums over the rows of one time, in order of time, as the files have them.
std::vector<At> sums(const Measure& m, const RunFiles& files) {
  std::vector<At> out;
  result::Rows rows = files.rows(m.params.file, {"time_ps", m.params.column});
  while (rows.next()) {
    const double time = rows.number(0);
    const double value = rows.number(1);
    if (std::isnan(value)) continue;
    if (out.empty() || out.back().time != time) out.push_back({time, 0});
    out.back().value += value;
  }
  return out;
}

}  // namespace

Values of_recovery(const Measure& m, const RunFiles& files) {
  const auto& p = m.params;
  const auto from = static_cast<double>(p.filter.from.ps);
  std::vector<At> rows = sums(m, files);
  std::vector<Counted> before;
  for (const At& row : rows)
    if (row.time <= from) before.push_back({row.value});
  if (before.empty()) return {kNoValue};
  const double level = p.level > 0 ? p.level : p.share * statistic_of(before, {Statistic::Kind::percentile, 500});

  double low = from;           // the end of the last row that was below
  std::optional<double> high;  // the end of the first row since then
  double last = from;          // the end of the last row
  for (const At& row : rows) {
    if (row.time <= from) continue;
    if (p.filter.until > Time{} && row.time > static_cast<double>(p.filter.until.ps)) break;
    if (row.value < level) {
      low = row.time;
      high.reset();
    } else if (!high) {
      high = row.time;
    }
    last = row.time;
    if (high && low > from && last - *high >= static_cast<double>(p.hold.ps)) break;
  }
  if (!high || last - *high < static_cast<double>(p.hold.ps))
    return {p.never > Time{} ? static_cast<double>(p.never.ps) : kNoValue};
  return {low > from ? *high - from : 0};
}

}  // namespace weir::study
