// What a figure of a study is drawn of: the points that it chooses, and the runs of these that are done.
//
// A kind of figure is a function that fills a figure::Figure from a FigureSource; make_figures() calls it and adds what
// all figures have. Internal to the figures of this layer.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "weir/figure/figure.h"
#include "weir/study/figure.h"
#include "weir/study/measurements.h"

namespace weir::study {

// Points of the study that one series is drawn of.
struct Group {
  std::string name;
  std::vector<std::size_t> points;  // of the study
};

struct FigureSource {
  const Measurements& measured;
  const std::string& dir;  // of the sweep
  const FigureSpec& spec;

  const Study& study() const { return measured.study; }
  // One per label of the figure's series, in order of the axis; one for all if it has none. Without those that `where`
  // leaves no point.
  std::vector<Group> groups() const;
  // The group's runs that are done, of the seed that the figure wants, by their places in the plan; the first one alone
  // if the kind of figure shows no more.
  std::vector<std::size_t> runs(const Group& group) const;
  // Their result directories.
  std::vector<std::string> run_dirs(const Group& group) const;
  // Whether a row of this time, in ps, is drawn.
  bool in_span(double time) const;
};

// Points of a series with their confidence intervals over seeds.
class Means {
 public:
  explicit Means(const Measurements& measured) : has_whiskers_(measured.seeds > 1) {}
  // What stands behind the value at x.
  struct Basis {
    double count = kNoValue;  // values in the run that has the fewest; NaN = not known
    bool few = false;         // so few in some run that the percentile is the largest of them
  };
  // Nothing = there is no value at x.
  void add(figure::Series& series, double x, const std::optional<Interval>& y, const Basis& basis);
  // What the whiskers of all points that were added are: "95 % confidence interval of the mean over 5 seeds"; "" if
  // there are none.
  std::string whiskers() const;

 private:
  bool has_whiskers_;
  std::size_t fewest_ = 0;  // seeds behind a point with a whisker; 0 = there is none
  std::size_t most_ = 0;
  bool left_out_ = false;  // an interval that says nothing (is_informative())
};

// Where the scale of a spoke begins and ends, in its measure's unit: as the figure has it, or by the range of the
// measure. Nothing if neither tells, or if both ends are the same.
struct SpokeEnds {
  double worst = 0;
  double best = 1;
};
std::optional<SpokeEnds> ends_of(const Spoke& spoke, const Measure& measure);
// Appends a point of a radar; NaN = no value.
void add_at_spoke(const FigureSource& source, std::size_t spoke, double value, figure::Series& to);

// A measure over an axis: bars, lines.
void draw_over_axis(const FigureSource& source, figure::Figure& out);
// Several measures: radar.
void draw_radar(const FigureSource& source, figure::Figure& out);
// slowdown-by-size.
void draw_by_size(const FigureSource& source, figure::Figure& out);
// cdf, series, scatter, stack, start-finish.
void draw_distribution(const FigureSource& source, figure::Figure& out);
void draw_over_time(const FigureSource& source, figure::Figure& out);
void draw_scatter(const FigureSource& source, figure::Figure& out);
void draw_stack(const FigureSource& source, figure::Figure& out);
void draw_start_finish(const FigureSource& source, figure::Figure& out);

}  // namespace weir::study
