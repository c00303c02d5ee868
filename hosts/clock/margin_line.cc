#include "hosts/clock/margin_line.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir::hosts::clock {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// The corners of a hull from left to right: of the lower hull, or of the upper hull with y negated.
struct Hull {
  std::vector<std::size_t> corners;
  std::span<const Dot> dots;
  double sign = 1;

  double x(std::size_t i) const { return dots[corners[i]].x; }
  double y(std::size_t i) const { return sign * dots[corners[i]].y; }
  double slope(std::size_t i) const { return (y(i + 1) - y(i)) / (x(i + 1) - x(i)); }  // of the side after corner i
};

Hull lower_hull(std::span<const Dot> dots, double sign) {
  Hull hull{{}, dots, sign};
  auto& c = hull.corners;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const double x = dots[i].x;
    const double y = sign * dots[i].y;
    // of points above each other only the lowest counts
    if (!c.empty() && dots[c.back()].x == x) {
      if (sign * dots[c.back()].y <= y) continue;
      c.pop_back();
    }
    while (c.size() >= 2) {
      const double x1 = dots[c[c.size() - 2]].x, y1 = sign * dots[c[c.size() - 2]].y;
      const double x2 = dots[c.back()].x, y2 = sign * dots[c.back()].y;
      if ((x2 - x1) * (y - y1) > (y2 - y1) * (x - x1)) break;
      c.pop_back();
    }
    c.push_back(i);
  }
  return hull;
}

// A hull at one place: its height, the slopes that support it there, and the corners that do.
struct Support {
  double y = 0;
  double least = -kUnbounded;
  double most = kUnbounded;
  std::size_t first = 0;
  std::size_t last = 0;
};

// `i` is the last corner at or before x, and there is a corner at or after x.
Support support(const Hull& hull, std::size_t i, double x) {
  if (hull.x(i) == x) {
    Support s{hull.y(i), -kUnbounded, kUnbounded, i, i};
    if (i > 0) s.least = hull.slope(i - 1);
    if (i + 1 < hull.corners.size()) s.most = hull.slope(i);
    return s;
  }
  const double slope = hull.slope(i);
  return {hull.y(i) + slope * (x - hull.x(i)), slope, slope, i, i + 1};
}

double middle(double least, double most) {
  if (least == -kUnbounded && most == kUnbounded) return 0;
  if (least == -kUnbounded) return most;
  if (most == kUnbounded) return least;
  return (least + most) / 2;
}

MarginLine line_at(const Hull& above, const Hull& below, std::size_t i, std::size_t j, double x) {
  const Support u = support(above, i, x);
  const Support l = support(below, j, x);
  MarginLine line;
  line.x = x;
  // the hull from below is upside down, and so are its slopes
  line.y = (u.y - l.y) / 2;
  line.margin = (u.y + l.y) / 2;
  const double least = std::max(u.least, -l.most);
  const double most = std::min(u.most, -l.least);
  line.slope = middle(least, most);
  for (std::size_t k = u.first; k <= u.last; ++k) line.upper.push_back(above.corners[k]);
  for (std::size_t k = l.first; k <= l.last; ++k) line.lower.push_back(below.corners[k]);
  return line;
}

std::vector<Dot> without(std::span<const Dot> dots, std::span<const std::size_t> dropped) {
  std::vector<Dot> left;
  left.reserve(dots.size());
  for (std::size_t i = 0; i < dots.size(); ++i) {
    if (std::find(dropped.begin(), dropped.end(), i) == dropped.end()) left.push_back(dots[i]);
  }
  return left;
}

// The place in `dots` of what is at `i` when those at `dropped` (sorted) are left out.
std::size_t original(std::size_t i, std::span<const std::size_t> dropped) {
  for (const std::size_t d : dropped) {
    if (d <= i) ++i;
  }
  return i;
}

std::optional<MarginLine> fit_without(std::span<const Dot> upper, std::span<const Dot> lower,
                                      const std::vector<std::size_t>& no_upper,
                                      const std::vector<std::size_t>& no_lower) {
  auto line = max_margin(without(upper, no_upper), without(lower, no_lower));
  if (!line) return line;
  for (auto& i : line->upper) i = original(i, no_upper);
  for (auto& i : line->lower) i = original(i, no_lower);
  return line;
}

void insert_sorted(std::vector<std::size_t>& list, std::size_t value) {
  list.insert(std::upper_bound(list.begin(), list.end(), value), value);
}

// The line without one more point, the one whose loss widens the distance most.
std::optional<SoftMarginLine> without_one(std::span<const Dot> upper, std::span<const Dot> lower,
                                          const SoftMarginLine& now) {
  std::optional<SoftMarginLine> best;
  const auto consider = [&](std::vector<std::size_t> no_upper, std::vector<std::size_t> no_lower) {
    const auto line = fit_without(upper, lower, no_upper, no_lower);
    if (line && (!best || line->margin > best->line.margin)) {
      best = SoftMarginLine{*line, std::move(no_upper), std::move(no_lower)};
    }
  };
  for (const std::size_t i : now.line.upper) {
    auto dropped = now.dropped_upper;
    insert_sorted(dropped, i);
    consider(std::move(dropped), now.dropped_lower);
  }
  for (const std::size_t i : now.line.lower) {
    auto dropped = now.dropped_lower;
    insert_sorted(dropped, i);
    consider(now.dropped_upper, std::move(dropped));
  }
  return best;
}

