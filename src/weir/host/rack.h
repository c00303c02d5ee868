// When time says that a packet is lost: one that was sent later has arrived, and the packet has been waited for longer
// than a window, since packets overtake each other.
//
// The window is given (RecoveryParams::reordering), and compared with the time between the two transmissions. Or it
// follows from round trips, and a packet is waited for from a round trip after its transmission on, until the window is
// over also if nothing arrives meanwhile (RACK, RFC 8985, without DSACK).
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/units.h"

namespace weir::host {

class Rack {
 public:
  // A new flow. Without a window that is given, and without one that follows from round trips, it is not asked.
  void start(Time given, bool follows_round_trips) {
    *this = {};
    window_ = given;
    follows_round_trips_ = follows_round_trips;
    is_on_ = follows_round_trips || given > Time{};
  }

  bool is_on() const { return is_on_; }
  bool follows_round_trips() const { return follows_round_trips_; }

  // A transmission has arrived that left then.
  void note_arrival(Time sent) { latest_ = std::max(latest_, sent); }
  // Of the latest that has arrived; Time{-1} = none has.
  Time latest() const { return latest_; }

  // An acknowledgement of a transmission that left at `sent`, of packet n, of which it was not known that it had
  // arrived if `is_new`, and which has been sent once then. Before note_arrival().
  void note_round_trip(std::int64_t n, Time sent, Time now, bool is_new) {
    const Time rtt = now - sent;
    least_rtt_ = std::min(least_rtt_, rtt);
    if (sent > latest_) latest_rtt_ = rtt;
    if (n < highest_ && is_new) reordered_ = true;
    highest_ = std::max(highest_, n);
  }

  // A window that follows from round trips, before losses are looked for. `is_sure`: something is lost already, or
  // enough packets behind the first missing one have arrived (RFC 8985, section 6.2, step 4).
  void set_window(bool is_sure) {
    window_ = is_sure && !reordered_ ? Time{} : least_rtt_ / 4;
    waits_until_ = Time::max();
  }

  // Whether a packet that left at `sent`, before latest(), is lost. The first one that is not is waited for.
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
  std::int64_t highest_ = -1;  // no packet behind it has been acknowledged
};

}  // namespace weir::host
