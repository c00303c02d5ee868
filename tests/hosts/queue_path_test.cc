// The whole path on one host: a network namespace of this test with nothing but loopback, on which a connection's data
// waits, arrives and is answered.
#include "hosts/queue/queue_path.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "hosts/path/descriptor.h"
#include "hosts/queue/mangle_table.h"
#include "hosts/queue/programs.h"
#include "hosts/queue/tap.h"
#include "hosts/wire/keys.h"
#include "hosts/wire/or_ack.h"

namespace weir::hosts {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kWholeBytes = 2'000'000;

std::int64_t monotonic() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

std::string no_namespace() {
  if (::geteuid() != 0) return "network namespaces need root";
  if (find_program("iptables").empty()) return "iptables is missing";
  std::string out;
  std::thread([&] {
    if (::unshare(CLONE_NEWNET) != 0) out = "network namespaces cannot be made here";
  }).join();
  return out;
}

// Runs `test` in a thread with a namespace of its own, which ends with it.
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

std::string rules(bool v6 = false) {
  // What is there is asked for by its absence: a chain that cannot be listed is not there.
  return run({v6 ? "ip6tables" : "iptables", "-t", "mangle", "-n", "-L", "WEIR_ON_RAMP"}).status == 0 ? "chain" : "";
}

std::string queues() {
  std::ifstream file("/proc/thread-self/net/netfilter/nfnetlink_queue");
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

PathSettings on_loopback(bool hold = true) {
  PathSettings out;
  out.interfaces = {"lo"};
  out.hold = hold;
  out.or_ack.packets = 1;
  return out;
}

Address loopback(bool v6) { return *parse_address(v6 ? "::1" : "127.0.0.1"); }

Peer self(bool v6, bool held = true) {
  Peer out{.address = loopback(v6), .held = held, .threshold = 0};
  out.clock.sigma = 1'000'000;
  out.send = pair_keys(MasterKey{1}, loopback(v6), loopback(v6), 3);
  out.receive = out.send;
  return out;
}

struct Connected {
  Descriptor sender;
  Descriptor receiver;
};

// A connection over loopback.
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

// Sends data over loopback and looks at every byte; false if not all has come. `each` is called all the time, `then`
// before the connection ends.
bool transfer(
    bool v6, const std::function<void()>& each, const std::function<void()>& then = [] {}) {
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

void hold_and_answer(bool v6) {
  const auto path = attach_queue(on_loopback());
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(path->counters().heartbeat_expiries, 0u) << "there was none that could end";
  // What it knows of the clocks is wrong by 3 ms, so that there is something to hold for.
  Peer peer = self(v6);
  peer.clock.offset = -3'000'000;
  peer.clock.sigma = 5'000'000;
  std::vector<Decision> decisions;
  path->trace([&](const Decision& decision) { decisions.push_back(decision); });
  path->set_peer(peer);
  path->beat(monotonic());
  EXPECT_EQ(rules(v6), "chain");
  EXPECT_EQ(rules(!v6), "") << "only what is needed";
  EXPECT_NE(queues(), "");
  bool has_flow = false;
  EXPECT_TRUE(transfer(
      v6,
      [&] {
        path->beat(monotonic());
        path->poll(0);
      },
      [&] {
        for (const FlowView& flow : path->flows()) has_flow = has_flow || (flow.bytes >= kWholeBytes && flow.delay > 0);
        EXPECT_EQ(path->counters().flows, path->flows().size());
      }));
  EXPECT_TRUE(has_flow);
  path->poll(0);
  const Counters counters = path->counters();
  EXPECT_GE(counters.bytes, kWholeBytes);
  EXPECT_GT(counters.or_acks_accepted, 10u);
  EXPECT_GT(counters.pauses, 0u);
  EXPECT_GT(counters.held, 0u);
  EXPECT_EQ(counters.refused_tag + counters.refused_form + counters.refused_peer + counters.refused_time, 0u);
  EXPECT_EQ(counters.or_acks_sent, counters.or_acks_received);
  EXPECT_EQ(path->trouble(), "");
  EXPECT_GT(decisions.size(), 20u);
  path->detach();
  path->detach();
  expect_no_trace();
  EXPECT_TRUE(transfer(v6, [] {}));
}

TEST(QueuePath, HoldsAndAnswersIpv4) {
  in_namespace([] { hold_and_answer(false); });
}

TEST(QueuePath, HoldsAndAnswersIpv6) {
  in_namespace([] { hold_and_answer(true); });
}

TEST(QueuePath, ObserveMeasuresWithoutARule) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback(false));
    path->set_peer(self(false));
    path->beat(monotonic());
    expect_no_trace();
    EXPECT_TRUE(transfer(false, [&] { path->beat(monotonic()); }));
    const Counters counters = path->counters();
    EXPECT_GE(counters.bytes, kWholeBytes);
    EXPECT_GT(counters.or_acks_accepted, 10u);
    EXPECT_EQ(counters.held, 0u);
  });
}

