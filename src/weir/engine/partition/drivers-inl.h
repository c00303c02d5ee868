// Drivers. Included by partition-inl.h only.
#pragma once

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "weir/base/error.h"
#include "weir/engine/model/network.h"
#include "weir/engine/partition/drivers.h"
#include "weir/engine/skip/message_skipper.h"
#include "weir/traffic/checks.h"

namespace weir::engine {

// The order of a heap of which the first is due first. Notices of one instant come in an order that does not depend on
// when they were told.
inline bool is_later(const Notice& a, const Notice& b) {
  const auto key = [](const Notice& n) {
    const traffic::Message& m = n.message;
    return std::tuple(n.at, n.kind, n.driver, m.src, m.id, m.word, m.dst, m.sport, m.dport, m.size);
  };
  return key(b) < key(a);
}

template <class P>
void Drivers<P>::add(traffic::Driver& driver, Time lag) {
  const auto number = static_cast<std::uint32_t>(drivers_.size());
  drivers_.push_back(&driver);
  scale_ups_.push_back(driver.scale_up().value_or(traffic::ScaleUp{}));
  lag_ = lag;
  of_host_.resize(shared().hosts);
  incoming_.resize(shared().hosts);
  for (std::uint32_t h = 0; h < shared().hosts; ++h)
    if (shared().mine(h)) driver.begin(desk(number, h, {}));
}

template <class P>
void Drivers<P>::set_timer(std::uint32_t h, Time at, std::uint32_t slot, std::uint32_t word) {
  network().hosts[h].timers.push({at, slot, word});
  nics().wake_by(h, at);
}

template <class P>
void Drivers<P>::HostDesk::send(traffic::Message message) {
  OfHost& own = all_.of_host_[host_];
  if (message.dst == host_ || message.dst >= all_.shared().hosts)
    throw InputError("dst", "a message goes to another host");
  traffic::check_size(message.size);
  if (message.profile >= all_.model().profiles.size()) throw InputError("profile", "there is no such profile");
  message.src = host_;
  message.started = now_;
  if (message.id >= traffic::kAnyUnlistedId) {
    const std::uint64_t unlisted = message.id == traffic::kAnyId ? 0 : traffic::kUnlisted;
    message.id = unlisted | (std::uint64_t{host_} + 1) << 32 | own.sent++;
  }
  own.to_send.push_back({.message = message, .driver = driver_});
  if (own.to_send.size() == 1) all_.set_timer(host_, now_, host::kSendSlot, 0);
}

template <class P>
void Drivers<P>::HostDesk::wake(Time at, std::uint32_t word) {
  assert(at >= now_);
  all_.set_timer(host_, at, host::kFirstWakeSlot - driver_, word);
}

template <class P>
void Drivers<P>::HostDesk::post(std::uint32_t to, std::uint64_t word, Time at) {
  all_.tell({.at = std::max(at, now_ + lag()),
             .message = {.id = 0, .word = word, .src = host_, .dst = to},
             .driver = driver_,
             .kind = NoticeKind::posted});
}

template <class P>
void Drivers<P>::HostDesk::move(traffic::Message message) {
  const traffic::ScaleUp& by = all_.scale_ups_[driver_];
  check_move(by, host_, message, all_.shared().hosts);
  message.src = host_;
  message.started = now_;
  all_.tell({.at = now_ + ahead_of_switch(by, lag()),
             .message = message,
             .driver = driver_,
             .kind = NoticeKind::moved,
             .home = by.first_of(host_)});
}

template <class P>
void Drivers<P>::HostDesk::did([[maybe_unused]] std::uint32_t activity, [[maybe_unused]] Time begin,
                               [[maybe_unused]] std::uint32_t waited_for) {
  if constexpr (P::Tracer::kOn) {
    if (begin == now_ || !all_.tracer().takes(net::EventKind::did)) return;
    net::TraceEvent& event = all_.tracer().add();
    event.time = now_;
    event.kind = net::EventKind::did;
    event.port = all_.network().hosts[host_].nic();
    event.src = host_;
    event.queued = activity;
    event.packet.slot = driver_;
    event.packet.dst = waited_for;
    event.not_before = begin;
  }
}

template <class P>
void Drivers<P>::on_timer(std::uint32_t h, const host::TimedSlot& due, Time now) {
  OfHost& own = of_host_[h];
  if (due.slot == host::kSendSlot) {
    std::vector<host::QueuedMessage> messages;
    messages.swap(own.to_send);
    for (host::QueuedMessage& message : messages) begin(h, message, now);
  } else if (due.slot == host::kNoticeSlot) {
    std::pop_heap(own.notices.begin(), own.notices.end(), is_later);
    const Notice notice = own.notices.back();
    own.notices.pop_back();
    on_notice(h, notice, now);
  } else {
    const std::uint32_t driver = host::kFirstWakeSlot - due.slot;
    drivers_[driver]->woken(desk(driver, h, now), due.generation);
  }
}

template <class P>
void Drivers<P>::on_notice(std::uint32_t h, const Notice& notice, Time now) {
  traffic::Driver& driver = *drivers_[notice.driver];
  switch (notice.kind) {
    case NoticeKind::received: return tell_received(notice.driver, h, notice.message, now);
    case NoticeKind::sent:
      end(h, {.message = notice.message, .driver = notice.driver},
          model().entropy_of(h, notice.message.dst, notice.message.sport, notice.message.dport, notice.message.profile),
          now);
      return;
    case NoticeKind::posted: return driver.posted(desk(notice.driver, h, now), notice.message.src, notice.message.word);
    case NoticeKind::brought: return driver.brought(desk(notice.driver, h, now), notice.message);
    case NoticeKind::carried: return driver.carried(desk(notice.driver, h, now), notice.message);
    case NoticeKind::moved: return begin_move(h, notice, now);
    case NoticeKind::shared: return share_switch(h, notice, now);
  }
}

template <class P>
void Drivers<P>::tell_to_share(std::uint32_t home, std::uint32_t driver, std::uint64_t shared_before, Time at) {
  tell({.at = at, .message = {.id = shared_before}, .driver = driver, .kind = NoticeKind::shared, .home = home});
}

// A message begins to cross the switch. Rates are given when all messages that begin at this instant have begun.
template <class P>
void Drivers<P>::begin_move(std::uint32_t home, const Notice& notice, Time now) {
  ScaleUpSwitch& by = switch_for(of_host_[home].switches, scale_ups_[notice.driver]);
  by.begin(notice.message, notice.driver, now);
  tell_to_share(home, notice.driver, by.shared(), now);
}

template <class P>
void Drivers<P>::share_switch(std::uint32_t home, const Notice& notice, Time now) {
  ScaleUpSwitch& by = switch_for(of_host_[home].switches, scale_ups_[notice.driver]);
  if (by.shared() != notice.message.id) return;
  for (const ScaleUpSwitch::Transfer& t : by.take_ended(now)) {
    const Time at = now + behind_switch(scale_ups_[t.driver], lag_);
    for (const NoticeKind kind : {NoticeKind::brought, NoticeKind::carried})
      tell({.at = at, .message = t.message, .driver = t.driver, .kind = kind});
  }
  if (const Time next = by.share(now); next < Time::max()) tell_to_share(home, notice.driver, by.shared(), next);
}

// Tells a host of this partition or of another one something at notice.at, which must not be in the host's past.
template <class P>
void Drivers<P>::tell(const Notice& notice) {
  const std::uint32_t to = notice.to();
  if (!shared().mine(to)) {
    notices_.push_back(notice);
    return;
  }
  auto& heap = of_host_[to].notices;
  heap.push_back(notice);
  std::push_heap(heap.begin(), heap.end(), is_later);
  set_timer(to, notice.at, host::kNoticeSlot, 0);
}

template <class P>
void Drivers<P>::begin(std::uint32_t h, host::QueuedMessage& message, Time now) {
  if (network().fast_forward != nullptr && skip(message, now)) return;
  const host::Flow& flow = flow_of(h, message, now);
  const Expected expected{message, flow.slot, flow.generation};
  if (shared().mine(message.message.dst))
    expect(expected);
  else
    expected_.push_back(expected);
}

// Starts a flow for the message, or adds it to the flow of its connection.
template <class P>
host::Flow& Drivers<P>::flow_of(std::uint32_t h, host::QueuedMessage& message, Time now) {
  const traffic::Message& m = message.message;
  const traffic::Flow start{.id = m.id,
                            .start = now,
                            .src = h,
                            .dst = m.dst,
                            .size = m.size,
                            .tag = m.tag,
                            .profile = m.profile,
                            .sport = m.sport,
                            .dport = m.dport};
  if (model().transport.connections == host::ConnectionKind::message)
    return senders().start_flow(h, start, now, &message);
  const auto [known, is_new] = of_host_[h].connections.try_emplace({m.dst, m.sport, m.dport, m.profile}, 0);
  if (is_new) {
    host::Flow& flow = senders().start_flow(h, start, now, &message);
    known->second = flow.slot;
    return flow;
  }
  host::Flow& flow = *network().hosts[h].flows[known->second];
  senders().append(h, flow, message, now);
  return flow;
}

// Skips the message if it is to be skipped; nothing of it is sent then. Returns whether it is.
template <class P>
bool Drivers<P>::skip(host::QueuedMessage& message, Time now) {
  const MessageSkipper::Plan plan = network().fast_forward->begin(shared().index, message.message, now);
  message.not_before = plan.received;
  if (!plan.is_skipped) return false;
  ++counters().flows_started;
  Notice notice{.at = plan.received, .message = message.message, .driver = message.driver};
  tell(notice);
  notice.at = plan.sent;
  notice.kind = NoticeKind::sent;
  tell(notice);
  return true;
}

template <class P>
void Drivers<P>::end_flow(std::uint32_t h, const host::Flow& flow, Time now) {
  host::MessageQueue& own = outgoing(h, flow.slot).messages;
  const host::QueuedMessage message = own.front();
  own.pop();
  tell_sent(message.driver, h, message.message, now);
}

template <class P>
void Drivers<P>::on_feedback(std::uint32_t h, host::Flow& flow, Time now) {
  host::Outgoing& own = outgoing(h, flow.slot);
  while (!own.messages.empty() && own.messages.front().end <= flow.snd_una) {
    const host::QueuedMessage message = own.messages.front();
    own.messages.pop();
    if (own.messages.empty()) senders().rest();
    senders().trace_message(net::EventKind::ended, network().hosts[h], flow, message, now);
    end(h, message, flow.entropy, now);
  }
  if (own.messages.empty() && flow.control.timer != cc::kNoTimer)
    own.timer = std::exchange(flow.control.timer, cc::kNoTimer);
}

template <class P>
void Drivers<P>::end(std::uint32_t h, const host::QueuedMessage& message, std::uint32_t entropy, Time now) {
  const traffic::Message& m = message.message;
  ++counters().flows_completed;
  if (traffic::is_listed(m.id))
    senders().finished().push_back({.id = m.id,
                                    .src = h,
                                    .dst = m.dst,
                                    .size = m.size,
                                    .start = m.started,
                                    .finish = now,
                                    .retransmitted = message.retransmitted,
                                    .entropy = entropy,
                                    .profile = m.profile,
                                    .tag = m.tag});
  tell_sent(message.driver, h, m, now);
}

template <class P>
void Drivers<P>::tell_sent(std::uint32_t driver, std::uint32_t h, const traffic::Message& message, Time now) {
  if (network().fast_forward != nullptr) network().fast_forward->end(shared().index, message.id, now);
  drivers_[driver]->sent(desk(driver, h, now), message);
}

template <class P>
void Drivers<P>::tell_received(std::uint32_t driver, std::uint32_t h, const traffic::Message& message, Time now) {
  if (network().fast_forward != nullptr) network().fast_forward->receive(shared().index, message.id, now);
  drivers_[driver]->received(desk(driver, h, now), message);
}

template <class P>
host::MessageQueue& Drivers<P>::incoming(std::uint32_t src, std::uint32_t slot) {
  auto& of_sender = incoming_[src];
  if (slot >= of_sender.size()) of_sender.resize(slot + std::size_t{1});
  return of_sender[slot];
}

// Tells the receiver of a message before its first packet arrives. Packets that may still arrive of an earlier flow in
// this slot are duplicates.
template <class P>
void Drivers<P>::expect(const Expected& expected) {
  const host::QueuedMessage& message = expected.message;
  host::MessageQueue& queue = incoming(message.message.src, expected.slot);
  if (message.begin == 0) {
    queue.clear();
    receivers().begin_flow(message.message.src, expected.slot, expected.generation, message.message.profile);
  }
  queue.push(message);
  receivers().expect_end(message.message.src, expected.slot, queue.front().end);
}

template <class P>
void Drivers<P>::receive(std::uint32_t src, std::uint32_t slot, host::Receiver& r, Time now) {
  host::MessageQueue& queue = incoming(src, slot);
  while (!queue.empty() && queue.front().end <= r.expected) {
    const host::QueuedMessage message = queue.front();
    queue.pop();
    if (message.not_before > now)
      tell({.at = message.not_before, .message = message.message, .driver = message.driver});
    else
      tell_received(message.driver, message.message.dst, message.message, now);
  }
  r.end = queue.empty() ? host::Receiver::kNoEnd : queue.front().end;
}

template <class P>
std::optional<std::int64_t> Drivers<P>::expected_end(std::uint32_t src, const host::Flow& flow) const {
  if (src >= incoming_.size() || flow.slot >= incoming_[src].size() || incoming_[src][flow.slot].empty())
    return std::nullopt;
  return incoming_[src][flow.slot].front().end;
}

template <class P>
void Drivers<P>::hand_over(std::vector<Mailbox>& outboxes) {
  const auto& of_node = shared().of_node;
  for (const Expected& e : expected_) outboxes[of_node[e.message.message.dst]].expected.push_back(e);
  for (const Notice& n : notices_) outboxes[of_node[n.to()]].notices.push_back(n);
  expected_.clear();
  notices_.clear();
}

template <class P>
void Drivers<P>::take_over(const Mailbox& inbox) {
  for (const Expected& e : inbox.expected) expect(e);
  for (const Notice& n : inbox.notices) tell(n);
}

template <class P>
template <class A>
void Drivers<P>::archive(A& a) {
  auto drivers = static_cast<std::uint32_t>(drivers_.size());
  a.value(drivers);
  if (drivers != drivers_.size())
    throw InputError("the checkpoint is of a run with other drivers; drive the new one before it is restored");
  for (std::uint32_t h = 0; h < of_host_.size(); ++h) {
    if (!shared().mine(h)) continue;
    OfHost& own = of_host_[h];
    a.values(own.to_send);
    a.values(own.notices);
    a.each(own.outgoing, [&](host::Outgoing& outgoing) { outgoing.archive(a); });
    std::vector<std::pair<host::Connections::Key, std::uint32_t>> connections(own.connections.begin(),
                                                                              own.connections.end());
    std::sort(connections.begin(), connections.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
    a.each(connections, [&](auto& connection) {
      a.value(connection.first);
      a.value(connection.second);
    });
    if constexpr (A::kLoads) {
      own.connections.clear();
      own.connections.insert(connections.begin(), connections.end());
    }
    a.value(own.sent);
    a.value(own.scale_up_free);
    a.each(own.switches, [&](ScaleUpSwitch& s) { s.archive(a); });
    for (traffic::Driver* driver : drivers_) a.block([&](A& block) { driver->archive(block, h); });
  }
  a.each(incoming_, [&](auto& of_sender) { a.each(of_sender, [&](host::MessageQueue& queue) { queue.archive(a); }); });
  a.values(expected_);
  a.values(notices_);
  a.value(tasks_done_);
}

}  // namespace weir::engine
