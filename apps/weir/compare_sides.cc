#include "weir/compare_sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/suggestion.h"
#include "weir/result/directory.h"
#include "weir/result/sweep.h"
#include "weir/study/kept_runs.h"
#include "weir/study/selection.h"
#include "weir/toml/document.h"

namespace weir::app {
namespace {

using result::is_sweep;
using result::SweepRun;

// The runs of a sweep that are wanted, in the study's order: at least one of them is done.
struct WantedRuns {
  std::vector<study::AxisLabels> axes;  // with the labels of runs that are done
  std::vector<SweepRun> runs;
  std::vector<SweepRun> failed;  // those that are wanted
  std::vector<std::string> notices;

  std::vector<std::string> axis_names() const {
    std::vector<std::string> out;
    for (const auto& axis : axes) out.push_back(axis.name);
    return out;
  }
};

void add_labels(std::vector<study::AxisLabels>& axes, const std::vector<std::string>& labels) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (auto& known = axes[i].labels; std::find(known.begin(), known.end(), labels[i]) == known.end())
      known.push_back(labels[i]);
}

// How many runs the study has, done or not; 0 if the sweep does not tell.
std::size_t planned_runs(const std::string& dir) {
  const std::string file = dir + "/sweep.json";
  if (!std::filesystem::exists(file)) return 0;
  const auto document = result::parse_json(result::read_text(file), file);
  const nlohmann::ordered_json::json_pointer at("/runs/planned");
  return document.contains(at) && document.at(at).is_number_unsigned() ? document.at(at).get<std::size_t>() : 0;
}

WantedRuns read_sweep(const std::string& dir, const std::string& only) {
  result::SweepRuns all = result::read_sweep_runs(dir);
  WantedRuns out;
  for (std::string& axis : all.axes) out.axes.push_back({std::move(axis), {}});
  for (SweepRun& run : all.runs) {
    add_labels(out.axes, run.labels);
    (run.done ? out.runs : out.failed).push_back(std::move(run));
  }
  if (out.runs.empty()) throw InputError(fmt::format("{}: no run is done there", dir));
  if (const std::size_t planned = planned_runs(dir); planned > out.runs.size() + out.failed.size())
    out.notices.push_back(fmt::format("{}: {} of {} runs are still to be done; what is compared lacks them", dir,
                                      planned - out.runs.size() - out.failed.size(), planned));
  const study::WantedLabels wanted = study::parse_only(only, out.axes);
  for (auto* runs : {&out.runs, &out.failed})
    std::erase_if(*runs, [&](const SweepRun& r) { return !study::passes(wanted, r.labels); });
  if (out.runs.empty()) throw InputError(fmt::format("--only: {} has no run that is done with these labels", dir));
  for (auto& axis : out.axes) axis.labels.clear();
  for (const SweepRun& r : out.runs) add_labels(out.axes, r.labels);
  return out;
}

// All labels but that of the axis that is compared.
std::string point_of(const WantedRuns& sweep, const SweepRun& run, std::size_t without) {
  std::string out;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i)
    if (i != without) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", sweep.axes[i].name, run.labels[i]);
  return out;
}

void add_side(const std::string& dir, const std::string& only, ComparedSides& to) {
  ComparedSide& out = to.all.emplace_back(ComparedSide{dir, {}, {}});
  if (is_sweep(dir)) {
    const WantedRuns sweep = read_sweep(dir, only);
    const auto compared = [&](const SweepRun& run) {
      return ComparedRun{study::result_of(dir, run.name), point_of(sweep, run, sweep.axes.size()), run.seed};
    };
    std::transform(sweep.runs.begin(), sweep.runs.end(), std::back_inserter(out.runs), compared);
    std::transform(sweep.failed.begin(), sweep.failed.end(), std::back_inserter(out.failed), compared);
    to.notices.insert(to.notices.end(), sweep.notices.begin(), sweep.notices.end());
    return;
  }
  if (!study::is_result(dir))
    throw InputError(
        fmt::format("{}: {}; name a directory that weir run --out or weir sweep has written", dir,
                    std::filesystem::exists(dir) ? "there is no result in it" : "there is no such directory"));
  if (!only.empty()) throw InputError(fmt::format("--only: it picks points of sweeps, and {} is a single run", dir));
  out.runs.push_back({dir, "", ""});
}

