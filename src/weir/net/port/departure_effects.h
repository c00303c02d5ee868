// What a port does to a packet when its transmission begins: marks it, writes telemetry into it, tells path policies of
// it, and the link may lose it. All of this follows from the port and from how many packets have left it before
// (`index`), so they are worked out when the packet reaches the far end (Links::apply_departure), and the same by
// whoever looks at the port before that.
#pragma once

#include <cstdint>

#include "weir/base/random.h"
#include "weir/base/telemetry.h"
#include "weir/net/link/link_faults.h"
#include "weir/net/port/port.h"
#include "weir/net/port/wire.h"

namespace weir::net {

// RED: is packet number `index` of the port marked, with so many bytes left behind it? Called
// only with queue > ecn_min.
inline bool marks(const Port& p, std::uint32_t queue, const RandomStream& random, std::uint64_t index) {
  if (queue > p.ecn_max) return true;
  const double share = static_cast<double>(queue - p.ecn_min) / static_cast<double>(p.ecn_max - p.ecn_min);
  return random.uniform(index) < p.ecn_probability * share;
}

// What seldom changes from one packet to the next is asked first. A host's port does not mark (Port::ecn_min).
inline bool is_marked(const Port& p, std::uint32_t port, const Descriptor& packet, std::uint64_t seed,
                      std::uint64_t index) {
  return packet.queue > p.ecn_min && packet.is_markable() &&
         marks(p, packet.queue, RandomStream(seed, port, Purpose::ecn_mark), index);
}

// Only of a port that has `faults`.
inline bool is_lost(const Port& p, std::uint32_t port, const Descriptor& packet, std::uint64_t seed,
                    std::uint64_t index) {
  return p.faults->loses(packet, p.arrival(packet), RandomStream(seed, port, Purpose::link_loss), index);
}

// How long a link that retries is taken by failed transmissions before the one that arrives; only of a port that has
// `faults`. After each of them the far end refuses what follows and asks for the packet again, so the link loses the
// transmission and a round trip of its own (UEC 1.0, link layer retry: go back n).
inline Time time_of_failures(const Port& p, std::uint32_t port, const Descriptor& packet, std::uint64_t seed,
                             std::uint64_t index) {
  const std::int64_t count = p.faults->failures(packet, RandomStream(seed, port, Purpose::link_loss), index);
  return {count * (p.serialisation(packet.wire) + p.delay + p.delay).ps};
}

// Whether the port writes telemetry into the packet, if there is room for another record.
inline bool is_stamped(const Port& p, const Descriptor& packet) {
  return packet.has_telemetry() && p.at_switch && packet.kind == PacketKind::data;
}

// What it writes, after so many bytes (HPCC, figure 7: timestamp, txBytes, qlen, bandwidth).
inline HopTelemetry stamp(const Port& p, const Descriptor& packet, std::uint64_t tx_bytes) {
  return {packet.departs.ps, static_cast<std::int64_t>(tx_bytes), static_cast<std::int32_t>(packet.queue), p.rate_mbps};
}

// What a settled port has done so far, to packets on the wire as well.
inline std::uint64_t bytes_sent(const Port& p) {
  std::uint64_t out = p.tx_bytes;
  for_each_on_wire(p, [&](const Descriptor& packet) { out += packet.wire; });
  return out;
}
inline std::uint64_t packets_marked(const Port& p, std::uint32_t port, std::uint64_t seed) {
  std::uint64_t out = p.marks;
  if (!p.at_switch) return out;
  std::uint64_t index = p.tx_packets;
  for_each_on_wire(p, [&](const Descriptor& packet) { out += is_marked(p, port, packet, seed, index++); });
  return out;
}
inline std::uint64_t packets_lost(const Port& p, std::uint32_t port, std::uint64_t seed) {
  std::uint64_t out = p.lost;
  if (p.faults == nullptr) return out;
  std::uint64_t index = p.tx_packets;
  for_each_on_wire(p, [&](const Descriptor& packet) { out += is_lost(p, port, packet, seed, index++); });
  return out;
}

}  // namespace weir::net
