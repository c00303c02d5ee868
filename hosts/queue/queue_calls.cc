// What is asked of the path's thread from outside.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "hosts/queue/events.h"
#include "hosts/queue/queue_loop.h"

namespace weir::hosts {
namespace {

// A thread that has not done what it was asked for in so long hangs.
constexpr std::chrono::seconds kLongestCall{2};

}  // namespace

template <class T>
T QueueLoop::call(std::function<T()> work) {
  if (!thread_.joinable()) return work();
  auto task = std::make_shared<std::packaged_task<T()>>(std::move(work));
  std::future<T> done = task->get_future();
  {
    const std::lock_guard lock(tasks_lock_);
    tasks_.emplace_back([task] { (*task)(); });
  }
  signal_event(wake_);
  if (done.wait_for(kLongestCall) != std::future_status::ready)
    throw std::runtime_error("the thread of the data path does not answer");
  return done.get();
}

void QueueLoop::set_peer(const Peer& peer) {
  call<void>([this, peer] {
    sending_.set_peer(peer);
    const auto known =
        std::find_if(peers_.begin(), peers_.end(), [&](const Peer& p) { return p.address == peer.address; });
    const bool same = known != peers_.end() && known->held == peer.held;
    if (known == peers_.end())
      peers_.push_back(peer);
    else
      *known = peer;
    if (!same) watch_peers();
  });
}

void QueueLoop::remove_peer(const Address& address) {
  call<void>([this, address] {
    sending_.remove_peer(address);
    if (std::erase_if(peers_, [&](const Peer& p) { return p.address == address; }) != 0) watch_peers();
  });
}

void QueueLoop::hold_nothing() {
  call<void>([this] { holds_nothing_ = true; });
}

Counters QueueLoop::counters() {
  Counters out = call<Counters>([this] {
    Counters all = sending_.counters();
    all.flows = sending_.flows(read_clock()).size();
    all.or_acks_received = heard_.or_acks_received;
    all.or_acks_accepted = heard_.or_acks_accepted;
    all.refused_form = heard_.refused_form;
    all.refused_peer = heard_.refused_peer;
    all.refused_tag = heard_.refused_tag;
    all.refused_flow = heard_.refused_flow;
    all.refused_note = heard_.refused_note;
    all.refused_time = heard_.refused_time;
    all.data_packets = receiving_.packets();
    all.data_bytes = receiving_.bytes();
    all.or_acks_sent = heard_.or_acks_sent;
    all.or_ack_bytes = heard_.or_ack_bytes;
    all.or_acks_limited = receiving_.limited();
    all.decisions_lost = decisions_lost_.load();
    return all;
  });
  clockid_t clock{};
  if (thread_.joinable() && ::pthread_getcpuclockid(thread_.native_handle(), &clock) == 0)
    out.processor_ns = static_cast<std::uint64_t>(read_clock(clock));
  return out;
}

std::vector<FlowView> QueueLoop::flows() {
  return call<std::vector<FlowView>>([this] { return sending_.flows(read_clock()); });
}

std::string QueueLoop::trouble() {
  return call<std::string>([this] {
    std::string out = trouble_;
    for (const Interface& interface : interfaces_)
      if (interface.ifindex == 0) out += (out.empty() ? "" : "; ") + interface.name + " has vanished";
    return out;
  });
}

void QueueLoop::trace(bool on) {
  call<void>([this, on] {
    if (on)
      sending_.trace([this](const Decision& decision) { decisions_.push_back(decision); });
    else
      sending_.trace({});
  });
}

std::vector<Decision> QueueLoop::take_decisions() {
  clear_event(decisions_ready_);
  std::vector<Decision> out;
  const std::lock_guard lock(decisions_lock_);
  out.swap(decisions_out_);
  return out;
}

}  // namespace weir::hosts
