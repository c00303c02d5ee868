// The delivery rate of a flow, for algorithms that ask for it (Cheng et al.,
// draft-cheng-iccrg-delivery-rate-estimation).
//
// When a packet is sent, a note keeps how much of the flow had been delivered by then, and when the last of that was.
// When the packet is acknowledged, the difference has been delivered in the time since. Acknowledgements may arrive
// faster than the path carries data, but data is not delivered faster than it is sent: if sending took longer than the
// acknowledgements did, the time of sending counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weir/base/units.h"

namespace weir::host {

class DeliveryLog {
 public:
  struct Sample {
    Bytes delivered;
    Time span;  // 0 = there is no sample
    bool app_limited = false;
  };

  // Begins a new flow; the memory of the previous one is kept.
  void start(Bytes payload) {
    payload_ = payload.count;
    delivered_ = 0;
    limited_until_ = 0;
  }

  // The packet at `seq` is sent, perhaps again; all bytes below `una` are acknowledged.
  void on_send(std::int64_t seq, std::int64_t una, bool again, Time now) {
    if (seq == una && !again) first_sent_ = delivered_at_ = now;  // nothing is under way: time before this is idle
    if (seq - una >= static_cast<std::int64_t>(notes_.size()) * payload_) grow(seq);
    note(seq) = {now, first_sent_, delivered_at_, delivered_, limited_until_ > 0};
  }

  // The application has no more to send while `in_flight` bytes are under way: packets that are sent until these are
  // delivered give samples with `app_limited`.
  void limit(std::int64_t in_flight) { limited_until_ = delivered_ + in_flight; }

  // `acked` more bytes are acknowledged, by the acknowledgement of the packet at `seq` that was sent at `sent`. A
  // packet that has been sent again since then has lost that note, and gives no sample.
  Sample on_ack(std::int64_t acked, std::int64_t seq, Time sent, Time now) {
    if (acked == 0) return {};
    delivered_ += acked;
    delivered_at_ = now;
    if (delivered_ > limited_until_) limited_until_ = 0;
    first_sent_ = sent;
    const Note& n = note(seq);
    if (n.sent != sent) return {};
    return {{delivered_ - n.delivered}, std::max(now - n.delivered_at, sent - n.first_sent), n.app_limited};
  }

  template <class A>
  void archive(A& a) {
    a.values(notes_);
    for (auto* figure : {&payload_, &delivered_, &limited_until_}) a.value(*figure);
    a.value(delivered_at_);
    a.value(first_sent_);
  }

 private:
  struct Note {
    Time sent{-1};
    Time first_sent;    // when the last packet that had been delivered by then was sent
    Time delivered_at;  // when that packet was acknowledged
    std::int64_t delivered = 0;
    bool app_limited = false;
  };

  // The note of a packet, by its number: all packets but a flow's last one are full.
  Note& note(std::int64_t seq) { return notes_[static_cast<std::size_t>(seq / payload_) & (notes_.size() - 1)]; }

  // Makes room for the packet at seq, the first one that has never been sent.
  void grow(std::int64_t seq) {
    std::vector<Note> old(std::max<std::size_t>(4, 2 * notes_.size()));
    old.swap(notes_);
    const auto first = seq - static_cast<std::int64_t>(old.size()) * payload_;
    for (std::int64_t s = first; s < seq; s += payload_)
      note(s) = old[static_cast<std::size_t>(s / payload_) & (old.size() - 1)];
  }

  std::vector<Note> notes_;  // a ring
  std::int64_t payload_ = 1;
  std::int64_t delivered_ = 0;
  Time delivered_at_;
  Time first_sent_;
  std::int64_t limited_until_ = 0;  // 0 = the sender is not the limit
};

}  // namespace weir::host
