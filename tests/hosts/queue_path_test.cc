// The whole path on one host: a network namespace of this test with nothing but loopback, on which a connection's data
// waits, arrives and is answered.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "hosts/queue/programs.h"
#include "hosts/queue/queue_path.h"
#include "hosts/wire/keys.h"
#include "hosts/wire/or_ack.h"
#include "tests/hosts/queue_path_lab.h"

namespace weir::hosts {
namespace {

using namespace queue_lab;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

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

// A firewall that loads its rules anew, or one who flushes them all by hand.
TEST(QueuePath, RulesThatAnotherProgramRemovesAreSetAgain) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback());
    for (const bool v6 : {false, true}) path->set_peer(self(v6));
    path->beat(monotonic());
    const auto all = [] {
      return run({"iptables", "-t", "mangle", "-S"}).output + run({"ip6tables", "-t", "mangle", "-S"}).output;
    };
    const std::string before = all();
    ASSERT_NE(before.find("NFQUEUE"), std::string::npos);
    std::uint64_t times = 0;
    for (const auto& removal : std::vector<Command>{{"iptables", "-t", "mangle", "-F"},
                                                    {"ip6tables", "-t", "mangle", "-F", "OUTPUT"},
                                                    {"iptables", "-t", "mangle", "-F", "WEIR_ON_RAMP"}}) {
      ASSERT_EQ(run(removal).status, 0);
      ASSERT_NE(all(), before);
      const auto began = Clock::now();
      ++times;
      EXPECT_TRUE(comes_true([&] {
        path->beat(monotonic());
        return path->counters().rules_removed == times;
      }));
      EXPECT_LT(Clock::now() - began, 2s);
      EXPECT_EQ(all(), before);
      EXPECT_NE(path->trouble().find("another program has removed rules"), std::string::npos) << path->trouble();
    }
    // a rule of somebody else is none of ours
    ASSERT_EQ(run({"iptables", "-t", "mangle", "-A", "INPUT", "-p", "udp", "-j", "ACCEPT"}).status, 0);
    const auto end = Clock::now() + 1'500ms;
    while (Clock::now() < end) path->beat(monotonic());
    EXPECT_EQ(path->counters().rules_removed, times);
    EXPECT_TRUE(transfer(false, [&] { path->beat(monotonic()); }));
    EXPECT_GT(path->counters().or_acks_accepted, 0u);
  });
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

}  // namespace
}  // namespace weir::hosts
