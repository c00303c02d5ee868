// Senders: a flow's start and end, and its packets. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <cmath>

#include "weir/host/senders.h"

namespace weir::host {

// How far beyond the first missing byte a flow may send.
inline Bytes reach(const RecoveryParams& recovery, const cc::FlowFacts& facts) {
  constexpr double kAnyFar = 1e18;
  if (recovery.kind != RecoveryKind::irn) return {std::llround(kAnyFar)};
  const auto product = static_cast<double>(bytes_in(facts.network_rtt, facts.line_rate).count);
  return {std::max<std::int64_t>(facts.payload.count, std::llround(std::min(recovery.window * product, kAnyFar)))};
}

// T of On-Ramp. The largest one-way delay of the empty network is half a round trip of two full packets.
template <class Model>
Time on_ramp_threshold(const Model& model, const Profile& profile) {
  const Bytes wire = model.data_wire(profile);
  return cc::threshold_of(*profile.on_ramp, model.paths.network_rtt(wire, wire) / 2);
}

template <class P>
template <class Model>
Senders<P>::Senders(const Model& m) : int_format_(m.int_format()) {
  for (const auto& profile : m.profiles) {
    thresholds_.push_back(profile.on_ramp ? on_ramp_threshold(m, profile) : Time{});
    data_header_.push_back(static_cast<std::uint16_t>((m.data_wire(profile) - m.transport.payload).count));
  }
}

template <class P>
inline void Senders<P>::trace(net::EventKind kind, const Host& host, const Flow& flow, Time now, Bytes first,
                              Bytes lost, net::Cause cause) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(kind)) return;
    // For messages of a connection it is decided later what is news (engine/trace/trace_order.h).
    if (kind == net::EventKind::controlled && !flow.is_connection &&
        !tracer().is_news(flow.id, flow.control.window, flow.control.rate))
      return;
    net::TraceEvent& event = tracer().add();
    event.time = now;
    event.kind = kind;
    event.cause = cause;
    event.port = nics().port_of(host, flow);
    event.flow = flow.id;
    event.src = shared().port(host.nic()).owner;
    event.packet.dst = flow.dst;
    event.packet.slot = flow.slot;
    event.packet.generation = flow.generation;
    event.packet.profile = flow.profile;
    if (flow.is_connection) event.packet.seq = flow.snd_nxt;
    event.window = kind == net::EventKind::told_loss ? lost : flow.control.window;
    event.rate = flow.control.rate;
    event.first = first;
  }
}

template <class P>
void Senders<P>::trace_message(net::EventKind kind, const Host& host, const Flow& flow, const QueuedMessage& message,
                               Time now) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(kind)) return;
    trace(kind, host, flow, now, kind == net::EventKind::started ? message.message.size : Bytes{});
    net::TraceEvent& event = tracer().records().events.back();
    event.flow = message.message.id;
    event.packet.seq = message.begin;
  }
}

template <class P>
inline void Senders<P>::trace_waiting(const Host& host, const Flow& flow, Time now) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(net::EventKind::waiting)) return;
    const bool may_send = flow.ready || flow.sendable();
    const bool is_due = flow.ready || flow.due() <= now;
    const bool on_ramp = flow.burst_left != 0 || flow.on_ramp_until > flow.next_send;
    const net::Cause cause = !may_send ? net::Cause::window
                             : is_due  ? net::Cause::turn
                             : on_ramp ? net::Cause::on_ramp
                                       : net::Cause::pacing;
    const Time not_before = may_send && !is_due ? flow.due() : Time{};
    if (!flow.is_connection && !tracer().is_news(flow.id, cause, not_before)) return;
    trace(net::EventKind::waiting, host, flow, now, {}, {}, cause);
    tracer().records().events.back().not_before = not_before;
  }
}

