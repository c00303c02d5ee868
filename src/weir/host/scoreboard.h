// What a sender knows of its packets if the receiver keeps those that arrive out of order: IRN's bitmap, or TCP's
// scoreboard (RFC 6675).
//
//   una ... frontier ........................ sent
//     | missing ones here are lost | unknown   |
//
// A packet is lost when enough packets behind it have arrived; `frontier` is the first packet for which that is open.
// The frontier only moves forward, so that a packet is found lost once, and one that is sent again and lost again is
// left to the timeout. With a reordering window time decides (host/rack.h), which finds repeated losses too, and may
// find losses between acknowledgements: then the flow's timer asks again (waits_until).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "weir/base/divisor.h"
#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/base/units.h"
#include "weir/host/rack.h"
#include "weir/host/recovery.h"
#include "weir/net/link/packet.h"

namespace weir::host {

using net::Sack;

class Scoreboard {
 public:
  struct Findings {
    std::int64_t delivered = 0;                                          // bytes found to have arrived
    std::int64_t lost = 0;                                               // bytes found lost
    std::int64_t first_lost = std::numeric_limits<std::int64_t>::max();  // the first of them
    std::int64_t in_a_row = 0;                                           // bytes of their longest run without a gap
  };

  // Begins a new flow, which may send up to `reach` bytes beyond the first missing one; the memory of the previous one
  // is kept. `rack`: the reordering window follows from round trips.
  void start(const RecoveryParams& p, std::int64_t size, std::int64_t payload, std::int64_t reach, bool rack = false) {
    size_ = size;
    allowed_ = size;
    reach_ = reach;
    episode_ = 0;
    payload_ = Divisor(payload);
    whole_ = size / payload;
    gaps_.clear();
    gap_bytes_ = 0;
    threshold_ = p.threshold();
    rack_.start(p.kind == RecoveryKind::sack ? p.reordering : Time{}, rack);
    una_ = sent_ = frontier_ = resend_ = arrived_behind_ = 0;
    delivered_bytes_ = lost_bytes_ = run_ = run_end_ = 0;
    told_first_ = 0;
    told_ = 0;
    unjudged_ = 0;
    again_.clear();
    again_head_ = 0;
  }

  std::int64_t packet_of(std::int64_t seq) const { return payload_.quotient(seq); }
  // The first byte that may not be sent yet, if all bytes below `una` are acknowledged.
  std::int64_t limit(std::int64_t una) const { return std::min(allowed_, una + reach_); }
  // The first byte for which the flow has no credit, whatever the reach; the flow's size if nobody calls allow().
  std::int64_t allowed() const { return allowed_; }
  void allow(std::int64_t end) { allowed_ = std::min(size_, end); }
  // Bytes above `una` that have arrived, and those that are lost and not yet sent again.
  std::int64_t delivered_bytes() const { return delivered_bytes_; }
  std::int64_t lost_bytes() const { return lost_bytes_; }
  // The first byte of the first lost packet; only if there is one.
  std::int64_t first_lost() {
    resend_ = std::max(resend_, una_);
    while (at(resend_).state() != State::lost) ++resend_;
    return resend_ * payload_.value();
  }

  // Shortens the flow by bytes that have not been sent.
  void shorten(std::int64_t bytes) {
    size_ -= bytes, allowed_ -= bytes;
    whole_ = size_ / payload_.value();
  }
  // Extends a connection by `bytes`, which are whole packets, of which the last `gap` bytes are a gap that nobody sends
  // (host/message_queue.h).
  void extend(std::int64_t bytes, std::int64_t gap) {
    size_ += bytes, allowed_ += bytes;
    note_gap(gap);
  }
  void note_gap(std::int64_t gap) {
    if (gap > 0) gaps_.push_back({packet_of(size_) - 1, gap});
    update_whole();
  }
  // The bytes in gaps behind packets that have been sent, from the first missing packet on.
  std::int64_t gap_bytes() const { return gap_bytes_; }

