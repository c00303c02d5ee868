// Fabric: a switch takes its turn. Included by engine/partition-inl.h only.
//
// Where nodes take turns, all that arrives at a switch within a turn has left its neighbours before the turn begins,
// and what the switch sends arrives after it has ended. So its packets need no events: they are taken off the links,
// link by link, sorted by the port they leave by, and put on those ports, port by port. What happens at one port does
// not depend on another port as long as nothing but the port's own queue decides what becomes of a packet: each egress
// has a buffer of its own, or the shared one is so far from its thresholds that no order of this turn's packets comes
// near them; and no packet leaves the choice of its port to the switch.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "weir/net/fabric.h"

namespace weir::net {

template <class P>
void Fabric<P>::prepare_turns() {
  if (!P::kByNode || model().port_kind() == PortKind::queued || model().nic_kind() == PortKind::queued ||
      model().switches_choose())
    return;
  const Topology& t = model().topology;
  const Time turn = model().turn();
  std::size_t most = 0;
  for (std::uint32_t node = 0; node < t.hosts; ++node) own_hosts_ += lane().mine(node);
  for (std::uint32_t s = 0; s < t.switches; ++s) {
    if (!lane().mine(t.hosts + s)) continue;
    std::int64_t bytes = 0;
    for (const std::uint32_t port : model().routing.ports(s))
      // a packet of each link may have begun before, and times are rounded
      bytes += bytes_in(turn, lane().port(port).rate).count + 2 * model().largest_wire().count;
    own_switches_.push_back({s, bytes});
    most = std::max(most, model().routing.ports(s).size());
  }
  local_ = ZeroedArray<std::uint16_t>(lane().ports, lane().sparse);
  for (const OwnSwitch& own : own_switches_)
    for (const std::uint32_t port : model().routing.ports(own.number)) local_[port] = lane().port(port).local;
  coming_.resize(most);
  touched_.resize(most / 64 + 1);
}

// May this node of the partition, by its number there, take its turn at once? Not with a pending event of its own.
template <class P>
inline bool Fabric<P>::takes_turn(std::uint32_t node) const {
  const std::uint32_t own = node - own_hosts_;  // wraps to a large number for hosts
  if (own >= own_switches_.size()) return false;
  const SwitchState& state = lane().switch_state(own_switches_[own].number);
  return state.buffer.per_port() ||
         (state.buffer.stays_roomy(own_switches_[own].most_in_turn) && state.next_departure == Time::max());
}

// All that arrives at the switch from `begun` on, before `until`. `links` has the ports at the other ends of its links
// on which something arrives then.
template <class P>
void Fabric<P>::take_turn(std::uint32_t node, std::span<const std::uint32_t> links, Time begun, Time until) {
  const std::uint32_t s = own_switches_[node - own_hosts_].number;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::uint32_t port = links[i];
    if (i + 1 < links.size()) prefetch_coming(links[i + 1]);
    if (is_inbound(port)) {
      take_inbound(s, port, begun, until);
      continue;
    }
    Port& p = lane().port(port);
    if (p.kind == PortKind::ranked)
      take_link_ranked(s, p, port, begun, until);
    else
      take_link(s, p, port, begun, until);
  }
  const std::span<const std::uint32_t> ports = model().routing.ports(s);
  for (std::size_t word = 0; word < touched_.size(); ++word)
    for (std::uint64_t bits = std::exchange(touched_[word], 0); bits != 0; bits &= bits - 1) {
      const std::size_t local = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (const std::uint64_t others = bits & (bits - 1); others != 0) {
        const auto* next = reinterpret_cast<const char*>(
            &lane().port(ports[word * 64 + static_cast<std::size_t>(std::countr_zero(others))]));
        prefetch_line(next);
        prefetch_line(next + 64);
      }
      leave_by(s, ports[local], coming_[local], begun, until);
    }
}

// The first packets that come by this link; those behind them are asked for as they are taken.
template <class P>
inline void Fabric<P>::prefetch_coming(std::uint32_t port) const {
  if (is_inbound(port)) return;
  const Port& p = lane().port(port);
  for (std::uint32_t i = 0; i < kAheadOnLink; ++i) prefetch_line(p.ring.address(p.ring.head + i));
  prefetch_line(p.urgent.address(p.urgent.head));
  prefetch_line(p.urgent.address(p.urgent.head + 1));
}

