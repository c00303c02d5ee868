#include "hosts/clock/pair_fit.h"

#include <algorithm>
#include <cmath>

#include "hosts/clock/line.h"

namespace weir::hosts::clock {
namespace {

// How far behind its window a line is asked for, ns: errors are exact there and in the middle.
constexpr std::int64_t kBeyond = 1'000'000'000;

std::size_t count_pure(std::span<const Observation> list) {
  return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [](const Observation& o) { return o.pure; }));
}

std::vector<Dot> dots(std::span<const Observation> list, const PairFit& fit) {
  std::vector<Dot> out;
  out.reserve(list.size());
  for (const Observation& o : list) {
    if (fit.pure && !o.pure) continue;
    out.push_back({static_cast<double>(o.at - fit.at), static_cast<double>(o.difference - fit.origin)});
  }
  return out;
}

void drop(std::vector<Dot>& list, const std::vector<std::size_t>& dropped) {
  for (auto i = dropped.rbegin(); i != dropped.rend(); ++i) list.erase(list.begin() + static_cast<std::ptrdiff_t>(*i));
}

void keep(std::vector<Dot>& list, const std::vector<std::size_t>& places) {
  std::vector<Dot> kept;
  for (const std::size_t i : places) kept.push_back(list[i]);
  list = std::move(kept);
}

}  // namespace

double PairLine::error_at(std::int64_t t) const {
  return std::hypot(offset_error, drift_error * static_cast<double>(t - at));
}

PairLine PairFit::judged(double floor, double noise) const {
  PairLine out;
  out.at = at;
  out.offset = origin + std::llround(line.at(0));
  out.drift = line.slope;
  out.margin = line.margin;
  // All lines that leave the smallest delay to both sides are possible. If what is left is less than that, clocks did
  // not run evenly, and the line is wrong by about as much.
  const double doubt = std::abs(line.margin - floor) + noise;
  const double beyond = static_cast<double>(half + kBeyond);
  const auto wrong_at = [&](double x) {
    const auto range = heights(upper, lower, line, line.margin - doubt, x, kDriftLimit);
    return range ? std::max(range->most - line.at(x), line.at(x) - range->least) : doubt;
  };
  out.offset_error = std::max(wrong_at(0), noise);
  out.bias = std::clamp(line.margin - floor - noise, 0.0, out.offset_error);
  const double then = std::max(wrong_at(beyond), out.offset_error);
  out.drift_error = std::max(std::sqrt(then * then - out.offset_error * out.offset_error), noise) / beyond;
  return out;
}

std::optional<PairFit> fit_pair(std::span<const Observation> ours, std::span<const Observation> theirs,
                                std::int64_t span) {
  if (ours.size() < kFewestObservations || theirs.size() < kFewestObservations) return std::nullopt;
  const std::int64_t begin = std::max(ours.front().at, theirs.front().at);
  const std::int64_t end = std::min(ours.back().at, theirs.back().at);
  if (end - begin < span) return std::nullopt;

  PairFit fit;
  fit.half = (end - begin) / 2;
  fit.at = begin + fit.half;
  fit.origin = theirs.front().difference;
  fit.pure = count_pure(ours) >= kFewestObservations && count_pure(theirs) >= kFewestObservations;
  fit.upper = dots(ours, fit);
  fit.lower = dots(theirs, fit);
  const std::size_t allowed = std::min<std::size_t>(40, (fit.upper.size() + fit.lower.size()) / 20);
  auto soft = soft_margin(fit.upper, fit.lower, allowed);
  if (!soft) return std::nullopt;
  fit.dropped = soft->dropped_upper.size() + soft->dropped_lower.size();
  drop(fit.upper, soft->dropped_upper);
  drop(fit.lower, soft->dropped_lower);
  keep(fit.upper, facing_upper(fit.upper));
  keep(fit.lower, facing_lower(fit.lower));
  fit.line = std::move(soft->line);
  return fit;
}

}  // namespace weir::hosts::clock
