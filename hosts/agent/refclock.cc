#include "hosts/agent/refclock.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "hosts/agent/log.h"
#include "hosts/agent/status.h"
#include "hosts/path/system_error.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kEvery = 1'000'000'000;  // ns
constexpr int kSettled = 10;                    // samples
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

SockSample sock_sample(const TimeDifference& time) {
  SockSample out;
  out.when.tv_sec = time.at / kNanosecondsPerSecond;
  out.when.tv_usec = time.at % kNanosecondsPerSecond / 1'000;
  out.offset = static_cast<double>(time.difference) * 1e-9;
  return out;
}

std::string_view name_of(RefclockState state) {
  switch (state) {
    case RefclockState::given: return "given";
    case RefclockState::unsynchronised: return "unsynchronised";
    case RefclockState::untold: return "untold";
    case RefclockState::uncertain: return "uncertain";
    case RefclockState::unheard: return "unheard";
  }
  return "";
}

Refclock::Refclock(const Address& reference, const std::string& socket, std::int64_t max_error)
    : max_error_(max_error), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (!socket_) throw errno_error("a socket for chronyd");
  status_.reference = reference;
  status_.socket = socket;
  status_.why = "the agent has just begun";
}

void Refclock::give(std::int64_t now, const ClockNews& news) {
  const auto cannot = [&](RefclockState state, const std::string& why) {
    status_.state = state;
    status_.why = why;
  };
  if (news.condition != ClockCondition::synchronised)
    return cannot(RefclockState::unsynchronised, fmt::format("its clock is {}", name_of(news.condition)));
  if (!news.time) return cannot(RefclockState::untold, "the agent there does not tell its time of day");
  if (news.time->error > max_error_)
    return cannot(RefclockState::uncertain, fmt::format("it is known within {}, and clock.max_error is {}",
                                                        duration_text(static_cast<double>(news.time->error)),
                                                        duration_text(static_cast<double>(max_error_))));
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  status_.socket.copy(to.sun_path, sizeof to.sun_path - 1);
  const SockSample sample = sock_sample(*news.time);
  // by its path each time: after a restart of chronyd another socket is there
  const auto sent =
      ::sendto(socket_.get(), &sample, sizeof sample, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  if (sent != static_cast<ssize_t>(sizeof sample)) {
    const bool nobody = errno == ENOENT || errno == ECONNREFUSED;
    return cannot(RefclockState::unheard,
                  fmt::format("{}: {}", status_.socket, nobody ? "no chronyd listens there" : std::strerror(errno)));
  }
  status_.state = RefclockState::given;
  status_.why.clear();
  ++status_.samples;
  status_.given = now;
  status_.last = news.time;
}

void Refclock::update(std::int64_t now, const std::map<Address, ClockNews>& news) {
  if (now < next_) return;
  next_ = now + kEvery;
  const auto found = news.find(status_.reference);
  const RefclockState before = status_.state;
  give(now, found == news.end() ? ClockNews{} : found->second);
  in_a_row_ = status_.state == before ? in_a_row_ + 1 : 1;
  if (in_a_row_ < kSettled || status_.state == logged_) return;
  logged_ = status_.state;
  if (logged_ == RefclockState::given)
    log("chronyd is told the time of {}", to_text(status_.reference));
  else
    log("chronyd is not told the time of {}: {}", to_text(status_.reference), status_.why);
}

}  // namespace weir::hosts
