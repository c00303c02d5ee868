// The median of the latest congestion signals: a part for algorithms that react to one signal per acknowledgement
// (Gerstein, Silberstein, Keslassy: Congestion Control for Spraying with Congested Paths, section III).
//
// A flow that sprays hears of many paths in turn, and one that reacts to each signal follows its worst path. The median
// of the last H signals follows what most paths say. H is a compromise between steadiness and age. The paper's rule of
// thumb samples the growth of a window twice for each packet that it grows by: a window that grows by one in K packets
// has H = max(K / 2, 1) (equation 7), with K = W for Swift (8) and K = min(W, 8) for NSCC (9).
//
// Any other percentile may take the median's place. For an even H the median is the lower of the two in the middle.
//
// Hardware would not sort. The approximation here is a tree of comparators: each takes the median of three successive
// signals (the lower of two, where two are left), and the next level does the same with the results, until one remains.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "weir/base/params.h"

namespace weir::cc {

class MedianFilter {
 public:
  static constexpr std::size_t kCapacity = 256;
  enum class Selection : std::uint8_t { exact, tree };

  struct Params {
    std::int32_t history = 0;
    double nyquist_most = 0;
    double percentile = 50;
    Selection selection = Selection::exact;
    static void describe(ParamList<Params>&);
  };

  // H for a window of so many packets (any number >= 0): from 1 to kCapacity.
  static std::size_t history(const Params& p, double window) {
    if (p.history > 0) return static_cast<std::size_t>(p.history);
    const double k = p.nyquist_most > 0 ? std::min(window, p.nyquist_most) : window;
    return static_cast<std::size_t>(std::clamp(k / 2, 1.0, static_cast<double>(kCapacity)));
  }

  // Adds a signal, keeps the newest h, 1 <= h <= kCapacity, and gives their percentile. While there are fewer, those
  // count. Signals keep 24 significant bits: a delay is exact up to 16.7 us, in picoseconds. With h = 1 the signal
  // itself comes back.
  double observe(const Params& p, double signal, std::size_t h);

  std::size_t size() const { return size_; }

 private:
  template <class F>
  std::size_t count_if(F&& f) const;
  void add(float signal);
  void drop_oldest();
  float tree() const;

  std::array<float, kCapacity> ring_;          // in order of arrival; the newest is before next_
  std::array<std::uint8_t, kCapacity> order_;  // places in the ring by size, equal signals by age
  std::uint16_t size_ = 0;
  std::uint8_t next_ = 0;
};

}  // namespace weir::cc
