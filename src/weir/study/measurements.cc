#include "weir/study/measurements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"
#include "weir/result/percentile.h"
#include "weir/study/kept_runs.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// A result that is not what the run would leave does not count; shards that are still to come run it again.
Record record_of(const Plan& plan, const std::string& dir, std::size_t run) {
  Record out;
  const std::string& name = plan.runs[run].name;
  const std::string result = result_of(dir, name);
  const std::string failure = failure_of(dir, name);
  if (fs::exists(result)) {
    out.message = difference(plan, run, result);
    if (!out.message.empty()) return out;
    const RunFiles files(result);
    const Json manifest = files.document("manifest.json");
    out.status = Record::Status::done;
    out.wall_s = manifest.at("wall_s").get<double>();
    out.cpu_s = manifest.at("cpu_s").get<double>();
    out.max_rss_bytes = manifest.at("max_rss_bytes").get<std::uint64_t>();
    out.unfinished = files.document("summary.json").at("flows").at("unfinished").get<std::uint64_t>();
    Measured measured = kept_measures(plan.study, result);
    out.measures = std::move(measured.values);
    out.counts = std::move(measured.counts);
  } else if (fs::exists(failure)) {
    out.status = Record::Status::failed;
    out.message = read_text_file(failure, "a message");
    while (!out.message.empty() && out.message.back() == '\n') out.message.pop_back();
  }
  return out;
}

// Measures of pairs of runs, where both are done.
void compare_pairs(const Plan& plan, const std::string& dir, Measurements& measured,
                   std::vector<std::string>* warnings) {
  for (std::size_t m = 0; m < plan.study.measures.size(); ++m) {
    const Measure& measure = plan.study.measures[m];
    if (!measure.is_of_pairs()) continue;
    for (std::size_t run = 0; run < measured.runs.size(); ++run) {
      const std::size_t base = plan.base_of(run, measure);
      Record& record = measured.runs[run];
      if (record.status != Record::Status::done) continue;
      record.measures[m] = {kNoValue};
      if (measured.runs[base].status != Record::Status::done) continue;
      const RunFiles files(result_of(dir, plan.runs[run].name));
      const RunFiles base_files(result_of(dir, plan.runs[base].name));
      try {
        record.measures[m] = measure.values(files, base_files);
        if (const auto counter = measure.counter()) record.counts[m] = counter->values(files, base_files).front();
      } catch (const InputError& error) {
        if (warnings != nullptr) warnings->push_back(fmt::format("measure '{}': {}", measure.name(), error.what()));
      }
    }
  }
}

// Tells of results that are there and do not count.
void warn_of_others(const Measurements& measured, const std::string& dir, std::vector<std::string>& warnings) {
  const auto is_other = [](const Record& r) { return r.status == Record::Status::missing && !r.message.empty(); };
  const auto first = std::find_if(measured.runs.begin(), measured.runs.end(), is_other);
  if (first == measured.runs.end()) return;
  const auto run = static_cast<std::size_t>(first - measured.runs.begin());
  warnings.push_back(fmt::format("{} results are left out until they have been run again, such as {}, which {}",
                                 std::count_if(first, measured.runs.end(), is_other),
                                 result_of(dir, measured.planned[run].name), first->message));
}

// What has not finished has no completion time and no slowdown, and the longest flows are the likeliest not to.
void warn_of_unfinished(const Measurements& measured, std::vector<std::string>& warnings) {
  const auto is_short = [](const Record& r) { return r.unfinished > 0; };
  const auto first = std::find_if(measured.runs.begin(), measured.runs.end(), is_short);
  if (first == measured.runs.end()) return;
  const auto done = std::count_if(measured.runs.begin(), measured.runs.end(),
                                  [](const Record& r) { return r.status == Record::Status::done; });
  warnings.push_back(
      fmt::format("{} of {} runs ended with unfinished flows, such as {} with {}; these flows have no completion time "
                  "and no slowdown, so that statistics of them may be too low (column 'unfinished')",
                  std::count_if(first, measured.runs.end(), is_short), done,
                  measured.planned[static_cast<std::size_t>(first - measured.runs.begin())].name, first->unfinished));
}

std::size_t find_axis(const Study& study, const std::string& axis) {
  std::vector<std::string> names;
  for (const Axis& a : study.axes) names.push_back(a.name);
  const auto at = std::find(names.begin(), names.end(), axis);
  if (at == names.end())
    throw InputError(
        fmt::format("no axis '{}'{}; valid is {}", axis, did_you_mean(axis, names), fmt::join(names, ", ")));
  return static_cast<std::size_t>(at - names.begin());
}

constexpr std::size_t kAllPoints = std::numeric_limits<std::size_t>::max();

// The axis and its point that a label stands for; kAllPoints for the kAnyLabel of an axis.
std::pair<std::size_t, std::size_t> find_label(const Study& study, const std::string& axis, const std::string& label) {
  const bool every = axis.empty();
  const std::size_t begin = every ? 0 : find_axis(study, axis);
  if (label == kAnyLabel && !every) return {begin, kAllPoints};
  const std::size_t end = every ? study.axes.size() : begin + 1;
  std::vector<std::pair<std::size_t, std::size_t>> found;
  std::vector<std::string> labels;
  for (std::size_t i = begin; i < end; ++i) {
    for (const auto& p : study.axes[i].points) labels.push_back(p.label);
    if (const auto at = study.axes[i].find(label)) found.emplace_back(i, *at);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) throw InputError(fmt::format("several axes have a label '{}'; write axis={}", label, label));
  throw InputError(fmt::format("{} has no label '{}'{}; valid is {}",
                               every ? "the study" : fmt::format("the axis '{}'", axis), label,
                               did_you_mean(label, labels), fmt::join(labels, ", ")));
}

}  // namespace

