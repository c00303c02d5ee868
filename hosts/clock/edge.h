// What is known of the clock of one host that we probe: its latest line, what that may be wrong by, and whether either
// clock has stepped.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "hosts/clock/estimate.h"
#include "hosts/clock/least_delay.h"
#include "hosts/clock/pair_fit.h"

namespace weir::hosts::clock {

// What is known of a pair and outlasts the agent. Times are by our clock.
struct EdgeMemory {
  std::optional<PairLine> line;
  struct Least {
    std::int64_t at = 0;
    double delay = 0;  // ns, one way
    double noise = 0;  // within which it is known, ns
  };
  std::optional<Least> least;
};

// Lines are fitted to the last `window`, twice and four times as much. The more there is the better a line's slope is
// known, and the more certainly some probes met no queue; the less even are clocks. The one with the smallest error
// counts. A line of before counts on, with an error that grows, as long as it is known better than by half than what
// the windows of now tell: a queue that stands in one direction looks like another offset, and only makes lines worse.
//
// In a window whose margin is the path's least delay, the fastest probes of both directions met no queue. Where it is
// larger they did, and the line may be wrong by as much.
//
// When a clock steps, one direction becomes faster by as much as the other becomes slower, and the round trip stays as
// it is. When a queue ends, a direction becomes faster alone.
//
// Times are by our clock.
class Edge {
 public:
  // The drift of one clock against the other is taken to change by `wander` per ns in a ns. Probes that took up to
  // `near` ns longer than the least delay count as being as fast.
  Edge(std::int64_t window, double wander, double near = 0)
      : window_(window), wander_(wander), near_(near), least_(window) {}

  // What an agent before us knew. The line counts once some observations of both directions agree with it.
  void restore(const EdgeMemory& memory);
  EdgeMemory memory() const;

  // Observations in any order; those that are older than the longest window are forgotten. False: this one came faster
  // than the line allows, and not it alone: a clock has stepped, and what was known of it is void.
  bool add_ours(const Observation& o) { return add(o, 1); }
  bool add_theirs(const Observation& o) { return add(o, -1); }

  // Fits the windows that end at `now`. False: none agrees with what was known: a clock has stepped, and that is void.
  bool fit(std::int64_t now);

  // Between two fits at first contact, where no line is known, or a poor one: the one that can be had by now counts
  // until the next fit, if it is better. Nothing else changes. True: there is one.
  bool improve(std::int64_t now);

  // The line that counts.
  std::optional<PairLine> line() const { return meanwhile_ ? meanwhile_ : is_confirmed() ? line_ : std::nullopt; }
  // What it says of `t` and later; there must be one.
  Estimate estimate(std::int64_t t) const;
  // The least delay of the path is known, and the last probes of both directions were as fast: there is no queue that
  // more probes could find a way around.
  bool knows_least_delay() const;
  // Something came too early, or a direction is not as fast as it was: more probes should tell what is the matter.
  bool is_alarmed() const { return queues_ || !early_.empty(); }
  // When the last observations of both directions were made; INT64_MIN: never.
  std::int64_t last_seen() const;

  // Observations are void, since the other host may have been started anew or stamps were wrong. The line counts again
  // once new ones agree with it.
  void doubt();

  // For the status.
  std::uint64_t steps() const { return steps_; }
  // The share of pure observations, of the last few seconds.
  double purity() const { return purity_; }

 private:
  struct Early {
    Observation observation;
    int sign = 1;
  };
  enum class Finding : std::uint8_t { nothing, step, shorter };
  // Since some time, along the line.
  struct Trips {
    double half = 0;  // of the least round trip, ns; infinite if there is none
    int fewest = 0;   // observations of either direction
    int most = 0;
  };

  bool add(const Observation& o, int sign);
  double delay(const Observation& o, int sign) const;
  bool is_early(const Observation& o, int sign) const;
  Finding what_early_ones_tell() const;
  Trips trips(std::int64_t since) const;
  double least_delay() const;
  bool is_confirmed() const;
  void shorten(double half_trip);
  bool lost_its_witness(std::int64_t now);
  void look_for_witness(const Observation& o, int sign);
  void step();
  void void_line();
  void thin(std::deque<Observation>& list, int sign);
  std::vector<PairFit> fits(std::int64_t now) const;
  std::optional<PairLine> best(std::span<const PairFit> fits) const;
  double error_at(const PairLine& line, std::int64_t t) const;
  double error_at(std::int64_t t) const { return scale_ * error_at(*line_, t); }
  void compare(std::int64_t now);

  std::int64_t window_;
  double wander_;
  double near_;
  std::deque<Observation> ours_;  // since the last fit; of earlier ones, those that may still matter
  std::deque<Observation> theirs_;
  std::int64_t thinned_ = INT64_MIN;  // until when
  std::optional<PairLine> line_;
  bool queues_ = false;                // one direction at least, lately
  std::optional<PairLine> meanwhile_;  // until the next fit
  std::optional<PairLine> tight_;      // the same, with the error that it has if its margin is the least delay
  int guessed_ = 0;
  std::deque<PairLine> earlier_;  // lines that predict now, and are looked at later
  double scale_ = 1;              // by which predictions were worse than they said
  LeastDelay least_;
  std::deque<Early> early_;  // observations that came too early
  // of a line that was known before: observations of either direction that agree with it
  bool doubted_ = false;
  std::array<int, 2> agree_{};
  // Of the last observations of either direction, the latest in the lowest bit: whether they were near the least delay.
  std::array<std::uint32_t, 2> witnesses_{};
  std::uint64_t steps_ = 0;
  double purity_ = 0;
};

}  // namespace weir::hosts::clock
