// The PFC watchdog of a switch: it frees an egress queue that its peer keeps paused for too long, and so breaks a
// deadlock of pauses.
//
// At every poll a class of a port whose peer has kept it paused for `detection_time` without a break, and of which
// packets wait, goes into a storm. In a storm the port no longer obeys pause frames of that class. With `drop` it drops
// what waits and what is still to come; with `forward` it sends on, and the peer drops what it has no room for. The
// storm ends at the first poll at which the peer has not wanted a pause for `restoration_time`. A pause lasts until it
// is taken back: it counts as one that the peer goes on renewing, as real switches do with pause frames. (SONiC, "PFC
// Watchdog Design": detection, mitigation by drop or forward, restoration; Junos OS, "PFC Watchdog": polls every 100
// ms, detection within 200 ms, recovery after 200 ms.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/params.h"
#include "weir/net/link/packet.h"

namespace weir::net {

enum class StormAction : std::uint8_t { drop, forward };

struct WatchdogParams {
  bool enabled = false;
  Time detection_time{200'000'000'000};
  Time restoration_time{200'000'000'000};
  Time poll_interval;
  StormAction action = StormAction::drop;

  static void describe(ParamList<WatchdogParams>& p) {
    using W = WatchdogParams;
    p.flag("enabled", &W::enabled, "switches watch for ports that PFC keeps paused; needs lossless mode", "SONiC")
        .only_with("network.buffer.mode", {"lossless"});
    p.time("detection_time", &W::detection_time,
           "a class of a port is in a storm when it has been paused for this long with packets waiting",
           "SONiC; Junos OS", Time{1})
        .only_with("enabled", {"true"});
    p.time("restoration_time", &W::restoration_time, "a storm ends when the peer has asked for no pause for this long",
           "SONiC; Junos OS", Time{1})
        .only_with("enabled", {"true"});
    p.time("poll_interval", &W::poll_interval,
           "how often a switch looks, at most the two times above; 0 = half of the shorter one", "Junos OS")
        .only_with("enabled", {"true"});
    p.choice("action", &W::action, {"drop", "forward"},
             "in a storm: drop the packets of the class, or send them in spite of the pause", "SONiC")
        .only_with("enabled", {"true"});
  }

  Time interval() const {
    if (poll_interval > Time{}) return poll_interval;
    return std::max(Time{1}, std::min(detection_time, restoration_time) / 2);
  }
};

// What the watchdog knows of one egress port.
struct PauseWatch {
  ClassSet heard = 0;        // classes that the peer wants paused
  ClassSet storm = 0;        // classes in a storm
  Time since[kDataClasses];  // when `heard` last changed
  std::uint32_t storms = 0;  // so far
  std::uint64_t dropped = 0;

  bool idle() const { return (heard | storm) == 0; }
  Time& since_of(TrafficClass c) { return since[static_cast<unsigned>(c) - 1]; }

  // A pause or resume frame has arrived. Shall the port obey it?
  bool hear(TrafficClass of, bool paused, Time now) {
    const ClassSet bit = class_bit(of);
    if (((heard & bit) != 0) != paused) {
      heard = static_cast<ClassSet>(heard ^ bit);
      since_of(of) = now;
    }
    return (storm & bit) == 0;
  }

  // The link is down: both ends have forgotten all pauses.
  void forget(Time now) {
    for (unsigned c = 0; c < kDataClasses; ++c)
      if ((heard >> c & 1) != 0) since[c] = now;
    heard = 0;
  }

  // Is a packet of this class for the port dropped?
  bool drops(TrafficClass c, const WatchdogParams& params) const {
    return (storm & class_bit(c)) != 0 && params.action == StormAction::drop;
  }

  // At a poll: does a storm begin, of a class of which something waits or does not; or does one end?
  bool begins(TrafficClass c, bool waits, Time now, const WatchdogParams& params) {
    const ClassSet bit = class_bit(c);
    return (heard & bit) != 0 && (storm & bit) == 0 && waits && now - since_of(c) >= params.detection_time;
  }
  bool ends(TrafficClass c, Time now, const WatchdogParams& params) {
    const ClassSet bit = class_bit(c);
    return (storm & bit) != 0 && (heard & bit) == 0 && now - since_of(c) >= params.restoration_time;
  }
};

}  // namespace weir::net
