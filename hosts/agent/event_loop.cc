#include "hosts/agent/event_loop.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

#include "hosts/path/system_error.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

int require(int result, const char* what) {
  if (result < 0) throw errno_error(what);
  return result;
}

std::int64_t now_of(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return t.tv_sec * kNsPerSecond + t.tv_nsec;
}

Descriptor make_timer() {
  return Descriptor(require(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create"));
}

void set_timer(int fd, int flags, std::int64_t first, std::int64_t interval) {
  const auto span = [](std::int64_t ns) { return timespec{ns / kNsPerSecond, ns % kNsPerSecond}; };
  const itimerspec times{span(interval), span(std::max<std::int64_t>(first, 1))};
  require(::timerfd_settime(fd, flags, &times, nullptr), "timerfd_settime");
}

bool has_expired(int fd) {
  std::uint64_t expirations = 0;
  return ::read(fd, &expirations, sizeof expirations) == sizeof expirations;
}

}  // namespace

std::int64_t monotonic_now() { return now_of(CLOCK_MONOTONIC); }
std::int64_t unix_now() { return now_of(CLOCK_REALTIME); }

EventLoop::EventLoop() : epoll_(require(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {}

void EventLoop::watch(int fd, std::uint32_t events, Ready ready) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  require(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  ready_[fd] = std::make_shared<Ready>(std::move(ready));
}

void EventLoop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  require(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event), "epoll_ctl");
}

void EventLoop::forget(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  ready_.erase(fd);
}

void EventLoop::every(std::int64_t interval, std::function<void()> work) {
  Descriptor fd = make_timer();
  set_timer(fd.get(), 0, interval, interval);
  const int number = fd.get();
  own_.push_back(std::move(fd));
  watch(number, EPOLLIN, [number, work = std::move(work)](std::uint32_t) {
    if (has_expired(number)) work();
  });
}

void EventLoop::signals(const std::vector<int>& numbers, std::function<void(int)> work) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : numbers) ::sigaddset(&set, number);
  require(::sigprocmask(SIG_BLOCK, &set, nullptr), "sigprocmask");
  Descriptor fd(require(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd"));
  const int number = fd.get();
  own_.push_back(std::move(fd));
  watch(number, EPOLLIN, [number, work = std::move(work)](std::uint32_t) {
    signalfd_siginfo info{};
    while (::read(number, &info, sizeof info) == sizeof info) work(static_cast<int>(info.ssi_signo));
  });
}

void EventLoop::run() {
  running_ = true;
  while (running_) once(-1);
}

void EventLoop::once(int timeout_ms) {
  std::array<epoll_event, 32> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  if (count < 0 && errno != EINTR) require(count, "epoll_wait");
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    const auto found = ready_.find(event.data.fd);
    if (found == ready_.end()) continue;  // forgotten by one that was called just before
    const auto ready = found->second;
    (*ready)(event.events);
  }
}

Alarm::Alarm(EventLoop& loop, std::function<void()> work) : loop_(loop), fd_(make_timer()), work_(std::move(work)) {
  loop_.watch(fd_.get(), EPOLLIN, [this](std::uint32_t) {
    if (has_expired(fd_.get())) work_();
  });
}

Alarm::~Alarm() { loop_.forget(fd_.get()); }

void Alarm::at(std::int64_t time) { set_timer(fd_.get(), TFD_TIMER_ABSTIME, time, 0); }

}  // namespace weir::hosts