// The highest line of a slope that has no point of the upper set below it, at x = 0; and the lowest one.
double ceiling(std::span<const Dot> upper, double slope) {
  double y = kUnbounded;
  for (const Dot& d : upper) y = std::min(y, d.y - slope * d.x);
  return y;
}
double ground(std::span<const Dot> lower, double slope) {
  double y = -kUnbounded;
  for (const Dot& d : lower) y = std::max(y, d.y - slope * d.x);
  return y;
}

// Where a concave function is largest in [a, b].
template <typename Function>
double largest(double a, double b, const Function& f) {
  for (int i = 0; i < 40; ++i) {
    const double c = a + (b - a) * 0.45;
    const double d = a + (b - a) * 0.55;
    if (f(c) < f(d)) {
      a = c;
    } else {
      b = d;
    }
  }
  return f((a + b) / 2);
}

}  // namespace

std::vector<std::size_t> facing_upper(std::span<const Dot> upper) { return lower_hull(upper, 1).corners; }
std::vector<std::size_t> facing_lower(std::span<const Dot> lower) { return lower_hull(lower, -1).corners; }

std::optional<Heights> heights(std::span<const Dot> upper, std::span<const Dot> lower, const MarginLine& widest,
                               double margin, double x, double steepest) {
  if (upper.empty() || lower.empty() || widest.margin < margin) return std::nullopt;
  // the slopes that leave enough room are an interval around that of the widest line
  const auto fits = [&](double slope) { return ceiling(upper, slope) - ground(lower, slope) >= 2 * margin; };
  const auto last = [&](double step) {
    double inside = widest.slope;
    double outside = widest.slope + step;
    if (fits(outside)) return outside;
    for (int i = 0; i < 50; ++i) {
      const double middle = (inside + outside) / 2;
      (fits(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  const double least = last(-steepest);
  const double most = last(steepest);
  const double top = largest(least, most, [&](double s) { return ceiling(upper, s) - margin + s * x; });
  const double bottom = -largest(least, most, [&](double s) { return -(ground(lower, s) + margin + s * x); });
  return Heights{bottom, top};
}

std::optional<MarginLine> max_margin(std::span<const Dot> upper, std::span<const Dot> lower) {
  if (upper.empty() || lower.empty()) return std::nullopt;
  const double begin = std::max(upper.front().x, lower.front().x);
  const double end = std::min(upper.back().x, lower.back().x);
  if (begin > end) return std::nullopt;
  const Hull above = lower_hull(upper, 1);
  const Hull below = lower_hull(lower, -1);

  // walk over the corners of both in order; the distance is convex, and least at one of them or at an end
  std::size_t i = 0;
  std::size_t j = 0;
  double best_distance = kUnbounded;
  double best_x = begin;
  std::size_t best_i = 0;
  std::size_t best_j = 0;
  double x = begin;
  while (true) {
    while (i + 1 < above.corners.size() && above.x(i + 1) <= x) ++i;
    while (j + 1 < below.corners.size() && below.x(j + 1) <= x) ++j;
    const double distance = support(above, i, x).y + support(below, j, x).y;
    if (distance < best_distance) {
      best_distance = distance;
      best_x = x;
      best_i = i;
      best_j = j;
    }
    if (x >= end) break;
    double next = end;
    if (i + 1 < above.corners.size()) next = std::min(next, above.x(i + 1));
    if (j + 1 < below.corners.size()) next = std::min(next, below.x(j + 1));
    x = next;
  }
  return line_at(above, below, best_i, best_j, best_x);
}

std::optional<SoftMarginLine> soft_margin(std::span<const Dot> upper, std::span<const Dot> lower, std::size_t allowed) {
  const auto hard = max_margin(upper, lower);
  if (!hard) return std::nullopt;
  SoftMarginLine now{*hard, {}, {}};
  if (now.line.margin > 0) return now;

  // Wrong points are those whose losses widen the distance much more than the losses of the next few do: `likes` of
  // them are looked at beyond each.
  constexpr std::size_t likes = 4;
  constexpr double much = 10;
  std::vector<SoftMarginLine> steps{now};
  while (steps.size() <= allowed + likes) {
    auto next = without_one(upper, lower, steps.back());
    if (!next) break;
    steps.push_back(std::move(*next));
    // enough has been seen when the sets are apart and the last few steps were small
    const std::size_t n = steps.size();
    if (n > 2 * likes + 1 && steps[n - 1 - 2 * likes].line.margin > 0) break;
  }
  std::optional<std::size_t> chosen;
  for (std::size_t k = 1; k < steps.size() && k <= allowed; ++k) {
    if (steps[k].line.margin <= 0) continue;
    if (!chosen) {
      chosen = k;
      continue;
    }
    const std::size_t beyond = std::min(steps.size() - 1, k + likes);
    const double later =
        beyond > k ? (steps[beyond].line.margin - steps[k].line.margin) / static_cast<double>(beyond - k) : 0;
    if (beyond > k && steps[k].line.margin - steps[k - 1].line.margin > much * later) chosen = k;
  }
  if (!chosen) return std::nullopt;
  return steps[*chosen];
}

}  // namespace weir::hosts::clock
