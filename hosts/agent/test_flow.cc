#include "hosts/agent/test_flow.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "hosts/agent/event_loop.h"
#include "hosts/agent/small_network.h"

namespace weir::hosts {
namespace {

constexpr std::uint16_t kPort = 7480;
constexpr int kStep = 50;  // ms, after which the threads look whether they should end

sockaddr_in at(const std::string& address) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(kPort);
  ::inet_pton(AF_INET, address.c_str(), &out.sin_addr);
  return out;
}

void check(bool good, const char* what) {
  if (!good)
    throw std::runtime_error(fmt::format("no connection in the test's network: {}: {}", what, std::strerror(errno)));
}

bool is_ready(int fd, short events) {
  pollfd waiting{fd, events, 0};
  return ::poll(&waiting, 1, kStep) == 1;
}

}  // namespace

TestFlow::TestFlow(const Descriptor& from, const Descriptor& to, const std::string& address) {
  const sockaddr_in place = at(address);
  const auto* generic = reinterpret_cast<const sockaddr*>(&place);
  Descriptor listener;
  {
    const Inside inside(to);
    listener = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    check(::bind(listener.get(), generic, sizeof place) == 0 && ::listen(listener.get(), 1) == 0, "listen");
  }
  const Inside inside(from);
  sender_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{2, 0};
  ::setsockopt(sender_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  check(::connect(sender_.get(), generic, sizeof place) == 0, "connect");
  receiver_ = Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  check(static_cast<bool>(receiver_), "accept");
  restart();
  sending_ = std::thread([this] { send_all(); });
  receiving_ = std::thread([this] { receive_all(); });
}

TestFlow::~TestFlow() {
  stop_ = true;
  sending_.join();
  receiving_.join();
}

void TestFlow::restart() {
  last_ = monotonic_now();
  gap_ = 0;
  bytes_ = 0;
}

std::int64_t TestFlow::longest_gap() const { return std::max<std::int64_t>(gap_, monotonic_now() - last_); }

void TestFlow::send_all() {
  const std::array<char, 16'384> data{};
  while (!stop_) {
    if (!is_ready(sender_.get(), POLLOUT)) continue;
    if (::send(sender_.get(), data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) {
      broken_ = true;
      return;
    }
  }
}

void TestFlow::receive_all() {
  std::array<char, 65'536> data;
  while (!stop_) {
    if (!is_ready(receiver_.get(), POLLIN)) continue;
    const auto size = ::recv(receiver_.get(), data.data(), data.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EAGAIN) continue;
    if (size <= 0) {
      broken_ = true;
      return;
    }
    const std::int64_t now = monotonic_now();
    gap_ = std::max<std::int64_t>(gap_, now - last_);
    last_ = now;
    bytes_ += static_cast<std::uint64_t>(size);
  }
}

}  // namespace weir::hosts
