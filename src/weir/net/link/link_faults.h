// What a link does to the packets on it besides carrying them: it loses some at random, and all
// while it is down.
//
// Both follow from constants alone, so a port needs no state for it: the fate of a packet is known
// from its number on the port and the time that it spends on the wire.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "weir/base/random.h"
#include "weir/net/link/packet.h"

namespace weir::net {

// A link is down from `down` on, and up again from `up` on; both act before all else at that instant.
struct Outage {
  Time down;
  Time up = Time::max();
};

struct LinkFaults {
  std::uint64_t loss = 0;       // probability of the loss of a packet, times 2^53
  bool retries = false;         // the link sends such a packet again
  std::vector<Outage> outages;  // in order, apart from each other

  static std::uint64_t scaled(double probability) {
    return static_cast<std::uint64_t>(std::llround(probability * 0x1.0p53));
  }

  // Is every packet lost, even while the link is up?
  bool loses_all() const { return loss >= std::uint64_t{1} << 53; }

  // Is the link down at any instant from the start of a transmission to its arrival?
  bool down_between(Time departs, Time arrives) const {
    const auto after = std::upper_bound(outages.begin(), outages.end(), arrives,
                                        [](Time t, const Outage& outage) { return t < outage.down; });
    return after != outages.begin() && departs < std::prev(after)->up;
  }

  // Is packet number `index` of a port lost? Pause and resume frames only while the link is down.
  bool loses(const Descriptor& packet, Time arrives, const RandomStream& random, std::uint64_t index) const {
    if (down_between(packet.departs, arrives)) return true;
    return loss != 0 && !retries && !packet.is_control() && random.bits(index) >> 11 < loss;
  }

  // Of a link that retries: how many transmissions of packet number `index` fail before the one that arrives.
  std::uint32_t failures(const Descriptor& packet, const RandomStream& random, std::uint64_t index) const {
    if (!retries || packet.is_control()) return 0;
    const double drawn = random.uniform(index);
    const double probability = static_cast<double>(loss) * 0x1.0p-53;
    double all_fail = probability;  // that so many and one more fail
    std::uint32_t count = 0;
    while (drawn < all_fail) {
      all_fail *= probability;
      ++count;
    }
    return count;
  }
};

}  // namespace weir::net