  // Notes that the packet at `seq` is sent: the next new one, or one that is lost.
  void on_send(std::int64_t seq, Time now) {
    const std::int64_t n = packet_of(seq);
    const bool again = n != sent_;
    if (!again) {
      if (sent_ - una_ == static_cast<std::int64_t>(packets_.size())) grow();
      if (n >= whole_) gap_bytes_ += gap_of(n);
      ++sent_;
    } else {
      lost_bytes_ -= bytes_of(n);
    }
    at(n) = Packet(now, again);
    if (again && rack_.is_on()) again_.push_back({n, now});
  }

  // Prefetches where the next new packet will be noted.
  void prefetch_next() const { prefetch(sent_); }
  // Prefetches what is known of the first missing packet.
  void prefetch_first() const { prefetch(una_); }
  // Prefetches what is known of packet n.
  void prefetch(std::int64_t n) const {
    if (!packets_.empty()) prefetch_line(&at(n));
  }

  // Takes in an acknowledgement: all bytes below `seq` have arrived, and the packet that it answers was sent at `sent`.
  Findings on_ack(std::int64_t seq, const Sack& sack, Time sent, Time now = {}) {
    Findings found;
    if (rack_.follows_round_trips()) [[unlikely]]
      note_round_trip(sack.trigger, sent, now);
    rack_.note_arrival(sent);
    const std::int64_t una = seq >= size_ ? packet_of(size_ + payload_.value() - 1) : packet_of(seq);
    for (; una_ < una; ++una_) {
      Packet& p = at(una_);
      if (p.state() != State::delivered) {
        found.delivered += bytes_of(una_);
        if (p.state() == State::lost) lost_bytes_ -= bytes_of(una_);
        note_arrival(p);
      } else {
        delivered_bytes_ -= bytes_of(una_);
        if (una_ >= frontier_) --arrived_behind_;
      }
    }
    if (una_ > whole_) [[unlikely]]
      pass_gaps();
    frontier_ = std::max(frontier_, una_);
    take(sack.trigger, found);
    const std::int64_t first = sack.first();
    for (std::uint64_t bits = sack.arrived & ~told_before(first); bits != 0; bits &= bits - 1)
      take(first + std::countr_zero(bits), found);
    told_first_ = first;
    told_ = sack.arrived;
    if (rack_.is_on())
      lose_by_time(found, now);
    else
      lose_by_count(found);
    return found;
  }

  // Looks for losses by time without an acknowledgement.
  Findings judge(Time now) {
    Findings found;
    lose_by_time(found, now);
    return found;
  }
  // From when on judge() may find a loss; max = it cannot.
  Time waits_until() const { return rack_.waits_until(); }
  // Whether something that has been sent is missing: packets behind it have arrived, or it is of the running episode.
  bool misses_any() const { return delivered_bytes_ > 0 || lost_bytes_ > 0 || episode_ > una_; }
  // The first byte of the last packet that has been sent and is not known to have arrived. Only if there is one.
  std::int64_t last_sent() const {
    std::int64_t n = sent_ - 1;
    while (n > una_ && at(n).state() != State::in_flight) --n;
    return n * payload_.value();
  }

  // Whether these losses begin a new episode. An episode is the losses of all packets that had been sent when its first
  // loss was found; if one begins, it has all that has been sent.
  bool begins_episode(const Findings& found) {
    const bool begins = found.first_lost >= episode_ * payload_.value();
    if (begins) episode_ = sent_;
    return begins;
  }

  // The packet at seq counts as lost whatever has arrived: it has been trimmed, or is sent again as a probe. Returns
  // the bytes found lost.
  std::int64_t lose_one(std::int64_t seq) {
    Findings found;
    if (const std::int64_t n = packet_of(seq); n >= una_ && n < sent_) lose(n, found);
    return found.lost;
  }

  // Counts all packets in flight as lost after a timeout. Returns the bytes found lost.
  std::int64_t lose_all() {
    Findings found;
    for (std::int64_t n = una_; n < sent_; ++n) lose(n, found);
    frontier_ = episode_ = sent_;
    arrived_behind_ = 0;
    return found.lost;
  }

  template <class A>
  void archive(A& a) {
    a.values(packets_);
    a.value(payload_);
    for (auto* figure : {&size_, &allowed_, &reach_, &threshold_, &una_, &sent_, &frontier_, &arrived_behind_, &resend_,
                         &episode_, &delivered_bytes_, &lost_bytes_, &run_, &run_end_, &unjudged_})
      a.value(*figure);
    rack_.archive(a);
    a.values(again_);
    a.value(again_head_);
    a.values(gaps_);
    a.value(whole_);
    a.value(gap_bytes_);
    if constexpr (A::kLoads) told_ = 0;
  }

