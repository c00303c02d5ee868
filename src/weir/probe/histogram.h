// A distribution of byte counts in bounded memory.
//
// Bins are exact up to 255, then 128 to each doubling, so that a bin is narrower than 1/128 of
// its values. A bin also sums its values and is reported as their mean: exact wherever all
// values of a bin are equal, which is the rule for queues of full packets.
//
// A value counts once, or with the weight that it is added with: how long it lasted.
//
// Memory: 3,328 bins of 16 bytes, 52 KiB.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "weir/probe/statistics.h"

namespace weir::probe {

// Each value counts once: counts of one port's values in 32 bits, and sums of values in 64.
struct Samples {
  using Count = std::uint32_t;
  using Sum = std::uint64_t;
};
// Values count for picoseconds. Bytes times picoseconds, summed over ports, take more than 64 bits; sums are kept with
// the 53 bits of a double.
struct Durations {
  using Count = std::uint64_t;
  using Sum = double;
};

template <class Weights>
class HistogramOf {
 public:
  using Sum = typename Weights::Sum;

  void add(std::uint32_t value) { add(value, index(value)); }
  // `at` is index(value).
  void add(std::uint32_t value, std::uint32_t at, typename Weights::Count weight = 1) {
    Bin& bin = (*bins_)[at];
    bin.count += weight;
    bin.sum += static_cast<Sum>(value) * static_cast<Sum>(weight);
    count_ += weight;
    if (value > max_) max_ = value;
  }

  void merge(const HistogramOf& o) {
    for (std::size_t i = 0; i < bins_->size(); ++i) {
      (*bins_)[i].count += (*o.bins_)[i].count;
      (*bins_)[i].sum += (*o.bins_)[i].sum;
    }
    count_ += o.count_;
    max_ = std::max(max_, o.max_);
  }

  std::uint64_t count() const { return count_; }
  std::uint32_t max() const { return max_; }

  // The percentile rule of statistics.h, within 1/128 of the value. Something has been added.
  double percentile(unsigned thousandths) const {
    std::uint64_t left = percentile_place(count_, thousandths);
    for (const Bin& bin : *bins_) {
      if (left < bin.count) return bin.mean();
      left -= bin.count;
    }
    return max_;
  }

  Distribution distribution() const {
    if (count_ == 0) return {};
    Sum sum = 0;
    for (const Bin& bin : *bins_) sum += bin.sum;
    return {.count = count_,
            .mean = static_cast<double>(sum) / static_cast<double>(count_),
            .p50 = percentile(500),
            .p95 = percentile(950),
            .p99 = percentile(990),
            .p999 = percentile(999),
            .max = static_cast<double>(max_)};
  }

  // Calls visit(value, count) for each bin that is not empty, in ascending order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Bin& bin : *bins_)
      if (bin.count > 0) visit(bin.mean(), bin.count);
  }

  static constexpr std::uint32_t kPerDoubling = 128;
  static constexpr std::uint32_t kDoublings = 32 - 7;  // of kPerDoubling, up to 2^32

  template <class A>
  void archive(A& a) {
    a.value(*bins_);
    a.value(count_);
    a.value(max_);
  }

  // The bin of a value.
  static std::uint32_t index(std::uint32_t value) {
    if (value < kPerDoubling) return value;
    const int shift = std::bit_width(value) - 8;  // leaves 128 ... 255
    return static_cast<std::uint32_t>(shift) * kPerDoubling + (value >> shift);
  }
  // The mean of what is in a bin that is not empty.
  double mean_of(std::uint32_t at) const { return (*bins_)[at].mean(); }

 private:
  struct Bin {
    std::uint64_t count = 0;
    Sum sum = 0;
    double mean() const { return static_cast<double>(sum) / static_cast<double>(count); }
  };
  using Bins = std::array<Bin, kPerDoubling*(kDoublings + 1)>;

  std::unique_ptr<Bins> bins_ = std::make_unique<Bins>();
  std::uint64_t count_ = 0;
  std::uint32_t max_ = 0;
};

using Histogram = HistogramOf<Samples>;

// The same of one port among many, in less memory and without its zeros: it counts only, in bins that are there once
// they are needed, and takes what a bin's values are from a histogram that has them as well.
template <class Weights>
class PortHistogramOf {
 public:
  using Count = typename Weights::Count;
  using Sum = typename Weights::Sum;

  // Of a value above 0; `at` is Histogram::index(value).
  void add(std::uint32_t value, std::uint32_t at, Count weight = 1) {
    sum_ += static_cast<Sum>(value) * static_cast<Sum>(weight);
    max_ = std::max(max_, value);
    auto& block = blocks_[at / kBlock];
    if (!block) block = std::make_unique<Block>();
    (*block)[at % kBlock] += weight;
    count_ += weight;
  }

  Sum sum() const { return sum_; }

  template <class A>
  void archive(A& a) {
    for (auto& block : blocks_) {
      bool used = block != nullptr;
      a.value(used);
      if (!used) continue;
      if (!block) block = std::make_unique<Block>();
      a.value(*block);
    }
    a.value(count_);
    a.value(sum_);
    a.value(max_);
  }

  // Of values that weigh `total`, of which those that were not added are 0. Percentiles are within 1/128 of the value;
  // `all` has every value of this one.
  Distribution distribution(std::uint64_t total, const HistogramOf<Weights>& all) const {
    const auto at = [&](unsigned thousandths) {
      const std::uint64_t place = percentile_place(total, thousandths);
      return place < total - count_ ? 0 : value_at(place - (total - count_), all);
    };
    return {.count = total,
            .mean = static_cast<double>(sum_) / static_cast<double>(total),
            .p50 = at(500),
            .p95 = at(950),
            .p99 = at(990),
            .p999 = at(999),
            .max = static_cast<double>(max_)};
  }

 private:
  static constexpr std::uint32_t kBlock = Histogram::kPerDoubling;
  using Block = std::array<Count, kBlock>;

  // Of those that were added, in ascending order.
  double value_at(std::uint64_t left, const HistogramOf<Weights>& all) const {
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
      for (std::uint32_t i = 0; blocks_[b] && i < kBlock; ++i) {
        const Count times = (*blocks_[b])[i];
        if (left < times) return std::min(all.mean_of(b * kBlock + i), static_cast<double>(max_));
        left -= times;
      }
    return max_;
  }

  std::array<std::unique_ptr<Block>, Histogram::kDoublings + 1> blocks_;
  std::uint64_t count_ = 0;
  Sum sum_ = 0;
  std::uint32_t max_ = 0;
};

}  // namespace weir::probe
