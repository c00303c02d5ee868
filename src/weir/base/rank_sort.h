// Sorting few objects without a branch that depends on a comparison.
//
// For each object it is counted how many have lower keys, four at a time; that is its place. Up to some 50 objects this
// takes less time than the branches that a processor does not foresee in other methods.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace weir {

inline constexpr std::size_t kMostByRank = 48;

// Copies n objects, 1 to kMostByRank, to `to` in ascending order of their keys. key_of(object) is 0 to 2^31 - 2, and no
// two keys are equal.
template <class T, class KeyOf>
inline void sort_by_rank(const T* from, std::size_t n, T* to, KeyOf&& key_of) {
  constexpr std::size_t kLanes = 4;
  using Keys [[gnu::vector_size(sizeof(std::int32_t) * kLanes)]] = std::int32_t;
  assert(n > 0 && n <= kMostByRank);
  Keys keys[kMostByRank / kLanes];
  const std::size_t rows = (n + kLanes - 1) / kLanes;
  keys[rows - 1] = Keys{} + std::numeric_limits<std::int32_t>::max();  // lanes without an object come last
  for (std::size_t i = 0; i < n; ++i) keys[i / kLanes][i % kLanes] = static_cast<std::int32_t>(key_of(from[i]));
  for (std::size_t first = 0; first < n; first += kLanes) {
    const Keys own = keys[first / kLanes];
    Keys before[kLanes] = {};
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < kLanes; ++i) before[i] -= keys[row] < Keys{} + own[i];
    for (std::size_t i = 0; i < std::min(kLanes, n - first); ++i)
      to[before[i][0] + before[i][1] + before[i][2] + before[i][3]] = from[first + i];
  }
}

}  // namespace weir
