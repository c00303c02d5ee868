#include "weir/result/anatomy_parts.h"

#include <fmt/format.h>

namespace weir::result {
namespace {

std::vector<PartKind> make_kinds() {
  std::vector<PartKind> kinds{
      {"alone", "alone", "What the flow takes alone in the network, without telemetry: its ideal completion time."},
      {"telemetry", "telemetry", "What the INT headers of its packets add to that."},
      {"detour", "detour", "What its own packets took beyond that by longer ways or in longer packets."},
      {"window", "window closed", "The window was too small for the round trip of the empty network."},
      {"pacing", "pacing", "The algorithm's rate, the stack's or an application kept its next packet back."},
      {"on_ramp", "On-Ramp", "On-Ramp paused the flow."},
      {"turn", "turn at the NIC",
       "The NIC sent packets of other flows, or acknowledgements, or took a while to begin."},
      {"held", "sender held", "The sending host stood still (host.pause)."},
      {"loss", "lost packets",
       "From a packet's first transmission until it was sent again, since the receiver missed it."},
      {"timeout", "timeouts", "From a packet's first transmission until it was sent again after a timeout."},
      {"pause", "paused (PFC)", "The port where a packet of the flow, or its acknowledgement, waited was paused."},
      {"host", "receiving host", "The receiving host took time to answer."},
      {"ack", "queues of the way back", "Acknowledgements waited in queues, behind whatever it was."},
  };
  for (std::size_t hop = 1; hop <= kQueueParts; ++hop) {
    const bool last = hop == kQueueParts;
    kinds.push_back(
        {fmt::format("queue_{}", hop), fmt::format("queue at hop {}{}", hop, last ? " and beyond" : ""),
         fmt::format("Its packets waited at port {} after the NIC{}.", hop, last ? " or at later ones" : "")});
  }
  return kinds;
}

}  // namespace

const std::vector<PartKind>& part_kinds() {
  static const std::vector<PartKind> kinds = make_kinds();
  return kinds;
}

}  // namespace weir::result
