// The least one-way delay of a path, which is half of its least round trip. Two-way probes alone say no more of a clock
// than that it is wrong by half of the round trip at most; who knows the least one subtracts it, since only what a
// window's fastest probes took longer can have been a queue of one direction.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace weir::hosts::clock {

// What stamps are good for, ns.
inline constexpr double kStampNoise = 20;

// Margins of windows (PairLine::margin) go in. The least delay is known once windows without common probes agree on it:
// the ways of a path are the same every time, and queues are not. What is known stays so: windows that queue do not
// change it. It is forgotten an hour after the last window that was as fast, so after a change to a longer route bounds
// are wider by the difference for so long.
class LeastDelay {
 public:
  struct Floor {
    double delay = 0;  // ns; 0 as long as nothing is known, which is true in any case
    double noise = 0;  // within which margins tell it, ns
    bool known = false;
  };

  explicit LeastDelay(std::int64_t window) : window_(window) {}

  // The margins at `at` of the line that counts, and of one that was fitted to the last `window` only. Times rise.
  void add(std::int64_t at, double margin, double latest);
  const Floor& floor() const { return floor_; }
  // An agent before us has known this.
  void remember(std::int64_t at, double delay, double noise);
  // A round trip was shorter than what was taken for the least: begins anew.
  void forget();

 private:
  std::optional<double> agreed() const;

  struct Period {
    std::int64_t begin = 0;
    double delay = 0;
    double noise = 0;
  };
  std::int64_t window_;
  std::deque<double> margins_;  // of half a minute at two fits per second
  std::deque<double> apart_;    // of windows that share no probes
  std::int64_t apart_at_ = 0;
  std::deque<Period> periods_;
  Floor floor_{0, kStampNoise, false};
};

}  // namespace weir::hosts::clock
