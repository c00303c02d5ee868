// Loss detection by time: a packet is lost when one that was sent later has arrived and a reordering window has passed,
// which allows for packets that overtake each other.
//
// The window is given (RecoveryParams::reordering), and compared with the time between the two transmissions. Or it
// follows from round trips: a packet is then lost when a round trip and the window have passed since its transmission,
// even if nothing arrives meanwhile (RACK, RFC 8985, without DSACK).
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/units.h"

namespace weir::host {

class Rack {
 public:
  // Begins a new flow. With neither a given window nor one that follows from round trips, detection by time is off.
  void start(Time given, bool follows_round_trips) {
    *this = {};
    window_ = given;
    follows_round_trips_ = follows_round_trips;
    is_on_ = follows_round_trips || given > Time{};
  }

  bool is_on() const { return is_on_; }
  bool follows_round_trips() const { return follows_round_trips_; }

  // Notes that the transmission that left at `sent` has arrived.
  void note_arrival(Time sent) { latest_ = std::max(latest_, sent); }
  // When the latest transmission that has arrived left; Time{-1} = none has arrived.
  Time latest() const { return latest_; }

  // Notes an acknowledgement of the transmission of packet n that left at `sent`. `is_new`: the packet has been sent
  // once, and was not known to have arrived. Call before note_arrival().
  void note_round_trip(std::int64_t n, Time sent, Time now, bool is_new) {
    const Time rtt = now - sent;
    least_rtt_ = std::min(least_rtt_, rtt);
    if (sent > latest_) latest_rtt_ = rtt;
    if (n < highest_ && is_new) reordered_ = true;
    highest_ = std::max(highest_, n);
  }

  // Sets a window that follows from round trips, before losses are looked for. `is_sure`: something is lost already, or
  // enough packets behind the first missing one have arrived (RFC 8985, section 6.2, step 4).
  void set_window(bool is_sure) {
    window_ = is_sure && !reordered_ ? Time{} : least_rtt_ / 4;
    waits_until_ = Time::max();
  }

  // Whether a packet that left at `sent`, before latest(), is lost. If the window follows from round trips and the
  // packet is not lost yet, waits_until() tells when it will be.
  bool is_lost(Time sent, Time now) {
    if (!follows_round_trips_) [[likely]]
      return latest_ - sent > window_;
    const Time over = sent + latest_rtt_ + window_ + Time{1};
    if (over <= now) return true;
    waits_until_ = over;
    return false;
  }
  // From when on a packet may be lost without anything else arriving; max = none.
  Time waits_until() const { return waits_until_; }

  template <class A>
  void archive(A& a) {
    for (bool* is : {&is_on_, &follows_round_trips_, &reordered_}) a.value(*is);
    for (Time* time : {&window_, &latest_, &latest_rtt_, &least_rtt_, &waits_until_}) a.value(*time);
    a.value(highest_);
  }

 private:
  bool is_on_ = false;
  bool follows_round_trips_ = false;
  bool reordered_ = false;  // a packet that was sent once has arrived after one behind it
  Time window_;
  Time latest_{-1};
  Time latest_rtt_;  // of the transmission of latest_
  Time least_rtt_ = Time::max();
  Time waits_until_ = Time::max();
  std::int64_t highest_ = -1;  // the highest packet that has been acknowledged
};

}  // namespace weir::host
