#include "weir/study/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "weir/base/version.h"
#include "weir/study/figure_source.h"
#include "weir/study/words.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;

// Readers tell series apart by name, and the authors' have mostly that of ours.
void add_printed(const Printed& printed, const FigureSource& source, Figure& out) {
  FigureSeries series;
  series.name = printed.series;
  const auto taken = [&](const FigureSeries& s) { return s.name == series.name; };
  while (std::any_of(out.series.begin(), out.series.end(), taken)) series.name += ", printed";
  series.printed = true;
  for (const auto& text : printed.x) series.x.push_back(*source.study().printed_x(source.spec, text));
  series.y = printed.y;
  out.series.push_back(std::move(series));
}

// Whether its labels say nothing without the axis: numbers, true and false.
bool needs_its_name(const Axis& axis) {
  const auto is_flag = [](const AxisPoint& p) { return p.label == "true" || p.label == "false"; };
  return axis.is_numeric() || std::all_of(axis.points.begin(), axis.points.end(), is_flag);
}

// Whether unfinished flows are missing in it.
bool is_of_flows(const FigureSource& source) {
  if (!source.spec.kind->over_axis) return source.spec.of_flows();
  const Measure& m = *source.study().measure(source.spec.params.measure);
  return m.is_of_flows() || m.params.key.starts_with("slowdown.") || m.params.key.ends_with("_fct_ps");
}

Figure make(const FigureSource& source) {
  const FigureSpec& spec = source.spec;
  const FigureParams& p = spec.params;
  const Study& study = source.study();
  Figure out;
  out.id = p.id;
  out.title = p.title.empty() ? p.id : p.title;
  out.caption = p.caption;
  out.of_flows = is_of_flows(source);
  for (const Group& group : source.groups()) {
    for (const std::size_t run : source.runs(group)) out.runs.push_back(source.table.planned[run].name);
    if (out.runs.size() == 1 && spec.kind->draw == draw_stack) break;
  }
  spec.kind->draw(source, out);
  if (!p.series.empty() && needs_its_name(study.axes[study.axis(p.series)])) out.legend = with_spaces(p.series);
  for (const Printed& printed : spec.printed) add_printed(printed, source, out);
  if (!p.x_label.empty()) out.x.label = p.x_label;
  if (!p.y_label.empty()) out.y.label = p.y_label;
  if (!p.x_scale.empty() && out.x.scale != "category") out.x.scale = p.x_scale;
  if (!p.y_scale.empty()) out.y.scale = p.y_scale;
  return out;
}

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  // as text first: the same digits on each machine
  for (const double v : values)
    out.push_back(std::isfinite(v) ? Json(std::strtod(number_text(v).c_str(), nullptr)) : Json(nullptr));
  return out;
}

Json axis_json(const FigureAxis& axis) {
  Json out{{"label", axis.label}, {"unit", axis.unit}, {"scale", axis.scale}};
  if (!axis.categories.empty()) out["categories"] = axis.categories;
  for (const FigureAxis::Name& name : axis.named)
    out["named"].push_back({{"at", numbers({name.at}).front()}, {"text", name.text}});
  return out;
}

}  // namespace

void draw_over_axis(const FigureSource& source, Figure& out) {
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
  Means means(source.table);
  const auto basis = [&](std::size_t point) {
    const auto n = source.table.counts(point, measure);
    return Means::Basis{n ? n->first : kNoValue, source.table.is_the_largest(point, measure)};
  };
  for (const Group& group : source.groups()) {
    FigureSeries series;
    series.name = group.name;
    for (std::size_t label = 0; label < axis.points.size(); ++label)
      for (const std::size_t point : group.points)
        if (source.table.points[point][x_axis] == label)
          means.add(series, bars ? static_cast<double>(label) : *axis.points[label].x,
                    source.table.over_seeds(point, measure), basis(point));
    out.series.push_back(std::move(series));
  }
  out.whiskers = means.whiskers();
}

std::vector<Figure> make_figures(const Table& table, const std::string& dir) {
  std::vector<Figure> out;
  for (const FigureSpec& spec : table.study.figures) out.push_back(make({table, dir, spec}));
  return out;
}

std::string to_json(const std::string& title, const std::vector<Figure>& figures) {
  Json list = Json::array();
  for (const Figure& f : figures) {
    Json series = Json::array();
    for (const FigureSeries& s : f.series) {
      Json item{{"name", s.name}, {"x", numbers(s.x)}, {"y", numbers(s.y)}};
      if (!s.low.empty()) item["low"] = numbers(s.low);
      if (!s.high.empty()) item["high"] = numbers(s.high);
      if (s.printed) item["printed"] = true;
      const auto known = [](double count) { return !std::isnan(count); };
      if (std::any_of(s.count.begin(), s.count.end(), known)) item["count"] = numbers(s.count);
      if (!s.few.empty()) item["few"] = s.few;
      series.push_back(std::move(item));
    }
    list.push_back({{"id", f.id},
                    {"title", f.title},
                    {"caption", f.caption},
                    {"kind", f.kind},
                    {"x", axis_json(f.x)},
                    {"y", axis_json(f.y)},
                    {"series", std::move(series)}});
    if (!f.legend.empty()) list.back()["legend"] = f.legend;
    if (!f.whiskers.empty()) list.back()["whiskers"] = f.whiskers;
    if (!f.runs.empty()) list.back()["runs"] = f.runs;
    if (f.of_flows) list.back()["of_flows"] = true;
  }
  Json out{{"weir", version()}, {"format", 1}};
  if (!title.empty()) out["title"] = title;
  out["figures"] = std::move(list);
  return out.dump(1) + "\n";
}

}  // namespace weir::study
