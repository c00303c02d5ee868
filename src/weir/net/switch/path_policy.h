// What policies by which switches choose paths (path_policies.h) have in common: what they see of a packet.
#pragma once

#include <cstdint>
#include <span>

#include "weir/base/units.h"
#include "weir/net/link/packet.h"

namespace weir::net {

// A packet that a switch is about to send on.
struct Fork {
  std::uint32_t s;                      // the switch
  std::uint32_t salt;                   // its own, for hashes
  std::span<const std::uint32_t> hops;  // its equal-cost ports towards the packet's destination, by port index
  const Descriptor& packet;
  PathNote* note;  // what switches have written on the packet; null: its policy writes nothing
  Time now;
};

// What holds for most policies.
struct PlainPathPolicy {
  // Switches may still take turns (turns-inl.h), in which packets come link by link. Only if the choice does not depend
  // on what has come by other links, or on queues.
  static constexpr bool kKeepsTurns = false;
  // Its switches write notes on packets, for other switches to read. It is then asked about packets that have one port
  // to go by as well, and told what leaves each port from a switch to a switch: departed().
  static constexpr bool kWritesNotes = false;
};

}  // namespace weir::net
