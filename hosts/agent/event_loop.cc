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

namespace weir::hosts {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

int require(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

std::int64_t now_of(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
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

void EventLoop::timer(std::int64_t first, std::int64_t interval, std::function<void()> work) {
  const auto span = [](std::int64_t ns) { return timespec{ns / kSecond, ns % kSecond}; };
  Descriptor fd(require(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create"));
  const itimerspec times{span(interval), span(std::max<std::int64_t>(first, 1))};
  require(::timerfd_settime(fd.get(), 0, &times, nullptr), "timerfd_settime");
  const int number = fd.get();
  own_.push_back(std::move(fd));
  watch(number, EPOLLIN, [this, number, interval, work = std::move(work)](std::uint32_t) {
    std::uint64_t expirations = 0;
    if (::read(number, &expirations, sizeof expirations) != sizeof expirations) return;
    const auto keep = work;  // the function itself goes away with the timer
    if (interval == 0) {
      forget(number);
      std::erase_if(own_, [number](const Descriptor& d) { return d.get() == number; });
    }
    keep();
  });
}

void EventLoop::every(std::int64_t interval, std::function<void()> work) { timer(interval, interval, std::move(work)); }

void EventLoop::after(std::int64_t delay, std::function<void()> work) { timer(delay, 0, std::move(work)); }

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

}  // namespace weir::hosts
