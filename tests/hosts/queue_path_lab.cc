#include "tests/hosts/queue_path_lab.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "hosts/queue/mangle_table.h"
#include "hosts/queue/programs.h"
#include "hosts/wire/keys.h"

namespace weir::hosts::queue_lab {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

std::string no_namespace() {
  if (::geteuid() != 0) return "network namespaces need root";
  if (find_program("iptables").empty()) return "iptables is missing";
  std::string out;
  std::thread([&] {
    if (::unshare(CLONE_NEWNET) != 0) out = "network namespaces cannot be made here";
  }).join();
  return out;
}

}  // namespace

std::int64_t monotonic() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

void in_namespace(const std::function<void()>& test) {
  if (const std::string missing = no_namespace(); !missing.empty()) GTEST_SKIP() << missing;
  std::thread([&] {
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    const Descriptor any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    ASSERT_EQ(::ioctl(any.get(), SIOCSIFFLAGS, &request), 0);
    test();
  }).join();
}

std::string rules(bool v6) {
  // What is there is asked for by its absence: a chain that cannot be listed is not there.
  return run({v6 ? "ip6tables" : "iptables", "-t", "mangle", "-n", "-L", "WEIR_ON_RAMP"}).status == 0 ? "chain" : "";
}

std::string queues() {
  std::ifstream file("/proc/thread-self/net/netfilter/nfnetlink_queue");
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

PathSettings on_loopback(bool hold) {
  PathSettings out;
  out.interfaces = {"lo"};
  out.hold = hold;
  out.or_ack.packets = 1;
  return out;
}

Address loopback(bool v6) { return *parse_address(v6 ? "::1" : "127.0.0.1"); }

Peer self(bool v6, bool held) {
  Peer out{.address = loopback(v6), .held = held, .threshold = 0};
  out.clock.sigma = 1'000'000;
  out.send = pair_keys(MasterKey{1}, loopback(v6), loopback(v6), 3);
  out.receive = out.send;
  return out;
}

std::optional<Connected> connected(bool v6) {
  const int family = v6 ? AF_INET6 : AF_INET;
  const Descriptor listener(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in v4{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  sockaddr_in6 six{.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  auto* place = v6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&v4);
  socklen_t size = v6 ? sizeof six : sizeof v4;
  if (::bind(listener.get(), place, size) != 0 || ::listen(listener.get(), 1) != 0) return std::nullopt;
  ::getsockname(listener.get(), place, &size);
  Connected out{Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)), Descriptor()};
  if (::connect(out.sender.get(), place, size) != 0) return std::nullopt;
  out.receiver = Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return out;
}

bool transfer(bool v6, const std::function<void()>& each, const std::function<void()>& then) {
  const auto connection = connected(v6);
  if (!connection) return false;
  const auto& [sender, receiver] = *connection;
  std::size_t sent = 0, received = 0;
  std::vector<char> data(10'000);
  const auto end = Clock::now() + 20s;
  while (received != kWholeBytes && Clock::now() < end) {
    each();
    for (std::size_t i = 0; i != data.size(); ++i) data[i] = static_cast<char>((sent + i) % 251);
    const ssize_t out =
        sent == kWholeBytes
            ? 0
            : ::send(sender.get(), data.data(), std::min(data.size(), kWholeBytes - sent), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (out > 0) sent += static_cast<std::size_t>(out);
    const ssize_t in = ::recv(receiver.get(), data.data(), data.size(), MSG_DONTWAIT);
    if (in == 0) return false;
    for (ssize_t i = 0; i < in; ++i)
      if (data[static_cast<std::size_t>(i)] != static_cast<char>((received + static_cast<std::size_t>(i)) % 251))
        return false;
    if (in > 0) received += static_cast<std::size_t>(in);
    if (out <= 0 && in <= 0) std::this_thread::sleep_for(200us);
  }
  then();
  return received == kWholeBytes;
}

void expect_no_trace() {
  for (const bool v6 : {false, true}) EXPECT_FALSE(has_mangle_table(v6));
  EXPECT_EQ(rules(false), "");
  EXPECT_EQ(rules(true), "");
  EXPECT_EQ(queues(), "");
}

bool comes_true(const std::function<bool()>& what) {
  const auto end = Clock::now() + 10s;
  while (!what()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

}  // namespace weir::hosts::queue_lab
