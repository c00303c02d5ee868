// What is known of the clock of one host that we probe: its latest line, what that may be wrong by, and whether either
// clock has stepped.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hosts/clock/estimate.h"
#include "hosts/clock/pair_fit.h"

namespace weir::hosts::clock {

// Lines are fitted to the last `window`, twice and four times as much. The more there is the better a line's slope is
// known, and the more certainly some probes met no queue; the less even are clocks. The one with the smallest error
// counts.
//
// The margins of many windows tell the path's smallest delay. In a window whose margin is that, the fastest probes of
// both directions met no queue. Where it is larger they did, and the line may be wrong by as much.
//
// Times are by our clock.
class Edge {
 public:
  // A clock's drift is taken to change by `wander` per ns in a ns.
  Edge(std::int64_t window, double wander) : window_(window), wander_(wander) {}

  // Observations in any order; those that are older than the longest window are forgotten. False: this one came faster
  // than the line allows, and not it alone: a clock has stepped, and all that was known is void.
  bool add_ours(const Observation& o) { return add(o, 1); }
  bool add_theirs(const Observation& o) { return add(o, -1); }

  // Fits the windows that end at `now`. False: none agrees with what was known: a clock has stepped, and all is void.
  bool fit(std::int64_t now);

  // The latest line that could be fitted.
  const std::optional<PairLine>& line() const { return line_; }
  // What it says of `t` and later; there must be one.
  Estimate estimate(std::int64_t t) const;
  // When the last observations of both directions were made; INT64_MIN: never.
  std::int64_t last_seen() const;

  void forget();

  // For the status.
  std::uint64_t steps() const { return steps_; }
  // The share of pure observations, of the last few seconds.
  double purity() const { return purity_; }

 private:
  struct Floor {
    double delay = 0;  // the smallest one, ns
    double noise = 0;  // within which it is known
    bool settled = false;
  };

  bool add(const Observation& o, int sign);
  bool too_early(const Observation& o, int sign);
  Floor floor(double smallest) const;
  void thin(std::deque<Observation>& list, int sign);
  double error_at(std::int64_t t) const;
  void compare(std::int64_t now);

  std::int64_t window_;
  double wander_;
  std::deque<Observation> ours_;  // since the last fit; of earlier ones, those that may still matter
  std::deque<Observation> theirs_;
  std::int64_t thinned_ = INT64_MIN;  // until when
  std::optional<PairLine> line_;
  std::deque<PairLine> earlier_;    // lines that predict now, and are looked at later
  double scale_ = 1;                // by which predictions were worse than they said
  std::deque<double> margins_;      // of the windows that counted
  std::deque<std::int64_t> early_;  // when observations came too early
  std::uint64_t steps_ = 0;
  double purity_ = 0;
};

}  // namespace weir::hosts::clock
