// The packets of a flow that are under way or not acknowledged, and what has happened to each so far.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "weir/base/prefetch.h"
#include "weir/base/units.h"
#include "weir/net/packet_view.h"
#include "weir/result/anatomy_parts.h"

namespace weir::anatomy {

using result::kParts;
using result::kQueueParts;
using result::Part;

// Times in picoseconds, by part; those of a whole add up to it.
class Parts {
 public:
  std::int64_t& operator[](Part part) { return ps_[static_cast<std::size_t>(part)]; }
  std::int64_t operator[](Part part) const { return ps_[static_cast<std::size_t>(part)]; }
  // By the n-th port after the NIC, n >= 1.
  std::int64_t& queue(std::size_t hop) {
    return ps_[static_cast<std::size_t>(Part::queue) + std::min(hop, kQueueParts) - 1];
  }
  std::array<std::int64_t, kParts>& all() { return ps_; }
  const std::array<std::int64_t, kParts>& all() const { return ps_; }
  std::int64_t sum() const {
    std::int64_t out = 0;
    for (const std::int64_t ps : ps_) out += ps;
    return out;
  }

 private:
  std::array<std::int64_t, kParts> ps_{};
};

// What a packet, and then its acknowledgement, has waited for since it was sent, in picoseconds.
struct Journey {
  std::int64_t turn = 0;  // at the NIC
  std::int64_t pause = 0;
  std::int64_t host = 0;
  std::int64_t ack = 0;
  std::array<std::int64_t, kQueueParts> queue{};

  std::int64_t waits() const {
    std::int64_t out = turn + pause + host + ack;
    for (const std::int64_t ps : queue) out += ps;
    return out;
  }
};

enum class Whereabouts : std::uint8_t { waiting, on_wire, at_receiver, gone };

// What changes at each port stands in the first two cache lines.
struct alignas(64) PacketNote {
  Time sent;             // its transmission begins; no two packets of a host have the same
  Time since;            // when it came to where it is
  std::int64_t seq = 0;  // first byte
  std::uint32_t payload = 0;
  std::uint16_t hop = 0;  // ports after the NIC, to the receiver
  Whereabouts where = Whereabouts::waiting;
  bool again = false;  // it was not sent for the first time
  Journey journey;
  std::int64_t work = 0;      // what the flow had put on the wire by then, in picoseconds of its slowest link
  std::int64_t own_work = 0;  // what it adds to that
  Parts parts;                // of the time from the flow's start until it was sent
};

// In order of `sent`.
class PacketNotes {
 public:
  void add(const PacketNote& note) {
    notes_.push_back(note);
    sent_.push_back(note.sent);
  }

  // Null if there is none. It is sought first where the flow's packet of this number stands if all were sent once.
  PacketNote* find(Time sent, std::int64_t number) {
    const auto likely = static_cast<std::size_t>(number - first_number_);
    if (likely >= first_ && likely < notes_.size() && notes_[likely].sent == sent) return &notes_[likely];
    const auto at = std::lower_bound(sent_.begin() + static_cast<std::ptrdiff_t>(first_), sent_.end(), sent);
    if (at == sent_.end() || *at != sent) return nullptr;
    first_number_ = number - (at - sent_.begin());
    return &notes_[static_cast<std::size_t>(at - sent_.begin())];
  }
  // It is about to be sought.
  void prefetch(std::int64_t number) const {
    const auto likely = static_cast<std::size_t>(number - first_number_);
    if (likely >= notes_.size()) return;
    const auto* const lines = reinterpret_cast<const char*>(&notes_[likely]);
    prefetch_line(lines);
    prefetch_line(lines + 64);
  }
  // The first transmission of these bytes; null if it has been forgotten.
  const PacketNote* first_of(std::int64_t seq) {
    const auto at = std::find_if(begin(), notes_.end(), [&](const PacketNote& n) { return n.seq == seq; });
    return at != notes_.end() ? &*at : nullptr;
  }

  // Forgets what is acknowledged up to here and no longer under way. What is at the receiver then will not be answered
  // any more.
  void forget(std::int64_t acknowledged) {
    while (first_ < notes_.size() && notes_[first_].seq + notes_[first_].payload <= acknowledged &&
           (notes_[first_].where == Whereabouts::gone || notes_[first_].where == Whereabouts::at_receiver))
      ++first_;
    if (2 * first_ <= notes_.size()) return;
    sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(first_));
    notes_.erase(notes_.begin(), begin());
    first_number_ += static_cast<std::int64_t>(first_);
    first_ = 0;
  }

  std::size_t size() const { return notes_.size() - first_; }

  template <class A>
  void archive(A& a) {
    a.values(notes_);
    a.values(sent_);
    a.value(first_);
  }

 private:
  std::vector<PacketNote>::iterator begin() { return notes_.begin() + static_cast<std::ptrdiff_t>(first_); }

  std::vector<PacketNote> notes_;
  std::vector<Time> sent_;         // of each, apart, for searches
  std::size_t first_ = 0;          // those before it are forgotten
  std::int64_t first_number_ = 0;  // of the first note: a guess
};

}  // namespace weir::anatomy
