#include "hosts/queue/queue_loop.h"

#include <fmt/format.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <sodium.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>
#include <system_error>

#include "hosts/path/system_error.h"
#include "hosts/queue/events.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kMostDecisions = 1 << 17;

Descriptor checked(int descriptor, const char* what) {
  if (descriptor < 0) throw errno_error(what);
  return Descriptor(descriptor);
}

bool is_set(const PairKey& key) { return key != PairKey{}; }

std::uint32_t packet_bytes_of(const std::string& interface) {
  constexpr int kIpAndTcp = 40;
  constexpr int kUsual = 1'500;
  const Descriptor any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, interface.c_str(), IFNAMSIZ - 1);
  const bool known = any && ::ioctl(any.get(), SIOCGIFMTU, &request) == 0 && request.ifr_mtu > 2 * kIpAndTcp;
  return static_cast<std::uint32_t>((known ? request.ifr_mtu : kUsual) - kIpAndTcp);
}

}  // namespace

QueueLoop::QueueLoop(const PathSettings& settings, const QueueOptions& options)
    : settings_(settings),
      options_(options),
      clock_{read_clock(), settings.test_clock_offset, settings.test_clock_drift},
      sending_(settings, clock_),
      receiving_(settings.or_ack),
      events_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll")),
      timer_(checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "a timer")),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "an event")),
      decisions_ready_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "an event")) {
  wait_for(timer_.get(), Source::timer);
  wait_for(wake_.get(), Source::wake);
  for (const std::string& name : settings.interfaces) {
    interfaces_.push_back({.name = name, .ifindex = ::if_nametoindex(name.c_str())});
    if (interfaces_.back().ifindex == 0)
      throw Unavailable("there is no interface " + name, "ip link shows those there are");
  }
  for (const bool v6 : {false, true}) {
    try {
      or_acks_.emplace_back(v6, settings.or_ack.port);
      wait_for(or_acks_.back().descriptor(), Source::or_acks);
    } catch (const std::system_error& error) {
      if (error.code().value() == EADDRINUSE)
        throw Unavailable(fmt::format("UDP port {} is taken", settings.or_ack.port),
                          "end the process that has it (ss -ulpn), or set another one for all hosts");
      if (!v6 || error.code().value() != EAFNOSUPPORT) throw;
    }
  }
  if (settings.hold) {
    queue_.emplace(options.queue);
    queue_->bind();
    wait_for(queue_->descriptor(), Source::packets);
  }
}

QueueLoop::~QueueLoop() { stop(); }

void QueueLoop::wait_for(int descriptor, Source source, std::size_t index) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = std::uint64_t{index} << 8 | static_cast<std::uint64_t>(source)}};
  if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) throw errno_error("epoll");
}

void QueueLoop::start(const std::vector<Command>& put_back) {
  if (queue_)
    watchdog_.emplace(WatchdogSettings{.queue = options_.queue,
                                       .hang_after = options_.hang_after,
                                       .kill_after = options_.kill_after,
                                       .put_back = put_back},
                      queue_->descriptor());
  // Signals are for the agent's own thread.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void QueueLoop::stop() {
  if (thread_.joinable()) {
    stopping_.store(true);
    signal_event(wake_);
    thread_.join();
  }
  if (queue_)
    NfQueue::pass_all(queue_->descriptor(), options_.queue, watchdog_ ? watchdog_->shared().last_id.load() : 0);
  if (watchdog_) watchdog_->shared().state.store(Shared::detached);
  watchdog_.reset();
  queue_.reset();
}

void QueueLoop::run() {
  settle();
  while (!stopping_.load()) {
    try {
      turn();
      trouble_.clear();
    } catch (const std::exception& error) {
      trouble_ = error.what();
      timespec rest{.tv_nsec = Watchdog::kTurn / 2};
      ::nanosleep(&rest, nullptr);
    }
  }
}

void QueueLoop::settle() {
  ::pthread_setname_np(::pthread_self(), "weir-queue");
  const sched_param priority{.sched_priority = 1};
  if (options_.realtime) ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
}

