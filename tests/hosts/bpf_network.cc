#include "tests/hosts/bpf_network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <vector>

#include "tests/hosts/bpf_lab.h"

namespace weir::hosts::lab {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

int own_namespace() {
  const int out = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (out < 0) fail("/proc/thread-self/ns/net");
  return out;
}

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

SocketAddress socket_address(const Address& address) {
  SocketAddress out{};
  if (address.v6) {
    out.v6.sin6_family = AF_INET6;
    std::memcpy(&out.v6.sin6_addr, address.bytes.data(), address.size());
  } else {
    out.v4.sin_family = AF_INET;
    std::memcpy(&out.v4.sin_addr, address.bytes.data(), address.size());
  }
  return out;
}

std::uint16_t port_of(int socket, bool v6) {
  SocketAddress out{};
  socklen_t size = sizeof out;
  if (::getsockname(socket, &out.any, &size) != 0) fail("getsockname");
  return ntohs(v6 ? out.v6.sin6_port : out.v4.sin_port);
}

}  // namespace

Namespace::Namespace() {
  const int before = own_namespace();
  if (::unshare(CLONE_NEWNET) != 0) {
    const int error = errno;
    ::close(before);
    throw std::system_error(error, std::generic_category(), "network namespaces");
  }
  descriptor_ = own_namespace();
  ::setns(before, CLONE_NEWNET);
  ::close(before);
}

Namespace::~Namespace() { ::close(descriptor_); }

void Namespace::inside(const std::function<void()>& what) const {
  struct Back {
    int before = own_namespace();
    ~Back() {
      ::setns(before, CLONE_NEWNET);
      ::close(before);
    }
  } const back;
  if (::setns(descriptor_, CLONE_NEWNET) != 0) fail("setns");
  what();
}

std::string Namespace::run(const std::string& command) const {
  std::string out;
  inside([&] {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "re");
    if (pipe == nullptr) fail("popen");
    std::array<char, 4096> text{};
    for (std::size_t size = 0; (size = std::fread(text.data(), 1, text.size(), pipe)) > 0;)
      out.append(text.data(), size);
    EXPECT_EQ(::pclose(pipe), 0) << command << ": " << out;
  });
  return out;
}

Pair::Pair() {
  one.run(fmt::format("ip link add eth0 type veth peer name eth0 netns /proc/{}/fd/{}", ::getpid(), two.descriptor()));
  for (const auto& [host, number] : {std::pair{&one, 1}, {&two, 2}})
    host->run(
        fmt::format("sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0; "
                    "ip addr add 10.77.0.{0}/24 dev eth0; ip addr add fd77::{0}/64 dev eth0 nodad; "
                    "ip link set lo up; ip link set eth0 up",
                    number));
  // The carrier is told a little later.
  for (const Namespace* host : {&one, &two})
    host->run("for i in $(seq 100); do ip link show eth0 | grep -q 'state UP' && exit 0; sleep 0.02; done; exit 1");
}

std::string Pair::state() const {
  std::string out;
  for (const Namespace* host : {&one, &two})
    out += host->run(
        "tc qdisc show; ip -d link | grep -v link/ether; for d in ingress egress; do tc filter show dev eth0 $d "
        "|| true; done");
  return out;
}

Connection::Connection(const Namespace& client, const Namespace& server, const Address& address) {
  int listener = -1;
  SocketAddress to = socket_address(address);
  const socklen_t size = address.v6 ? sizeof to.v6 : sizeof to.v4;
  server.inside([&] {
    listener = ::socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || ::bind(listener, &to.any, size) != 0 || ::listen(listener, 1) != 0) fail("listen");
    server_port_ = port_of(listener, address.v6);
  });
  (address.v6 ? to.v6.sin6_port : to.v4.sin_port) = htons(server_port_);
  client.inside([&] {
    client_ = ::socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(client_, &to.any, size) != 0) fail("connect");
    client_port_ = port_of(client_, address.v6);
  });
  server_ = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  ::close(listener);
  if (server_ < 0) fail("accept");
  ::fcntl(client_, F_SETFL, O_NONBLOCK);
}

Connection::~Connection() {
  ::close(client_);
  ::close(server_);
}

std::uint64_t Connection::send(std::uint64_t bytes, std::int64_t at_most_ns) {
  // Bytes that tell their place.
  std::vector<std::uint8_t> pattern(251 * 256);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::uint8_t>(i % 251);
  std::vector<std::uint8_t> arrived(pattern.size());
  std::uint64_t sent = 0;
  std::uint64_t read = 0;
  const std::int64_t end = monotonic_now() + at_most_ns;
  while (read < bytes && monotonic_now() < end) {
    pollfd waits[] = {{server_, POLLIN, 0}, {client_, static_cast<short>(sent < bytes ? POLLOUT : 0), 0}};
    ::poll(waits, 2, 10);
    if (sent < bytes) {
      const std::size_t from = sent % 251;
      const ssize_t more = ::write(client_, pattern.data() + from, std::min<std::uint64_t>(bytes - sent, 60'000));
      if (more > 0) sent += static_cast<std::uint64_t>(more);
    }
    const ssize_t more = ::read(server_, arrived.data(), 60'000);
    if (more <= 0) continue;
    if (std::memcmp(arrived.data(), pattern.data() + read % 251, static_cast<std::size_t>(more)) != 0) return read;
    read += static_cast<std::uint64_t>(more);
  }
  return read;
}

}  // namespace weir::hosts::lab
