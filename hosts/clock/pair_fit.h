// How the clock of one other host runs, from the probes of a window (Huygens, section 4.2).
//
// With theta(t) = their clock minus ours at our time t, a probe of ours has (time of receipt - time of sending) = delay
// + theta, and lies above theta; one of theirs has (time of sending - time of receipt) = theta - delay, and lies below.
// If the smallest delays are the same in both directions, theta is the line between the two sets that is farthest from
// both, and its margin is the smallest delay. What differs between the smallest delays of the two directions cannot be
// seen in a pair: half of it is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hosts/clock/margin_line.h"

namespace weir::hosts::clock {

// A probe. Of ours: when it left, and their time of receipt minus that. Of theirs: when it came, and their time of
// sending minus that. All in ns.
struct Observation {
  std::int64_t at = 0;  // by our clock
  std::int64_t difference = 0;
  bool pure = false;  // the coded pair arrived as it was sent
};

// theta(t) = offset + drift (t - at), where `at` is the middle of the window. Its error at time t is
// hypot(offset_error, drift_error (t - at)).
struct PairLine {
  std::int64_t at = 0;      // our time
  std::int64_t offset = 0;  // ns
  double drift = 0;         // ns per ns
  double offset_error = 0;  // ns
  double drift_error = 0;   // ns per ns
  double margin = 0;        // ns, the smallest one-way delay
  // Of offset_error, what a queue of one direction may have added: all lines that end at a host whose port queues are
  // wrong by that in the same direction, so it does not become less by averaging. ns
  double bias = 0;

  double offset_at(std::int64_t t) const { return static_cast<double>(offset) + drift * static_cast<double>(t - at); }
  double error_at(std::int64_t t) const;
};

// A window that has been fitted.
struct PairFit {
  std::int64_t at = 0;      // the middle, our time
  std::int64_t half = 0;    // from there to its ends, ns
  std::int64_t origin = 0;  // heights of dots count from here, and places from `at`
  MarginLine line;
  std::vector<Dot> upper;  // the dots that stand for all
  std::vector<Dot> lower;
  std::size_t dropped = 0;  // observations that contradicted the others
  bool pure = false;        // only pure ones were used

  // The line with what it may be wrong by if the smallest delay is `floor` (margin - floor being what queues added in
  // this window, or less than nothing where clocks did not run evenly), known within `noise`. All in ns.
  PairLine judged(double floor, double noise) const;
};

// Observations of a direction at least. With fewer pure ones, the others are used as well: the line follows from the
// fastest probes of either direction, and queues only make probes slower.
inline constexpr std::size_t kFewestObservations = 20;

// Both lists in order of `at`. Nothing if there are too few, if the two directions were not seen at the same time for
// `span` at least, or if more than one in twenty observations contradicts the rest.
std::optional<PairFit> fit_pair(std::span<const Observation> ours, std::span<const Observation> theirs,
                                std::int64_t span);

}  // namespace weir::hosts::clock
