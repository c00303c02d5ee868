// Senders: the rate at which a flow's packets leave, bursts, probes, and how an algorithm's answer is followed.
// Included by engine/partition/partition-inl.h only.
#pragma once

#include "weir/host/senders.h"

namespace weir::host {

// Sets when the flow's next packet may leave, after one has left. Packets of a burst do not wait for pacing; their
// lengths count when the burst is over.
template <class P>
inline void Senders<P>::pace(Flow& flow, std::uint32_t wire, Time now) {
  const bool first = flow.burst_left == 0;
  if (flow.control.rate.bits_per_second != 0)
    flow.next_send = (first ? now : flow.next_send) + transmission_time(Bytes{wire}, flow.control.rate);
  if (first) [[likely]] {
    flow.last_sent = now;
    flow.last_wire = wire;
    if (flow.control.burst <= 1) [[likely]]
      return;
    flow.burst_left = flow.stacked ? std::uint8_t{0} : static_cast<std::uint8_t>(flow.control.burst - 1);
  } else {
    flow.last_wire += wire;
    --flow.burst_left;
  }
  if (!flow.sendable()) flow.burst_left = 0;
}

// Sends a probe behind the packet that has just been given to the NIC, on the same path.
template <class P>
void Senders<P>::send_probe(std::uint32_t port, Flow& flow, const Packet& behind, Time now) {
  Packet probe;
  probe.kind = net::PacketKind::probe;
  probe.sent = now + transmission_time(Bytes{behind.wire}, shared().port(port).rate);
  probe.src = behind.src;
  probe.dst = behind.dst;
  probe.entropy = behind.entropy;
  probe.slot = behind.slot;
  probe.generation = behind.generation;
  probe.profile = behind.profile;
  probe.wire = static_cast<std::uint16_t>(model().transport.min_frame.count);
  probe.traffic_class = behind.traffic_class;
  probe.flags = net::flags_of(flow.path_policy);
  flow.control.probe = false;
  ++counters().probes;
  links().send(port, probe, now);
}

template <class P>
void Senders<P>::receive_echo(const Host& host, Flow& flow, const Packet& packet, Time now) {
  const Profile& profile = model().profiles[flow.profile];
  if (profile.algorithm->on_echo == nullptr) return;
  profile.algorithm->on_echo(flow.state(), profile.params.get(), flow.facts,
                             {.now = now, .rtt = now - packet.sent, .sent_at = packet.sent}, flow.control);
  apply_control(host, flow, now);
}

template <class P>
void Senders<P>::notify_congestion(const Host& host, Flow& flow, Time now) {
  const Profile& profile = model().profiles[flow.profile];
  if (profile.algorithm->on_cnp == nullptr) return;
  profile.algorithm->on_cnp(flow.state(), profile.params.get(), flow.facts, now, flow.control);
  apply_control(host, flow, now);
}

template <class P>
inline void Senders<P>::apply_control(const Host& host, Flow& flow, Time now) {
  request_decision(host, flow, now);
  trace(net::EventKind::controlled, host, flow, now);
  repace(flow);
}

template <class P>
inline void Senders<P>::repace(Flow& flow) {
  if (!flow.control.repace || flow.last_wire == 0) return;
  flow.next_send = flow.control.rate.bits_per_second == 0
                       ? flow.last_sent
                       : flow.last_sent + transmission_time(Bytes{flow.last_wire}, flow.control.rate);
}

}  // namespace weir::host
