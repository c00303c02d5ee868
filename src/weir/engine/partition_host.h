// Partition: hosts. Flows begin and end, take turns at the NIC, and have timers. Included by partition.cc only.
#pragma once

#include <cmath>

#include "weir/engine/partition.h"

namespace weir::engine {

// How far beyond the first missing byte a flow may send.
inline Bytes reach(const host::RecoveryParams& recovery, const cc::FlowFacts& facts) {
  if (recovery.kind != host::RecoveryKind::irn) return facts.size;
  const auto product = static_cast<double>(bytes_in(facts.network_rtt, facts.line_rate).count);
  return {std::max<std::int64_t>(facts.payload.count, std::llround(std::min(recovery.window * product, 1e18)))};
}

template <sim::Scheduler S>
void Partition<S>::on_wake(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  host.wake = Time::max();
  while (host.first_start() <= now) start_flow(h, host.starts[host.next_start++], now);
  run_timers(h, now);
  serve(h, now);
  update_wake(h, now);
}

template <sim::Scheduler S>
host::Flow& Partition<S>::start_flow(std::uint32_t h, const traffic::Flow& start, Time now) {
  host::Host& host = network_.hosts[h];
  const host::Profile& profile = model_.profiles[start.profile];
  host::Flow& flow = *flows_.take(start.profile, profile.algorithm->state_size);
  flow.id = start.id;
  flow.limit = start.size.count;
  flow.dst = start.dst;
  flow.tag = start.tag;
  flow.profile = start.profile;
  flow.entropy = net::flow_entropy(start.src, start.dst, start.sport, start.dport);
  flow.slot = host.take_slot();
  flow.generation = host.generations[flow.slot];
  host.flows[flow.slot] = &flow;

  const net::PathFacts path = model_.paths.facts(start.src, start.dst);
  const Bytes wire = model_.data_wire(profile);
  flow.facts = {.line_rate = network_.ports[host.port].rate,
                .path_rate = path.slowest,
                .base_rtt = model_.paths.base_rtt(start.src, start.dst, wire, model_.ack_wire(profile)),
                .network_rtt = network_.network_rtt,
                .payload = model_.transport.payload,
                .wire = wire,
                .size = start.size,
                .start = now,
                .switch_hops = static_cast<int>(path.switches),
                .trimming = model_.network.trimming,
                .telemetry = int_format_,
                .random = RandomStream(model_.seed, static_cast<std::uint32_t>(start.id), Purpose::algorithm)};
  if (profile.balancing.sprays()) {
    flow.sprayed = true;
    flow.packet_flags = profile.balancing.packet_flags();
    host.beside(flow.slot).connection = connect(host, start);
  }
  flow.srtt = flow.facts.base_rtt;
  flow.next_send = now;
  if (cc::has(profile.algorithm->about.needs, cc::Needs::delivery_rate))
    host.beside(flow.slot).delivery.start(model_.transport.payload);
  if (profile.recovery.selective()) {
    flow.selective = true;
    host.beside(flow.slot).scoreboard.start(profile.recovery, flow.size(), model_.transport.payload.count,
                                            reach(profile.recovery, flow.facts).count);
    note_scoreboard(host, flow, host.beside(flow.slot).scoreboard);
  }
  if (profile.on_ramp) board_on_ramp(host, flow, *profile.on_ramp);
  profile.algorithm->start(flow.state(), profile.params.get(), flow.facts, flow.control);
  ++counters_.flows_started;
  arm(host, flow);
  consider(host, flow, now);
  return flow;
}

// The connection by which a flow sprays.
template <sim::Scheduler S>
std::uint32_t Partition<S>::connect(host::Host& host, const traffic::Flow& flow) {
  const host::BalancingParams& balancing = model_.profiles[flow.profile].balancing;
  const RandomStream random(model_.seed, static_cast<std::uint32_t>(flow.id), Purpose::spraying);
  const auto draw = static_cast<std::uint32_t>(random.bits(0));
  const bool remembers = balancing.kind == host::Balancing::reps;
  if (remembers && balancing.memory == host::PathMemory::pair)
    return host.connections.join({.dst = flow.dst, .profile = flow.profile}, balancing, draw);
  if (remembers && balancing.memory == host::PathMemory::connection && is_message(flow.id))
    return host.connections.join({flow.dst, flow.sport, flow.dport, flow.profile}, balancing, draw);
  return host.connections.open(balancing, draw);
}

template <sim::Scheduler S>
void Partition<S>::board_on_ramp(host::Host& host, host::Flow& flow, const cc::OnRamp::Params& params) {
  cc::OnRamp& shim = host.beside(flow.slot).on_ramp;
  shim.start(params, thresholds_[flow.profile], model_.transport.payload);
  if (host.seen_delays != nullptr)
    if (const auto seen = host.seen_delays->find(flow.dst); seen != host.seen_delays->end())
      shim.remember(seen->second.delay, seen->second.at);
  flow.on_ramp = true;
  flow.held = shim.next_packet(0);
}

template <sim::Scheduler S>
void Partition<S>::finish_flow(std::uint32_t h, host::Flow& flow, Time now) {
  finished_.push_back(record_of(h, flow, now));
  ++counters_.flows_completed;
  const std::uint64_t id = flow.id;
  host::Host& host = network_.hosts[h];
  if (flow.sprayed) host.connections.leave(host.beside(flow.slot).connection);
  host.free_slot(flow.slot);
  flows_.give(flow.profile, &flow);
  if (is_message(id)) end_node(static_cast<std::uint32_t>(id), now);
}

// A flow may have become able to send: puts it where its turn will come.
template <sim::Scheduler S>
inline void Partition<S>::consider(host::Host& host, host::Flow& flow, Time now) {
  if (flow.ready || !flow.sendable()) return;
  const Time due = flow.due();
  if (due <= now) {
    flow.ready = true;
    flow.paced_at = Time::max();
    host.ready.push({flow.slot, flow.generation});
  } else if (due < flow.paced_at) {
    flow.paced_at = due;
    host.pacing.push({due, flow.slot, flow.generation});
  }
}

// Sends what may be sent now: at most one packet, since the link is busy afterwards.
template <sim::Scheduler S>
inline void Partition<S>::serve(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  const Port& nic = network_.ports[host.port];
  while (host.pacing.first() <= now) {
    const host::TimedSlot due = host.pacing.top();
    host.pacing.pop();
    host::Flow* flow = host.find(due.slot, due.generation);
    if (flow == nullptr || flow->paced_at != due.time) continue;
    flow->paced_at = Time::max();
    consider(host, *flow, now);
  }
  if (nic.paused == all_classes_) return;
  while (nic.free_at <= now && !host.ready.empty()) {
    const host::SlotQueue::Entry turn = host.ready.pop();
    host::Flow* flow = host.find(turn.slot, turn.generation);
    if (flow == nullptr) continue;
    if (nic.paused != 0 && (nic.paused >> model_.profiles[flow->profile].data_class & 1) != 0) {
      host.parked.push_back(turn);
      continue;
    }
    flow->ready = false;
    if (flow->sendable() && flow->due() <= now) transmit(h, *flow, now);
    consider(host, *flow, now);
  }
}

template <sim::Scheduler S>
inline void Partition<S>::update_wake(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  const Port& nic = network_.ports[host.port];
  Time next = std::min(host.first_start(), host.timers.first());
  if (nic.paused != all_classes_) {
    if (!host.ready.empty())
      next = std::min(next, std::max(now, nic.free_at));
    else if (!host.pacing.empty())
      next = std::min(next, std::max(host.pacing.first(), nic.free_at));
  }
  if (next == host.wake) return;
  host.wake = next;
  if (next == Time::max())
    scheduler_.cancel(wake(h));
  else
    scheduler_.schedule(wake(h), next);
}

// Makes sure that the flow's earliest deadline has an entry in the timer queue.
template <sim::Scheduler S>
inline void Partition<S>::arm(host::Host& host, host::Flow& flow) {
  const Time deadline = std::min(flow.control.timer, flow.rto_at);
  if (deadline >= flow.armed) return;
  flow.armed = deadline;
  host.timers.push({deadline, flow.slot, flow.generation});
}

template <sim::Scheduler S>
inline void Partition<S>::run_timers(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  while (host.timers.first() <= now) {
    const host::TimedSlot due = host.timers.top();
    host.timers.pop();
    if (due.slot == host::kNodeSlot) {
      run_node(due.generation, now);
      continue;
    }
    host::Flow* flow = host.find(due.slot, due.generation);
    if (flow == nullptr || flow->armed != due.time) continue;
    flow->armed = Time::max();
    if (flow->control.timer <= now) {
      flow->control.timer = cc::kNoTimer;
      const host::Profile& profile = model_.profiles[flow->profile];
      profile.algorithm->on_timer(flow->state(), profile.params.get(), flow->facts, now, flow->control);
      repace(*flow);
    }
    if (flow->rto_at <= now) time_out(host, *flow, now);
    arm(host, *flow);
    consider(host, *flow, now);
  }
}

}  // namespace weir::engine
