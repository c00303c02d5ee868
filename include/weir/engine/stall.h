// Why a run that has not done what it was asked for cannot go on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"

namespace weir::engine {

// A class of a port that waits to be resumed.
struct BlockedPort {
  std::uint32_t port = 0;
  std::uint32_t from = 0;  // nodes
  std::uint32_t to = 0;
  unsigned data_class = 0;

  friend bool operator==(const BlockedPort&, const BlockedPort&) = default;
};

struct StuckFlow {
  std::uint64_t id = 0;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;

  friend bool operator==(const StuckFlow&, const StuckFlow&) = default;
};

// What cuts flows off: links that are down for ever or lose every packet; switches whose buffer can never hold one of
// the packets, not even while it is empty. And on which way it stands: that of data, or, of flows whose data arrive,
// that of what comes back for them.
struct Obstacles {
  bool links = false;
  bool buffers = false;
  bool of_data = false;
  bool of_acknowledgements = false;

  friend bool operator==(const Obstacles&, const Obstacles&) = default;
};

struct Stall {
  // deadlock: ports that PFC has paused wait for each other in a cycle.
  // cut_off: each flow that is left has no path without such an obstacle as `Obstacles` names.
  // stuck: no event is pending, and flows have not ended: their algorithms let nothing be sent and have set no timer.
  enum class Kind : std::uint8_t { deadlock, cut_off, stuck };
  static constexpr std::size_t kFewFlows = 5;

  Kind kind = Kind::stuck;
  Time found;                      // the run ends here
  Time since;                      // deadlock: all ports of the cycle have been paused since then; else `found`
  std::vector<BlockedPort> cycle;  // deadlock: each waits for the next, the last one for the first
  std::uint32_t blocked = 0;       // deadlock: classes of switch ports that can never send again, the cycle included
  Obstacles obstacles;             // cut_off
  std::uint64_t unfinished = 0;    // flows that have started and not ended
  std::vector<StuckFlow> flows;    // the first few of them, by id

  friend bool operator==(const Stall&, const Stall&) = default;
};

// "deadlock", "cut-off", "stuck"
std::string_view name_of(Stall::Kind kind);
// One sentence without its full stop, such as "PFC deadlock: ...".
std::string to_text(const Stall& stall);

}  // namespace weir::engine