 private:
  enum class State : std::uint8_t { in_flight, delivered, lost };
  // A packet that has been sent; `again`: more than once. Eight fill a cache line.
  class Packet {
   public:
    Packet() = default;
    Packet(Time sent, bool again) : bits_(static_cast<std::uint64_t>(sent.ps) << 3 | (again ? kAgain : 0)) {}

    Time sent() const { return {static_cast<std::int64_t>(bits_ >> 3)}; }
    bool again() const { return (bits_ & kAgain) != 0; }
    State state() const { return static_cast<State>(bits_ & kState); }
    void become(State s) { bits_ = (bits_ & ~kState) | static_cast<std::uint64_t>(s); }

   private:
    static constexpr std::uint64_t kState = 3;
    static constexpr std::uint64_t kAgain = 4;
    std::uint64_t bits_ = 0;
  };
  struct Sent {
    std::int64_t packet = 0;
    Time time;
  };
  struct Gap {
    std::int64_t packet = 0;  // in front of it
    std::int64_t bytes = 0;
  };

  Packet& at(std::int64_t n) { return packets_[static_cast<std::size_t>(n) & (packets_.size() - 1)]; }
  const Packet& at(std::int64_t n) const { return packets_[static_cast<std::size_t>(n) & (packets_.size() - 1)]; }
  std::int64_t bytes_of(std::int64_t n) const {
    if (n < whole_) [[likely]]
      return payload_.value();
    return std::min(payload_.value(), size_ - n * payload_.value()) - gap_of(n);
  }
  std::int64_t gap_of(std::int64_t n) const {
    const auto before = [](const Gap& gap, std::int64_t packet) { return gap.packet < packet; };
    const auto found = std::lower_bound(gaps_.begin(), gaps_.end(), n, before);
    return found != gaps_.end() && found->packet == n ? found->bytes : 0;
  }
  void update_whole() { whole_ = gaps_.empty() ? size_ / payload_.value() : gaps_.front().packet; }
  // Forgets the gaps in front of the first missing packet.
  void pass_gaps() {
    auto first = gaps_.begin();
    for (; first != gaps_.end() && first->packet < una_; ++first) gap_bytes_ -= first->bytes;
    gaps_.erase(gaps_.begin(), first);
    update_whole();
  }

  // Those of the 64 packets from `first` on that the last acknowledgement told of, which are most of them.
  std::uint64_t told_before(std::int64_t first) const {
    const std::int64_t ahead = first - told_first_;
    if (ahead >= 0) return ahead < 64 ? told_ >> ahead : 0;
    return ahead > -64 ? told_ << -ahead : 0;
  }

  // Notes an acknowledgement of the transmission of packet n that left at `sent`.
  [[gnu::noinline]] void note_round_trip(std::int64_t n, Time sent, Time now) {
    const bool is_new = n >= una_ && n < sent_ && at(n).state() != State::delivered && !at(n).again();
    rack_.note_round_trip(n, sent, now, is_new);
  }

  // A packet that was sent again does not count, since it is not known which of its transmissions has arrived.
  void note_arrival(const Packet& p) {
    if (!p.again()) rack_.note_arrival(p.sent());
  }

  void take(std::int64_t n, Findings& found) {
    if (n < una_ || n >= sent_) return;
    Packet& p = at(n);
    if (p.state() == State::delivered) return;
    if (p.state() == State::lost) lost_bytes_ -= bytes_of(n);
    p.become(State::delivered);
    note_arrival(p);
    delivered_bytes_ += bytes_of(n);
    found.delivered += bytes_of(n);
    if (n >= frontier_) ++arrived_behind_;
  }

  void lose(std::int64_t n, Findings& found) {
    Packet& p = at(n);
    if (p.state() != State::in_flight) return;
    p.become(State::lost);
    lost_bytes_ += bytes_of(n);
    found.lost += bytes_of(n);
    found.first_lost = std::min(found.first_lost, n * payload_.value());
    // Packets are sent, and found lost, mostly in order of their numbers.
    run_ = n == run_end_ ? run_ + bytes_of(n) : bytes_of(n);
    run_end_ = n + 1;
    found.in_a_row = std::max(found.in_a_row, run_);
    resend_ = std::min(resend_, n);
  }