TEST(QueuePath, PeersThatAreNoLongerHeldAreMeasuredStill) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback());
    path->set_peer(self(false));
    path->beat(monotonic());
    path->set_peer(self(false, false));
    path->beat(monotonic());
    const Counters before = path->counters();
    EXPECT_TRUE(transfer(false, [&] { path->beat(monotonic()); }));
    const Counters after = path->counters();
    EXPECT_GT(after.or_acks_accepted, before.or_acks_accepted);
    EXPECT_EQ(after.held, before.held);
    path->remove_peer(loopback(false));
    path->beat(monotonic());
    EXPECT_TRUE(transfer(false, [&] { path->beat(monotonic()); }));
    EXPECT_EQ(path->counters().or_acks_received, after.or_acks_received);
  });
}

TEST(QueuePath, OrAcksWithAnotherKeyAreRefused) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback());
    Peer peer = self(false);
    peer.receive = pair_keys(MasterKey{2}, loopback(false), loopback(false), 3);
    path->set_peer(peer);
    path->beat(monotonic());
    EXPECT_TRUE(transfer(false, [&] { path->beat(monotonic()); }));
    const Counters counters = path->counters();
    EXPECT_GT(counters.refused_tag, 0u);
    EXPECT_EQ(counters.or_acks_accepted, 0u);
    EXPECT_EQ(counters.held, 0u);
  });
}

TEST(QueuePath, KeysThatWereNeverSetSignAndAcceptNothing) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback());
    Peer peer = self(false);
    peer.receive = {};
    path->set_peer(peer);
    path->beat(monotonic());
    EXPECT_TRUE(transfer(false, [&] { path->beat(monotonic()); }));
    EXPECT_EQ(path->counters().or_acks_accepted, 0u);
    EXPECT_GT(path->counters().refused_peer, 0u);
  });
}