template <class P>
inline void Fabric<P>::take_link_ranked(std::uint32_t s, Port& p, std::uint32_t port, Time begun, Time until) {
  settle_ranked(p, p.owner - lane().hosts, {begun.ps - 1});
  while (const PacketRing* ring = next_on_wire(p)) {
    const Time at = p.arrival(ring->front());
    if (at >= until) break;
    prefetch_line(p.ring.address(p.ring.head + kAheadOnLink));
    prefetch_line(p.urgent.address(p.urgent.head + 2));
    Packet& packet = take_off_wire(p);
    leave(p, port, packet);
    come(s, port, p.peer_ingress, packet, begun, at);
  }
  // Of the next one on the wire, or of what the link has just been allowed to send: that leaves in this round of turns,
  // and is not settled yet.
  expect_first(p, port);
}

template <class P>
inline void Fabric<P>::take_link(std::uint32_t s, Port& p, std::uint32_t port, Time begun, Time until) {
  settle_plain(p, {begun.ps - 1});
  while (!p.ring.empty()) {
    Packet& packet = p.ring.front();
    if (packet.departs == kHeld) return;  // the resume frame that lets it go schedules its arrival
    const Time at = p.arrival(packet);
    if (at >= until) {
      scheduler().schedule(lane().arrival(port), at);
      return;
    }
    prefetch_line(p.ring.address(p.ring.head + kAheadOnLink));
    p.ring.pop();
    leave(p, port, packet);
    come(s, port, p.peer_ingress, packet, begun, at);
  }
}

// From another partition.
template <class P>
void Fabric<P>::take_inbound(std::uint32_t s, std::uint32_t port, Time begun, Time until) {
  PacketRing& wire = wires_[inbound_[port] - 1];
  const std::uint32_t ingress = lane().port(Topology::reverse(port)).local;
  while (!wire.empty()) {
    Packet& packet = wire.front();
    if (packet.departs >= until) {
      scheduler().schedule(lane().arrival(port), packet.departs);
      return;
    }
    wire.pop();
    come(s, port, ingress, packet, begun, packet.departs);
  }
}

// A packet has arrived by this link. It stays in its place during the turn, for only its owner puts others on the ring.
template <class P>
inline void Fabric<P>::come(std::uint32_t s, std::uint32_t port, std::uint32_t ingress, Packet& packet, Time begun,
                            Time at) {
  ++counters().events;
  std::uint32_t local = ingress;  // a pause or resume frame is for the other direction of its link
  if (packet.kind >= PacketKind::lost) [[unlikely]] {
    if (packet.kind == PacketKind::lost) {
      deliver_apart(port, packet, at);
      return;
    }
  } else {
    count_arrival(port, packet, at);
    local = local_[routing_->egress(s, packet.dst, packet.entropy)];
  }
  touched_[local / 64] |= std::uint64_t{1} << (local % 64);
  coming_[local].push_back({static_cast<std::uint64_t>(at.ps - begun.ps) << kIngressBits | ingress, &packet});
}

// Puts packets on the port that they leave by, in the order of their arrivals.
template <class P>
inline void Fabric<P>::leave_by(std::uint32_t s, std::uint32_t port, std::vector<Coming>& coming, Time begun,
                                Time until) {
  Port& out = lane().port(port);
  for (std::uint32_t i = 0; i < kAheadOnLink; ++i) {
    prefetch_line(out.ring.address(out.ring.cursor + i));
    prefetch_line(out.ring.address(out.ring.tail + i));
  }
  out.ring.rewind_if_empty();
  out.urgent.rewind_if_empty();
  sort_by_arrival(coming);
  for (const Coming& c : coming) {
    const Time now{begun.ps + static_cast<std::int64_t>(c.key >> kIngressBits)};
    const auto ingress = static_cast<std::uint32_t>(c.key & kIngressMask);
    Packet& packet = *c.packet;
    if (packet.is_control()) [[unlikely]] {
      deliver_apart(Topology::reverse(port), packet, now);
      continue;
    }
    prefetch_far_end(out, packet);
    if (out.kind == PortKind::ranked)
      forward_ranked(s, ingress, port, packet, now);
    else
      forward_fifo(s, ingress, port, packet, now);
  }
  // Nothing else arrives in this turn: what has begun to leave is known, and is told while the port is near.
  settle(out, {until.ps - 1});
  coming.clear();
}

// The keys are unique.
template <class P>
inline void Fabric<P>::sort_by_arrival(std::vector<Coming>& coming) {
  if (coming.size() > kFewToSort) [[unlikely]] {
    std::sort(coming.begin(), coming.end(), [](const Coming& a, const Coming& b) { return a.key < b.key; });
    return;
  }
  Coming* const first = coming.data();
  Coming* const end = first + coming.size();
  for (Coming* next = first + 1; next < end; ++next) {
    const Coming c = *next;
    Coming* place = next;
    for (; place != first && place[-1].key > c.key; --place) *place = place[-1];
    *place = c;
  }
}

}  // namespace weir::net
