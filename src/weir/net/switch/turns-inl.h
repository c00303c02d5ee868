// Turns: a switch, or a host, takes its turn. Included by engine/partition/partition-inl.h only.
//
// Where nodes take turns, all that arrives at a switch within a turn has left its neighbours in turns that they have
// had, and what the switch sends arrives in turns that they will have. So its packets need no events: they are taken
// off the links, link by link, sorted by the port they leave by, and put on those ports, port by port. What happens at
// one port does not depend on another port as long as nothing but the port's own queue decides what becomes of a
// packet: each egress has a buffer of its own, or the shared one is so far from its thresholds that no order of this
// turn's packets comes near them; and no packet leaves the choice of its port to the switch by a policy that needs to
// know the order (path_policies.h).
//
// What arrives at a host of one port comes by one link, in order, and what the host sends arrives in a turn of its
// switch that is still to come. So it handles packet after packet, and wakes in between where it has to.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <type_traits>
#include <utility>

#include "weir/base/small_sort.h"
#include "weir/net/port/link_reader.h"
#include "weir/net/port/port_batch.h"
#include "weir/net/switch/path_policies.h"
#include "weir/net/switch/turns.h"

namespace weir::net {

template <class P>
Turns<P>::Turns() {
  if constexpr (P::kOrdersWithinNode) prepare();
}

template <class P>
void Turns<P>::prepare() {
  const Topology& t = model().topology;
  const Time turn = scheduler().longest_turn();
  std::size_t most = 0;
  for (std::uint32_t h = 0; h < t.hosts; ++h)
    if (shared().mine(h)) own_hosts_.push_back({h, network().hosts[h].nic()});
  if (model().port_kind() == PortKind::queued || model().nic_kind() == PortKind::queued) return;
  hosts_take_turns_ =
      !model().host.delays() && model().faults.slow.empty() && !model().routing.hosts_have_several_ports();
  if (!model().choices_keep_turns()) return;
  for (std::uint32_t s = 0; s < t.switches; ++s) {
    if (!shared().mine(t.hosts + s)) continue;
    std::int64_t bytes = 0;
    for (const std::uint32_t port : model().routing.ports(s))
      // a packet of each link may have begun before, and times are rounded
      bytes += bytes_in(turn, shared().port(port).rate).count + 2 * model().largest_wire().count;
    own_switches_.push_back({s, bytes});
    most = std::max(most, model().routing.ports(s).size());
  }
  local_ = ZeroedArray<std::uint16_t>(shared().ports, shared().sparse);
  for (const OwnSwitch& own : own_switches_)
    for (const std::uint32_t port : model().routing.ports(own.number)) local_[port] = shared().port(port).local;
  by_egress_.resize(most);
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(turn.ps - 1)));
  ingress_bits_ = static_cast<std::uint8_t>(std::bit_width(most));
  share_shift_ = static_cast<std::uint8_t>(std::max(0, bits - 6) + kIngressBits);
  keys_are_short_ = bits + ingress_bits_ <= 31;
  egresses_with_packets_.resize(most / 64 + 1);
}

// May this node of the partition, by its number there, take its turn at once? A switch may not with a pending event of
// its own.
template <class P>
inline bool Turns<P>::takes_turn(std::uint32_t node) const {
  if (node < own_hosts_.size()) return hosts_take_turns_;
  const std::size_t own = node - own_hosts_.size();
  if (own >= own_switches_.size()) return false;
  const SwitchState& state = shared().switch_state(own_switches_[own].number);
  return state.buffer.per_port() ||
         (state.buffer.stays_below_thresholds(own_switches_[own].most_in_turn) && state.next_departure == Time::max());
}