template <class P>
Flow& Senders<P>::start_flow(std::uint32_t h, const traffic::Flow& start, Time now, QueuedMessage* message) {
  Host& host = network().hosts[h];
  const Profile& profile = model().profiles[start.profile];
  Flow& flow = *flows_.take(start.profile, profile.algorithm->state_size);
  flow.id = start.id;
  flow.has_messages = message != nullptr;
  flow.is_connection = flow.has_messages && model().transport.connections == ConnectionKind::kept;
  const Bytes size = flow.is_connection ? span_of(start.size) : start.size;
  flow.send_limit = size.count;
  flow.dst = start.dst;
  flow.tag = start.tag;
  flow.profile = start.profile;
  flow.entropy = model().entropy_of(start.src, start.dst, start.sport, start.dport, start.profile);
  flow.slot = host.take_slot();
  flow.generation = host.generations[flow.slot];
  host.flows[flow.slot] = &flow;
  if (flow.has_messages) {
    message->end = size.count;
    drivers().outgoing(h, flow.slot).messages.push(*message);
  }

  flow.path_policy = profile.balancing.path_policy();
  flow.sprayed = profile.balancing.sprays();
  if (flow.sprayed) host.extras_of(flow.slot).connection = connect(host, start, flow.has_messages);
  if (nics().have_several_ports()) flow.ports = profile.balancing.port_choice();

  const net::PathFacts path = model().paths.facts(start.src, start.dst);
  const Bytes wire = model().data_wire(profile);
  flow.facts = {.line_rate = nics().rate_of(host, flow),
                .path_rate = nics().path_rate_of(host, flow, path.slowest),
                .base_rtt = model().paths.base_rtt(start.src, start.dst, wire, model().ack_wire(profile)),
                .network_rtt = network().network_rtt,
                .payload = model().transport.payload,
                .wire = wire,
                .size = size,
                .start = now,
                .switch_hops = static_cast<int>(path.switches),
                .trimming = model().network.trimming,
                .telemetry = int_format_,
                .random = RandomStream(model().seed, traffic::stream_of(start.id), Purpose::algorithm)};
  flow.srtt = flow.facts.base_rtt + model().host.answer_delay();
  flow.rttvar = flow.srtt / 2;  // as if a first round trip had been measured (RFC 6298, section 2.2)
  flow.next_send = now;
  if (message == nullptr) flow.next_send += application_time(start.id);
  if (cc::has(profile.algorithm->about.needs, cc::Needs::delivery_rate)) {
    flow.has_log = true;
    host.extras_of(flow.slot).delivery.start(model().transport.payload);
  }
  if (profile.recovery.selective()) start_scoreboard(host, flow, profile.recovery, size - start.size);
  if (profile.unsolicited.count > 0) {
    flow.send_limit = 0;
    if (flow.selective) host.extras_of(flow.slot).scoreboard.allow(0);
    allow(host, flow, unsolicited(flow));
  }
  if (profile.on_ramp) board_on_ramp(host, flow, *profile.on_ramp);
  profile.algorithm->start(flow.state(), profile.params.get(), flow.facts, flow.control);
  ++active_;
  ++counters().flows_started;
  trace(net::EventKind::started, host, flow, now, start.size);
  request_decision(host, flow, now);
  trace(net::EventKind::controlled, host, flow, now);
  if (profile.stack) board_stack(host, flow, flow.next_send);
  nics().arm(host, flow);
  nics().consider(host, flow, now);
  return flow;
}

// `gap`: what is behind the last byte of the first message.
template <class P>
void Senders<P>::start_scoreboard(Host& host, Flow& flow, const RecoveryParams& recovery, Bytes gap) {
  flow.selective = true;
  const bool is_tcp = recovery.kind == RecoveryKind::sack;
  flow.tcp_timers = is_tcp && model().transport.has_tcp_timers();
  Scoreboard& scoreboard = host.extras_of(flow.slot).scoreboard;
  scoreboard.start(recovery, flow.size(), model().transport.payload.count, reach(recovery, flow.facts).count,
                   is_tcp && model().transport.rack && recovery.reordering == Time{});
  scoreboard.note_gap(gap.count);
  note_scoreboard(host, flow, scoreboard);
}

// What the application takes before a flow has something to send; drawn behind all that receivers draw (ReceiveDelays).
template <class P>
inline Time Senders<P>::application_time(std::uint64_t flow) const {
  const HostParams& host = model().host;
  if (host.application_time() == Time{}) [[likely]]
    return {};
  constexpr std::uint64_t kBehind = std::uint64_t{1} << 63;
  const RandomStream random(model().seed, traffic::stream_of(flow), Purpose::host_delay);
  return host.application_delay +
         Time{std::llround(static_cast<double>(host.application_jitter.ps) * random.exponential(kBehind))};
}