// Sends payloads to the port of OR-ACKs on loopback, and waits until the path has looked at all.
void attack(DataPath& path, const std::vector<std::vector<std::uint8_t>>& payloads, std::uint64_t total) {
  const Descriptor out(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in port{.sin_family = AF_INET, .sin_port = htons(kOrAckPort), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  std::uint64_t expected = path.counters().or_acks_received;
  for (std::uint64_t sent = 0; sent != total; ++sent) {
    const auto& payload = payloads[sent % payloads.size()];
    ASSERT_EQ(::sendto(out.get(), payload.data(), payload.size(), 0, reinterpret_cast<sockaddr*>(&port), sizeof port),
              static_cast<ssize_t>(payload.size()));
    if (++expected % 256 != 0 && sent + 1 != total) continue;
    const auto end = Clock::now() + 5s;
    while (path.counters().or_acks_received < expected && Clock::now() < end) std::this_thread::sleep_for(50us);
    ASSERT_EQ(path.counters().or_acks_received, expected);
  }
}

std::vector<std::uint8_t> bytes(const OrAckBytes& from) {
  return {from.bytes.begin(), from.bytes.begin() + static_cast<std::ptrdiff_t>(from.size)};
}

// Forged, truncated, replayed, from the future and the past, of other flows: what was told of a flow, written anew.
std::vector<std::vector<std::uint8_t>> false_or_acks(const std::vector<Decision>& decisions, const PairKey& right) {
  const PairKey wrong = pair_keys(MasterKey{2}, loopback(false), loopback(false), right.epoch).current;
  PairKey unknown = right;
  unknown.epoch += 7;
  std::vector<std::vector<std::uint8_t>> out;
  for (const Decision& told : decisions) {
    const OrAck replayed{.flow = told.flow, .seq = told.seq, .received = monotonic() - 1'000};
    OrAck future = replayed, past = replayed, other = replayed;
    future.received += 1'000'000'000'000;
    past.received -= 1'000'000'000'000;
    ++other.flow.source_port;
    for (const OrAck& or_ack : {replayed, future, past, other}) {
      for (const PairKey& key : {right, wrong, unknown}) out.push_back(bytes(write_or_ack(or_ack, key)));
      out.push_back(out.front());
      out.back().resize(out.size() % out.front().size());
    }
  }
  return out;
}

// 100,000 of them change nothing that the path knows of a flow, and with it no time at which a packet leaves.
TEST(QueuePath, FalseOrAcksChangeNothing) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback());
    const Peer peer = self(false);
    path->set_peer(peer);
    path->beat(monotonic());
    std::vector<Decision> decisions;
    path->trace([&](const Decision& decision) { decisions.push_back(decision); });
    const auto state = [&] {
      std::map<Flow, std::tuple<std::int64_t, double, std::int64_t, std::uint64_t>> out;
      for (const FlowView& flow : path->flows()) out[flow.flow] = {flow.delay, flow.beta, flow.pause_end, flow.or_acks};
      return out;
    };
    const auto each = [&] {
      path->beat(monotonic());
      path->poll(0);
    };
    const auto then = [&] {
      std::this_thread::sleep_for(50ms);
      path->poll(0);
      path->trace({});
      const auto payloads = false_or_acks(decisions, peer.receive.current);
      ASSERT_GT(payloads.size(), 100u);
      const auto before = state();
      ASSERT_FALSE(before.empty());
      const Counters counted = path->counters();
      attack(*path, payloads, 100'000);
      EXPECT_EQ(state(), before);
      const Counters after = path->counters();
      EXPECT_EQ(after.or_acks_accepted, counted.or_acks_accepted);
      EXPECT_EQ(after.pauses, counted.pauses);
      EXPECT_GT(after.refused_tag, counted.refused_tag);
      EXPECT_GT(after.refused_form, counted.refused_form);
      EXPECT_GT(after.refused_peer, counted.refused_peer);
      EXPECT_GT(after.refused_flow, counted.refused_flow);
      EXPECT_GT(after.refused_note, counted.refused_note);
    };
    EXPECT_TRUE(transfer(false, each, then));
  });
}