// All that happens at the node from `begun` on, before `until`. `arriving` has the ports at the other ends of its links
// on which something arrives then; that may be none at a host.
template <class P>
void Turns<P>::take_turn(std::uint32_t node, std::span<const std::uint32_t> arriving, Time begun, Time until) {
  if (node < own_hosts_.size()) return take_turn_of_host(own_hosts_[node], !arriving.empty(), until);
  const std::uint32_t s = own_switches_[node - own_hosts_.size()].number;
  Tally tally;
  frames_come_ = false;
  assert(!arriving.empty());
  prefetcher().before_link(arriving.front());
  for (std::size_t i = 0; i < arriving.size(); ++i) {
    const std::uint32_t port = arriving[i];
    if (i + 1 < arriving.size()) prefetcher().before_link(arriving[i + 1]);
    with_wire(port,
              [&](auto wire) { drain_link(s, port, local_[Topology::reverse(port)], wire, begun, until, tally); });
  }
  count(tally);
  const std::span<const std::uint32_t> ports = model().routing.ports(s);
  for (std::size_t word = 0; word < egresses_with_packets_.size(); ++word)
    for (std::uint64_t bits = std::exchange(egresses_with_packets_[word], 0); bits != 0; bits &= bits - 1) {
      const std::size_t local = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (const std::uint64_t others = bits & (bits - 1); others != 0)
        prefetcher().before_egress(ports[word * 64 + static_cast<std::size_t>(std::countr_zero(others))]);
      forward_batch(s, ports[local], by_egress_[local], begun, until);
    }
}

// All that happens at a host: what arrives there, if anything, and when it wakes.
template <class P>
void Turns<P>::take_turn_of_host(const OwnHost& own, bool some_arrive, Time until) {
  const std::uint32_t port = Topology::reverse(own.port);
  if (some_arrive) prefetcher().before_turn_of_host(port);
  nics().begin_turn(own.number, until);
  if (some_arrive) with_wire(port, [&](auto wire) { serve_host(own.number, port, wire, until); });
  wake_until(own.number, until);
  nics().end_turn(own.number);
}

// As often as it has to before `until`.
template <class P>
inline void Turns<P>::wake_until(std::uint32_t h, Time until) {
  const auto& host = network().hosts[h];
  while (host.wake < until) {
    ++counters().events;
    nics().on_wake(h, host.wake);
  }
}

// Calls take(wire) with what is on this link, as far as the node at the other end has gone on.
template <class P>
template <class Take>
inline void Turns<P>::with_wire(std::uint32_t port, Take&& take) {
  if (links().is_inbound(port)) {
    take(InboundLinkReader(links().inbound(port)));
    return;
  }
  Port& p = shared().port(port);
  links().settle(p, links().settled_by_owner({}));
  if (!is_unpaused(p) || p.order_is_partial) [[unlikely]]
    take(LiveLinkReader(p));
  else if (p.kind == PortKind::priority)
    take(PriorityLinkReader(p));
  else
    take(FifoLinkReader(p));
}

// What arrives at the host before `until`; it wakes in between. At one instant packets come first.
template <class P>
template <class Wire>
inline void Turns<P>::serve_host(std::uint32_t h, std::uint32_t port, Wire wire, Time until) {
  const bool asks = prefetcher().asks_for_flows_of(port);
  for (;;) {
    Descriptor* const packet = wire.first();
    const Time at = packet != nullptr ? wire.arrival(*packet) : Time::max();
    wake_until(h, std::min(at, until));
    if (at >= until) return finish_link(wire, port, at);
    ++counters().events;
    const Descriptor& soon = wire.take();
    prefetcher().record_of(soon);
    if (const Descriptor* next = asks ? wire.first() : nullptr; next != nullptr) prefetcher().flow_of_next(h, *next);
    if constexpr (!Wire::kHasLeft) links().apply_departure(shared().port(port), port, *packet);
    links().deliver_to_host(port, h, *packet, at);
  }
}

template <class P>
inline void Turns<P>::count(const Tally& tally) {
  counters().events += tally.events;
  counters().packet_hops += tally.packets;
  counters().data_packet_hops += tally.data;
}