// Joins or opens the connection (host/connections.h) that keeps the entropies of a flow that sprays.
template <class P>
std::uint32_t Senders<P>::connect(Host& host, const traffic::Flow& flow, bool is_message) {
  const BalancingParams& balancing = model().profiles[flow.profile].balancing;
  const RandomStream random(model().seed, traffic::stream_of(flow.id), Purpose::spraying);
  const auto draw = static_cast<std::uint32_t>(random.bits(0));
  const bool remembers = balancing.kind == Balancing::reps;
  if (remembers && balancing.memory == PathMemory::pair)
    return host.connections.join({.dst = flow.dst, .profile = flow.profile}, balancing, draw);
  if (remembers && balancing.memory == PathMemory::connection && is_message)
    return host.connections.join({flow.dst, flow.sport, flow.dport, flow.profile}, balancing, draw);
  return host.connections.open(balancing, draw);
}

template <class P>
void Senders<P>::board_on_ramp(Host& host, Flow& flow, const cc::OnRamp::Params& params) {
  cc::OnRamp& shim = host.make_on_ramp(flow.slot);
  shim.start(params, thresholds_[flow.profile], model().transport.payload);
  if (host.seen_delays != nullptr)
    if (const auto seen = host.seen_delays->find(flow.dst); seen != host.seen_delays->end())
      shim.remember(seen->second.delay, seen->second.at);
  flow.on_ramp = true;
  flow.on_ramp_until = shim.next_packet(0);
}

template <class P>
void Senders<P>::finish_flow(std::uint32_t h, Flow& flow, Time now) {
  if (traffic::is_listed(flow.id)) finished_.push_back(record_of(h, flow, now));
  --active_;
  ++counters().flows_completed;
  Host& host = network().hosts[h];
  trace(net::EventKind::ended, host, flow, now);
  if (flow.has_messages) drivers().end_flow(h, flow, now);
  if (flow.sprayed) host.connections.leave(host.extras_of(flow.slot).connection);
  host.free_slot(flow.slot);
  flows_.give(flow.profile, &flow);
}

template <class P>
inline void Senders<P>::transmit(std::uint32_t h, Flow& flow, std::uint32_t port, Time now) {
  Host& host = network().hosts[h];
  FlowExtras* const extras = flow.selective || flow.sprayed ? &host.extras_of(flow.slot) : nullptr;
  Packet packet;
  packet.seq = flow.resend ? extras->scoreboard.first_lost() : flow.snd_nxt;
  const std::int64_t span = std::min(model().transport.payload.count, flow.size() - packet.seq);
  packet.sent = now;
  packet.src = h;
  packet.dst = flow.dst;
  packet.entropy = flow.sprayed ? entropy_of_next(h, host, flow, extras->connection, now) : flow.entropy;
  packet.slot = flow.slot;
  packet.generation = flow.generation;
  packet.profile = flow.profile;
  packet.flags = net::flags_of(flow.path_policy);
  const std::int64_t payload = flow.is_connection ? begin_packet(h, flow, packet, span) : span;
  packet.payload = static_cast<std::uint16_t>(payload);
  packet.wire = static_cast<std::uint16_t>(payload + data_header_[flow.profile]);
  packet.traffic_class = net::data_class(model().profiles[flow.profile].data_class);
  const cc::Algorithm& algorithm = *model().profiles[flow.profile].algorithm;
  if (cc::has(algorithm.about.needs, cc::Needs::telemetry)) packets().add_telemetry(packet);
  const bool again = packet.seq < flow.snd_max;
  if (again) {
    packet.flags |= net::kRetransmission;
    ++flow.retransmitted;
    ++counters().retransmitted;
  }
  ++counters().data_packets;
  if (model().profiles[flow.profile].ack_every.count > 0 && asks(flow, packet)) packet.flags |= net::kAskAck;
  if (flow.on_ramp && (packet.seq + payload >= flow.size() || (packet.flags & net::kEndsMessage) != 0))
    packet.flags |= net::kLast;
  if (model().profiles[flow.profile].unsolicited.count > 0 && packet.seq + unsolicited(flow) < flow.size())
    packets().tell_size(packet, flow.size());
  nics().make_ready(h, port, packet.wire, now);
  links().send(port, packet, now);

  if (packet.seq == flow.snd_nxt) flow.snd_nxt += span;
  flow.snd_max = std::max(flow.snd_max, flow.snd_nxt);
  if (flow.selective) {
    extras->scoreboard.on_send(packet.seq, now);
    note_scoreboard(host, flow, extras->scoreboard);
  }
  if (flow.on_ramp) {
    if (again || !early(flow)) show_on_ramp(host, flow, packet, again, now);
    update_on_ramp_hold(host, flow);
  }
  pace(flow, packet.wire, now);
  if (flow.has_log) on_packet_left(host, flow, packet, now);
  if (flow.tcp_timers) [[unlikely]]
    on_tcp_send(host, flow, again, now);
  else
    watch_for_timeout(flow, payload, now);
  if (algorithm.on_send != nullptr) tell_sent(host, flow, packet, again, now);
  trace(net::EventKind::controlled, host, flow, now);
  if (flow.control.probe && flow.burst_left == 0) [[unlikely]]
    send_probe(port, flow, packet, now);
  nics().arm(host, flow);
}