  void lose_by_count(Findings& found) {
    while (frontier_ < sent_) {
      const bool here = at(frontier_).state() == State::delivered;
      if (arrived_behind_ - (here ? 1 : 0) < threshold_) break;
      if (here)
        --arrived_behind_;
      else
        lose(frontier_, found);
      ++frontier_;
    }
  }

  // Sets the reordering window, before losses are looked for.
  [[gnu::noinline]] void set_window() {
    rack_.set_window(episode_ > una_ || delivered_bytes_ > (threshold_ - 1) * payload_.value());
  }

  // Judges packets in the order in which they were sent: new ones in order of their numbers, the others as in `again_`.
  void lose_by_time(Findings& found, Time now) {
    if (rack_.follows_round_trips()) [[unlikely]]
      set_window();
    for (;;) {
      const Time fresh = first_unjudged();
      const Time again = first_again();
      const Time first = std::min(fresh, again);
      if (first >= rack_.latest() || !rack_.is_lost(first, now)) break;
      lose(again < fresh ? again_[again_head_].packet : unjudged_, found);
    }
    if (2 * again_head_ > again_.size() + 64) {
      again_.erase(again_.begin(), again_.begin() + static_cast<std::ptrdiff_t>(again_head_));
      again_head_ = 0;
    }
  }

  // When the first of the packets that are in flight for the first time was sent; max = there is none.
  Time first_unjudged() {
    for (unjudged_ = std::max(unjudged_, una_); unjudged_ < sent_; ++unjudged_)
      if (const Packet& p = at(unjudged_); p.state() == State::in_flight && !p.again()) return p.sent();
    return Time::max();
  }

  // When the first of the packets that are in flight again was sent; max = there is none.
  Time first_again() {
    for (; again_head_ < again_.size(); ++again_head_) {
      const Sent& first = again_[again_head_];
      if (first.packet < una_) continue;
      if (const Packet& p = at(first.packet); p.sent() == first.time && p.state() == State::in_flight)
        return first.time;
    }
    return Time::max();
  }

  void grow() {
    LargePageVector<Packet> old(std::max<std::size_t>(16, 2 * packets_.size()));
    old.swap(packets_);
    for (std::int64_t n = una_; n < sent_; ++n) at(n) = old[static_cast<std::size_t>(n) & (old.size() - 1)];
  }

  LargePageVector<Packet> packets_;  // a ring, by number
  std::int64_t size_ = 0;
  std::int64_t allowed_ = 0;
  Divisor payload_;
  std::int64_t reach_ = 0;
  std::int64_t threshold_ = 1;
  std::int64_t una_ = 0;             // first packet not acknowledged
  std::int64_t sent_ = 0;            // first packet never sent
  std::int64_t frontier_ = 0;        // missing packets before this are lost, or were and have been sent again
  std::int64_t arrived_behind_ = 0;  // packets from frontier on that have arrived
  std::int64_t whole_ = 0;           // no packet before this is shorter than the others
  std::int64_t gap_bytes_ = 0;
  std::vector<Gap> gaps_;     // in order
  std::int64_t resend_ = 0;   // no packet before this is lost
  std::int64_t episode_ = 0;  // losses before this packet are of the running episode
  std::int64_t delivered_bytes_ = 0;
  std::int64_t lost_bytes_ = 0;
  std::int64_t run_ = 0;      // bytes of the last run of packets found lost that follow each other
  std::int64_t run_end_ = 0;  // the packet behind that run
  // What the last acknowledgement told of: told_'s bits from packet told_first_ on. Checkpoints leave it out.
  std::int64_t told_first_ = 0;
  std::uint64_t told_ = 0;
  // The state of loss detection by time.
  Rack rack_;
  std::int64_t unjudged_ = 0;  // no packet before this is in flight for the first time
  std::vector<Sent> again_;    // packets that were sent again, in order, from again_head_ on
  std::size_t again_head_ = 0;
};

}  // namespace weir::host