bool QueueLoop::wait() {
  std::array<epoll_event, 16> ready;
  const int count = ::epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()),
                                 static_cast<int>(Watchdog::kTurn * 4 / 5 / 1'000'000));
  bool sends = false;
  for (int i = 0; i < count; ++i) {
    switch (static_cast<Source>(ready[i].data.u64 & 0xff)) {
      case Source::timer: clear_event(timer_); [[fallthrough]];
      case Source::packets:
      case Source::or_acks: sends = true; break;
      case Source::wake:
        clear_event(wake_);
        do_tasks();
        break;
      case Source::tap: interfaces_[ready[i].data.u64 >> 8].ready = true; break;
    }
  }
  return sends;
}

void QueueLoop::turn() {
  const bool sends = wait();
  if (options_.each_turn) options_.each_turn();
  const std::int64_t now = read_clock();
  if (watchdog_) {
    sending_.allow(watchdog_->turn(now) && !holds_nothing_);
    if (watchdog_->shared().state.load() != Shared::running) resume();
  }
  sending_.beat(beat_.load());
  if (sends) {
    read_packets(now);
    read_or_acks();
  }
  // Also when nothing has come, for the heartbeat may have ended.
  release();
  read_taps();
  if (now - looked_after_ >= kSecond) look_after(now);
  hand_over_decisions();
  set_timer();
}

// The watchdog has let packets pass, for we did not go on. Once it has, the queue is taken again, from its beginning.
void QueueLoop::resume() {
  Shared& shared = watchdog_->shared();
  if (shared.state.load() != Shared::passed) return;
  sending_.forget_waiting();
  queue_->bind();
  shared.state.store(Shared::running);
}

void QueueLoop::read_packets(std::int64_t now) {
  if (!queue_) return;
  queue_->read([&](const QueuedPacket& packet) {
    if (watchdog_) watchdog_->shared().last_id.store(packet.id, std::memory_order_relaxed);
    const auto segment = read_segment(packet.headers.data(), packet.headers.size(), packet.length);
    if (segment)
      sending_.arrive(packet.id, *segment, now);
    else
      leaving_.push_back(packet.id);
  });
}

void QueueLoop::read_or_acks() {
  for (OrAckSocket& socket : or_acks_)
    socket.read([this](auto payload, const Address& from, const Address& to) { hear(payload, from, to); });
}

void QueueLoop::hear(std::span<const std::uint8_t> payload, const Address& from, const Address& to) {
  ++heard_.or_acks_received;
  const Peer* peer = sending_.find_peer(from);
  if (peer == nullptr) {
    ++heard_.refused_peer;
    return;
  }
  const auto or_ack = read_or_ack(payload, from, to);
  if (!or_ack) {
    ++heard_.refused_form;
    return;
  }
  const PairKey* key = key_of(*or_ack, peer->receive);
  if (key == nullptr || !is_set(*key)) {
    ++heard_.refused_peer;
    return;
  }
  if (!tag_is_right(payload, *or_ack, *key)) {
    ++heard_.refused_tag;
    return;
  }
  switch (sending_.hear({or_ack->flow, or_ack->seq, or_ack->received}, read_clock())) {
    case Sending::Heard::unknown_flow: ++heard_.refused_flow; break;
    case Sending::Heard::no_note: ++heard_.refused_note; break;
    case Sending::Heard::wrong_time: ++heard_.refused_time; break;
    case Sending::Heard::heard:
    case Sending::Heard::paused: ++heard_.or_acks_accepted; break;
  }
}

void QueueLoop::release() {
  if (!queue_) return;
  sending_.release(read_clock(), leaving_);
  if (!leaving_.empty()) queue_->accept(leaving_);
  leaving_.clear();
}

void QueueLoop::read_taps() {
  for (Interface& interface : interfaces_) {
    if (!std::exchange(interface.ready, false)) continue;
    for (Tap& tap : interface.in)
      tap.read([&](Segment segment, std::int64_t received) {
        segment.packets = (segment.length + interface.packet_bytes - 1) / interface.packet_bytes;
        answer(segment, received);
      });
    if (interface.out)
      interface.out->read([this](const Segment& segment, std::int64_t left) { sending_.pass(segment, left); });
    for (OrAckSocket& socket : or_acks_) socket.flush();
  }
}

