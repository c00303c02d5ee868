// Coded pairs on their way between us and one other host: brings together when each packet left and when it came, of
// which either host knows one half and is told the other by records.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "hosts/clock/pair_fit.h"
#include "hosts/clock/wire.h"

namespace weir::hosts::clock {

// Times are by our clock unless they are told by the other host. Memory is bounded: of pairs whose other half does not
// come, the oldest are forgotten.
class Pairs {
 public:
  explicit Pairs(std::int64_t epsilon) : epsilon_(epsilon) {}

  // We have handed the pair whose first message has this number to the kernel at time `now`.
  void sending(std::uint64_t number, std::int64_t now);
  // The kernel stamped one of our messages when it left.
  void left(std::uint64_t number, std::int64_t when);
  // A probe of theirs came.
  void came(Kind kind, std::uint64_t number, std::int64_t when);

  // What the next pair is to tell: when an earlier one of ours left, when one of theirs came. Each is told once, and
  // of theirs none that is old while there is a later one.
  std::optional<Record> record_of_ours(std::int64_t now);
  std::optional<Record> record_of_theirs(std::int64_t now);

  // What theirs tells. Nothing if we do not know the pair (any more).
  std::optional<Observation> ours_came(const Record& record);
  std::optional<Observation> theirs_left(const Record& record);

  // A session has begun: numbers start again.
  void clear();

 private:
  struct Pair {
    std::uint32_t number = 0;
    std::int64_t first = kUnknown;
    std::int64_t second = kUnknown;
    std::int64_t since = 0;
    bool pending = false;  // its other half has not come

    std::optional<std::uint32_t> apart() const;
  };
  static constexpr std::int64_t kUnknown = INT64_MIN;
  static constexpr std::size_t kKept = 64;  // pairs, a quarter of a second
  // Records that wait to be told: of ours until stamps have come, of theirs for the next pair.
  static constexpr std::size_t kUnstamped = 8;
  static constexpr std::size_t kUntold = 3;
  using Ring = std::array<Pair, kKept>;  // by number / 2: the numbers of pairs are at least two apart

  static Pair& slot(Ring& ring, std::uint32_t number) { return ring[number / 2 % kKept]; }
  static void tell(std::deque<Record>& untold, const Pair& pair);

  std::int64_t epsilon_;
  Ring ours_{};
  Ring theirs_{};
  std::deque<std::uint32_t> unstamped_;  // pairs of ours that have not been told
  std::deque<Record> untold_theirs_;
  std::optional<std::uint32_t> open_;  // a pair of theirs whose second packet may still come
};

}  // namespace weir::hosts::clock
