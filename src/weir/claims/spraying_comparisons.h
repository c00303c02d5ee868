// What claims say of bars (spraying.h), seed by seed: each function gives the comparisons that one such statement
// joins.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/claims/spraying.h"

namespace weir::claims {

using Comparisons = std::vector<Compared>;

// All of several lists.
inline Comparisons together(std::initializer_list<Comparisons> lists) {
  Comparisons out;
  for (const Comparisons& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

// By how much it is true with each of so many seeds.
inline Compared by_seed(std::string text, std::size_t seeds, const std::function<double(std::size_t seed)>& by,
                        bool strict = false) {
  Compared out{.text = std::move(text), .by = {}, .strict = strict};
  for (std::size_t seed = 0; seed < seeds; ++seed) out.by.push_back(by(seed));
  return out;
}

// A bar's increase is at most (or, strictly, below) `factor` times that of another one, plus so many points.
inline Compared below(const std::string& text, const Bar& a, double factor, const Bar& b, double points = 0,
                      bool strict = false) {
  return by_seed(
      text, a.increase.size(), [&](std::size_t s) { return factor * b.increase[s] + points - a.increase[s]; }, strict);
}

// The algorithm has the smallest increase of all with this balancer.
inline Comparisons is_best(const Figure& f, const Algorithm& a, const Balancer& b) {
  Comparisons out;
  for (const Algorithm& other : f.algorithms())
    if (other != a) out.push_back(below(fmt::format("{} <= {}, {}", a, other, b), f.at(a, b), 1, f.at(other, b)));
  return out;
}
inline Comparisons is_best_with_each(const Figure& f, const Algorithm& a) {
  Comparisons out;
  for (const Balancer& b : f.balancers()) out = together({out, is_best(f, a, b)});
  return out;
}
// It has the smallest of all bars with this balancer.
inline Comparisons is_lowest(const Figure& f, const Algorithm& a, const Balancer& b) {
  Comparisons out;
  for (const Algorithm& other : f.algorithms())
    for (const Balancer& with : f.balancers())
      if (other != a || with != b)
        out.push_back(below(fmt::format("{}, {} <= {}, {}", a, b, other, with), f.at(a, b), 1, f.at(other, with)));
  return out;
}

// The increase is at least `from`, and at most `to`, with each balancer.
inline Comparisons each_from(const Figure& f, const Algorithm& a, double from) {
  Comparisons out;
  for (const Balancer& b : f.balancers())
    out.push_back(by_seed(fmt::format("{}, {} >= {:g} %", a, b, from), f.at(a, b).increase.size(),
                          [&](std::size_t s) { return f.at(a, b).increase[s] - from; }));
  return out;
}
inline Comparisons each_up_to(const Figure& f, const Algorithm& a, double to) {
  Comparisons out;
  for (const Balancer& b : f.balancers())
    out.push_back(by_seed(fmt::format("{}, {} <= {:g} %", a, b, to), f.at(a, b).increase.size(),
                          [&](std::size_t s) { return to - f.at(a, b).increase[s]; }));
  return out;
}

// The first algorithm's increase is at most `factor` times the other one's, plus so many points, with each balancer.
inline Comparisons each_below(const Figure& f, const Algorithm& a, double factor, const Algorithm& than,
                              double points = 0, bool strict = false) {
  Comparisons out;
  for (const Balancer& b : f.balancers())
    out.push_back(below(fmt::format("{} {} {:g} {} + {:g} %, {}", a, strict ? "<" : "<=", factor, than, points, b),
                        f.at(a, b), factor, f.at(than, b), points, strict));
  return out;
}

// The balancer with which the ratio of the mean increases is the largest.
inline Balancer largest_ratio(const Figure& f, const Algorithm& over, const Algorithm& under) {
  Balancer out = f.balancers().front();
  const auto ratio = [&](const Balancer& b) { return f.mean(over, b) / f.mean(under, b); };
  for (const Balancer& b : f.balancers())
    if (ratio(b) > ratio(out)) out = b;
  return out;
}
// That increase is at least `factor` times the other one with the balancer with which it is most times.
inline Compared at_least_times(const Figure& f, const Algorithm& over, double factor, const Algorithm& under) {
  const Balancer b = largest_ratio(f, over, under);
  return below(fmt::format("{} >= {:g} {}, {}", over, factor, under, b), f.at(under, b), 1 / factor, f.at(over, b));
}

// The mean increase of all balancers is larger than in another figure.
inline Compared is_larger(const Figure& f, const Figure& than, const Algorithm& a, bool larger = true) {
  const auto mean = [&](const Figure& of, std::size_t s) {
    double sum = 0;
    for (const Balancer& b : of.balancers()) sum += of.at(a, b).increase[s];
    return sum / static_cast<double>(of.balancers().size());
  };
  return by_seed(
      fmt::format("{} {} than before", a, larger ? "larger" : "smaller"),
      f.at(a, f.balancers().front()).increase.size(),
      [&](std::size_t s) { return (larger ? 1 : -1) * (mean(f, s) - mean(than, s)); }, true);
}

}  // namespace weir::claims
