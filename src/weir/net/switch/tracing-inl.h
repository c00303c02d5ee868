// Links: what the tracer is told of packets, by all rooms of net/switch. Included by engine/partition/partition-inl.h
// only.
#pragma once

#include <algorithm>

#include "weir/base/int_wire.h"
#include "weir/net/switch/links.h"

namespace weir::net {

template <class P>
inline void Links<P>::trace(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time,
                            std::uint32_t queued) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(kind, port, time) || (packet.is_control() && !is_of_port(kind))) return;
    TraceEvent& event = tracer().add();
    event.time = time;
    event.kind = kind;
    event.port = port;
    event.queued = queued;
    const Packet whole = packets().packet(packet);
    event.packet = view_of(whole);
    event.src = whole.sender();
  }
}

// Its record of telemetry and what it tells selectively go with it: both are only known here.
template <class P>
inline void Links<P>::trace_on_wire(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time,
                                    std::uint32_t queued) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(kind, port, time)) return;
    WireEvent& event = tracer().add_on_wire();
    event.time = time;
    event.kind = kind;
    event.port = port;
    event.queued = queued;
    const Packet whole = packets().packet(packet);
    event.packet = view_of(whole);
    if (!packet.is_control()) {
      event.src = whole.sender();
      if (packet.has_telemetry()) {
        const Telemetry& telemetry = packets().telemetry(packet);
        const std::uint64_t hops = std::min<std::uint64_t>(telemetry.hops, kMaxWireHops);
        event.int_head = int_head(hops, path_id(telemetry.path));
        for (std::uint64_t i = 0; i < hops; ++i) event.int_hop[i] = on_wire(telemetry.hop[i]);
      }
      if ((packet.flags & kSack) != 0 && !packet.to_receiver()) {
        const Sack& sack = packets().sack(packet);
        event.sack = {sack.trigger, sack.first(), sack.arrived, sack.entropy, whole.src};
      }
    }
  }
}

template <class P>
inline std::uint64_t Links<P>::on_wire(const HopTelemetry& hop) const {
  return int_hop_word(exact_telemetry_ ? IntFormat::wire(model().transport.int_multiplier).quantise(hop) : hop);
}

// A packet that has begun to leave, as it will be at the far end.
template <class P>
void Links<P>::trace_sent(const Port& p, std::uint32_t port, const Descriptor& packet, bool marked,
                          std::uint32_t queued) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(EventKind::sent, port, packet.departs)) return;
    trace_on_wire(EventKind::sent, port, packet, packet.departs, queued);
    WireEvent& event = tracer().records().on_wire.back();
    if (marked) event.packet.marks.ce = true;
    if (!is_stamped(p, packet)) return;
    const Telemetry& telemetry = packets().telemetry(packet);
    const std::uint64_t hops = telemetry.hops;
    if (hops == kMaxTelemetryHops) return;
    // what has begun to leave and is not at the far end is not counted yet
    std::uint64_t before = p.tx_bytes;
    for_each_on_wire(p, [&](const Descriptor& other) { before += other.wire; });
    before -= packet.wire;
    if (hops < kMaxWireHops) event.int_hop[hops] = on_wire(told(stamp(p, packet, before), telemetry));
    event.int_head = int_head(std::min<std::uint64_t>(hops + 1, kMaxWireHops),
                              path_id_of_head(event.int_head) ^ path_id(path_number(port)));
  }
}

template <class P>
inline void Links<P>::trace_arrival(std::uint32_t port, const Descriptor& packet, Time now) {
  if constexpr (P::Tracer::kOn)
    if (tracer().takes_arrivals_at_switches() || shared().port(port).peer < shared().hosts)
      trace(EventKind::arrived, port, packet, now, 0);
  trace_on_wire(EventKind::received, Topology::reverse(port), packet, now, 0);
}

template <class P>
inline void Links<P>::trace_left(const Port& p, const Descriptor& packet) {
  if (!tracer().is_recording()) return;
  const auto port = static_cast<std::uint32_t>(&p - network().ports.data());
  if (!tracer().takes(port, packet.departs)) return;
  // the queue of a packet in a class of its own is shorter than what waits at the port
  const std::uint32_t queued = p.kind == PortKind::fifo ? packet.queue : p.queued;
  trace(EventKind::left, port, packet, packet.departs, queued);
  const std::uint64_t index = p.tx_packets + count_on_wire(p) - 1;
  const bool has_mark = is_marked(p, port, packet, model().seed, index);
  trace_sent(p, port, packet, has_mark, queued);
  if (!has_mark) return;
  Descriptor marked = packet;
  marked.flags |= kMarked;
  trace(EventKind::marked, port, marked, packet.departs, queued);
}

}  // namespace weir::net
