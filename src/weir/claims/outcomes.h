// Figures of several outcomes of a staggered incast, and how they are told: times in us, queues in KB.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/claims/evaluator.h"
#include "weir/claims/staggered.h"
#include "weir/study/range_text.h"

namespace weir::claims {

// One figure of each outcome.
template <class Figure>
std::vector<double> all(const std::vector<Outcome>& outcomes, Figure figure) {
  std::vector<double> out;
  for (const Outcome& o : outcomes) out.push_back(figure(o));
  return out;
}
inline double most(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
inline double least(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }

inline std::string text(double value, int digits = 0) {
  return std::isinf(value) ? "never" : fmt::format("{:.{}f}", value, digits);
}
// "a" or "a to b".
inline std::string range(const std::vector<double>& x, int digits = 0) {
  return study::range_text("{}", text(least(x), digits), text(most(x), digits));
}

inline double spread(const Outcome& o) { return o.spread; }
inline double deviation_of(const Outcome& o) { return o.deviation; }
inline double correlation(const Outcome& o) { return o.correlation; }
inline double fair_rates(const Outcome& o) { return o.fair_rates; }
inline double fair_deliveries(const Outcome& o) { return o.fair_deliveries; }
inline double mean_queue(const Outcome& o) { return kb(o.queue.mean); }
inline double p50_queue(const Outcome& o) { return kb(o.queue.p50); }
inline double p95_queue(const Outcome& o) { return kb(o.queue.p95); }
inline double swing(const Outcome& o) { return kb(o.queue.swing()); }

}  // namespace weir::claims
