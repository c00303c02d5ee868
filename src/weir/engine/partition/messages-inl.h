// Messages. Included by partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/engine/model/network.h"
#include "weir/engine/partition/messages.h"
#include "weir/engine/skip/message_skipper.h"
#include "weir/host/host.h"

namespace weir::engine {

template <class P>
void Messages<P>::load(const traffic::Program& program, Time lag) {
  program_ = &program;
  lag_ = lag;
  messages_.resize(shared().hosts);
  for (std::uint32_t node = 0; node < program.size(); ++node)
    if (shared().mine(program[node].src) && program.waits(node) == 0) make_due(node, {});
}

// All that the node waits for has taken effect by then.
template <class P>
void Messages<P>::make_due(std::uint32_t node, Time ready) {
  const traffic::Program::Node& n = (*program_)[node];
  const Time due = n.is_message() ? ready + n.delay : ready;
  network().hosts[n.src].timers.push({due, host::kNodeSlot, node});
  nics().wake_by(n.src, due);
}

template <class P>
void Messages<P>::run_node(std::uint32_t node, Time now) {
  const traffic::Program::Node& n = (*program_)[node];
  NodeTimes& times = network().node_times[node];
  if (n.is_message()) {
    if (network().fast_forward != nullptr) [[unlikely]] {
      if (times.started != Time::max()) return end_skipped(node, now);
      if (skip(node, now)) return;
    }
    const host::Flow& flow = senders().start_flow(n.src,
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
    if (shared().mine(n.dst))
      expect(expected);
    else
      expected_.push_back(expected);
  } else if (times.started != Time::max()) {
    times.received = now;
    end_node(node, now);
    happened(node, traffic::Event::received, n.src, now);
    return;
  } else {
    network().hosts[n.src].timers.push({now + n.delay, host::kNodeSlot, node});
  }
  times.started = now;
  happened(node, traffic::Event::started, n.src, now);
}

// Nothing is sent if the message is skipped.
template <class P>
bool Messages<P>::skip(std::uint32_t node, Time now) {
  const auto lasts = network().fast_forward->begin(shared().index, node, now);
  if (!lasts) return false;
  const traffic::Program::Node& n = (*program_)[node];
  NodeTimes& times = network().node_times[node];
  times.started = now;
  times.received = now + lasts->received;
  ++shared().counters.flows_started;
  happened(node, traffic::Event::started, n.src, now);
  happened(node, traffic::Event::received, n.dst, times.received);
  network().hosts[n.src].timers.push({now + lasts->sent, host::kNodeSlot, node});
  return true;
}

template <class P>
void Messages<P>::end_skipped(std::uint32_t node, Time now) {
  const traffic::Program::Node& n = (*program_)[node];
  ++shared().counters.flows_completed;
  senders().finished().push_back({.id = node,
                                  .src = n.src,
                                  .dst = n.dst,
                                  .size = n.size,
                                  .start = network().node_times[node].started,
                                  .finish = now,
                                  .entropy = net::flow_entropy(n.src, n.dst, n.sport, n.dport),
                                  .profile = n.profile,
                                  .tag = n.tag});
  end_node(node, now);
}

template <class P>
void Messages<P>::end_node(std::uint32_t node, Time now) {
  network().node_times[node].sent = now;
  ++nodes_done_;
  happened(node, traffic::Event::sent, (*program_)[node].src, now);
}

// The receiver gets to know of a message before its first packet arrives. What may still come of the flow that had this
// slot before are duplicates.
template <class P>
void Messages<P>::expect(const Expected& message) {
  const traffic::Program::Node& n = (*program_)[message.node];
  receivers().begin_flow(n.src, message.slot, message.generation, n.profile).end = n.size.count;
  auto& of_sender = messages_[n.src];
  if (message.slot >= of_sender.size()) of_sender.resize(message.slot + std::size_t{1});
  of_sender[message.slot] = message.node;
}

template <class P>
void Messages<P>::finish_message(std::uint32_t src, std::uint32_t slot, Time now) {
  const std::uint32_t node = messages_[src][slot];
  if (network().fast_forward != nullptr) [[unlikely]]
    now = network().fast_forward->known(node, now);
  network().node_times[node].received = now;
  happened(node, traffic::Event::received, (*program_)[node].dst, now);
}

// Tells those that wait for it. `where` is the host that knows of it at `at`.
template <class P>
void Messages<P>::happened(std::uint32_t node, traffic::Event event, std::uint32_t where, Time at) {
  for (const std::uint32_t then : program_->then(node, event)) {
    const std::uint32_t host = (*program_)[then].src;
    const Time told = host == where ? at : at + lag_;
    if (shared().mine(host))
      note(then, told);
    else
      signals_.push_back({.node = then, .at = told});
  }
}

// One of the events that the node waits for takes effect at `at`.
template <class P>
void Messages<P>::note(std::uint32_t node, Time at) {
  NodeState& state = network().node_states[node];
  state.ready = std::max(state.ready, at);
  if (--state.waiting == 0) make_due(node, state.ready);
}

template <class P>
void Messages<P>::hand_over(std::vector<Mailbox>& outboxes) {
  const auto& of_node = shared().of_node;
  for (const Expected& e : expected_) outboxes[of_node[(*program_)[e.node].dst]].expected.push_back(e);
  for (const Signal& s : signals_) outboxes[of_node[(*program_)[s.node].src]].signals.push_back(s);
  expected_.clear();
  signals_.clear();
}

template <class P>
void Messages<P>::take_over(const Mailbox& inbox) {
  for (const Expected& e : inbox.expected) expect(e);
  for (const Signal& s : inbox.signals) note(s.node, s.at);
}

}  // namespace weir::engine
