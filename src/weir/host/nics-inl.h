// Nics. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/host/nics.h"

namespace weir::host {

template <class P>
template <class Model>
Nics<P>::Nics(const Model& m)
    : all_classes_(static_cast<net::ClassSet>((1u << m.data_classes()) - 1)),
      is_ideal_(m.host.ideal_nics()),
      sends_at_once_(is_ideal_ && m.host.nic_rate == Rate{}),
      takes_from_(m.host.nic_rate == Rate{} ? 0 : m.topology.hosts),
      have_several_(m.routing.hosts_have_several_ports()),
      answers_choose_(have_several_ && std::any_of(m.profiles.begin(), m.profiles.end(), [](const Profile& p) {
                        return p.balancing.answer_ports != AnswerPorts::data;
                      })) {
  if (have_several_) {
    find_ports(m);
    return;
  }
  if (is_ideal_) return;
  for (std::uint32_t h = 0; h < m.topology.hosts; ++h) timings_.emplace_back(m.host, m.seed, h);
}

template <class P>
void Nics<P>::add_flow(const traffic::Flow& flow) {
  Host& host = network().hosts[flow.src];
  if (host.next_start == host.starts.size()) {
    host.starts.clear();
    host.next_start = 0;
  }
  host.starts.push_back(flow);
  wake_by(flow.src, flow.start);
}

template <class P>
void Nics<P>::wake_by(std::uint32_t h, Time at) {
  Host& host = network().hosts[h];
  if (at >= host.wake) return;
  host.wake = at;
  if (h != in_turn_) scheduler().schedule(shared().wake(h), at);
}

template <class P>
void Nics<P>::on_wake(std::uint32_t h, Time now) {
  Host& host = network().hosts[h];
  host.wake = Time::max();
  while (host.first_start() <= now) senders().start_flow(h, host.starts[host.next_start++], now);
  run_timers(h, now);
  serve(h, now);
}

template <class P>
inline void Nics<P>::run_timers(std::uint32_t h, Time now) {
  Host& host = network().hosts[h];
  while (host.timers.first() <= now) {
    const TimedSlot due = host.timers.top();
    host.timers.pop();
    if (due.slot >= kReceiverSlot) {
      if (is_of_driver(due.slot))
        drivers().on_timer(h, due, now);
      else
        receivers().on_timer(h, now);
      continue;
    }
    Flow* flow = host.find(due.slot, due.generation);
    if (flow == nullptr || flow->timer_entry != due.time) continue;
    flow->timer_entry = Time::max();
    if (flow->control.timer <= now) {
      flow->control.timer = cc::kNoTimer;
      const Profile& profile = model().profiles[flow->profile];
      profile.algorithm->on_timer(flow->state(), profile.params.get(), flow->facts, now, flow->control);
      senders().apply_control(host, *flow, now);
    }
    if (flow->rto_at <= now) senders().on_timer(host, *flow, now);
    arm(host, *flow);
    consider(host, *flow, now);
  }
}

// Puts a flow that may have become able to send into the queue where it waits.
template <class P>
inline void Nics<P>::consider(Host& host, Flow& flow, Time now) {
  senders().trace_waiting(host, flow, now);
  if (flow.ready || !flow.sendable()) return;
  const Time due = flow.due();
  if (due <= now) {
    flow.ready = true;
    flow.pacing_entry = Time::max();
    if ((flow.burst_left | std::uint8_t{have_several_}) == 0) [[likely]]
      host.ready.push({flow.slot, flow.generation});
    else if (have_several_)
      make_ready_of_several(host, flow, now);
    else
      host.ready.push_front({flow.slot, flow.generation});
  } else if (due < flow.pacing_entry) {
    flow.pacing_entry = due;
    host.pacing.push({due, flow.slot, flow.generation});
  }
}

// Sends at most one packet by each port, since its link is busy afterwards.
template <class P>
inline void Nics<P>::serve(std::uint32_t h, Time now) {
  Host& host = network().hosts[h];
  while (host.pacing.first() <= now) {
    const TimedSlot due = host.pacing.top();
    host.pacing.pop();
    Flow* flow = host.find(due.slot, due.generation);
    if (flow == nullptr || flow->pacing_entry != due.time) continue;
    flow->pacing_entry = Time::max();
    consider(host, *flow, now);
  }
  if (have_several_) [[unlikely]] {
    serve_several(h, now);
    wake_at(h, wake_of_several(h, now));
  } else {
    const net::Port& nic = shared().port(host.nic());
    if (nic.paused != all_classes_) send_by(h, nic, now);
    wake_at(h, wake_of_one(host, nic, now));
  }
}

template <class P>
inline void Nics<P>::send_by(std::uint32_t h, const net::Port& nic, Time now) {
  Host& host = network().hosts[h];
  while (nic.free_at <= now && !host.ready.empty()) {
    const SlotQueue::Entry next = host.ready.pop();
    Flow* flow = host.find(next.slot, next.generation);
    if (flow == nullptr) continue;
    if (is_paused(nic, *flow))
      host.parked.push_back(next);
    else
      take_turn(h, *flow, host.nic(), now);
  }
}

template <class P>
inline bool Nics<P>::is_paused(const net::Port& port, const Flow& flow) const {
  return port.paused != 0 && (port.paused >> model().profiles[flow.profile].data_class & 1) != 0;
}

// A flow that was ready sends a packet by this port, if it still may. Returns whether it has.
template <class P>
inline bool Nics<P>::take_turn(std::uint32_t h, Flow& flow, std::uint32_t port, Time now) {
  flow.ready = false;
  const bool sends = flow.sendable() && flow.due() <= now;
  if (sends) senders().transmit(h, flow, port, now);
  consider(network().hosts[h], flow, now);
  return sends;
}

// When the next flow of a host with one port may send; max = none can.
template <class P>
inline Time Nics<P>::wake_of_one(const Host& host, const net::Port& nic, Time now) const {
  if (nic.paused == all_classes_) return Time::max();
  if (!host.ready.empty()) return std::max(now, nic.free_at);
  return host.pacing.empty() ? Time::max() : std::max(host.pacing.first(), nic.free_at);
}

template <class P>
void Nics<P>::update_wake(std::uint32_t h, Time now) {
  const Host& host = network().hosts[h];
  const Time sends = have_several_ ? wake_of_several(h, now) : wake_of_one(host, shared().port(host.nic()), now);
  wake_at(h, std::max(sends, now));  // a paced flow may have been due while the port was paused
}

// Schedules the host's event for the earliest of a flow that starts, a timer, and a flow that may send.
template <class P>
inline void Nics<P>::wake_at(std::uint32_t h, Time sends) {
  Host& host = network().hosts[h];
  const Time next = std::min({host.first_start(), host.timers.first(), sends});
  if (next == host.wake) return;
  host.wake = next;
  prefetcher().before_wake(host);
  if (h != in_turn_) schedule_wake(h, next);
}

template <class P>
inline void Nics<P>::schedule_wake(std::uint32_t h, Time at) {
  if (at == Time::max())
    scheduler().cancel(shared().wake(h));
  else
    scheduler().schedule(shared().wake(h), at);
}

template <class P>
inline void Nics<P>::begin_turn(std::uint32_t h, Time until) {
  in_turn_ = h;
  scheduled_ = network().hosts[h].wake < until ? Time::max() : network().hosts[h].wake;
}

template <class P>
inline void Nics<P>::end_turn(std::uint32_t h) {
  in_turn_ = kNone;
  if (const Time wake = network().hosts[h].wake; wake != scheduled_) schedule_wake(h, wake);
}

// Makes sure that the flow's earliest deadline has an entry in the timer queue.
template <class P>
inline void Nics<P>::arm(Host& host, Flow& flow) {
  const Time deadline = std::min(flow.control.timer, flow.rto_at);
  if (deadline >= flow.timer_entry) return;
  flow.timer_entry = deadline;
  host.timers.push({deadline, flow.slot, flow.generation});
}

template <class P>
void Nics<P>::hold_back(std::uint32_t h, std::uint32_t port, std::uint32_t wire, Time now) {
  net::Port& nic = shared().port(port);
  Time wait;
  if (!is_ideal_) {
    NicTiming& timing = !have_several_ ? timings_[h] : *own_port(h, port).timing;
    wait = timing.wait(now, nic.free_at, nic.serialisation(wire));
  }
  if (!takes_from_.empty()) {
    Time& from = takes_from_[h];
    wait = std::max(wait, from - now);
    from = now + wait + transmission_time(Bytes{wire}, model().host.nic_rate);
  }
  if (wait == Time{}) return;
  if (nic.kind == net::PortKind::queued)
    pausing().stop_sending(port, now + wait, now);
  else
    nic.free_at = now + wait;
}

// Puts flows that found their class paused back into the queues of flows that are ready.
template <class P>
void Nics<P>::unpark(std::uint32_t h, Time now) {
  Host& host = network().hosts[h];
  for (const auto& entry : host.parked) host.ready.push(entry);
  host.parked.clear();
  if (have_several_)
    for (OwnPort& own : several_[h].ports) {
      for (const auto& entry : own.parked) own.ready.push(entry);
      own.parked.clear();
      own.skips_common = false;
    }
  update_wake(h, now);
}

}  // namespace weir::host
