#include "weir/engine/counters.h"

namespace weir::engine {

void Counters::add(const Counters& o) {
  events += o.events;
  packet_hops += o.packet_hops;
  data_packet_hops += o.data_packet_hops;
  data_packets += o.data_packets;
  retransmitted += o.retransmitted;
  timeouts += o.timeouts;
  nacks += o.nacks;
  cnps += o.cnps;
  or_acks += o.or_acks;
  probes += o.probes;
  marked += o.marked;
  dropped += o.dropped;
  trimmed += o.trimmed;
  lost += o.lost;
  pauses += o.pauses;
  storms += o.storms;
  storm_dropped += o.storm_dropped;
  flows_started += o.flows_started;
  flows_completed += o.flows_completed;
}

}  // namespace weir::engine
