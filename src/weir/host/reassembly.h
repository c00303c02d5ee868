// Which packets a receiver has, when it keeps those that arrive out of order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weir/base/divisor.h"
#include "weir/base/large_pages.h"
#include "weir/host/scoreboard.h"

namespace weir::host {

class Reassembly {
 public:
  // Begins a new flow; the memory of the previous one is kept.
  void start(std::int64_t payload) {
    payload_ = Divisor(payload);
    expected_ = 0;
    end_ = 0;
    std::fill(words_.begin(), words_.end(), 0);
  }

  // The first byte that has not arrived.
  std::int64_t expected() const { return std::min(expected_ * payload_.value(), end_); }

  // Prefetches the bits of the packets that come next.
  void prefetch() const {
    if (!words_.empty()) prefetch_line(&word(expected_));
  }

  // Whether the packet at `seq` has arrived.
  bool holds(std::int64_t seq) const {
    const std::int64_t n = payload_.quotient(seq);
    return n < expected_ || has(n);
  }

  // Takes in a packet that arrives. Returns whether it is new.
  bool take(std::int64_t seq, std::int64_t payload) {
    const std::int64_t n = payload_.quotient(seq);
    if (n < expected_ || has(n)) return false;
    while (n - expected_ >= room()) grow();
    set(n);
    end_ = std::max(end_, seq + payload);
    while (has(expected_)) clear(expected_++);
    return true;
  }

  // The Sack of the packet at `seq`: it tells of the 64 packets up to this one, or, if those begin before the first
  // missing packet, of the 64 from that one on.
  Sack sack(std::int64_t seq) const {
    Sack out{.trigger = payload_.quotient(seq)};
    const std::int64_t first = std::max(expected_, out.trigger - 63);
    out.ahead = static_cast<std::int32_t>(first - out.trigger);
    if (words_.empty()) return out;
    const int shift = static_cast<int>(first % 64);
    out.arrived = word(first) >> shift;
    if (shift != 0) out.arrived |= word(first + 63) << (64 - shift);
    return out;
  }

  template <class A>
  void archive(A& a) {
    a.values(words_);
    a.value(payload_);
    for (auto* figure : {&expected_, &end_}) a.value(*figure);
  }

 private:
  std::int64_t room() const { return static_cast<std::int64_t>(64 * words_.size()); }
  std::uint64_t& word(std::int64_t n) { return words_[static_cast<std::size_t>(n / 64) & (words_.size() - 1)]; }
  const std::uint64_t& word(std::int64_t n) const {
    return words_[static_cast<std::size_t>(n / 64) & (words_.size() - 1)];
  }
  static std::uint64_t bit(std::int64_t n) { return std::uint64_t{1} << (n % 64); }

  // The bits of packets from expected_ on.
  bool has(std::int64_t n) const { return n - expected_ < room() && (word(n) & bit(n)) != 0; }
  void set(std::int64_t n) { word(n) |= bit(n); }
  void clear(std::int64_t n) { word(n) &= ~bit(n); }

  void grow() {
    LargePageVector<std::uint64_t> old(std::max<std::size_t>(1, 2 * words_.size()), 0);
    old.swap(words_);
    const auto packets = static_cast<std::int64_t>(64 * old.size());
    for (std::int64_t n = expected_; n < expected_ + packets; ++n)
      if ((old[static_cast<std::size_t>(n / 64) & (old.size() - 1)] & bit(n)) != 0) set(n);
  }

  LargePageVector<std::uint64_t> words_;  // a ring of bits, by number of packet
  Divisor payload_;
  std::int64_t expected_ = 0;  // first packet missing
  std::int64_t end_ = 0;       // end of the highest packet that has arrived, in bytes
};

}  // namespace weir::host
