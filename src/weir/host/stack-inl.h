// Senders: a Linux host's queue between TCP and the NIC. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/host/senders.h"

namespace weir::host {

inline constexpr double kFastest = 1e15;  // bits per second, of a flow without a window

template <class P>
void Senders<P>::board_stack(Host& host, Flow& flow, Time now) {
  host.stack_of(flow.slot).start(model().transport.payload);
  flow.stacked = flow.has_log = true;
  hand_down(host, flow, now);
}

// Hands down segments for which there is room, after the window or what waits has changed; with `one_beyond` first one
// packet even if there is no room. The pacing rate is the algorithm's, or else a number of windows in a round trip
// (tcp_update_pacing_rate).
template <class P>
void Senders<P>::hand_down(Host& host, Flow& flow, Time now, bool one_beyond) {
  const StackParams& stack = *model().profiles[flow.profile].stack;
  HostStack& queue = host.stack_of(flow.slot);
  const double ratio = flow.control.slow_start ? stack.slow_start_ratio : stack.avoidance_ratio;
  const double rate = flow.control.rate.bits_per_second != 0
                          ? static_cast<double>(flow.control.rate.bits_per_second)
                          : 8 * ratio * static_cast<double>(flow.control.window.count) / flow.srtt.seconds();
  const Scoreboard& board = host.extras_of(flow.slot).scoreboard;
  queue.fill(
      stack,
      {.window = flow.control.window.count,
       .in_flight = flow.in_flight(),
       .sent = flow.snd_nxt,
       .acknowledged = flow.snd_una,
       .limit = std::min(board.limit(flow.snd_una), stack.asked_for(flow.snd_una, model().transport.payload.count))},
      std::min(rate, kFastest), one_beyond, now);
  flow.send_limit = queue.end();
  if (early(flow)) commit(host, flow, queue);
}

// Whether departures are fixed when segments are handed down.
template <class P>
inline bool Senders<P>::early(const Flow& flow) const {
  return flow.stacked && flow.on_ramp && model().profiles[flow.profile].on_ramp->early;
}

// Fixes when the segments that have been handed down leave, and tells On-Ramp of each as if it left then.
template <class P>
void Senders<P>::commit(Host& host, Flow& flow, HostStack& queue) {
  cc::OnRamp& shim = *host.on_ramps[flow.slot];
  queue.commit(shim.next_packet(queue.end()), paces(flow), data_header_[flow.profile],
               [&](std::int64_t first, std::int64_t size, Time departs) { shim.on_send(first, Bytes{size}, departs); });
  update_on_ramp_hold(host, flow);
}

// Whether the queue paces the flow's segments.
template <class P>
bool Senders<P>::paces(const Flow& flow) const {
  return model().profiles[flow.profile].stack->pacing == Pacing::fq || flow.control.rate.bits_per_second != 0;
}

// Since when the packet that `ack` acknowledges was under way for TCP.
template <class P>
Time Senders<P>::under_way(Host& host, const Flow& flow, const Packet& ack) {
  const std::int64_t seq = packets().sack(ack).trigger * model().transport.payload.count;
  return host.stack_of(flow.slot).under_way(seq, ack.sent);
}

// Notes that a packet has left; one that is sent again does not come from the queue. `last_wire` becomes 0 so that
// repace() does nothing: the queue alone paces.
template <class P>
void Senders<P>::leave_stack(Host& host, Flow& flow, const Packet& packet, bool again, Time now) {
  flow.last_wire = 0;
  if (!again) {
    const bool pace = paces(flow) && !early(flow);
    flow.next_send = host.stack_of(flow.slot).on_send(flow.snd_nxt, Bytes{packet.wire}, pace, now);
  }
  hand_down(host, flow, now);
}

}  // namespace weir::host