template <class P>
inline void Senders<P>::tell_sent(Host& host, Flow& flow, const Packet& packet, bool again, Time now) {
  const Profile& profile = model().profiles[flow.profile];
  profile.algorithm->on_send(flow.state(), profile.params.get(), flow.facts,
                             {.now = now,
                              .seq = {packet.seq},
                              .wire = {packet.wire},
                              .in_flight = {flow.in_flight()},
                              .retransmission = again,
                              .app_limited = app_limited(host, flow)},
                             flow.control);
}

template <class P>
inline std::uint32_t Senders<P>::entropy_of_next(std::uint32_t h, Host& host, const Flow& flow,
                                                 std::uint32_t connection, Time now) {
  if (flow.ports == PortChoice::entropy) [[unlikely]]
    return nics().take_entropy(h, flow, now);
  return host.connections.paths(connection).next(now);
}

template <class P>
inline std::int64_t Senders<P>::unsolicited(const Flow& flow) const {
  return model().profiles[flow.profile].unsolicited_packets(flow.facts.payload) * flow.facts.payload.count;
}

// Allows the flow to send all bytes below `end`.
template <class P>
void Senders<P>::allow(Host& host, Flow& flow, std::int64_t end) {
  if (flow.selective) {
    Scoreboard& board = host.extras_of(flow.slot).scoreboard;
    board.allow(std::max(board.allowed(), end));
    note_scoreboard(host, flow, board);
  } else {
    flow.send_limit = std::max(flow.send_limit, std::min(flow.size(), end));
  }
}

// Whether nothing is under way, and nothing may be sent before a credit comes.
template <class P>
inline bool Senders<P>::waits_for_credit(const Flow& flow) const {
  return flow.snd_nxt == flow.snd_una && flow.send_limit <= flow.snd_nxt && flow.snd_nxt < flow.size() &&
         model().profiles[flow.profile].unsolicited.count > 0;
}

// Whether a packet asks for its acknowledgement at once (net::kAskAck), since the sender would else wait for it: the
// last packet, one that is sent again, the last one that the window or a request (StackParams::request) allows, and any
// packet if half of the window is no more than an acknowledgement stands for.
template <class P>
inline bool Senders<P>::asks(const Flow& flow, const Packet& packet) const {
  const Profile& profile = model().profiles[flow.profile];
  const std::int64_t end = packet.seq + packet.payload;
  return (packet.flags & (net::kRetransmission | net::kEndsMessage)) != 0 || end >= flow.size() ||
         (profile.stack && end >= profile.stack->asked_for(flow.snd_una, flow.facts.payload.count)) ||
         flow.in_flight() + 2 * packet.payload >= flow.control.window.count ||
         flow.control.window.count <= 2 * profile.ack_every.count;
}

// Tells On-Ramp that a packet leaves.
template <class P>
inline void Senders<P>::show_on_ramp(Host& host, const Flow& flow, const Packet& packet, bool again, Time now) {
  cc::OnRamp& shim = *host.on_ramps[flow.slot];
  if (flow.stacked && !again && model().profiles[flow.profile].on_ramp->segment == Bytes{}) [[unlikely]]
    shim.next_segment(host.stack_of(flow.slot).rest_of_segment(packet.seq));
  shim.on_send(packet.seq, Bytes{packet.payload}, now, again);
}

// Updates until when On-Ramp holds the flow, after its next packet or On-Ramp's pause has changed.
template <class P>
inline void Senders<P>::update_on_ramp_hold(Host& host, Flow& flow) {
  if (!flow.on_ramp) return;
  if (!flow.resend && early(flow)) [[unlikely]] {
    flow.on_ramp_until = host.stack_of(flow.slot).departs();
    return;
  }
  const cc::OnRamp& shim = *host.on_ramps[flow.slot];
  const bool again = flow.resend || flow.snd_nxt < flow.snd_max;
  flow.on_ramp_until = again ? shim.pause_end() : shim.next_packet(flow.snd_nxt);
}

}  // namespace weir::host
