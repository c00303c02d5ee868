#include "tests/hosts/vm/load/connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace weir::hosts::load {
namespace {

constexpr std::uint16_t kPort = 7000;

// What is sent; nobody looks at it.
const std::vector<char>& nothing() {
  static const std::vector<char> zeros(128 * 1024);
  return zeros;
}

}  // namespace

Server::Server(Loop& loop, const Host& host) : loop_(loop), listening_(listen_at(host, kPort)) {
  loop_.watch(listening_.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); });
}

void Server::accept_all() {
  for (;;) {
    Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.get() < 0) return;
    answering_.push_back({std::move(socket)});
    const auto one = std::prev(answering_.end());
    loop_.watch(one->socket.get(), EPOLLIN, [this, one](std::uint32_t events) { serve(one, events); });
  }
}

bool Server::read_requests(Answering& one) {
  std::array<std::uint64_t, 16> requests{};
  for (;;) {
    // Requests are eight bytes in packets of their own, so that none comes in pieces.
    const ssize_t length = recv(one.socket.get(), requests.data(), sizeof requests, 0);
    if (length < 0) return errno == EAGAIN;
    if (length == 0) return false;
    for (std::size_t i = 0; i < length / sizeof(std::uint64_t); ++i) one.owed += requests[i];
  }
}

void Server::serve(std::list<Answering>::iterator one, std::uint32_t events) {
  bool stands = (events & EPOLLIN) == 0 || read_requests(*one);
  while (stands && one->owed > 0) {
    const std::size_t length = std::min<std::uint64_t>(one->owed, nothing().size());
    const ssize_t sent = send(one->socket.get(), nothing().data(), length, MSG_NOSIGNAL);
    if (sent < 0) {
      stands = errno == EAGAIN;
      break;
    }
    one->owed -= static_cast<std::uint64_t>(sent);
  }
  if (!stands) {
    loop_.forget(one->socket.get());
    answering_.erase(one);
    return;
  }
  if (one->waits != (one->owed > 0)) {
    one->waits = one->owed > 0;
    loop_.change(one->socket.get(), one->waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
}

Connection::Connection(Loop& loop, const Host& asking, const Host& sending)
    : loop_(loop), socket_(connect_to(asking, sending, kPort)) {
  loop_.watch(socket_.get(), EPOLLOUT, [this](std::uint32_t events) { on_events(events); });
}

Connection::~Connection() { loop_.forget(socket_.get()); }

void Connection::ask(std::uint64_t bytes, std::function<void()> done) {
  asked_ = wanted_ = bytes;
  done_ = std::move(done);
  last_heard_ = now_ns();
  if (connected_) send_request();
}

void Connection::send_request() {
  const std::uint64_t request = std::exchange(asked_, 0);
  if (send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request) {
    broken_ = std::string("a request was not taken: ") + std::strerror(errno);
  }
}

void Connection::heard(std::int64_t now) {
  longest_silence_ = std::max(longest_silence_, now - last_heard_);
  last_heard_ = now;
}

std::int64_t Connection::take_longest_silence() {
  if (busy()) longest_silence_ = std::max(longest_silence_, now_ns() - last_heard_);
  return std::exchange(longest_silence_, 0);
}

void Connection::on_events(std::uint32_t events) {
  if (!connected_ && (events & EPOLLOUT) != 0 && (events & (EPOLLERR | EPOLLHUP)) == 0) {
    connected_ = true;
    loop_.change(socket_.get(), EPOLLIN);
    if (asked_ > 0) send_request();
    return;
  }
  // With MSG_TRUNC TCP throws the data away without copying it.
  const ssize_t length = recv(socket_.get(), nullptr, 1 << 20, MSG_TRUNC);
  if (length <= 0) {
    if (length < 0 && errno == EAGAIN) return;
    broken_ = length == 0 ? "the other end closed it" : std::strerror(errno);
    loop_.forget(socket_.get());
    return;
  }
  heard(now_ns());
  const auto bytes = static_cast<std::uint64_t>(length);
  received_ += bytes;
  wanted_ -= std::min(wanted_, bytes);
  if (wanted_ == 0 && done_) std::exchange(done_, nullptr)();
}

}  // namespace weir::hosts::load
