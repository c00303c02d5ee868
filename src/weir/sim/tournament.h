// The earliest of many times, one for each slot: a tree in which each node has the least of the eight below it.
//
// Giving a slot another time looks at one cache line, and at one more for each node whose least that changes: most
// often at one or two, whatever their number, where a heap moves entries through all of its height. So it is for runs
// that give most slots several times before one comes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/base/units.h"

namespace weir::sim {

class Tournament {
 public:
  // Makes the number of slots this one, which is no less than before. New ones have no time, which is Time::max().
  void grow(std::uint32_t slots) {
    std::size_t nodes = (std::size_t{slots} + kBelow - 1) / kBelow;
    for (std::size_t level = 0; nodes > 0; ++level, nodes = nodes == 1 ? 0 : (nodes + kBelow - 1) / kBelow) {
      if (level == levels_.size()) {
        levels_.emplace_back(1);
        if (level > 0) levels_[level].front().times.front() = levels_[level - 1].front().least();
      }
      if (levels_[level].size() >= nodes) return;
      levels_[level].resize(nodes);
    }
  }

  void schedule(std::uint32_t slot, Time t) {
    std::size_t at = slot;
    for (auto& level : levels_) {
      Node& node = level[at / kBelow];
      std::int64_t& own = node.times[at % kBelow];
      if (own == t.ps) return;
      own = t.ps;
      t.ps = node.least();
      at /= kBelow;
    }
    earliest_ = t;
  }

  // Time::max() if no slot has a time.
  Time earliest() const { return earliest_; }

  Time time(std::uint32_t slot) const { return {levels_.front()[slot / kBelow].times[slot % kBelow]}; }

  // All slots that have the earliest time, the smallest first. Valid until the next call. Only if there are any.
  std::span<const std::uint32_t> first() {
    found_.assign(1, 0);
    for (std::size_t level = levels_.size(); level-- > 0;) {
      above_.swap(found_);
      found_.clear();
      for (std::size_t i = 0; i < above_.size(); ++i) {
        if (i + kAhead < above_.size()) prefetch_line(&levels_[level][above_[i + kAhead]]);
        for (std::uint32_t those = levels_[level][above_[i]].those_at(earliest_.ps); those != 0; those &= those - 1)
          found_.push_back(above_[i] * kBelow + static_cast<std::uint32_t>(std::countr_zero(those)));
      }
    }
    return found_;
  }

 private:
  static constexpr std::uint32_t kBelow = 8;
  static constexpr std::size_t kAhead = 8;

  // Plain numbers, which compilers compare without branches.
  struct alignas(64) Node {
    std::array<std::int64_t, kBelow> times;

    Node() { times.fill(Time::max().ps); }
    std::int64_t least() const {
      const auto& t = times;
      return std::min(std::min(std::min(t[0], t[1]), std::min(t[2], t[3])),
                      std::min(std::min(t[4], t[5]), std::min(t[6], t[7])));
    }
    // A bit for each.
    std::uint32_t those_at(std::int64_t time) const {
      std::uint32_t out = 0;
      for (std::uint32_t i = 0; i < kBelow; ++i) out |= std::uint32_t{times[i] == time} << i;
      return out;
    }
  };

  std::vector<LargePageVector<Node>> levels_;  // the slots' own times, then the least of each node before, up to one
  Time earliest_ = Time::max();
  std::vector<std::uint32_t> found_;
  std::vector<std::uint32_t> above_;
};

}  // namespace weir::sim
