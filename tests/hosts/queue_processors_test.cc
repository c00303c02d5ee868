// The path with senders on several processors at once.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "hosts/queue/queue_path.h"
#include "tests/hosts/queue_path_lab.h"

namespace weir::hosts {
namespace {

using namespace queue_lab;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A counter of TCP of this thread's namespace, as nstat has them.
std::uint64_t tcp_counter(const std::string& name) {
  std::ifstream file("/proc/thread-self/net/netstat");
  std::string names, values;
  while (std::getline(file, names) && std::getline(file, values)) {
    std::istringstream each_name(names), each_value(values);
    std::string one, value;
    while (each_name >> one && each_value >> value)
      if (one == name) return std::stoull(value);
  }
  ADD_FAILURE() << "there is no counter " << name;
  return 0;
}

std::vector<int> processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> out;
  for (int i = 0; i != CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &allowed)) out.push_back(i);
  return out;
}

// Sends over some connections in turn until it is told to end, and looks at every byte that arrives. What arrived, or
// -1 if it was wrong.
std::int64_t send_until(const std::atomic<bool>& ended, std::vector<Connected>& connections, int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  if (::sched_setaffinity(0, sizeof one, &one) != 0) return -1;
  std::vector<std::uint64_t> sent(connections.size()), received(connections.size());
  std::vector<char> data(8'000);
  auto latest = Clock::time_point::max();
  bool complete = false;
  while (!complete && Clock::now() < latest) {
    const bool sends = !ended.load();
    if (!sends && latest == Clock::time_point::max()) latest = Clock::now() + 20s;
    complete = !sends;
    for (std::size_t i = 0; i != connections.size(); ++i) {
      if (sends) {
        for (std::size_t k = 0; k != data.size(); ++k) data[k] = static_cast<char>((sent[i] + k) % 251);
        const ssize_t out = ::send(connections[i].sender.get(), data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (out > 0) sent[i] += static_cast<std::uint64_t>(out);
      }
      const ssize_t in = ::recv(connections[i].receiver.get(), data.data(), data.size(), MSG_DONTWAIT);
      if (in == 0) return -1;
      for (ssize_t k = 0; k < in; ++k)
        if (data[static_cast<std::size_t>(k)] != static_cast<char>((received[i] + static_cast<std::uint64_t>(k)) % 251))
          return -1;
      if (in > 0) received[i] += static_cast<std::uint64_t>(in);
      complete = complete && received[i] == sent[i];
    }
    std::this_thread::sleep_for(300us);
  }
  std::int64_t out = 0;
  for (const std::uint64_t bytes : received) out += static_cast<std::int64_t>(bytes);
  return complete ? out : -1;
}

TEST(QueuePath, FlowsOfSeveralProcessorsAreHeldAndKeepTheirOrder) {
  const std::vector<int> all = processors();
  if (all.size() < 2) GTEST_SKIP() << "there is one processor";
  in_namespace([&] {
    const auto path = attach_queue(on_loopback());
    Peer peer = self(false);
    // What it knows of the clocks is wrong, so that there is something to hold for.
    peer.clock.offset = -3'000'000;
    peer.clock.sigma = 5'000'000;
    path->set_peer(peer);
    path->beat(monotonic());

    constexpr std::size_t kEach = 4;
    std::vector<std::vector<Connected>> connections(std::min<std::size_t>(all.size(), 4));
    for (auto& of_one : connections)
      for (std::size_t i = 0; i != kEach; ++i) {
        auto one = connected(false);
        ASSERT_TRUE(one);
        of_one.push_back(std::move(*one));
      }
    std::vector<std::int64_t> arrived(connections.size());
    std::atomic<bool> ended{false};
    std::atomic<std::size_t> running{connections.size()};
    std::vector<std::thread> senders;
    for (std::size_t i = 0; i != connections.size(); ++i)
      senders.emplace_back([&, i] {
        arrived[i] = send_until(ended, connections[i], all[i]);
        --running;
      });
    const auto held = [&] {
      const auto flows = path->flows();
      return std::ranges::count_if(flows, [](const FlowView& flow) { return flow.held > 0; });
    };
    const auto expected = static_cast<std::ptrdiff_t>(connections.size() * kEach);
    const auto begin = Clock::now();
    while (running.load() != 0) {
      path->beat(monotonic());
      std::this_thread::sleep_for(20ms);
      // how soon each flow has its turn is up to the machine
      const auto time = Clock::now() - begin;
      if (time > 1'500ms && (held() == expected || time > 30s)) ended = true;
    }
    for (std::thread& one : senders) one.join();

    std::int64_t total = 0;
    for (const std::int64_t bytes : arrived) {
      EXPECT_GT(bytes, 100'000);
      total += bytes;
    }
    EXPECT_EQ(tcp_counter("TCPOFOQueue"), 0u) << "no packet arrived before one that left earlier";
    const Counters counters = path->counters();
    EXPECT_GE(counters.bytes, static_cast<std::uint64_t>(total));
    EXPECT_GT(counters.pauses, 0u);
    EXPECT_EQ(held(), expected) << "each flow was held";
    EXPECT_EQ(path->trouble(), "");
    path->detach();
    expect_no_trace();
  });
}

}  // namespace
}  // namespace weir::hosts
