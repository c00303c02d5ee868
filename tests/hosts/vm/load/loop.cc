#include "tests/hosts/vm/load/loop.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

namespace weir::hosts::load {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_.get() < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

void Loop::watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> act) {
  acts_[fd] = std::move(act);
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

void Loop::change(int fd, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

void Loop::forget(int fd) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  acts_.erase(fd);
}

void Loop::at(std::int64_t time, std::function<void()> act) { timers_.emplace(time, std::move(act)); }

void Loop::run(const std::function<bool()>& done, std::int64_t until) {
  while (!done() && now_ns() < until) {
    while (!timers_.empty() && timers_.begin()->first <= now_ns()) {
      auto first = timers_.extract(timers_.begin());
      first.mapped()();
    }
    wait(timers_.empty() ? until : std::min(until, timers_.begin()->first));
  }
}

void Loop::wait(std::int64_t until) {
  const std::int64_t rest = std::max<std::int64_t>(0, until - now_ns());
  const timespec timeout{rest / 1'000'000'000, rest % 1'000'000'000};
  std::array<epoll_event, 64> events;
  const int count = epoll_pwait2(epoll_.get(), events.data(), events.size(), &timeout, nullptr);
  if (count < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "epoll_pwait2");
  for (int i = 0; i < count; ++i) {
    const auto found = acts_.find(events[i].data.fd);
    if (found == acts_.end()) continue;
    const auto act = found->second;  // it may forget itself
    act(events[i].events);
  }
}

}  // namespace weir::hosts::load
