// One peer, as the clock service sees it: the session with it, the probes between us, and what follows from them.
#pragma once

#include <cstdint>
#include <optional>

#include "hosts/clock/edge.h"
#include "hosts/clock/keyring.h"
#include "hosts/clock/pairs.h"
#include "hosts/clock/service.h"
#include "hosts/clock/session.h"
#include "hosts/path/address.h"

namespace weir::hosts::clock {

inline constexpr std::int64_t kNever = INT64_MIN;

// Whether something that happened at `when`, if ever, is less than `span` ago.
constexpr bool within(std::int64_t now, std::int64_t when, std::int64_t span) {
  return when != kNever && now - when < span;
}

struct Link {
  Link(const ClockPeer& peer, std::int64_t window, double wander, std::int64_t epsilon, double near)
      : address(peer.address), given_local(peer.local), pairs(epsilon), edge(window, wander, near) {}

  Address address;
  std::optional<Address> given_local;  // ours; nothing: as routes choose
  bool chosen = false;                 // we probe it by our own choice
  std::optional<KeyRing> keys;         // nothing as long as no local address is known
  Session session;
  Pairs pairs;
  Edge edge;

  // CLOCK_MONOTONIC
  std::int64_t heard = kNever;   // a good message
  std::int64_t probed = kNever;  // a good probe
  std::int64_t greet_at = 0;     // when to greet next
  std::int64_t greeted = kNever;
  std::int64_t routed = kNever;                     // when the local address was looked up
  std::int64_t probe_at = 0;                        // when to probe next
  bool eager = true;                                // its clock is not known well enough to probe it less often
  bool rare = false;                                // its clock is known far better than it has to be
  bool asked = false;                               // it says that it does not know ours well enough
  bool known = false;                               // its clock has been measured and not lost since
  ClockCondition lost = ClockCondition::measuring;  // why it is not; measuring: for no reason

  std::uint64_t observations = 0;
  std::uint64_t refused_tag = 0;
  std::uint64_t refused_session = 0;
  std::uint64_t refused_repeated = 0;

  // It answers, and one of us has chosen the other.
  bool is_neighbour(std::int64_t now) const {
    constexpr std::int64_t alive = 3'000'000'000;
    return keys && session.established() && within(now, heard, alive) && (chosen || within(now, probed, alive));
  }
};

}  // namespace weir::hosts::clock
