// Senders: connections, which are flows that carry one message after another. Included by
// engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <utility>

#include "weir/host/senders.h"

namespace weir::host {

// How many byte numbers of its connection a message spans: its size, rounded up to whole packets.
template <class P>
inline Bytes Senders<P>::span_of(Bytes message) const {
  const std::int64_t payload = model().transport.payload.count;
  return {(message.count + payload - 1) / payload * payload};
}

template <class P>
void Senders<P>::append(std::uint32_t h, Flow& flow, QueuedMessage& message, Time now) {
  Host& host = network().hosts[h];
  const bool rested = flow.rests();
  const Bytes span = span_of(message.message.size);
  message.begin = flow.size();
  message.end = message.begin + span.count;
  flow.facts.size += span;
  flow.tag = message.message.tag;
  drivers().outgoing(h, flow.slot).messages.push(message);
  if (flow.selective) {
    Scoreboard& board = host.extras_of(flow.slot).scoreboard;
    board.extend(span.count, message.gap());
    note_scoreboard(host, flow, board);
  } else {
    flow.send_limit = flow.size();
  }
  ++counters().flows_started;
  if (rested) resume(h, flow, now);
  trace_message(net::EventKind::started, host, flow, message, now);
  trace_message(net::EventKind::controlled, host, flow, message, now);
  nics().arm(host, flow);
  nics().consider(host, flow, now);
}

// Wakes a connection that has rested and has something to send: restores its algorithm's timer, and with
// IdleRule::restart begins the algorithm anew if nothing was sent for a retransmission timeout.
template <class P>
void Senders<P>::resume(std::uint32_t h, Flow& flow, Time now) {
  ++active_;
  Time& timer = drivers().outgoing(h, flow.slot).timer;
  flow.control.timer = std::min(flow.control.timer, std::exchange(timer, cc::kNoTimer));
  if (model().transport.idle == IdleRule::keep || now - flow.last_sent < timeout(flow)) return;
  const Profile& profile = model().profiles[flow.profile];
  flow.control = {};
  flow.facts.start = now;
  flow.next_send = now;
  profile.algorithm->start(flow.state(), profile.params.get(), flow.facts, flow.control);
  request_decision(network().hosts[h], flow, now);
}

// Prepares a packet of a connection that is about to leave. Returns its payload, which is shorter than its span at the
// end of some messages.
template <class P>
std::int64_t Senders<P>::begin_packet(std::uint32_t h, Flow& flow, Packet& packet, std::int64_t span) {
  QueuedMessage& message = drivers().outgoing(h, flow.slot).messages.at(packet.seq);
  if (packet.seq < flow.snd_max) ++message.retransmitted;
  if (packet.seq + span < message.end) return span;
  packet.flags |= net::kEndsMessage;
  if (!flow.selective) flow.not_in_flight += message.gap();
  return span - message.gap();
}

// Returns how many of the bytes from `from` to snd_una, which have just been acknowledged, are gaps that nobody sends.
// Gaps before `sent` were counted as not in flight, and are taken out of that count.
template <class P>
std::int64_t Senders<P>::pass_gaps(const Host& host, Flow& flow, std::int64_t from, std::int64_t sent) {
  std::int64_t gaps = 0;
  const MessageQueue& queue = drivers().outgoing(shared().port(host.nic()).owner, flow.slot).messages;
  for (const QueuedMessage& message : queue.all()) {
    if (message.end > flow.snd_una) break;
    if (message.end <= from) continue;
    gaps += message.gap();
    if (message.end <= sent) flow.not_in_flight -= message.gap();
  }
  return gaps;
}

}  // namespace weir::host
