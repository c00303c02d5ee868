#include "hosts/queue/sending.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace weir::hosts::queue_sending_test {
namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kStart = 1'000'000 * kMs;
constexpr std::uint32_t kBytes = 1'448;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

Address host(std::uint8_t number) { return {.bytes = {10, 77, number, 2}}; }
Flow flow(std::uint16_t port, std::uint8_t to = 2) { return {host(1), host(to), port, 5'000}; }

Peer peer(std::uint8_t number, bool held = true) {
  Peer out{.address = host(number), .held = held, .threshold = 1 * kMs};
  out.clock.sigma = 10 * kUs;
  return out;
}

PathSettings holding() {
  PathSettings out;
  out.hold = true;
  return out;
}

// The sending side with a clock that stands still unless it is told to go on, and a kernel that is a list.
struct Bench {
  explicit Bench(const PathSettings& settings = holding(), std::size_t most_flows = 100)
      : sending(settings, ShownClock{.start = kStart}, most_flows) {
    sending.set_peer(peer(2));
    sending.beat(now);
  }

  Segment segment(const Flow& of) {
    const Segment out{.flow = of, .seq = next[of], .length = kBytes};
    next[of] += kBytes;
    return out;
  }
  void arrive(std::uint32_t id, const Flow& of) { sending.arrive(id, segment(of), now); }
  std::vector<std::uint32_t> release() {
    std::vector<std::uint32_t> out;
    sending.release(now, out);
    return out;
  }
  // The packet at seq has taken so long.
  Sending::Heard answer(const Flow& of, std::uint32_t seq, std::int64_t sent, std::int64_t delay) {
    return sending.hear({of, seq, sent + delay}, now);
  }
  // A flow whose next packets are held for so long from now on.
  void pause(const Flow& of, std::int64_t time) {
    const std::uint32_t seq = next[of];
    arrive(999, of);
    ASSERT_EQ(release(), std::vector<std::uint32_t>{999});
    const std::int64_t sent = now;
    now += 1 * kMs + time;
    sending.beat(now);
    ASSERT_EQ(answer(of, seq, sent, 1 * kMs + time), Sending::Heard::paused);
  }

  std::int64_t now = kStart;
  Sending sending;
  std::map<Flow, std::uint32_t> next;
};

using Ids = std::vector<std::uint32_t>;

TEST(Sending, WithoutAPauseAllLeaveAtOnceAndTakeTurns) {
  Bench bench;
  for (const std::uint32_t id : {1, 2, 3}) bench.arrive(id, flow(1));
  for (const std::uint32_t id : {4, 5}) bench.arrive(id, flow(2));
  bench.arrive(6, flow(3));
  EXPECT_LE(bench.sending.next_release(), bench.now);
  EXPECT_EQ(bench.release(), (Ids{1, 4, 6, 2, 5, 3}));
  EXPECT_EQ(bench.sending.next_release(), kNever);
  EXPECT_EQ(bench.sending.counters().held, 0u);
  EXPECT_EQ(bench.sending.counters().packets, 6u);
}

TEST(Sending, AFlowWaitsUntilItsPauseEndsAndOthersDoNot) {
  Bench bench;
  bench.pause(flow(1), 3 * kMs);
  const std::int64_t begun = bench.now;
  bench.arrive(1, flow(1));
  bench.arrive(2, flow(2));
  EXPECT_EQ(bench.release(), Ids{2});
  EXPECT_EQ(bench.sending.next_release(), begun + 3 * kMs);
  bench.now = begun + 3 * kMs - 1;
  bench.arrive(3, flow(1));
  EXPECT_EQ(bench.release(), Ids{});
  ++bench.now;
  EXPECT_EQ(bench.release(), (Ids{1, 3}));
  EXPECT_EQ(bench.sending.counters().held, 2u);
  EXPECT_EQ(bench.sending.counters().held_ns, static_cast<std::uint64_t>(3 * kMs + 1));
  EXPECT_EQ(bench.sending.counters().held_ns_max, static_cast<std::uint64_t>(3 * kMs));
}

TEST(Sending, WhoIsWokenLateHoldsShorter) {
  Bench bench;
  const auto longest = [&] {
    bench.now += 20 * kMs;
    bench.sending.beat(bench.now);
    bench.pause(flow(1), 10 * kMs);
    bench.arrive(1, flow(1));
    const std::int64_t out = bench.sending.next_release() - bench.now;
    bench.now += out;
    return out;
  };
  EXPECT_EQ(longest(), 10 * kMs - 10 * kMs / 16);
  bench.now += 2 * kMs;
  EXPECT_EQ(bench.release(), Ids{1});
  EXPECT_EQ(longest(), 8 * kMs);
  EXPECT_EQ(bench.release(), Ids{1});
  for (int second = 0; second != 30; ++second) bench.sending.sweep(bench.now);
  EXPECT_EQ(longest(), 10 * kMs - 10 * kMs / 16);
  bench.now += 300 * kMs;
  EXPECT_EQ(bench.release(), Ids{1});
  EXPECT_EQ(longest(), 0);
}

TEST(Sending, AnOrAckThatComesMeanwhileHoldsWhatAlreadyWaits) {
  Bench bench;
  bench.arrive(1, flow(1));
  ASSERT_EQ(bench.release(), Ids{1});
  const std::int64_t sent = bench.now;
  bench.now += 4 * kMs;
  bench.arrive(2, flow(1));
  ASSERT_EQ(bench.answer(flow(1), 0, sent, 3 * kMs), Sending::Heard::paused);
  EXPECT_EQ(bench.release(), Ids{});
  EXPECT_EQ(bench.sending.next_release(), bench.now + 2 * kMs);
}

TEST(Sending, NoPacketWaitsLongerThanTheBound) {
  PathSettings settings = holding();
  settings.max_hold = 16 * kMs;
  settings.rule.max_pause = 0;
  Bench bench(settings);
  bench.pause(flow(1), 100 * kMs);
  const std::int64_t begun = bench.now;
  bench.arrive(1, flow(1));
  bench.now += 5 * kMs;
  bench.arrive(2, flow(1));
  EXPECT_EQ(bench.sending.next_release(), begun + 15 * kMs);
  bench.now = begun + 15 * kMs;
  EXPECT_EQ(bench.release(), Ids{1});
  EXPECT_EQ(bench.sending.next_release(), begun + 20 * kMs);
  bench.now = begun + 20 * kMs;
  EXPECT_EQ(bench.release(), Ids{2});
  EXPECT_EQ(bench.sending.counters().clipped, 2u);
}

TEST(Sending, WithoutAHeartbeatPacketsPass) {
  Bench bench;
  bench.pause(flow(1), 9 * kMs);
  bench.arrive(1, flow(1));
  ASSERT_EQ(bench.release(), Ids{});
  bench.now += 600 * kMs;
  bench.arrive(2, flow(1));
  EXPECT_EQ(bench.release(), (Ids{1, 2}));
  EXPECT_EQ(bench.sending.counters().heartbeat_expiries, 1u);
  EXPECT_EQ(bench.sending.counters().bypassed, 2u);
  // It comes back.
  bench.sending.beat(bench.now);
  bench.pause(flow(1), 9 * kMs);
  bench.arrive(3, flow(1));
  EXPECT_EQ(bench.release(), Ids{});
}

TEST(Sending, WakesUpWhenTheHeartbeatEnds) {
  PathSettings settings = holding();
  settings.live_for = 2 * kMs;
  Bench bench(settings);
  bench.pause(flow(1), 9 * kMs);
  const std::int64_t begun = bench.now;
  bench.arrive(1, flow(1));
  EXPECT_EQ(bench.sending.next_release(), begun + 2 * kMs + 1);
  bench.now = begun + 2 * kMs + 1;
  EXPECT_EQ(bench.release(), Ids{1});
}

TEST(Sending, NothingIsHeldWhileItIsNotAllowed) {
  Bench bench;
  bench.pause(flow(1), 9 * kMs);
  bench.arrive(1, flow(1));
  bench.sending.allow(false);
  EXPECT_EQ(bench.release(), Ids{1});
  bench.sending.allow(true);
  bench.arrive(2, flow(1));
  EXPECT_EQ(bench.release(), Ids{});
}

TEST(Sending, PeersThatAreNotHeldOrNoPeersPass) {
  Bench bench;
  bench.pause(flow(1), 9 * kMs);
  bench.arrive(1, flow(1));
  bench.arrive(2, flow(1, 9));  // no peer
  EXPECT_EQ(bench.release(), Ids{2});
  bench.sending.set_peer(peer(2, false));
  EXPECT_EQ(bench.release(), Ids{1});
  bench.sending.set_peer(peer(2));
  bench.now += 10 * kMs;
  bench.pause(flow(1), 9 * kMs);
  bench.arrive(3, flow(1));
  EXPECT_EQ(bench.release(), Ids{});
  bench.sending.remove_peer(host(2));
  EXPECT_EQ(bench.release(), Ids{3});
  bench.sending.sweep(bench.now);
  EXPECT_TRUE(bench.sending.flows(bench.now).empty());
}

TEST(Sending, ObserveMeasuresAndHoldsNothing) {
  PathSettings settings;
  Bench bench(settings);
  bench.sending.pass(bench.segment(flow(1)), bench.now);
  const std::int64_t sent = bench.now;
  bench.now += 20 * kMs;
  EXPECT_EQ(bench.answer(flow(1), 0, sent, 9 * kMs), Sending::Heard::heard) << "no delay is too long";
  EXPECT_EQ(bench.sending.flows(bench.now).at(0).delay, 9 * kMs);
  EXPECT_EQ(bench.sending.flows(bench.now).at(0).pause_end, 0);
  EXPECT_EQ(bench.sending.counters().pauses, 0u);
  bench.arrive(1, flow(1));
  EXPECT_EQ(bench.release(), Ids{1});
}

TEST(Sending, WithoutRoomForAFlowItsPacketsPass) {
  Bench bench(holding(), 1);
  bench.arrive(1, flow(1));
  bench.arrive(2, flow(2));
  EXPECT_EQ(bench.release(), (Ids{2, 1}));
  EXPECT_EQ(bench.sending.counters().flows_refused, 1u);
  bench.now += kFlowIdle + 1;
  bench.sending.sweep(bench.now);
  bench.arrive(3, flow(2));
  bench.sending.beat(bench.now);
  EXPECT_EQ(bench.release(), Ids{3});
  EXPECT_EQ(bench.sending.counters().flows_refused, 1u);
}

TEST(Sending, OrAcksOfUnknownPacketsOrImpossibleTimesAreRefused) {
  Bench bench;
  bench.arrive(1, flow(1));
  bench.arrive(2, flow(1));
  bench.release();
  const std::int64_t sent = bench.now;
  bench.now += 5 * kMs;
  EXPECT_EQ(bench.answer(flow(7), 0, sent, 3 * kMs), Sending::Heard::unknown_flow);
  EXPECT_EQ(bench.answer(flow(1), 10 * kBytes, sent, 3 * kMs), Sending::Heard::no_note);
  EXPECT_EQ(bench.answer(flow(1), 0, sent, -11 * kUs), Sending::Heard::wrong_time);
  EXPECT_EQ(bench.answer(flow(1), 0, sent, 5 * kMs + 11 * kUs), Sending::Heard::wrong_time);
  EXPECT_EQ(bench.answer(flow(1), kBytes, sent, 5 * kMs), Sending::Heard::paused);
  EXPECT_EQ(bench.answer(flow(1), kBytes, sent, 5 * kMs), Sending::Heard::no_note) << "replayed";
  EXPECT_EQ(bench.answer(flow(1), 0, sent, 5 * kMs), Sending::Heard::no_note) << "late";
  EXPECT_EQ(bench.sending.flows(bench.now).at(0).pause_end, bench.now + 4 * kMs);
}

TEST(Sending, DelaysAreDifferencesOnThePeersClockLine) {
  Bench bench;
  Peer shifted = peer(2);
  shifted.clock = {.at = kStart - 500 * kMs, .offset = 7'000 * kMs, .drift = 32'000, .sigma = 1 * kUs};
  bench.sending.set_peer(shifted);
  bench.arrive(1, flow(1));
  bench.release();
  const std::int64_t received = bench.now + 2 * kMs;
  bench.now += 5 * kMs;
  const std::int64_t theirs =
      received + shifted.clock.offset + drifted(shifted.clock.drift, received - shifted.clock.at);
  ASSERT_EQ(bench.sending.hear({flow(1), 0, theirs}, bench.now), Sending::Heard::paused);
  EXPECT_NEAR(static_cast<double>(bench.sending.flows(bench.now).at(0).delay), 2e6, 2);
}

TEST(Sending, APacketThatLeavesAgainIsNotAnswered) {
  Bench bench;
  bench.arrive(1, flow(1));
  bench.release();
  const std::int64_t sent = bench.now;
  bench.now += 5 * kMs;
  bench.sending.arrive(2, {.flow = flow(1), .seq = 0, .length = kBytes}, bench.now);
  bench.release();
  EXPECT_EQ(bench.answer(flow(1), 0, sent, 4 * kMs), Sending::Heard::no_note);
}

TEST(Sending, ASynBeginsAnotherConnectionWithTheSamePorts) {
  Bench bench;
  bench.pause(flow(1), 9 * kMs);
  bench.sending.arrive(1, {.flow = flow(1), .seq = 77, .syn = true}, bench.now);
  bench.now += 20 * kMs;
  bench.release();
  bench.next[flow(1)] = 78;
  bench.arrive(2, flow(1));
  EXPECT_EQ(bench.release(), Ids{2});
  EXPECT_EQ(bench.answer(flow(1), 78, bench.now, 0), Sending::Heard::heard);
}

TEST(Sending, EndsAreForgottenSoonAndDoNotOvertakeData) {
  Bench bench;
  bench.pause(flow(1), 5 * kMs);
  bench.arrive(1, flow(1));
  bench.sending.arrive(2, {.flow = flow(1), .seq = bench.next[flow(1)], .ends = true}, bench.now);
  EXPECT_EQ(bench.release(), Ids{});
  bench.now += 5 * kMs;
  EXPECT_EQ(bench.release(), (Ids{1, 2}));
  bench.sending.sweep(bench.now + kFlowEnded + 1);
  EXPECT_TRUE(bench.sending.flows(bench.now).empty());
}

TEST(Sending, WhatHasLeftByOtherHandsIsForgotten) {
  Bench bench;
  bench.pause(flow(1), 9 * kMs);
  bench.arrive(1, flow(1));
  bench.sending.forget_waiting();
  EXPECT_EQ(bench.sending.next_release(), kNever);
  bench.now += 10 * kMs;
  EXPECT_EQ(bench.release(), Ids{});
  bench.arrive(2, flow(1));
  EXPECT_EQ(bench.release(), Ids{2});
}

TEST(Sending, DecisionsAreTold) {
  Bench bench;
  std::vector<Decision> told;
  bench.sending.trace([&](const Decision& decision) { told.push_back(decision); });
  bench.pause(flow(1), 3 * kMs);
  bench.arrive(1, flow(1));
  bench.now += 3 * kMs;
  bench.release();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[1].kind, Decision::Kind::or_ack);
  EXPECT_EQ(told[1].delay, 4 * kMs);
  EXPECT_EQ(told[1].pause, 3 * kMs);
  EXPECT_EQ(told[2].kind, Decision::Kind::sent);
  EXPECT_EQ(told[2].held_for, 3 * kMs);
  EXPECT_EQ(told[2].length, kBytes);
}

// Random packets, OR-ACKs, silences, peers that come and go: whatever happens, packets of a flow leave in the order in
// which they came, each once, and none later than the bound, if somebody looks after them in time.
TEST(Sending, KeepsOrderAndBoundWhateverHappens) {
  std::mt19937 random(16);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  PathSettings settings = holding();
  settings.live_for = 12 * kMs;
  Bench bench(settings, 6);
  std::map<std::uint16_t, std::vector<std::uint32_t>> came, left;
  struct Packet {
    std::uint16_t port;
    std::int64_t at;
    std::uint32_t seq;
  };
  std::map<std::uint32_t, Packet> packets;
  std::vector<std::pair<Packet, std::int64_t>> sent;
  std::uint32_t id = 0;
  const auto release = [&] {
    for (const std::uint32_t one : bench.release()) {
      const auto found = packets.find(one);
      ASSERT_NE(found, packets.end()) << "left twice";
      EXPECT_LE(bench.now - found->second.at, settings.max_hold);
      left[found->second.port].push_back(one);
      sent.emplace_back(found->second, bench.now);
      packets.erase(found);
    }
  };
  for (int step = 0; step != 50'000; ++step) {
    const std::int64_t until = bench.now + below(500) * kUs;
    while (bench.sending.next_release() <= until) {
      bench.now = std::max(bench.now, bench.sending.next_release());
      release();
    }
    bench.now = until;
    switch (below(20)) {
      case 0:
        if (below(20) == 0) bench.sending.remove_peer(host(2));
        break;
      case 1: bench.sending.set_peer(peer(2, below(20) != 0)); break;
      case 2: bench.sending.sweep(bench.now); break;
      case 3:
      case 4: bench.sending.beat(bench.now); break;
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
      case 10:
        if (!sent.empty()) {
          const auto& [packet, at] = sent[static_cast<std::size_t>(below(static_cast<int>(sent.size())))];
          bench.answer(flow(packet.port), packet.seq, at, below(12'000) * kUs);
          if (sent.size() > 50) sent.erase(sent.begin(), sent.begin() + 40);
        }
        break;
      default: {
        const auto port = static_cast<std::uint16_t>(1 + below(8));
        packets[++id] = {port, bench.now, bench.next[flow(port)]};
        came[port].push_back(id);
        bench.arrive(id, flow(port));
      }
    }
    release();
  }
  std::vector<std::uint32_t> rest;
  bench.sending.release_all(bench.now, rest);
  for (const std::uint32_t one : rest) left[packets.at(one).port].push_back(one);
  EXPECT_EQ(came, left);
  EXPECT_GT(bench.sending.counters().held, 1'000u);
  EXPECT_GT(bench.sending.counters().heartbeat_expiries, 0u);
}

}  // namespace
}  // namespace weir::hosts::queue_sending_test
