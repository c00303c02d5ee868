// The largest of recent values in constant space: the best value, the best after that one, and the best after the
// second, so that a successor is ready when the best grows too old (K. Nichols' filter in Linux). It may forget a
// value that would have been the largest later, but not one of the last quarter of the window.
#pragma once

#include <array>
#include <cstdint>

namespace weir::cc {

class WindowedMax {
 public:
  double value() const { return best_[0].value; }

  // Adds a value of round `now`; values are remembered for `length` rounds. Rounds may wrap.
  void add(std::uint32_t length, std::uint32_t now, double value) {
    const Entry entry{value, now};
    if (value >= best_[0].value || now - best_[2].round > length) {
      best_.fill(entry);
      return;
    }
    if (value >= best_[1].value)
      best_[1] = best_[2] = entry;
    else if (value >= best_[2].value)
      best_[2] = entry;
    age(length, entry);
  }

 private:
  struct Entry {
    double value = 0;
    std::uint32_t round = 0;
  };

  // As the window moves on, the next best moves up. After a quarter of it, and after half, whatever comes is taken as
  // second and third if there is none yet, so that they are not all of one time.
  void age(std::uint32_t length, const Entry& entry) {
    const std::uint32_t passed = entry.round - best_[0].round;
    if (passed > length) {
      best_ = {best_[1], best_[2], entry};
      if (entry.round - best_[0].round > length) best_ = {best_[1], best_[2], entry};
    } else if (best_[1].round == best_[0].round && passed > length / 4) {
      best_[1] = best_[2] = entry;
    } else if (best_[2].round == best_[1].round && passed > length / 2) {
      best_[2] = entry;
    }
  }

  std::array<Entry, 3> best_;
};

}  // namespace weir::cc
