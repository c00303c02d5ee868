#include "weir/study/figure_source.h"

#include <fmt/format.h>

#include <cmath>

namespace weir::study {

std::vector<Group> FigureSource::groups() const {
  const auto has = [&](std::size_t point, std::size_t axis, std::size_t label) {
    return measured.points[point][axis] == label;
  };
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < measured.points.size(); ++i)
    if (std::all_of(spec.only.begin(), spec.only.end(), [&](const auto& o) {
          const std::size_t axis = study().axis(o.first);
          return has(i, axis, *study().axes[axis].find(o.second));
        }))
      chosen.push_back(i);
  const FigureParams& p = spec.params;
  if (p.series.empty()) return {{p.measure.empty() ? p.column : p.measure, chosen}};
  std::vector<Group> out;
  const std::size_t axis = study().axis(p.series);
  for (std::size_t label = 0; label < study().axes[axis].points.size(); ++label) {
    Group group{study().axes[axis].points[label].label, {}};
    for (const std::size_t i : chosen)
      if (has(i, axis, label)) group.points.push_back(i);
    if (!group.points.empty()) out.push_back(std::move(group));
  }
  return out;
}

std::vector<std::size_t> FigureSource::runs(const Group& group) const {
  std::vector<std::size_t> out;
  for (const std::size_t point : group.points)
    for (std::size_t seed = 0; seed < measured.seeds; ++seed) {
      const std::size_t run = point * measured.seeds + seed;
      const std::int64_t wanted = spec.params.seed;
      if (wanted >= 0 && measured.planned[run].seed != static_cast<std::uint64_t>(wanted)) continue;
      if (measured.runs[run].status != Record::Status::done) continue;
      out.push_back(run);
      if (spec.kind->one_run) return out;
    }
  return out;
}

std::vector<std::string> FigureSource::run_dirs(const Group& group) const {
  std::vector<std::string> out;
  for (const std::size_t run : runs(group)) out.push_back(fmt::format("{}/runs/{}", dir, measured.planned[run].name));
  return out;
}

bool FigureSource::in_span(double time) const {
  const FlowFilter& f = spec.params.filter;
  return time >= static_cast<double>(f.from.ps) && (f.until == Time{} || time < static_cast<double>(f.until.ps));
}

void Means::add(figure::Series& series, double x, const std::optional<Interval>& y, const Basis& basis) {
  if (y && basis.few) series.few.push_back(series.x.size());
  series.x.push_back(x);
  series.y.push_back(y ? y->mean : kNoValue);
  series.count.push_back(basis.count);
  if (!has_whiskers_) return;
  const bool is_told = y && !std::isnan(y->low) && is_informative(*y);
  series.low.push_back(is_told ? y->low : kNoValue);
  series.high.push_back(is_told ? y->high : kNoValue);
  left_out_ = left_out_ || (y && !std::isnan(y->low) && !is_told);
  if (!is_told) return;
  fewest_ = fewest_ == 0 ? y->count : std::min(fewest_, y->count);
  most_ = std::max(most_, y->count);
}

std::string Means::whiskers() const {
  if (fewest_ == 0) return "";
  const std::string seeds = fewest_ == most_ ? fmt::format("{}", most_) : fmt::format("{} to {}", fewest_, most_);
  return fmt::format("95 % confidence interval of the mean over {} seeds{}", seeds,
                     left_out_ ? "; none where they do not tell the order of magnitude" : "");
}

}  // namespace weir::study