// What arrives by a link before `until`.
template <class P>
template <class Wire>
inline void Turns<P>::drain_link(std::uint32_t s, std::uint32_t port, std::uint32_t ingress, Wire wire, Time begun,
                                 Time until, Tally& tally) {
  for (;;) {
    Descriptor* const packet = wire.first();
    const Time at = packet != nullptr ? wire.arrival(*packet) : Time::max();
    if (at >= until) return finish_link(wire, port, at);
    wire.take();
    if constexpr (!Wire::kHasLeft) links().apply_departure(shared().port(port), port, *packet);
    collect_arrival(s, port, ingress, *packet, begun, at, tally);
  }
}

// What is left on the link arrives later, the first of it at `next`, or not at all.
template <class P>
template <class Wire>
inline void Turns<P>::finish_link(const Wire& wire, std::uint32_t port, Time next) {
  wire.store();
  if constexpr (!Wire::kHasLeft)
    if (next == Time::max()) next = first_arrival(shared().port(port));
  if (next < Time::max()) [[likely]]
    scheduler().schedule(shared().arrival(port), next);
}

// The index of the port by which a packet leaves the switch.
template <class P>
inline std::uint32_t Turns<P>::egress_index(std::uint32_t s, std::uint32_t ingress, const Descriptor& packet,
                                            Time now) {
  if constexpr (PathPolicies::kSomeKeepTurns)
    if (!packet.is_routed_by_hash()) return local_[switching().choose(s, ingress, packet, now)];
  return switching().routing().egress_index(s, packet.dst, packet.entropy);
}

// A packet has arrived by this link. It stays in its place during the turn, for only its owner puts others on the ring.
template <class P>
inline void Turns<P>::collect_arrival(std::uint32_t s, std::uint32_t port, std::uint32_t ingress, Descriptor& packet,
                                      Time begun, Time at, Tally& tally) {
  ++tally.events;
  std::uint32_t local = ingress;  // a pause or resume frame is for the other direction of its link
  if (packet.ends_with_link()) [[unlikely]] {
    if (packet.kind == PacketKind::lost) {
      links().deliver_slow(port, packet, at);
      return;
    }
    frames_come_ = true;
  } else {
    links().trace_arrival(port, packet, at);
    ++tally.packets;
    tally.data += packet.kind == PacketKind::data;
    local = egress_index(s, ingress, packet, at);
  }
  egresses_with_packets_[local / 64] |= std::uint64_t{1} << (local % 64);
  by_egress_[local].push_back({static_cast<std::uint64_t>(at.ps - begun.ps) << kIngressBits | ingress, &packet});
}

// Puts packets on the port that they leave by, in the order of their arrivals.
template <class P>
inline void Turns<P>::forward_batch(std::uint32_t s, std::uint32_t port, std::vector<BatchedPacket>& coming, Time begun,
                                    Time until) {
  Port& out = shared().port(port);
  prefetcher().before_batch(out, static_cast<std::uint32_t>(coming.size()));
  out.ring.rewind_if_empty();
  out.urgent.rewind_if_empty();
  if (coming.size() < kWorthBooks) {
    sort_by_insertion(coming.data(), coming.data() + coming.size());
    forward_batch_singly(s, port, coming, begun, until);
  } else {
    forward_batch_sorted(s, port, coming, begun, until);
  }
  coming.clear();
}

template <class P>
void Turns<P>::forward_batch_sorted(std::uint32_t s, std::uint32_t port, std::vector<BatchedPacket>& coming, Time begun,
                                    Time until) {
  const Port& out = shared().port(port);
  BatchedPacket few[kFewToSort];
  const std::span<const BatchedPacket> sorted = sorted_by_arrival(coming, few);
  const bool is_shared = !shared().switch_state(s).buffer.per_port();
  if (P::Tracer::kOn || frames_come_ || !is_unpaused(out)) [[unlikely]]
    forward_batch_singly(s, port, sorted, begun, until);
  else if (out.kind == PortKind::priority)
    is_shared ? forward_batch_in_registers<PriorityBatch, true>(s, port, sorted, begun, until)
              : forward_batch_in_registers<PriorityBatch, false>(s, port, sorted, begun, until);
  else
    is_shared ? forward_batch_in_registers<FifoBatch, true>(s, port, sorted, begun, until)
              : forward_batch_in_registers<FifoBatch, false>(s, port, sorted, begun, until);
}

