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
    now += 200 * kMs;  // nobody waits for earlier answers
    sending.beat(now);
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
  EXPECT_EQ(bench.release(), Ids{1});
  EXPECT_EQ(bench.sending.counters().held, 1u);
  bench.now += 5 * kMs;
  ASSERT_EQ(bench.answer(flow(1), kBytes, bench.now - 5 * kMs, 1 * kMs), Sending::Heard::heard);
  EXPECT_EQ(bench.release(), Ids{3});
  EXPECT_EQ(bench.sending.counters().held, 2u);
  EXPECT_EQ(bench.sending.counters().held_ns, static_cast<std::uint64_t>(8 * kMs + 1));
  EXPECT_EQ(bench.sending.counters().held_ns_max, static_cast<std::uint64_t>(5 * kMs + 1));
}

TEST(Sending, ACrowdedFlowHasOnePacketUnderWay) {
  Bench bench;
  bench.pause(flow(1), 1 * kMs);
  for (const std::uint32_t id : {1, 2, 3, 4}) bench.arrive(id, flow(1));
  bench.now += 1 * kMs;
  ASSERT_EQ(bench.release(), Ids{1});
  // The answer asserts another pause.
  const std::int64_t sent = bench.now;
  bench.now += 2 * kMs;
  EXPECT_EQ(bench.release(), Ids{});
  ASSERT_EQ(bench.answer(flow(1), kBytes, sent, 2 * kMs), Sending::Heard::paused);
  EXPECT_EQ(bench.release(), Ids{});
  EXPECT_EQ(bench.sending.next_release(), bench.now + 1 * kMs);
  bench.now += 1 * kMs;
  ASSERT_EQ(bench.release(), Ids{2});
  // The next one does not, and nothing is crowded any more.
  bench.now += 1 * kMs;
  ASSERT_EQ(bench.answer(flow(1), 2 * kBytes, bench.now - 1 * kMs, 1 * kMs), Sending::Heard::heard);
  EXPECT_EQ(bench.release(), (Ids{3, 4}));
}

TEST(Sending, AnAnswerThatDoesNotComeIsNotWaitedForLong) {
  Bench bench;
  bench.pause(flow(1), 1 * kMs);
  const std::int64_t begun = bench.now;
  for (const std::uint32_t id : {1, 2}) bench.arrive(id, flow(1));
  bench.sending.arrive(3, {.flow = flow(1), .seq = bench.next[flow(1)], .ends = true}, bench.now);
  bench.now = begun + 1 * kMs;
  ASSERT_EQ(bench.release(), Ids{1});
  EXPECT_EQ(bench.sending.next_release(), begun + 1 * kMs + 3 * 2 * kMs);
  bench.now = bench.sending.next_release();
  EXPECT_EQ(bench.release(), (Ids{2, 3})) << "what is no data waits for no answer";
}

TEST(Sending, WhereFlowsAreManyTheBoundIsThreeRounds) {
  const auto bound = [](std::int64_t delay, bool certain = true) {
    Bench bench;
    Peer known = peer(2);
    known.certain = certain;
    bench.sending.set_peer(known);
    bench.pause(flow(1), delay - 1 * kMs);
    for (const std::uint32_t id : {1, 2}) bench.arrive(id, flow(1));
    const std::int64_t begun = bench.now;
    for (Ids left; left.empty() || left.back() != 2; left = bench.release()) {
      bench.now = bench.sending.next_release();
      bench.sending.beat(bench.now);
    }
    return bench.now - begun;
  };
  EXPECT_EQ(bound(2 * kMs), 1 * kMs + 3 * 2 * kMs) << "its answer is waited for, which is less";
  EXPECT_EQ(bound(12 * kMs), 11 * kMs + 3 * 12 * kMs) << "the same, and three rounds are 69 ms";
  EXPECT_EQ(bound(80 * kMs), 100 * kMs * 15 / 16) << "many_hold";
  EXPECT_EQ(bound(80 * kMs, false), 10 * kMs * 15 / 16) << "its clock is uncertain";
}

// Flows that share a port and have two packets under way each: the delay is what the header says of it, (n s + T) / 2,
// however many they are.
TEST(Sending, ManyFlowsLeaveHalfARoundInTheQueue) {
  for (const int flows : {10, 30, 100}) {
    constexpr std::int64_t kTakes = kMs / 4;  // a packet on the link
    Bench bench(holding(), 1'000);
    std::int64_t free = bench.now;  // when the port will have sent all that it has
    std::multimap<std::int64_t, std::pair<std::uint16_t, std::pair<std::uint32_t, std::int64_t>>> answers;
    std::map<std::uint32_t, std::uint16_t> of;
    std::uint32_t id = 0;
    const auto hand_down = [&](std::uint16_t port) {
      of[++id] = port;
      bench.arrive(id, flow(port));
    };
    for (int port = 1; port <= flows; ++port)
      for (int k = 0; k < 2; ++k) hand_down(static_cast<std::uint16_t>(port));
    std::map<std::uint16_t, std::uint32_t> left;
    double sum = 0;
    int count = 0;
    const std::int64_t begun = bench.now;
    std::uint64_t clipped = 0;
    while (bench.now < begun + 4'000 * kMs) {
      if (bench.now < begun + 2'000 * kMs) clipped = bench.sending.counters().clipped;
      std::int64_t next = bench.sending.next_release();
      if (!answers.empty()) next = std::min(next, answers.begin()->first);
      bench.now = std::max(bench.now, next);
      bench.sending.beat(bench.now);
      while (!answers.empty() && answers.begin()->first <= bench.now) {
        const auto [port, what] = answers.begin()->second;
        const std::int64_t took = answers.begin()->first - what.second;
        answers.erase(answers.begin());
        bench.answer(flow(port), what.first, what.second, took);
        hand_down(port);
        if (bench.now > begun + 2'000 * kMs) sum += static_cast<double>(took), ++count;
      }
      for (const std::uint32_t one : bench.release()) {
        const std::uint16_t port = of.at(one);
        of.erase(one);
        free = std::max(free, bench.now) + kTakes;
        answers.insert({free, {port, {left[port] * kBytes, bench.now}}});
        ++left[port];
      }
    }
    EXPECT_NEAR(count, 8'000, 400) << "the link is used, " << flows;
    const double half = static_cast<double>(flows * kTakes + kMs) / 2;
    EXPECT_NEAR(sum / count, half, 0.4 * half) << flows;
    EXPECT_LT(bench.sending.counters().clipped - clipped, 400u);
  }
}

TEST(Sending, WhoIsWokenLateHoldsShorter) {
  PathSettings settings = holding();
  settings.many_hold = settings.max_hold;
  Bench bench(settings);
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
  settings.max_hold = settings.many_hold = 16 * kMs;
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
      EXPECT_LE(bench.now - found->second.at, settings.many_hold);
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
