// Senders: a Linux host's queue between TCP and the NIC. Included by engine/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/host/senders.h"

namespace weir::host {

template <class P>
void Senders<P>::board_stack(Host& host, Flow& flow, Time now) {
  host.extras_of(flow.slot).queue.start(model().transport.payload);
  flow.stacked = flow.noted = true;
  hand_down(host, flow, now);
}

// The window or what waits has changed: segments that have room are handed down. The rate is the algorithm's, or else
// so many windows in a round trip (tcp_update_pacing_rate).
template <class P>
void Senders<P>::hand_down(Host& host, Flow& flow, Time now) {
  const StackParams& stack = *model().profiles[flow.profile].stack;
  FlowExtras& extras = host.extras_of(flow.slot);
  const double ratio = flow.control.slow_start ? stack.slow_start_ratio : stack.avoidance_ratio;
  const double rate = flow.control.rate.bits_per_second != 0
                          ? static_cast<double>(flow.control.rate.bits_per_second)
                          : 8 * ratio * static_cast<double>(flow.control.window.count) / flow.srtt.seconds();
  extras.queue.fill(stack,
                    {.window = flow.control.window.count,
                     .in_flight = flow.in_flight(),
                     .sent = flow.snd_nxt,
                     .acknowledged = flow.snd_una,
                     .limit = std::min(extras.scoreboard.limit(flow.snd_una), stack.asked_for(flow.snd_una))},
                    rate, now);
  flow.limit = extras.queue.end();
}

// How long the packet that this acknowledges waited below the socket.
template <class P>
Time Senders<P>::waited(Host& host, const Flow& flow, const Packet& ack) {
  return host.extras_of(flow.slot).queue.waited(sacks()[ack.src].trigger * model().transport.payload.count);
}

// A packet has left. One that is sent again does not come from the queue.
template <class P>
void Senders<P>::leave_stack(Host& host, Flow& flow, const Packet& packet, bool again, Time now) {
  if (!again) {
    const bool pace =
        model().profiles[flow.profile].stack->pacing == Pacing::fq || flow.control.rate.bits_per_second != 0;
    flow.next_send = host.extras_of(flow.slot).queue.on_send(flow.snd_nxt, Bytes{packet.wire}, pace, now);
  }
  hand_down(host, flow, now);
}

}  // namespace weir::host
