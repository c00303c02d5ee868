// Stall: why a run cannot go on although flows are left (Engine::stall(), manifest.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"

namespace weir::engine {

// A data class of a port that PFC has paused, and that waits to be resumed.
struct BlockedPort {
  std::uint32_t port = 0;
  std::uint32_t from = 0;  // node that owns the port
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

// What cuts flows off. `links`: links that are down for ever or lose every packet. `buffers`: switches whose buffer
// cannot hold one of the packets even while it is empty. `of_data`: some flow's data cannot arrive.
// `of_acknowledgements`: some flow's data can arrive, but no acknowledgement of it can.
struct Obstacles {
  bool links = false;
  bool buffers = false;
  bool of_data = false;
  bool of_acknowledgements = false;

  friend bool operator==(const Obstacles&, const Obstacles&) = default;
};

// The instant at which every run ends at the latest: half the range of Time, so that a delay that is added to an
// instant of a run does not overflow.
inline constexpr Time kEndOfTime{std::int64_t{1} << 62};

struct Stall {
  // deadlock: ports that PFC has paused wait for each other in a cycle.
  // cut_off: every path of each flow that is left has an obstacle, of the kinds that `obstacles` names.
  // stuck: no event is pending, but flows have not ended: their algorithms let nothing be sent and have set no timer.
  // end_of_time: flows are left at kEndOfTime.
  enum class Kind : std::uint8_t { deadlock, cut_off, stuck, end_of_time };
  static constexpr std::size_t kFewFlows = 5;

  Kind kind = Kind::stuck;
  Time found;                      // when it was found, which is the end of the run
  Time since;                      // deadlock: when the last port of the cycle was paused; else `found`
  std::vector<BlockedPort> cycle;  // deadlock: each waits for the next one, and the last for the first
  std::uint32_t blocked = 0;       // deadlock: classes of switch ports that can never send again, cycle included
  Obstacles obstacles;             // cut_off
  std::uint64_t unfinished = 0;    // flows that have started and not ended
  std::vector<StuckFlow> flows;    // the first few of them, by id

  friend bool operator==(const Stall&, const Stall&) = default;
};

// The name of a kind: "deadlock", "cut-off", "stuck" or "end-of-time".
std::string_view name_of(Stall::Kind kind);
// The stall in one sentence without a full stop, such as "PFC deadlock: ...".
std::string to_text(const Stall& stall);

}  // namespace weir::engine
