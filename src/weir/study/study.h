// A study: one scenario, or several, over the points of axes and over seeds (docs/guides/sweeps.md), as a TOML file
// says it.
//
//   const Study study = read_study("study.toml");      // study/paper.h
//   const Plan plan = make_plan(study);                // study/plan.h
//   ... run plan.runs ...                              // sweep/sweep.h
//   const Measurements all = collect(plan, "dir");     // study/measurements.h
//   ... points_csv(all), make_figures(all, "dir") ...  // study/figures.h
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/study/figure.h"
#include "weir/study/measure.h"
#include "weir/study/selection.h"
#include "weir/toml/document.h"

namespace weir::study {

// A value instead of the scenario's; it knows where in the study it stands.
struct Override {
  std::string key;
  scenario::Value value;
};

// A parameter instead of what scenario, study and axes say, in each profile of one algorithm.
struct ProfileOverride {
  std::string algorithm;
  std::string key;
  scenario::Value value;
};

struct AxisPoint {
  Where where;
  std::string label;
  std::vector<Override> set;
  std::string scenario;     // a file instead of the study's; "" = that one
  std::optional<double> x;  // where it is drawn on an axis of numbers, in the axis's unit
};

struct Axis {
  Where where;
  std::string name;
  std::string pair;  // axes of one pair go in step
  std::string unit = "1";
  std::vector<AxisPoint> points;

  bool is_numeric() const;
  // Its index; nothing if there is none.
  std::optional<std::size_t> find(std::string_view label) const;
};

// A label as part of a file's name: letters, digits, '.', '-' and '_' stay.
std::string file_name(std::string_view label);

// Of each axis, which of its points.
using Point = std::vector<std::size_t>;

struct Study {
  std::string file;    // as the user named it
  std::string folder;  // relative names start here
  std::string text;    // the file
  std::string title;
  Where where;                                   // of [study]
  std::string scenario;                          // a file; "" = it is inline
  Where scenario_where;                          // of that file's name
  std::optional<scenario::Value> inlined;        // [scenario]
  std::vector<std::uint64_t> seeds;              // empty: that of the scenario alone
  bool perturbed = false;                        // instead of seeds: unperturbed, and with each run.perturbation
  std::vector<Override> set;                     // for every run
  std::vector<ProfileOverride> of_profiles;      // for every run, after all others; no file has these
  std::vector<std::string> assignments;          // "key=value" for every run, last of all; no file has these
  bool nccl_table = false;                       // told as nccl-tests does (study/nccl_table.h)
  bool keep_all = false;                         // whole result directories, or only what is needed
  std::optional<std::vector<std::string>> keep;  // these files; nothing: those that measures and figures read
  std::vector<Axis> axes;
  std::vector<Measure> measures;
  std::vector<FigureSpec> figures;

  // Runs the seeds 1 to `count` instead of the study's own.
  void take_seeds(std::size_t count);
  std::size_t axis(std::string_view name) const;  // axes.size() if there is none
  const Measure* measure(std::string_view name) const;
  // The axes crossed, the last one fastest; those of a pair in step.
  std::vector<Point> points() const;
  std::vector<AxisLabels> axis_labels() const;
  // The labels of a point, one per axis.
  std::vector<std::string> labels_of(const Point& point) const;
  // "load=0.3, algorithm=HPCC"
  std::string describe(const Point& point) const;
  // An error about the scenario of a point, which names the study's line as well.
  InputError error_at(const Point& point, const InputError& error) const;
  // The point with these labels instead of its own, on axes in step with theirs too. The labels are of this study.
  Point moved(Point point, const Labels& labels) const;
  // The unit of a figure's x axis, and where a printed x stands on it: a label of the axis, a number, or a quantity of
  // that unit; nothing for any other text.
  std::string x_unit(const FigureSpec& figure) const;
  std::optional<double> printed_x(const FigureSpec& figure, const std::string& at) const;
};

inline constexpr std::size_t kMaxRuns = 100'000;

// Throws InputError that names file, line and key. Other files are not looked at yet.
Study parse_study(std::string_view text, const std::string& file);
// The same of a text that is parsed already.
Study read_study(const scenario::Value& document, std::string_view text, const std::string& file);

}  // namespace weir::study