// Packets that wait when the path ends leave before those that come then.
TEST(QueuePath, NoPacketPassesAnotherWhenItEnds) {
  in_namespace([] {
    PathSettings settings = on_loopback();
    settings.max_hold = settings.rule.max_pause = 1'000'000'000;
    const auto path = attach_queue(settings);
    Peer peer = self(false);
    peer.clock.offset = -150'000'000;  // so long is a hold
    peer.clock.sigma = 200'000'000;
    path->set_peer(peer);
    path->beat(monotonic());
    const auto connection = connected(false);
    ASSERT_TRUE(connection);
    const Address here = loopback(false);
    Tap tap(Tap::Way::in_v4, ::if_nametoindex("lo"), {&here, 1});
    std::optional<std::uint32_t> next;
    int packets = 0;
    int gaps = 0;
    const auto look = [&](const Segment& segment, std::int64_t) {
      if (next && static_cast<std::int32_t>(segment.seq - *next) > 0) ++gaps;
      const std::uint32_t end = segment.seq + segment.length;
      if (!next || static_cast<std::int32_t>(end - *next) > 0) next = end;
      ++packets;
    };
    const auto send_for = [&](std::chrono::milliseconds time) {
      std::array<char, 100> data{};
      for (const auto end = Clock::now() + time; Clock::now() < end; std::this_thread::sleep_for(1ms)) {
        (void)::send(connection->sender.get(), data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)::recv(connection->receiver.get(), data.data(), data.size(), MSG_DONTWAIT);
        tap.read(look);
      }
    };
    const int on = 1;
    ::setsockopt(connection->sender.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    send_for(400ms);
    EXPECT_GT(path->counters().held, 0u);
    std::thread end([&] { path->detach(); });
    send_for(600ms);
    end.join();
    EXPECT_GT(packets, 50);
    EXPECT_EQ(gaps, 0) << "of " << packets << " packets";
  });
}

TEST(QueuePath, SaysWhatIsMissing) {
  in_namespace([] {
    PathSettings settings = on_loopback();
    settings.interfaces = {"nothere"};
    EXPECT_THROW(attach_queue(settings), Unavailable);
    const auto path = attach_queue(on_loopback());
    try {
      attach_queue(on_loopback());
      ADD_FAILURE() << "two paths at once";
    } catch (const Unavailable& missing) {
      EXPECT_STREQ(missing.what(), "UDP port 7472 is taken");
    }
    PathSettings other = on_loopback();
    other.or_ack.port = 7'473;
    EXPECT_THROW(attach_queue(other), Unavailable) << "the queue is taken";
  });
}

TEST(QueuePath, RulesThatAnEarlierOneLeftAreTakenAway) {
  in_namespace([] {
    ASSERT_EQ(run({"iptables", "-t", "mangle", "-N", "WEIR_ON_RAMP"}).status, 0);
    for (int i = 0; i != 2; ++i)
      ASSERT_EQ(run({"iptables", "-t", "mangle", "-A", "OUTPUT", "-p", "tcp", "-j", "WEIR_ON_RAMP"}).status, 0);
    attach_queue(on_loopback());
    EXPECT_EQ(rules(), "");
    EXPECT_TRUE(has_mangle_table(false)) << "it was there";
  });
}

TEST(QueuePath, RulesOfOthersStay) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback());
    path->set_peer(self(false));
    path->beat(monotonic());
    const Command rule{"iptables", "-t", "mangle", "-A", "INPUT", "-p", "udp", "-j", "ACCEPT"};
    ASSERT_EQ(run(rule).status, 0);
    path->detach();
    EXPECT_EQ(rules(), "");
    Command check = rule;
    check[3] = "-C";
    EXPECT_EQ(run(check).status, 0);
  });
}

TEST(QueuePath, WhatItChangesIsToldBefore) {
  in_namespace([] {
    std::vector<Undo> told;
    PathSettings settings = on_loopback();
    settings.segment_limit = 10'000;
    settings.before_change = [&](const Undo& undo) { told.push_back(undo); };
    const auto path = attach_queue(settings);
    path->set_peer(self(false));
    path->beat(monotonic());
    ASSERT_GE(told.size(), 4u);
    EXPECT_EQ(told.front().interface, "lo");
    EXPECT_EQ(told.front().command.at(5), "gso_max_size");
    // As if the agent had ended: all that was told, from the last to the first, leaves nothing.
    for (auto undo = told.rbegin(); undo != told.rend(); ++undo) run(undo->command);
    EXPECT_EQ(rules(), "");
  });
}

}  // namespace
}  // namespace weir::hosts
