// Counters: how much a run has simulated so far (Engine::counters(), manifest.json).
#pragma once

#include <cstdint>

namespace weir::engine {

struct Counters {
  std::uint64_t events = 0;
  std::uint64_t packet_hops = 0;  // packets of any kind that crossed a link
  std::uint64_t data_packet_hops = 0;
  std::uint64_t data_packets = 0;  // sent by hosts, retransmissions included
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t nacks = 0;
  std::uint64_t cnps = 0;
  std::uint64_t or_acks = 0;
  std::uint64_t probes = 0;   // probes of the round-trip time that were sent
  std::uint64_t marked = 0;   // data packets that arrived marked
  std::uint64_t dropped = 0;  // packets dropped by full buffers
  std::uint64_t trimmed = 0;  // packets whose payload full buffers cut off
  std::uint64_t lost = 0;     // packets lost on links
  std::uint64_t pauses = 0;   // pause frames sent
  std::uint64_t storms = 0;   // pause storms that the PFC watchdog found (SONiC, Junos)
  std::uint64_t storm_dropped = 0;
  std::uint64_t flows_started = 0;
  std::uint64_t flows_completed = 0;

  void add(const Counters& o);
};

}  // namespace weir::engine