void QueueLoop::answer(const Segment& segment, std::int64_t received) {
  const Peer* peer = sending_.find_peer(segment.flow.source);
  if (peer == nullptr || !receiving_.answers(segment, received) || !is_set(peer->send.current)) return;
  const std::size_t socket = segment.flow.source.v6 ? 1 : 0;
  if (socket >= or_acks_.size()) return;
  const OrAck or_ack{.flow = segment.flow, .seq = segment.seq, .received = clock_.at(received)};
  or_acks_[socket].send(write_or_ack(or_ack, peer->send.current), segment.flow.destination, segment.flow.source);
  constexpr std::uint64_t kV4Frame = 14 + 20 + 8 + WEIR_OR_ACK_SIZE_V4;
  constexpr std::uint64_t kV6Frame = 14 + 40 + 8 + WEIR_OR_ACK_SIZE_V6;
  ++heard_.or_acks_sent;
  heard_.or_ack_bytes += segment.flow.source.v6 ? kV6Frame : kV4Frame;
}

// Now and then: what is old is forgotten, and interfaces may have come and gone.
void QueueLoop::look_after(std::int64_t now) {
  looked_after_ = now;
  sending_.sweep(now);
  receiving_.sweep(read_clock());
  for (std::size_t i = 0; i != interfaces_.size(); ++i) {
    Interface& interface = interfaces_[i];
    const unsigned ifindex = ::if_nametoindex(interface.name.c_str());
    if (ifindex == interface.ifindex) continue;
    interface.ifindex = ifindex;
    interface.in.clear();
    interface.out.reset();
    open_taps(i);
  }
}

void QueueLoop::set_timer() {
  const std::int64_t at = queue_ ? sending_.next_release() : std::numeric_limits<std::int64_t>::max();
  if (at == timer_at_) return;
  timer_at_ = at;
  itimerspec time{};
  if (at != std::numeric_limits<std::int64_t>::max()) {
    const std::int64_t when = std::max<std::int64_t>(at, 1);
    time.it_value = {.tv_sec = when / kSecond, .tv_nsec = when % kSecond};
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &time, nullptr);
}

// Of peers that are held packets come through the queue; of others they are seen as they leave.
void QueueLoop::watch_peers() {
  for (std::size_t i = 0; i != interfaces_.size(); ++i) open_taps(i);
}

void QueueLoop::open_taps(std::size_t index) {
  Interface& interface = interfaces_[index];
  if (interface.ifindex == 0) return;
  interface.packet_bytes = packet_bytes_of(interface.name);
  std::vector<Address> all, passing;
  for (const Peer& peer : peers_) {
    all.push_back(peer.address);
    if (!peer.held || !settings_.hold) passing.push_back(peer.address);
  }
  if (interface.in.empty()) {
    interface.in.emplace_back(Tap::Way::in_v4, interface.ifindex, all);
    interface.in.emplace_back(Tap::Way::in_v6, interface.ifindex, all);
    for (const Tap& tap : interface.in) wait_for(tap.descriptor(), Source::tap, index);
  }
  for (Tap& tap : interface.in) tap.watch(all);
  if (passing.empty()) {
    interface.out.reset();
  } else if (interface.out) {
    interface.out->watch(passing);
  } else {
    interface.out.emplace(Tap::Way::out, interface.ifindex, passing);
    wait_for(interface.out->descriptor(), Source::tap, index);
  }
}

void QueueLoop::do_tasks() {
  std::deque<std::function<void()>> tasks;
  {
    const std::lock_guard lock(tasks_lock_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) task();
}

void QueueLoop::hand_over_decisions() {
  if (decisions_.empty()) return;
  {
    const std::lock_guard lock(decisions_lock_);
    const std::size_t room = kMostDecisions - std::min(kMostDecisions, decisions_out_.size());
    const std::size_t count = std::min(room, decisions_.size());
    decisions_out_.insert(decisions_out_.end(), decisions_.begin(),
                          decisions_.begin() + static_cast<std::ptrdiff_t>(count));
    decisions_lost_ += decisions_.size() - count;
  }
  decisions_.clear();
  signal_event(decisions_ready_);
}

}  // namespace weir::hosts
