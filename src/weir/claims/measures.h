// What claims are judged by, computed from what a Watch has seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/units.h"
#include "weir/claims/watch.h"

namespace weir::claims {

// Spearman's rank correlation, -1 to 1: that of the ranks, values that are alike sharing the mean of theirs.
// 0 if all values of x or of y are alike.
double rank_correlation(std::span<const double> x, std::span<const double> y);

// Pearson's: that of the values themselves.
double linear_correlation(std::span<const double> x, std::span<const double> y);

// The standard deviation of all of a population.
double deviation(std::span<const double> x);

// Place floor(n p) of the ascending values, as elsewhere in Weir; p in thousandths.
double percentile(std::vector<double> x, unsigned thousandths);

// How often a curve turns from rising to falling or back; it has turned when it is `amplitude` away from its last
// extreme. It begins to rise or fall in the same way, which is no turn.
int turns(std::span<const double> curve, double amplitude);

// What active flows had at one instant.
struct Share {
  std::uint32_t src = 0;
  Time start;
  std::int64_t acked = 0;
  double rate = 0;  // pacing rate in bit/s
};
// A flow appears from its start to its finish, and no two flows have one source.
class Shares {
 public:
  struct Instant {
    Time time;
    std::vector<Share> flows;
  };

  // In order of time.
  void add(Time now, const host::FlowView& flow);
  const std::vector<Instant>& instants() const { return instants_; }

 private:
  std::vector<Instant> instants_;
};

// Jain's index of the flows active from `begin` to `end`; negative if there are fewer than two, or none sends.
struct Index {
  Time begin;
  Time end;
  double value = -1;
};
// At each instant, of pacing rates. `begin` is the previous instant.
std::vector<Index> index_of_rates(const Shares&);
// Of payload acknowledged in intervals, on whose grid are instants.
std::vector<Index> index_of_deliveries(const Shares&, Time interval);

// From the last start to the end of the first interval from which the index stays at least 0.95 for 50 us;
// Time::max() if there is none.
Time time_to_fairness(std::span<const Index>, Time last_start);
// Over intervals in [from, to] that have an index.
double mean_index(std::span<const Index>, Time from, Time to);

}  // namespace weir::claims
