// Partition: messages and computations that wait for each other. Included by partition.cc only.
//
// What a host learns of its own (it has received a message, or has the acknowledgement of one that it sent) takes
// effect there at once. What another host has to be told takes effect Simulation::lag() later, which is no less than an
// epoch: so it does whatever the partitions are.
//
// A node that is due stands in its host's queue of timers, under a slot that no flow has.
#pragma once

#include "weir/engine/partition.h"

namespace weir::engine {

template <sim::Scheduler S>
void Partition<S>::load(const traffic::Program& program, Time lag) {
  program_ = &program;
  lag_ = lag;
  messages_.resize(hosts_);
  for (std::uint32_t node = 0; node < program.size(); ++node)
    if (mine(program[node].src) && program.waits(node) == 0) make_due(node, {});
}

// All that the node waits for has taken effect by then.
template <sim::Scheduler S>
void Partition<S>::make_due(std::uint32_t node, Time ready) {
  const traffic::Program::Node& n = (*program_)[node];
  const Time due = n.is_message() ? ready + n.delay : ready;
  host::Host& host = network_.hosts[n.src];
  host.timers.push({due, host::kNodeSlot, node});
  if (due >= host.wake) return;
  host.wake = due;
  scheduler_.schedule(wake(n.src), due);
}

template <sim::Scheduler S>
void Partition<S>::run_node(std::uint32_t node, Time now) {
  const traffic::Program::Node& n = (*program_)[node];
  NodeTimes& times = network_.node_times[node];
  if (n.is_message()) {
    const host::Flow& flow = start_flow(n.src,
                                        {.id = node,
                                         .start = now,
                                         .src = n.src,
                                         .dst = n.dst,
                                         .size = n.size,
                                         .tag = n.tag,
                                         .profile = n.profile,
                                         .sport = n.sport,
                                         .dport = n.dport},
                                        now);
    const Expected expected{node, flow.slot, flow.generation};
    if (mine(n.dst))
      expect(expected);
    else
      news_.expected.push_back(expected);
  } else if (times.started != Time::max()) {
    times.received = now;
    end_node(node, now);
    happened(node, traffic::Event::received, n.src, now);
    return;
  } else {
    network_.hosts[n.src].timers.push({now + n.delay, host::kNodeSlot, node});
  }
  times.started = now;
  happened(node, traffic::Event::started, n.src, now);
}

// A message is acknowledged, or a computation has ended.
template <sim::Scheduler S>
void Partition<S>::end_node(std::uint32_t node, Time now) {
  network_.node_times[node].sent = now;
  ++nodes_done_;
  happened(node, traffic::Event::sent, (*program_)[node].src, now);
}

// The receiver gets to know of a message before its first packet arrives. What may still come of the flow that had this
// slot before are duplicates.
template <sim::Scheduler S>
void Partition<S>::expect(const Expected& message) {
  const traffic::Program::Node& n = (*program_)[message.node];
  begin_flow(n.src, message.slot, message.generation, n.profile).end = n.size.count;
  auto& of_sender = messages_[n.src];
  if (message.slot >= of_sender.size()) of_sender.resize(message.slot + std::size_t{1});
  of_sender[message.slot] = message.node;
}

template <sim::Scheduler S>
void Partition<S>::finish_message(std::uint32_t src, std::uint32_t slot, Time now) {
  const std::uint32_t node = messages_[src][slot];
  network_.node_times[node].received = now;
  happened(node, traffic::Event::received, (*program_)[node].dst, now);
}

// Tells those that wait for it. `where` is the host that knows of it.
template <sim::Scheduler S>
void Partition<S>::happened(std::uint32_t node, traffic::Event event, std::uint32_t where, Time now) {
  for (const std::uint32_t then : program_->then(node, event)) {
    const std::uint32_t host = (*program_)[then].src;
    if (host == where)
      note(then, now);
    else if (mine(host))
      note(then, now + lag_);
    else
      news_.signals.push_back({then, now + lag_});
  }
}

// One of the events that the node waits for takes effect at `at`.
template <sim::Scheduler S>
void Partition<S>::note(std::uint32_t node, Time at) {
  NodeState& state = network_.node_states[node];
  state.ready = std::max(state.ready, at);
  if (--state.waiting == 0) make_due(node, state.ready);
}

template <sim::Scheduler S>
void Partition<S>::hand_over_news(std::vector<Mailbox>& outboxes) {
  for (const Expected& e : news_.expected) outboxes[of_node_[(*program_)[e.node].dst]].news.expected.push_back(e);
  for (const Signal& s : news_.signals) outboxes[of_node_[(*program_)[s.node].src]].news.signals.push_back(s);
  news_.clear();
}

template <sim::Scheduler S>
void Partition<S>::take_over_news(const News& news) {
  for (const Expected& e : news.expected) expect(e);
  for (const Signal& s : news.signals) note(s.node, s.at);
}

}  // namespace weir::engine