// The port is plain, and remains so. A shared buffer stays roomy during the turn.
template <class P>
template <class Books, bool kShared>
void Turns<P>::forward_batch_in_registers(std::uint32_t s, std::uint32_t port, std::span<const BatchedPacket> coming,
                                          Time begun, Time until) {
  constexpr bool kPriority = std::is_same_v<Books, PriorityBatch>;
  Port& out = shared().port(port);
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  const auto on_depart = [&](const Descriptor& departed) {
    if constexpr (kShared) buffer.release(departed.ingress, departed.traffic_class, departed.wire);
  };
  const std::int64_t room = kShared ? 0 : buffer.shared_capacity();
  const bool asks = prefetcher().asks_for_flows_behind(out);
  const bool bare = out.ring.empty() && out.urgent.empty();
  Books books(out);
  for (const BatchedPacket& c : coming) {
    const Time now = time_of(c, begun);
    Descriptor& packet = *c.packet;
    books.drain(now, on_depart);
    if (asks) prefetcher().before_port(out.peer, books.on_ring(), packet);
    const bool fits = kShared ? buffer.below_thresholds(books.queued(), packet.wire)
                              : books.queued_with(packet) + packet.wire <= room;
    if (!fits || books.is_full_for(packet)) [[unlikely]] {
      books.close(out, {now.ps + 1}, on_depart);
      if constexpr (kPriority)
        switching().forward_by_priority(s, ingress_of(c), port, packet, now);
      else
        switching().template forward_one<Fifo>(s, ingress_of(c), port, packet, now);
      books.open(out);
    } else if (books.put(packet, ingress_of(c), now) && kShared) {
      buffer.add_unpaused(ingress_of(c), packet.traffic_class, packet.wire);
    }
  }
  books.close(out, until, on_depart);
  if (bare) links().schedule_first_arrival(out, port);
}

// By any port that has no events of its own, whatever is paused.
template <class P>
inline void Turns<P>::forward_batch_singly(std::uint32_t s, std::uint32_t port, std::span<const BatchedPacket> coming,
                                           Time begun, Time until) {
  Port& out = shared().port(port);
  for (const BatchedPacket& c : coming) {
    const Time now = time_of(c, begun);
    Descriptor& packet = *c.packet;
    if (packet.is_control()) [[unlikely]] {
      links().deliver_slow(Topology::reverse(port), packet, now);
      continue;
    }
    if constexpr (P::Tracer::kOn) packet.ingress = static_cast<std::uint16_t>(ingress_of(c));
    prefetcher().before_port(out, packet);
    if (out.kind == PortKind::priority)
      switching().template forward_one<Priority>(s, ingress_of(c), port, packet, now);
    else
      switching().template forward_one<Fifo>(s, ingress_of(c), port, packet, now);
  }
  // Nothing else arrives in this turn: what has begun to leave is known, and is told while the port is near.
  links().settle(out, {until.ps - 1});
}

// The keys are unique. Up to kFewToSort packets are put in order in `few`.
template <class P>
inline auto Turns<P>::sorted_by_arrival(std::vector<BatchedPacket>& coming, BatchedPacket* few) const
    -> std::span<const BatchedPacket> {
  const std::size_t n = coming.size();
  if (n > kFewToSort) [[unlikely]] {
    std::sort(coming.begin(), coming.end());
    return coming;
  }
  if (keys_are_short_ && n <= kMostByRank) {
    sort_by_rank(coming.data(), n, few,
                 [this](const BatchedPacket& c) { return c.key >> kIngressBits << ingress_bits_ | ingress_of(c); });
    return {few, n};
  }
  // The 64th of the turn in which each arrives.
  sort_by_shares<kFewToSort>(coming.data(), n, few, [this](const BatchedPacket& c) { return c.key >> share_shift_; });
  return {few, n};
}

}  // namespace weir::net
