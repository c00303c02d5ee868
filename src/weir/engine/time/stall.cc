#include "weir/engine/stall.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/base/params.h"

namespace weir::engine {
namespace {

std::string flows_text(const Stall& stall) {
  std::vector<std::string> names;
  for (const StuckFlow& flow : stall.flows)
    names.push_back(fmt::format("{} (host {} to {})", flow.id, flow.src, flow.dst));
  return fmt::format("flow{} {}{}", stall.unfinished == 1 ? "" : "s", fmt::join(names, ", "),
                     stall.unfinished > stall.flows.size() ? ", ..." : "");
}

std::string_view obstacles_text(const Obstacles& obstacles) {
  if (!obstacles.buffers) return "a link that is down for ever or loses every packet";
  if (!obstacles.links) return "a switch whose buffer can never hold one of their packets (network.buffer)";
  return "a link that is down for ever or loses every packet, or a switch whose buffer can never hold one of their "
         "packets (network.buffer)";
}

// Whose paths are cut.
std::string_view paths_text(const Obstacles& obstacles) {
  if (!obstacles.of_acknowledgements) return "every path";
  if (!obstacles.of_data) return "every path of their acknowledgements";
  return "every path of their data or of their acknowledgements";
}

std::string count_text(std::uint64_t flows) { return flows == 1 ? "1 flow has" : fmt::format("{} flows have", flows); }

}  // namespace

std::string_view name_of(Stall::Kind kind) {
  switch (kind) {
    case Stall::Kind::deadlock: return "deadlock";
    case Stall::Kind::cut_off: return "cut-off";
    case Stall::Kind::stuck: return "stuck";
    case Stall::Kind::end_of_time: return "end-of-time";
  }
  return "";
}

std::string to_text(const Stall& stall) {
  switch (stall.kind) {
    case Stall::Kind::deadlock: {
      std::vector<std::string> ports;
      for (const BlockedPort& p : stall.cycle)
        ports.push_back(p.data_class == 0 ? fmt::format("{}->{}", p.from, p.to)
                                          : fmt::format("{}->{} (class {})", p.from, p.to, p.data_class));
      return fmt::format(
          "PFC deadlock: since {} the ports {} have been paused, each because of the next, and none can "
          "ever be resumed; {} not ended (network.pfc.watchdog would break it)",
          format_value(stall.since), fmt::join(ports, ", "), count_text(stall.unfinished));
    }
    case Stall::Kind::cut_off:
      return fmt::format("cut off: {} not ended after {} and never will, since {} crosses {}: {}",
                         count_text(stall.unfinished), format_value(stall.found), paths_text(stall.obstacles),
                         obstacles_text(stall.obstacles), flows_text(stall));
    case Stall::Kind::stuck:
      if (stall.unfinished == 0)
        return fmt::format(
            "nothing is left to happen after {}, but a collective or program has not ended: what is left "
            "of it waits for messages that nobody sends",
            format_value(stall.found));
      return fmt::format(
          "nothing is left to happen after {}, but {} not ended: {} may send nothing, and no timer is set",
          format_value(stall.found), count_text(stall.unfinished), flows_text(stall));
    case Stall::Kind::end_of_time:
      return fmt::format("no run goes on beyond {}, and {} not ended: {} (run.stop would end it before)",
                         format_value(kEndOfTime), count_text(stall.unfinished), flows_text(stall));
  }
  return "";
}

}  // namespace weir::engine
