#include "weir/study/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "weir/study/figure_source.h"
#include "weir/study/figure_texts.h"

namespace weir::study {
namespace {

figure::Series printed_series(const Printed& printed, const FigureSource& source) {
  figure::Series out;
  out.name = printed.series;
  for (std::size_t i = 0; i < printed.x.size(); ++i) {
    const double x = *source.study().printed_x(source.spec, printed.x[i]);
    if (source.spec.kind->spokes) {
      add_at_spoke(source, static_cast<std::size_t>(x), printed.y[i], out);
    } else {
      out.x.push_back(x);
      out.y.push_back(printed.y[i]);
    }
  }
  return out;
}

// Whether its labels say nothing without the axis: numbers, true and false.
bool needs_its_name(const Axis& axis) {
  const auto is_flag = [](const AxisPoint& p) { return p.label == "true" || p.label == "false"; };
  return axis.is_numeric() || std::all_of(axis.points.begin(), axis.points.end(), is_flag);
}

// Whether unfinished flows are missing in it.
bool is_of_flows(const FigureSource& source) {
  const FigureSpec& spec = source.spec;
  if (!spec.of_measures()) return spec.of_flows();
  const auto is = [&](const std::string& name) {
    const Measure& m = *source.study().measure(name);
    return m.is_of_flows() || m.params.key.starts_with("slowdown.") || m.params.key.ends_with("_fct_ps");
  };
  if (!spec.kind->spokes) return is(spec.params.measure);
  return std::any_of(spec.spokes.begin(), spec.spokes.end(), [&](const Spoke& spoke) { return is(spoke.measure); });
}

figure::Figure make(const FigureSource& source) {
  const FigureSpec& spec = source.spec;
  const FigureParams& p = spec.params;
  const Study& study = source.study();
  figure::Figure out;
  out.id = p.id;
  out.title = p.title.empty() ? p.id : p.title;
  out.caption = p.caption;
  out.of_flows = is_of_flows(source);
  for (const Group& group : source.groups()) {
    for (const std::size_t run : source.runs(group)) out.runs.push_back(source.measured.planned[run].name);
    if (out.runs.size() == 1 && spec.kind->draw == draw_stack) break;
  }
  spec.kind->draw(source, out);
  if (!p.series.empty() && needs_its_name(study.axes[study.axis(p.series)])) out.legend = with_spaces(p.series);
  for (const Printed& printed : spec.printed) add_printed(out, printed_series(printed, source));
  if (!p.x_label.empty()) out.x.label = p.x_label;
  if (!p.y_label.empty()) out.y.label = p.y_label;
  if (!p.x_scale.empty() && out.x.scale != "category") out.x.scale = p.x_scale;
  if (!p.y_scale.empty()) out.y.scale = p.y_scale;
  return out;
}

}  // namespace

void draw_over_axis(const FigureSource& source, figure::Figure& out) {
  const Study& study = source.study();
  const FigureParams& p = source.spec.params;
  const Measure& m = *study.measure(p.measure);
  const auto measure = static_cast<std::size_t>(&m - study.measures.data());
  const std::size_t x_axis = study.axis(p.x);
  const Axis& axis = study.axes[x_axis];
  const bool bars = source.spec.kind->name == "bars";
  out.kind = bars ? "bars" : "lines";
  out.x = {with_spaces(axis.name), bars ? "1" : axis.unit, bars ? "category" : "linear", {}};
  if (bars)
    for (const AxisPoint& point : axis.points) out.x.categories.push_back(point.label);
  out.y = {m.in_words(), m.unit(), "linear", {}};
  Means means(source.measured);
  const auto basis = [&](std::size_t point) {
    const auto n = source.measured.counts(point, measure);
    return Means::Basis{n ? n->first : kNoValue, source.measured.is_the_largest(point, measure)};
  };
  for (const Group& group : source.groups()) {
    figure::Series series;
    series.name = group.name;
    for (std::size_t label = 0; label < axis.points.size(); ++label)
      for (const std::size_t point : group.points)
        if (source.measured.points[point][x_axis] == label)
          means.add(series, bars ? static_cast<double>(label) : *axis.points[label].x,
                    source.measured.over_seeds(point, measure), basis(point));
    out.series.push_back(std::move(series));
  }
  out.whiskers = means.whiskers();
}

std::vector<figure::Figure> make_figures(const Measurements& measured, const std::string& dir) {
  std::vector<figure::Figure> out;
  for (const FigureSpec& spec : measured.study.figures) out.push_back(make({measured, dir, spec}));
  return out;
}

}  // namespace weir::study
