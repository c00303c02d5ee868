// A radar: the measures of a point as spokes, each from its worst value in the middle to its best at the rim.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weir/base/units.h"
#include "weir/study/figure_source.h"
#include "weir/study/figure_texts.h"

namespace weir::study {
namespace {

// In words, with its unit.
std::string value_in_words(double value, const std::string& unit) {
  const auto whole = static_cast<std::int64_t>(std::llround(value));
  if (unit == "ps") return format_value(Time{whole});
  if (unit == "B") return format_value(Bytes{whole});
  if (unit == "bit/s") return format_value(Rate{whole});
  return unit == "1" ? number_text(value) : fmt::format("{} {}", number_text(value), unit);
}

}  // namespace

std::optional<SpokeEnds> ends_of(const Spoke& spoke, const Measure& measure) {
  const Bounds bounds = measure.bounds();
  const SpokeEnds out{spoke.worst.value_or(bounds.least), spoke.best.value_or(bounds.most)};
  if (!std::isfinite(out.worst) || !std::isfinite(out.best) || out.worst == out.best) return std::nullopt;
  return out;
}

void add_at_spoke(const FigureSource& source, std::size_t spoke, double value, figure::Series& to) {
  const Spoke& of = source.spec.spokes[spoke];
  const SpokeEnds ends = *ends_of(of, *source.study().measure(of.measure));
  to.x.push_back(static_cast<double>(spoke));
  to.values.push_back(value);
  to.y.push_back(std::isnan(value) ? kNoValue : std::clamp((value - ends.worst) / (ends.best - ends.worst), 0.0, 1.0));
}

void draw_radar(const FigureSource& source, figure::Figure& out) {
  const Study& study = source.study();
  out.kind = "radar";
  out.x = {"measure", "1", "category", {}};
  out.y = {"place from the worst to the best", "1", "linear", {}};
  std::string scales;
  for (const Spoke& spoke : source.spec.spokes) {
    const Measure& m = *study.measure(spoke.measure);
    const SpokeEnds ends = *ends_of(spoke, m);
    out.x.categories.push_back(with_spaces(m.name()));
    out.x.units.push_back(m.unit());
    scales += fmt::format("{}{} {} to {}", scales.empty() ? "" : ", ", with_spaces(m.name()),
                          value_in_words(ends.worst, m.unit()), value_in_words(ends.best, m.unit()));
  }
  out.caption += fmt::format("{}From the middle to the rim: {}. What lies beyond is drawn there.",
                             out.caption.empty() ? "" : " ", scales);
  for (const Group& group : source.groups()) {
    figure::Series series;
    series.name = source.spec.params.series.empty() ? "measured" : group.name;
    for (std::size_t i = 0; i < source.spec.spokes.size(); ++i) {
      const Measure& m = *study.measure(source.spec.spokes[i].measure);
      const auto measure = static_cast<std::size_t>(&m - study.measures.data());
      const auto mean = source.measured.over_seeds(group.points.front(), measure);
      if (source.measured.is_the_largest(group.points.front(), measure)) series.few.push_back(i);
      add_at_spoke(source, i, mean ? mean->mean : kNoValue, series);
    }
    out.series.push_back(std::move(series));
  }
}

}  // namespace weir::study
