// The tables of a study as texts: for programs, and for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "weir/base/csv.h"
#include "weir/base/text_table.h"
#include "weir/base/version.h"
#include "weir/study/measurements.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;

std::string status_text(Record::Status status) { return status == Record::Status::done ? "done" : "failed"; }

std::vector<std::size_t> single_measures(const Study& study) {
  std::vector<std::size_t> out;
  for (std::size_t m = 0; m < study.measures.size(); ++m)
    if (!study.measures[m].is_list()) out.push_back(m);
  return out;
}

// Of how many values each of the percentiles is, and what a mark at one of them means.
std::string about_percentiles(const Measurements& measured) {
  std::string out;
  bool marked = false;
  for (const std::size_t m : single_measures(measured.study)) {
    std::optional<std::pair<double, double>> all;
    for (std::size_t p = 0; p < measured.points.size(); ++p) {
      const auto n = measured.counts(p, m);
      if (n) all = all ? std::pair(std::min(all->first, n->first), std::max(all->second, n->second)) : n;
      marked = marked || measured.is_the_largest(p, m);
    }
    if (!all) continue;
    out += fmt::format("{}: of {:.0f}{} values in each run\n", measured.study.measures[m].name(), all->first,
                       all->first < all->second ? fmt::format(" to {:.0f}", all->second) : "");
  }
  if (marked) out += "*: too few values in some run: there this percentile is their maximum\n";
  return out.empty() ? out : "\n" + out;
}