// The axis that is named; or, if none is, the only one of which there are several labels.
std::size_t axis_of(const WantedRuns& sweep, const SideOptions& o) {
  const auto names = sweep.axis_names();
  if (!o.axis.empty()) {
    const auto at = std::find(names.begin(), names.end(), o.axis);
    if (at == names.end())
      throw InputError(fmt::format("--axis: the study has no axis '{}'{}; valid is {}", o.axis,
                                   did_you_mean(o.axis, names), fmt::join(names, ", ")));
    return static_cast<std::size_t>(at - names.begin());
  }
  std::vector<std::string> open;
  std::size_t out = 0;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i)
    if (sweep.axes[i].labels.size() > 1) {
      open.push_back(sweep.axes[i].name);
      out = i;
    }
  if (open.size() == 1) return out;
  if (open.empty())
    throw InputError(fmt::format("{}: {} leave one point, and nothing to compare it with; name two directories{}",
                                 o.dirs.front(), o.only.empty() ? "the runs that are done" : "the labels of --only",
                                 o.only.empty() ? "" : ", or two labels of an axis"));
  throw InputError(fmt::format(
      "{} is a sweep over several axes; say with --axis which one is compared, {}, or name a second directory",
      o.dirs.front(), fmt::join(open, " or ")));
}

// The labels of an axis, that of the base first.
ComparedSides sides_of_axis(const SideOptions& o) {
  WantedRuns sweep = read_sweep(o.dirs.front(), o.only);
  const std::size_t axis = axis_of(sweep, o);
  const study::AxisLabels& labels = sweep.axes[axis];
  if (labels.labels.size() < 2)
    throw InputError(fmt::format("--axis: of '{}' there is only the label '{}', so nothing to compare it with",
                                 labels.name, labels.labels.front()));
  ComparedSides sides{{}, std::move(sweep.notices)};
  std::vector<ComparedSide>& out = sides.all;
  for (const auto& label : labels.labels) out.push_back({label, {}, {}});
  const auto side = [&](const std::string& name) {
    return std::find_if(out.begin(), out.end(), [&](const ComparedSide& s) { return s.name == name; });
  };
  for (const SweepRun& run : sweep.runs)
    side(run.labels[axis])
        ->runs.push_back({study::result_of(o.dirs.front(), run.name), point_of(sweep, run, axis), run.seed});
  std::vector<std::string> all_failed;
  for (const SweepRun& run : sweep.failed) {
    const std::string& label = run.labels[axis];
    if (const auto at = side(label); at != out.end())
      at->failed.push_back({study::result_of(o.dirs.front(), run.name), point_of(sweep, run, axis), run.seed});
    else if (std::find(all_failed.begin(), all_failed.end(), label) == all_failed.end())
      all_failed.push_back(label);
  }
  for (const std::string& label : all_failed)
    sides.notices.push_back(fmt::format("{}={} is left out: all of its runs have failed; see {}/failed", labels.name,
                                        label, o.dirs.front()));
  if (o.base.empty()) return sides;
  const auto base = side(o.base);
  if (base == out.end())
    throw InputError(fmt::format("--base: the axis '{}' has no label '{}' with a run that is done; valid is {}",
                                 labels.name, o.base, fmt::join(labels.labels, ", ")));
  std::rotate(out.begin(), base, base + 1);
  return sides;
}

}  // namespace

ComparedSides sides_of(const SideOptions& o) {
  if (o.dirs.size() == 1 && is_sweep(o.dirs.front())) return sides_of_axis(o);
  if (!o.axis.empty())
    throw InputError(o.dirs.size() > 1
                         ? "--axis: it is for the points of one sweep; name one directory, or leave --axis away"
                         : fmt::format("--axis: {} is no result of weir sweep", o.dirs.front()));
  if (!o.base.empty())
    throw InputError("--base: it is a label of a sweep's axis; of several directories the first is the base");
  ComparedSides out;
  for (const auto& dir : o.dirs) add_side(dir, o.only, out);
  if (out.all.size() < 2)
    throw InputError(fmt::format("{} is a single run; name the result that it is compared with, too", o.dirs.front()));
  return out;
}

}  // namespace weir::app
