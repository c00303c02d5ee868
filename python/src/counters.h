// Counters of a run as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include "weir/engine/counters.h"

namespace weir::python {

// By the names that manifest.json has.
inline nanobind::dict counters_of(const engine::Counters& c) {
  using Named = std::pair<const char*, std::uint64_t>;
  nanobind::dict out;
  for (const auto& [name, value] :
       {Named{"events", c.events}, Named{"packet_hops", c.packet_hops}, Named{"data_packet_hops", c.data_packet_hops},
        Named{"data_packets", c.data_packets}, Named{"flows_started", c.flows_started},
        Named{"flows_completed", c.flows_completed}, Named{"packets_dropped", c.dropped},
        Named{"packets_trimmed", c.trimmed}, Named{"packets_lost", c.lost}, Named{"packets_marked", c.marked},
        Named{"retransmitted_packets", c.retransmitted}, Named{"timeouts", c.timeouts}, Named{"nacks", c.nacks},
        Named{"cnps", c.cnps}, Named{"or_acks", c.or_acks}, Named{"probes", c.probes}, Named{"pfc_pauses", c.pauses},
        Named{"pfc_storms", c.storms}, Named{"pfc_storm_dropped", c.storm_dropped}})
    out[name] = value;
  return out;
}

}  // namespace weir::python