Measurements::Selection Measurements::select(const Labels& labels, const Labels& otherwise) const {
  std::vector<std::optional<std::size_t>> wanted(study.axes.size());
  bool rest = false;
  Selection out;
  for (const auto& [axis, label] : labels) {
    if (label == kAnyLabel && axis.empty()) {
      rest = true;
      continue;
    }
    const auto [i, at] = find_label(study, axis, label);
    if (wanted[i] && *wanted[i] != at)
      throw InputError(fmt::format("two labels of the axis '{}'; keep one", study.axes[i].name));
    wanted[i] = at;
  }
  for (const auto& [axis, label] : otherwise) {
    const auto [i, at] = find_label(study, axis, label);
    if (wanted[i]) continue;
    wanted[i] = at;
    out.taken.emplace_back(axis, label);
  }
  for (std::size_t p = 0; p < points.size(); ++p) {
    bool fits = true;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      fits = fits && (!wanted[i] || *wanted[i] == kAllPoints || points[p][i] == *wanted[i]);
    if (fits) out.points.push_back(p);
  }
  if (out.points.empty()) throw InputError("the study has no point with all these labels: their axes go in step");
  for (std::size_t i = 0; i < wanted.size() && !rest; ++i) {
    const auto other = [&](std::size_t p) { return points[p][i] != points[out.points.front()][i]; };
    if (!wanted[i] && std::any_of(out.points.begin(), out.points.end(), other))
      throw InputError(fmt::format("the axis '{}' is left open; add {}={}", study.axes[i].name, study.axes[i].name,
                                   study.axes[i].points.front().label));
  }
  return out;
}

std::size_t Measurements::runs_done(std::size_t point) const {
  std::size_t out = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed)
    out += runs[point * seeds + seed].status == Record::Status::done ? 1 : 0;
  return out;
}

std::uint64_t Measurements::unfinished(std::size_t point) const {
  std::uint64_t out = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) out += runs[point * seeds + seed].unfinished;
  return out;
}

const Values& Measurements::values(std::size_t point, std::size_t seed, std::size_t measure) const {
  static const Values kMissing;
  const Record& run = runs[point * seeds + seed];
  return run.status == Record::Status::done ? run.measures[measure] : kMissing;
}

std::optional<std::pair<double, double>> Measurements::counts(std::size_t point, std::size_t measure) const {
  std::optional<std::pair<double, double>> out;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const Record& run = runs[point * seeds + seed];
    if (run.status != Record::Status::done || run.counts.empty() || std::isnan(run.counts[measure])) continue;
    const double n = run.counts[measure];
    out = out ? std::pair(std::min(out->first, n), std::max(out->second, n)) : std::pair(n, n);
  }
  return out;
}

bool Measurements::is_the_largest(std::size_t point, std::size_t measure) const {
  const auto thousandths = study.measures[measure].percentile();
  const auto n = counts(point, measure);
  return thousandths && n && result::is_the_largest(static_cast<std::uint64_t>(n->first), *thousandths);
}

Measurements Measurements::of_first_runs() const {
  Measurements out{study, points, {}, 1, {}};
  for (std::size_t run = 0; run < runs.size(); run += seeds) {
    out.planned.push_back(planned[run]);
    out.runs.push_back(runs[run]);
  }
  return out;
}

Measurements Measurements::with(std::size_t axis, std::size_t label) const {
  Measurements out{study, {}, {}, seeds, {}};
  const auto place = static_cast<std::ptrdiff_t>(axis);
  out.study.axes.erase(out.study.axes.begin() + place);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i][axis] != label) continue;
    for (std::size_t run = i * seeds; run < (i + 1) * seeds; ++run) {
      out.planned.push_back(planned[run]);
      out.planned.back().point = out.points.size();
      out.runs.push_back(runs[run]);
    }
    out.points.push_back(points[i]);
    out.points.back().erase(out.points.back().begin() + place);
  }
  return out;
}

std::optional<Interval> Measurements::over_seeds(std::size_t point, std::size_t measure) const {
  std::vector<double> found;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const Values& v = values(point, seed, measure);
    if (v.size() == 1 && !std::isnan(v.front())) found.push_back(v.front());
  }
  if (found.empty()) return std::nullopt;
  const Measure& m = study.measures[measure];
  return m.is_geometric() ? geometric_confidence(found) : confidence(found, m.bounds());
}

Measurements no_measurements(const Plan& plan) {
  return {plan.study, plan.points, plan.runs, plan.seeds, std::vector<Record>(plan.runs.size())};
}

Measurements collect(const Plan& plan, const std::string& dir, std::vector<std::string>* warnings) {
  Measurements out = no_measurements(plan);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) out.runs[i] = record_of(plan, dir, i);
  compare_pairs(plan, dir, out, warnings);
  if (warnings == nullptr) return out;
  warn_of_others(out, dir, *warnings);
  warn_of_unfinished(out, *warnings);
  for (std::size_t m = 0; m < plan.study.measures.size(); ++m) {
    bool is_done = false;
    bool has_value = false;
    for (const Record& run : out.runs) {
      if (run.status != Record::Status::done) continue;
      is_done = true;
      for (const double v : run.measures[m]) has_value = has_value || !std::isnan(v);
    }
    const Measure& measure = plan.study.measures[m];
    if (is_done && !has_value)
      warnings->push_back(fmt::format("{}: no run has a value of measure '{}' ({})", measure.where.text(),
                                      measure.name(), measure.definition()));
  }
  return out;
}

}  // namespace weir::study
