// How fast data was delivered, for algorithms that ask for it (Cheng et al.,
// draft-cheng-iccrg-delivery-rate-estimation).
//
// Each packet notes, when it is sent, how much of the flow had been delivered by then, and when that was. What has been
// delivered more when it is acknowledged was delivered in the time between. Acknowledgements may come in faster than
// the path carries data, but data does not arrive faster than it is sent: if that took longer, it is the time that
// counts.
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
    Time span;  // 0 = none
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
    if (seq == una && !again) first_sent_ = delivered_at_ = now;  // nothing was on its way: no time before this counts
    if (seq - una >= static_cast<std::int64_t>(notes_.size()) * payload_) grow(seq);
    note(seq) = {now, first_sent_, delivered_at_, delivered_, limited_until_ > 0};
  }

  // The sender has no more to send, and `in_flight` on its way: until that is delivered, rates are the sender's doing.
  void limit(std::int64_t in_flight) { limited_until_ = delivered_ + in_flight; }

  // `acked` bytes more are acknowledged because of the packet at `seq`, sent at `sent`. One sent again since then has
  // lost its note, and gives no sample.
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
    Time first_sent;    // transmission of the last packet delivered by then
    Time delivered_at;  // when that was
    std::int64_t delivered = 0;
    bool app_limited = false;
  };

  // The note of a packet, by its number: packets are full but for a flow's last one.
  Note& note(std::int64_t seq) { return notes_[static_cast<std::size_t>(seq / payload_) & (notes_.size() - 1)]; }

  // Makes room for the packet at seq, the first one never sent.
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
