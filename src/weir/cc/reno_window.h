// The window of Reno: slow start, congestion avoidance, halving on losses (RFC 5681). NewReno and DCTCP stand on it.
// What to send again, and until when (RFC 6582), is the transport's matter.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/cc/algorithm.h"
#include "weir/cc/congestion_events.h"

namespace weir::cc {

class RenoWindow {
 public:
  // Below `threshold` the window is in slow start.
  RenoWindow(Bytes window, Bytes threshold) : window_(window), threshold_(threshold) {}

  // First of all with every acknowledgement.
  void hear(const Ack& ack) { events_.hear(ack); }
  // Is a mark on what has been heard of last a reason to reduce?
  bool may_reduce() const { return !events_.recovering(); }
  // Slow start adds the bytes acknowledged, `limit` packets at most; congestion avoidance one packet per window.
  void grow(const Ack&, Bytes packet, std::int64_t limit);
  // It grows by so much, for whatever reason.
  void widen(Bytes more) { window_ += more; }
  // The window becomes `size`, if it was larger.
  void reduce(Bytes size, Time now, Bytes snd_nxt);
  // A loss leaves half of what was in flight, but two packets at least (RFC 5681 equation 4); a timeout leaves one.
  void on_loss(const Loss&, Bytes packet);

  Bytes window() const { return window_; }
  // The algorithm's answer to what has been heard.
  void answer(Control& control) const {
    control.window = window_;
    control.slow_start = window_ < threshold_ / 2;
  }
  Bytes threshold() const { return threshold_; }

 private:
  Bytes window_;     // cwnd
  Bytes threshold_;  // ssthresh
  Bytes acked_;      // in congestion avoidance, since the window last grew
  CongestionEvents events_;
};

// Half of what was in flight, but no less than `least`.
constexpr Bytes half_of_flight(Bytes in_flight, Bytes least) { return std::max(in_flight / 2, least); }

}  // namespace weir::cc
