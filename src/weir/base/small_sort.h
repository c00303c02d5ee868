// Sorting few objects, or many that are nearly in order, as schedulers, switches and traces do all the time.
//
// What takes time in std::sort is its branches, which no processor foresees. Each of these methods is the quickest one
// for some input. Objects are compared by `<`.
//
// | objects                              | method                         |
// |--------------------------------------|--------------------------------|
// | one, into a sorted list              | insert_sorted() and the like   |
// | very few, or nearly in order         | sort_by_insertion()            |
// | up to 48 with short keys             | sort_by_rank()                 |
// | up to 255, evenly spread             | sort_by_shares()               |
// | many numbers that differ in few bits | sort_by_digits()               |
// | very many, evenly spread             | sort_by_spans()                |
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace weir {

// Into a sorted list, behind whose end there is room for one more.
template <class T>
inline void insert_sorted(const T* first, T* end, T object) {
  for (; end != first && object < end[-1]; --end) *end = end[-1];
  *end = object;
}

// The same where an object stands before the first one of the list that is never larger than `object`.
template <class T>
inline void insert_behind_lowest(T* end, T object) {
  for (; object < end[-1]; --end) *end = end[-1];
  *end = object;
}

// The same, with as many comparisons as a long list needs and without a branch that depends on them.
template <class T>
inline void insert_by_halves(T* first, T* end, T object) {
  T* place = first;
  for (auto n = static_cast<std::size_t>(end - first); n > 0;) {
    const std::size_t half = (n + 1) / 2;
    place += half & (0 - static_cast<std::size_t>(place[half - 1] < object));
    n -= half;
  }
  std::copy_backward(place, end, end + 1);
  *place = object;
}

// What is in order stays where it is: what has just been written as two numbers is slow to read as one pair.
template <class T>
inline void sort_by_insertion(T* first, T* end) {
  if (first == end) return;
  for (T* next = first + 1; next != end; ++next)
    if (*next < next[-1]) insert_sorted(first, next, *next);
}

inline constexpr std::size_t kMostByRank = 48;

// Copies n objects, 1 to kMostByRank, to `to` in ascending order of their keys. key_of(object) is 0 to 2^31 - 2, and no
// two keys are equal. For each object it is counted how many have lower keys, four at a time; that is its place.
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

// Copies n objects, up to kMost, to `to` in ascending order. share_of(object), 0 to 63, must not fall as objects rise.
// The shares put objects nearly in order, so that hardly any comparison comes as a surprise.
template <std::size_t kMost, class T, class ShareOf>
inline void sort_by_shares(const T* from, std::size_t n, T* to, ShareOf&& share_of) {
  static_assert(kMost <= 255);
  assert(n <= kMost);
  std::uint64_t shares = 0;  // a bit for each that has an object
  std::uint8_t last[64];     // of those of a share, in the order of `from`
  std::uint8_t before[kMost];
  bool has_before[kMost];
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t share = share_of(from[i]);
    const std::uint64_t bit = std::uint64_t{1} << share;
    before[i] = last[share];
    has_before[i] = (shares & bit) != 0;
    shares |= bit;
    last[share] = static_cast<std::uint8_t>(i);
  }
  T* end = to;
  for (; shares != 0; shares &= shares - 1)
    for (std::size_t i = last[std::countr_zero(shares)];; i = before[i]) {
      insert_sorted(to, end++, from[i]);
      if (!has_before[i]) [[likely]]
        break;
    }
}

// Sorts numbers by the digits in which they differ, the last one first: no branch depends on their order. Where a
// hundred come at once, to compare them costs twice as much.
inline void sort_by_digits(std::uint64_t* first, std::uint64_t* end, std::vector<std::uint64_t>& scratch) {
  constexpr int kDigit = 7;  // bits
  constexpr std::uint64_t kMask = (1u << kDigit) - 1;
  const auto n = static_cast<std::size_t>(end - first);
  std::uint64_t differ = 0;
  for (std::size_t i = 1; i < n; ++i) differ |= first[i] ^ first[0];
  if (scratch.size() < n) scratch.resize(n);
  std::uint64_t* from = first;
  std::uint64_t* to = scratch.data();
  while (differ != 0) {
    const int shift = std::countr_zero(differ);
    std::array<std::uint32_t, kMask + 1> places{};
    for (std::size_t i = 0; i < n; ++i) ++places[from[i] >> shift & kMask];
    std::uint32_t place = 0;
    for (std::uint32_t& of_digit : places) place += std::exchange(of_digit, place);
    for (std::size_t i = 0; i < n; ++i) to[places[from[i] >> shift & kMask]++] = from[i];
    std::swap(from, to);
    differ &= ~(kMask << shift);
  }
  if (from != first) std::copy(from, from + n, first);
}

// What sort_by_spans() needs beside the objects; it is kept so that nothing is allocated each time.
template <class T>
struct SpanScratch {
  std::vector<T> scattered;
  std::vector<std::uint32_t> places;
};

// Sorts objects. number_of(object), a number of 64 bits, must not fall as objects rise. They are put into
// as many equal spans of numbers as there are objects, so that few are left to be sorted in each.
template <class T, class NumberOf>
inline void sort_by_spans(std::vector<T>& objects, SpanScratch<T>& scratch, NumberOf&& number_of) {
  if (std::is_sorted(objects.begin(), objects.end())) return;
  constexpr std::uint32_t kFew = 16;
  std::vector<std::uint32_t>& places = scratch.places;
  std::int64_t least = number_of(objects.front());
  std::int64_t most = least;
  for (const T& object : objects) {
    least = std::min(least, number_of(object));
    most = std::max(most, number_of(object));
  }
  const auto span = static_cast<std::uint64_t>(most - least);
  const int shift =
      std::max(0, static_cast<int>(std::bit_width(span)) - static_cast<int>(std::bit_width(objects.size())));
  const auto place_of = [&](const T& object) { return static_cast<std::size_t>(number_of(object) - least) >> shift; };
  places.assign((span >> shift) + 2, 0);
  for (const T& object : objects) ++places[place_of(object) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  scratch.scattered.resize(objects.size());
  for (const T& object : objects) scratch.scattered[places[place_of(object)]++] = object;
  objects.swap(scratch.scattered);
  // Now places[i] is the end of span i.
  std::uint32_t from = 0;
  for (const std::uint32_t until : places) {
    if (until - from > kFew)
      std::sort(objects.begin() + from, objects.begin() + until);
    else
      sort_by_insertion(objects.data() + from, objects.data() + until);
    from = until;
  }
}

}  // namespace weir
