#include "weir/anatomy/walk.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weir/host/transport.h"
#include "weir/traffic/driver.h"

namespace weir::anatomy {
namespace {

using net::Cause;
using net::EventKind;
using net::PacketKind;

// Adds what a packet waited for, but no more than `room` of it: if there was more, each wait counts in proportion.
// Returns how much was added.
std::int64_t add_waits(const Journey& j, std::int64_t room, Parts& out) {
  const std::int64_t all = j.waits();
  const std::int64_t added = std::min(all, std::max<std::int64_t>(0, room));
  if (added == 0) return 0;
  std::int64_t seen = 0;
  std::int64_t given = 0;
  const auto add = [&](std::int64_t& part, std::int64_t wait) {
    if (wait == 0) return;
    seen += wait;
    const auto upto = static_cast<std::int64_t>(static_cast<__int128>(seen) * added / all);
    part += upto - std::exchange(given, upto);
  };
  add(out[Part::turn], j.turn);
  add(out[Part::pause], j.pause);
  add(out[Part::host], j.host);
  add(out[Part::ack], j.ack);
  for (std::size_t hop = 1; hop <= kQueueParts; ++hop) add(out.queue(hop), j.queue[hop - 1]);
  return added;
}

}  // namespace

Walk::Walk(const engine::Model& model)
    : model_(model),
      packets_per_byte_(1.0 / static_cast<double>(model.transport.payload.count)),
      flows_(model.topology.hosts),
      pauses_(model.topology.ports()) {}

void Walk::add(net::TraceEvents events) {
  constexpr std::size_t kAhead = 8;
  auto soon = std::next(events.begin(), static_cast<std::ptrdiff_t>(std::min(kAhead, events.size())));
  for (const net::TraceEvent& event : events) {
    if (soon != events.end()) prefetch(*soon++);
    add(event);
  }
}

// A queue may hold more packets than any cache has room for.
void Walk::prefetch(const net::TraceEvent& event) {
  if (net::is_of_flow(event.kind) || net::is_of_port(event.kind)) return;
  if (const FlowWalk* flow = flows_.find(event); flow != nullptr) flow->packets.prefetch(number_of(event.packet));
}

std::optional<Parts> Walk::take(std::uint64_t flow) {
  const auto at = std::find_if(ended_.begin(), ended_.end(), [&](const Result& r) { return r.flow == flow; });
  if (at == ended_.end()) return std::nullopt;
  const Parts parts = at->parts;
  ended_.erase(at);
  return parts;
}

void Walk::add(const net::TraceEvent& event) {
  if (net::is_of_port(event.kind)) {
    pauses_.add(event);
    return;
  }
  if (event.kind == EventKind::started) {
    if (traffic::is_listed(event.flow)) start(event);  // nobody asks for the parts of the others
    return;
  }
  FlowWalk* const flow = flows_.find(event);
  if (flow == nullptr) return;
  switch (event.kind) {
    case EventKind::accepted: accept(*flow, event); break;
    case EventKind::left: leave(*flow, event); break;
    case EventKind::arrived: arrive(*flow, event); break;
    case EventKind::lost:
    case EventKind::dropped: drop(*flow, event); break;
    case EventKind::waiting: wait(*flow, event); break;
    case EventKind::told_loss:
      flow->timed_out = event.cause == Cause::timeout;
      if (flow->timed_out) flow->timeout_at = event.time;
      break;
    case EventKind::ended: end(*flow, event); break;
    default: break;
  }
}

void Walk::start(const net::TraceEvent& event) {
  FlowWalk& flow = flows_.start(event);
  flow.dst = event.packet.dst;
  flow.profile = event.packet.profile;
  flow.slowest = model_.paths.facts(event.src, event.packet.dst).slowest;
  flow.size = event.first;
  flow.start = event.time;
}

// The window opens when it was what the flow waited for, and no longer is.
void Walk::wait(FlowWalk& flow, const net::TraceEvent& event) {
  const bool was_closed = !flow.waits.empty() && flow.waits.back().cause == Cause::window;
  if (was_closed && event.cause != Cause::window && flow.has_sent) {
    if (flow.heard_at == event.time && flow.knows_heard) {
      flow.opened = {event.time, until_heard(flow)};
    } else {
      flow.opened = before_opening(flow);
      const Part part = flow.timeout_at == event.time ? Part::timeout : Part::window;
      flow.opened.parts[part] += (event.time - flow.opened.at).ps;
      flow.opened.at = event.time;
    }
  }
  flow.waits.push_back({event.time, event.not_before, event.cause});
}

// An answer tells the first byte that it does not acknowledge. A division of whole numbers would take longer.
std::int64_t Walk::number_of(const net::PacketView& p) const {
  return static_cast<std::int64_t>((static_cast<double>(p.is_data() ? p.seq : p.seq - 1) + 0.5) * packets_per_byte_);
}

PacketNote* Walk::note_of(FlowWalk& flow, const net::PacketView& p) const {
  if (!p.is_data() && !p.is_acknowledgement()) return nullptr;
  return flow.packets.find(p.sent, number_of(p));
}

void Walk::accept(FlowWalk& flow, const net::TraceEvent& event) {
  const net::PacketView& p = event.packet;
  const bool at_sender = model_.topology.port_owner(event.port) == event.src;
  if (at_sender && p.kind == PacketKind::data) send(flow, event);
  PacketNote* const note = note_of(flow, p);
  if (note != nullptr) {
    if (p.is_acknowledgement()) {
      if (note->where == Whereabouts::at_receiver) note->journey.host += (event.time - note->since).ps;
    } else if (!at_sender) {
      ++note->hop;
    }
    note->since = event.time;
    note->where = Whereabouts::waiting;
  }
}

void Walk::leave(FlowWalk& flow, const net::TraceEvent& event) {
  const net::PacketView& p = event.packet;
  PacketNote* const note = note_of(flow, p);
  if (note == nullptr || note->where != Whereabouts::waiting) return;
  Journey& j = note->journey;
  const std::int64_t waited = (event.time - note->since).ps;
  const std::int64_t paused = pauses_.within(event.port, p.traffic_class, note->since, event.time).ps;
  j.pause += paused;
  std::int64_t& wait = p.is_acknowledgement() ? j.ack
                       : note->hop == 0       ? j.turn
                                              : j.queue[std::min<std::size_t>(note->hop, kQueueParts) - 1];
  wait += waited - paused;
  note->since = event.time;
  note->where = Whereabouts::on_wire;
}

void Walk::arrive(FlowWalk& flow, const net::TraceEvent& event) {
  const net::PacketView& p = event.packet;
  const std::uint32_t node = model_.topology.port_peer(event.port);
  if (p.is_data()) {
    PacketNote* const note = node == flow.dst ? note_of(flow, p) : nullptr;
    if (note == nullptr) return;
    note->where = Whereabouts::at_receiver;
    note->since = event.time;
  } else if (p.is_acknowledgement() && node == event.src) {
    PacketNote* const note = note_of(flow, p);
    flow.heard_at = event.time;
    flow.knows_heard = note != nullptr;
    if (note == nullptr) return;
    note->where = Whereabouts::gone;
    flow.heard = *note;
    const bool tells_gap = p.kind == PacketKind::nack && model_.profiles[flow.profile].recovery.selective();
    if (!tells_gap) flow.acked = std::max(flow.acked, p.seq);
    flow.packets.forget(flow.acked);
  }
}

void Walk::drop(FlowWalk& flow, const net::TraceEvent& event) {
  const net::PacketView& p = event.packet;
  PacketNote* const note = note_of(flow, p);
  if (note == nullptr) return;
  note->where = Whereabouts::gone;
}

void Walk::send(FlowWalk& flow, const net::TraceEvent& event) {
  const net::PacketView& p = event.packet;
  PacketNote note;
  note.sent = event.time;
  note.seq = p.seq;
  note.payload = p.payload;
  note.work = flow.work;
  note.again = p.seq < flow.snd_max;
  note.own_work = note.again ? 0 : transmission_time(Bytes{p.wire}, flow.slowest).ps;
  note.parts = until_sent(flow, event);
  flow.packets.add(note);
  flow.last = {event.time, note.parts};
  flow.last_end = event.time + transmission_time(Bytes{p.wire}, model_.topology.links[event.port / 2].rate);
  flow.has_sent = true;
  if (!note.again) {
    flow.snd_max = p.seq + p.payload;
    flow.work += note.own_work;
  }
  // What it waited for until now is over.
  flow.waits.clear();
}

Parts Walk::until_sent(FlowWalk& flow, const net::TraceEvent& event) {
  const Time now = event.time;
  Parts parts;
  Time from = flow.start;
  if (event.packet.seq < flow.snd_max)
    if (const PacketNote* first = flow.packets.first_of(event.packet.seq); first != nullptr) {
      // It is sent again: what the flow did meanwhile counts, and all else is the loss.
      const std::int64_t span = (now - first->sent).ps;
      const std::int64_t work = std::min(span, flow.work - first->work - first->own_work);
      parts = first->parts;
      parts[Part::alone] += work;
      parts[flow.timed_out ? Part::timeout : Part::loss] += span - work;
      return parts;
    }
  if (flow.has_sent) {
    if (flow.opened.at > flow.last_end) {
      parts = flow.opened.parts;
      from = flow.opened.at;
    } else {
      parts = flow.last.parts;
      from = std::min(flow.last_end, now);
      parts[Part::alone] += (from - flow.last.at).ps;
    }
  }
  divide(flow, from, now, event.src, event.port, parts);
  return parts;
}

Reached Walk::before_opening(const FlowWalk& flow) const {
  if (flow.knows_heard && flow.heard_at > flow.last_end) return {flow.heard_at, until_heard(flow)};
  Reached out = flow.last;
  out.parts[Part::alone] += (flow.last_end - flow.last.at).ps;
  out.at = flow.last_end;
  return out;
}

// From when the packet was sent until it was acknowledged, the flow worked for some time; only the rest has to be
// explained. The packet's waits do it first; what still remains is the empty network's round trip.
Parts Walk::until_heard(const FlowWalk& flow) const {
  const PacketNote& note = flow.heard;
  const std::int64_t span = (flow.heard_at - note.sent).ps;
  const std::int64_t work = std::min(span, flow.work - note.work);
  Parts parts = note.parts;
  parts[Part::alone] += work;
  const std::int64_t rest = span - work;
  parts[Part::window] += rest - add_waits(note.journey, rest, parts);
  return parts;
}

void Walk::divide(const FlowWalk& flow, Time from, Time until, std::uint32_t host, std::uint32_t nic,
                  Parts& out) const {
  const net::TrafficClass of = net::data_class(model_.profiles[flow.profile].data_class);
  const auto add_turn = [&](Time a, Time b) {
    if (b <= a) return;
    const Time paused = pauses_.within(nic, of, a, b);
    const Time held = std::min(held_within(host, a, b), b - a - paused);
    out[Part::pause] += paused.ps;
    out[Part::held] += held.ps;
    out[Part::turn] += (b - a - paused - held).ps;
  };
  const auto add = [&](Time a, Time b, const Waiting& wait) {
    a = std::max(a, from);
    b = std::min(b, until);
    if (b <= a) return;
    switch (wait.cause) {
      case Cause::window: out[Part::window] += (b - a).ps; break;
      case Cause::pacing:
      case Cause::on_ramp: {
        const Time due = std::clamp(wait.not_before, a, b);
        out[wait.cause == Cause::pacing ? Part::pacing : Part::on_ramp] += (due - a).ps;
        add_turn(due, b);
        break;
      }
      default: add_turn(a, b);
    }
  };
  // Before the first note, and without any, it is the NIC's turn.
  add(from, flow.waits.empty() ? until : flow.waits.front().since, {});
  for (std::size_t i = 0; i < flow.waits.size(); ++i)
    add(flow.waits[i].since, i + 1 < flow.waits.size() ? flow.waits[i + 1].since : until, flow.waits[i]);
}

Time Walk::held_within(std::uint32_t host, Time from, Time until) const {
  Time sum;
  for (const engine::HostPauseRow& row : model_.faults.pauses)
    if (row.host == host)
      sum += std::max(Time{}, std::min(row.start + row.duration, until) - std::max(row.start, from));
  return sum;
}

// A message of a connection may end with the acknowledgement of a packet of a later one. Then it has waited for that.
Parts Walk::until_end(const FlowWalk& flow, Time end) const {
  if (flow.heard_at == end && flow.knows_heard) {
    Parts parts = flow.heard.parts;
    const std::int64_t rest = (end - flow.heard.sent).ps;
    parts[Part::alone] += rest - add_waits(flow.heard.journey, rest, parts);
    return parts;
  }
  Reached reached = before_opening(flow);
  reached.parts[Part::ack] += (end - reached.at).ps;
  return reached.parts;
}

void Walk::end(FlowWalk& flow, const net::TraceEvent& event) {
  if (flow.has_sent) {
    Parts parts = until_end(flow, event.time);
    const host::Profile& profile = model_.profiles[flow.profile];
    const net::Framing whole = model_.framing(profile);
    const net::Framing bare = model_.framing_without_int(profile);
    const std::int64_t fct = (event.time - flow.start).ps;
    const std::int64_t alone = std::min(fct, model_.paths.ideal_fct(event.src, flow.dst, flow.size, bare).ps);
    const std::int64_t with_int = std::min(fct, model_.paths.ideal_fct(event.src, flow.dst, flow.size, whole).ps);
    settle(parts, alone, std::max<std::int64_t>(0, with_int - alone));
    ended_.push_back({flow.id, parts});
  }
  flows_.end(event);
}

void settle(Parts& parts, std::int64_t alone, std::int64_t telemetry) {
  const std::int64_t least = alone + telemetry;
  const std::int64_t have = parts[Part::alone];
  parts[Part::alone] = alone;
  parts[Part::telemetry] = telemetry;
  if (have >= least) {
    parts[Part::detour] += have - least;
    return;
  }
  // Some of its work was done while the packets on the critical path waited.
  std::int64_t lacks = least - have;
  const std::int64_t taken = std::min(lacks, parts[Part::window]);
  parts[Part::window] -= taken;
  lacks -= taken;
  if (lacks == 0) return;
  const std::int64_t others = parts.sum() - least;
  std::int64_t seen = 0;
  std::int64_t given = 0;
  for (std::size_t i = static_cast<std::size_t>(Part::detour); i < kParts; ++i) {
    std::int64_t& part = parts.all()[i];
    if (part == 0) continue;
    seen += part;
    const auto upto = static_cast<std::int64_t>(static_cast<__int128>(seen) * lacks / others);
    part -= upto - std::exchange(given, upto);
  }
}

}  // namespace weir::anatomy
