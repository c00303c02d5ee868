// One ring of slots of a hierarchy of timing wheels (wheel_scheduler.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/sim/scheduler.h"

namespace weir::sim {

struct WheelLevel {
  int shift = 0;                         // log2 of a slot's width in picoseconds
  int half_shift = 0;                    // log2 of the slots in half a ring
  std::size_t mask = 0;                  // slots - 1
  std::int64_t now = 0;                  // but for level 0: the slot that time is in, not reduced modulo the ring
  LargePageVector<std::uint32_t> slots;  // the first entity of each
  std::vector<std::uint64_t> occupied;   // a bit for each

  std::size_t index(std::int64_t slot) const { return static_cast<std::size_t>(slot) & mask; }
  std::int64_t half_of(std::int64_t slot) const { return slot >> half_shift; }
  void clear(std::size_t i) {
    slots[i] = kNone;
    occupied[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
  bool is_empty() const {
    return std::all_of(occupied.begin(), occupied.end(), [](std::uint64_t word) { return word == 0; });
  }
  // The first slot from this one on, before `to`, that has an event; -1 if there is none.
  std::int64_t first_occupied(std::int64_t from, std::int64_t to) const {
    while (from < to) {
      const std::size_t i = index(from);
      const std::uint64_t word = occupied[i / 64] >> (i % 64);
      if (word != 0) {
        const std::int64_t slot = from + std::countr_zero(word);
        return slot < to ? slot : -1;
      }
      from += 64 - static_cast<std::int64_t>(i % 64);
    }
    return -1;
  }
};

}  // namespace weir::sim