// So many significant digits, with an exponent only where there would be ten digits or more.
std::string rounded_text(double value, int digits) {
  return number_text(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
}

// "325 +- 120", "3.1 -2 +5.6" where both ends are not equally far, or "161 n/a (2 seeds)" where they say nothing.
std::string interval_text(const Interval& v) {
  if (std::isnan(v.low)) return rounded_text(v.mean, 4);
  if (!is_informative(v)) return fmt::format("{} n/a ({} seeds)", rounded_text(v.mean, 4), v.count);
  const std::string below = rounded_text(v.mean - v.low, 2);
  const std::string above = rounded_text(v.high - v.mean, 2);
  // four digits, or as far as those of the nearer end go
  const double nearer = std::min(v.mean - v.low, v.high - v.mean);
  const double beyond = std::floor(std::log10(std::abs(v.mean))) - std::floor(std::log10(nearer)) + 2;
  const std::string mean =
      rounded_text(v.mean, std::isfinite(beyond) ? std::clamp(static_cast<int>(beyond), 4, 10) : 4);
  return below == above ? fmt::format("{} +- {}", mean, above) : fmt::format("{} -{} +{}", mean, below, above);
}

// Of how many values a percentile is, row by row of points.csv; null where that is not known.
Json counts_json(const Measurements& measured, std::size_t measure) {
  Json out = Json::array();
  for (std::size_t p = 0; p < measured.points.size(); ++p) {
    if (measured.runs_done(p) == 0) continue;
    const auto n = measured.counts(p, measure);
    if (n)
      out.push_back({{"fewest", static_cast<std::uint64_t>(n->first)},
                     {"most", static_cast<std::uint64_t>(n->second)},
                     {"few", measured.is_the_largest(p, measure)}});
    else
      out.push_back(nullptr);
  }
  return out;
}

struct Unit {
  double size = 1;
  std::string_view name;  // empty: that of the measure
};
constexpr std::array<Unit, 5> kTimes{{{1, "ps"}, {1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}, {1e12, "s"}}};
constexpr std::array<Unit, 5> kSizes{{{1, "B"}, {1e3, "KB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}}};
constexpr std::array<Unit, 5> kRates{{{1, "bit/s"}, {1e3, "Kbps"}, {1e6, "Mbps"}, {1e9, "Gbps"}, {1e12, "Tbps"}}};

// In which the largest mean of a measure over all points has one to three digits before the point.
Unit unit_of(const Measurements& measured, std::size_t measure) {
  Unit out;
  const std::string unit = measured.study.measures[measure].unit();
  double largest = 0;
  for (std::size_t p = 0; p < measured.points.size(); ++p)
    if (const auto v = measured.over_seeds(p, measure)) largest = std::max(largest, std::abs(v->mean));
  for (const auto& units : {kTimes, kSizes, kRates})
    if (unit == units.front().name)
      for (const Unit& larger : units)
        if (largest >= larger.size) out = larger;
  return out;
}

// Whether points that differ in this axis have different tasks: traffic or topology.
bool sets_task(const Axis& axis) {
  const auto is_of_task = [](const Override& o) {
    const std::string_view table = std::string_view(o.key).substr(0, o.key.find('.'));
    return table == "traffic" || table == "topology";
  };
  return std::any_of(axis.points.begin(), axis.points.end(),
                     [&](const AxisPoint& p) { return std::any_of(p.set.begin(), p.set.end(), is_of_task); });
}

Interval in_unit(const Interval& v, double size) { return {v.mean / size, v.low / size, v.high / size, v.count}; }

}  // namespace

std::vector<std::size_t> Measurements::best(std::size_t measure) const {
  const Better better = study.measures[measure].better();
  if (better == Better::unknown) return {};
  std::map<Point, std::vector<std::pair<std::size_t, Interval>>> groups;  // by their labels of what sets the task
  for (std::size_t p = 0; p < points.size(); ++p) {
    auto v = over_seeds(p, measure);
    if (!v) continue;
    if (std::isnan(v->low)) v->low = v->high = v->mean;
    Point task;
    for (std::size_t a = 0; a < study.axes.size(); ++a)
      if (sets_task(study.axes[a])) task.push_back(points[p][a]);
    groups[task].emplace_back(p, *v);
  }
  const auto is_apart = [&](const Interval& a, const Interval& b) {
    return is_informative(a) && is_informative(b) && (better == Better::lower ? a.high < b.low : a.low > b.high);
  };
  std::vector<std::size_t> out;
  for (const auto& group : groups) {
    const auto& of_task = group.second;
    const auto is_best = [&](const auto& one) {
      return std::all_of(of_task.begin(), of_task.end(), [&](const auto& other) {
        return other.first == one.first || is_apart(one.second, other.second);
      });
    };
    if (of_task.size() < 2) continue;
    for (const auto& one : of_task)
      if (is_best(one)) out.push_back(one.first);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string number_text(double value) { return std::isnan(value) ? "" : fmt::format("{:.10g}", value); }

std::string runs_csv(const Measurements& measured) {
  const Study& study = measured.study;
  const auto measures = single_measures(study);
  std::vector<std::string> header{"run"};
  for (const Axis& axis : study.axes) header.push_back(axis.name);
  for (const char* name : {"seed", "status", "message", "wall_s", "cpu_s", "max_rss_bytes", "unfinished"})
    header.emplace_back(name);
  for (const std::size_t m : measures) header.push_back(study.measures[m].name());
  std::string out;
  append_csv_record(out, header);
  for (std::size_t i = 0; i < measured.runs.size(); ++i) {
    const Record& run = measured.runs[i];
    if (run.status == Record::Status::missing) continue;
    const bool done = run.status == Record::Status::done;
    std::vector<std::string> row{measured.planned[i].name};
    for (auto& label : study.labels_of(measured.points[measured.planned[i].point])) row.push_back(std::move(label));
    row.push_back(std::to_string(measured.planned[i].seed));
    row.push_back(status_text(run.status));
    row.push_back(run.message);
    row.push_back(done ? fmt::format("{:.3f}", run.wall_s) : "");
    row.push_back(done ? fmt::format("{:.3f}", run.cpu_s) : "");
    row.push_back(done ? std::to_string(run.max_rss_bytes) : "");
    row.push_back(done ? std::to_string(run.unfinished) : "");
    for (const std::size_t m : measures)
      row.push_back(done && run.measures[m].size() == 1 ? number_text(run.measures[m].front()) : "");
    append_csv_record(out, row);
  }
  return out;
}

std::string points_csv(const Measurements& measured) {
  const Study& study = measured.study;
  const auto measures = single_measures(study);
  std::vector<std::string> header;
  for (const Axis& axis : study.axes) header.push_back(axis.name);
  for (const char* name : {"seeds", "unfinished"}) header.emplace_back(name);
  for (const std::size_t m : measures)
    for (const char* end : {"", "_low", "_high"}) header.push_back(study.measures[m].name() + end);
  std::string out;
  append_csv_record(out, header);
  for (std::size_t p = 0; p < measured.points.size(); ++p) {
    const std::size_t done = measured.runs_done(p);
    if (done == 0) continue;
    auto row = study.labels_of(measured.points[p]);
    row.push_back(std::to_string(done));
    row.push_back(std::to_string(measured.unfinished(p)));
    for (const std::size_t m : measures) {
      const auto v = measured.over_seeds(p, m).value_or(Interval{kNoValue, kNoValue, kNoValue});
      for (const double number : {v.mean, v.low, v.high}) row.push_back(number_text(number));
    }
    append_csv_record(out, row);
  }
  return out;
}

std::string sweep_json(const Measurements& measured) {
  const auto count = [&](Record::Status status) {
    return std::count_if(measured.runs.begin(), measured.runs.end(),
                         [&](const Record& r) { return r.status == status; });
  };
  Json units = Json::object();
  Json words = Json::object();
  Json counts = Json::object();
  Json better = Json::object();
  Json best = Json::object();
  for (const Measure& m : measured.study.measures) {
    units[m.name()] = m.unit();
    if (const auto which = name_of(m.better()); !which.empty()) better[m.name()] = which;
    words[m.name()] = m.in_words();
  }
  for (const std::size_t m : single_measures(measured.study)) {
    const Measure& measure = measured.study.measures[m];
    if (const auto rows = measured.best(m); !rows.empty()) best[measure.name()] = rows;
    if (measure.percentile()) counts[measure.name()] = counts_json(measured, m);
  }
  return Json{{"weir", version()},
              {"format", 1},
              {"title", measured.study.title},
              {"runs",
               {{"planned", measured.runs.size()},
                {"done", count(Record::Status::done)},
                {"failed", count(Record::Status::failed)}}},
              {"units", std::move(units)},
              {"measures", std::move(words)},
              {"better", std::move(better)},
              {"best", std::move(best)},
              {"counts", std::move(counts)}}
             .dump(2) +
         "\n";
}

std::string to_text(const Measurements& measured) {
  const Study& study = measured.study;
  const auto measures = single_measures(study);
  bool any_unfinished = false;
  for (std::size_t p = 0; p < measured.points.size(); ++p)
    any_unfinished = any_unfinished || measured.unfinished(p) > 0;
  TextRows rows(1);
  for (const Axis& axis : study.axes) rows[0].push_back(axis.name);
  rows[0].emplace_back("seeds");
  if (any_unfinished) rows[0].emplace_back("unfinished");
  std::vector<Unit> units;
  std::vector<std::vector<std::size_t>> best;
  for (const std::size_t m : measures) {
    const std::string unit = study.measures[m].unit();
    const std::string& name = study.measures[m].name();
    units.push_back(unit_of(measured, m));
    best.push_back(measured.best(m));
    const std::string_view shown = units.back().name.empty() ? unit : units.back().name;
    rows[0].push_back(unit == "1" ? name : fmt::format("{} [{}]", name, shown));
  }
  for (std::size_t p = 0; p < measured.points.size(); ++p) {
    const std::size_t done = measured.runs_done(p);
    auto row = study.labels_of(measured.points[p]);
    row.push_back(done == measured.seeds ? std::to_string(done) : fmt::format("{} of {}", done, measured.seeds));
    if (any_unfinished) row.push_back(std::to_string(measured.unfinished(p)));
    for (std::size_t column = 0; column < measures.size(); ++column) {
      const std::size_t m = measures[column];
      const auto v = measured.over_seeds(p, m);
      row.push_back(v ? interval_text(in_unit(*v, units[column].size)) : "-");
      if (v && v->count < done) row.back() += fmt::format(" (of {} seed{})", v->count, v->count == 1 ? "" : "s");
      if (v && measured.is_the_largest(p, m)) row.back() += " *";
      if (std::binary_search(best[column].begin(), best[column].end(), p)) row.back() += " (best)";
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows, study.axes.size()) + about_percentiles(measured);
}

}  // namespace weir::study
