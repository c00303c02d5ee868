// On-Ramp under every algorithm.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

struct Incast {
  double used = 0;        // of the receiver's link, in the last millisecond of three
  double mean_queue = 0;  // bytes, the same
  Counters counters;
};

// Eight hosts of 100 Gb/s send to one, through one switch that drops nothing.
Incast incast(const host::Profile& profile) {
  Scenario s;
  s.topology = build(net::Star{9, 100_Gbps, 1_us});
  s.profiles = {profile};
  s.ecn.enabled = true;
  s.buffer.pfc_alpha = 1;
  for (std::uint32_t h = 0; h < 8; ++h) s.add_flow(h, 8, 1_GB, h * 1_us);
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  const std::uint32_t port = net::Topology::reverse(model->routing.nic(8));
  Incast out;
  std::int64_t samples = 0;
  simulation.every(1_us, [&](Time now) {
    const std::uint32_t queued = simulation.port(port).queued;
    if (now < 2_ms || now > 3_ms) return;
    out.mean_queue += queued;
    ++samples;
  });
  // pcc_rl's rates change by factors of at most 1.2 for each round trip, and come back from a cold start in
  // milliseconds
  simulation.advance(8_ms);
  const auto before = simulation.port_figures(port).sent_bytes;
  simulation.advance(9_ms);
  out.used = static_cast<double>(simulation.port_figures(port).sent_bytes - before) /
             static_cast<double>(bytes_in(1_ms, 100_Gbps).count);
  out.mean_queue /= static_cast<double>(samples);
  out.counters = simulation.counters();
  return out;
}

constexpr Time kT = 30_us;

// It is given no more than packets and delays, so it does under any algorithm what it is for: where the queue is far
// above T without it, it is much shorter with it; where not, it stays within T or as it was. Nothing is starved. beta
// begins at 0 here, not at 1, its default, with which a queue is drained more slowly.
TEST(OnRamp, WorksUnderEveryAlgorithm) {
  const double at_threshold = static_cast<double>(bytes_in(kT, 100_Gbps).count);
  int far_above = 0;
  for (const cc::Algorithm& algorithm : cc::catalogue()) {
    SCOPED_TRACE(algorithm.about.name);
    if (cc::has(algorithm.about.needs, cc::Needs::decisions)) continue;  // it is told what to do
    host::Profile p = profile(algorithm);
    const Incast without = incast(p);
    p.on_ramp = {.T = kT, .initial_beta = 0};
    const Incast with = incast(p);
    EXPECT_LE(with.mean_queue, std::max(at_threshold, 1.05 * without.mean_queue));
    if (without.mean_queue > 10 * at_threshold) {
      ++far_above;
      EXPECT_LT(with.mean_queue, without.mean_queue / 3);
    }
    EXPECT_GT(with.used, 0.9);
    EXPECT_EQ(without.counters.or_acks, 0u);
    EXPECT_LE(with.counters.or_acks, with.counters.data_packets);
    EXPECT_GT(with.counters.or_acks, 0.8 * static_cast<double>(with.counters.data_packets));  // the rest is on its way
  }
  EXPECT_GE(far_above, 2);  // CUBIC and New Reno, whom nothing tells of a queue that drops nothing
}

// One OR-ACK for so many packets; with segments of 64 KB a flow is held 64 packets at a time.
TEST(OnRamp, WorksOnSegmentsWithFewOrAcks) {
  host::Profile p = profile("newreno");
  p.on_ramp = {.T = 100_us, .initial_beta = 0, .segment = 64_KB, .packets_per_ack = 10};
  const Incast with = incast(p);
  p.on_ramp = {};
  const Incast without = incast(p);
  EXPECT_LT(with.mean_queue, without.mean_queue / 3);
  const auto per_ack = static_cast<double>(with.counters.data_packets) / static_cast<double>(with.counters.or_acks);
  EXPECT_GE(per_ack, 10);
  EXPECT_LT(per_ack, 12.5);
}

// Flows with fewer packets than an OR-ACK stands for have two: of the first packet and of the last one.
TEST(OnRamp, HearsOfShortFlowsToo) {
  const auto or_acks = [](Time burst_gap, Time apart) {
    Scenario s;
    s.topology = build(net::Star{17, 10_Gbps, 1_us});
    s.profiles = {profile("newreno")};
    s.profiles[0].on_ramp = {.T = 100_us, .packets_per_ack = 10, .burst_gap = burst_gap};
    for (std::uint32_t h = 0; h < 16; ++h) s.add_flow(h, 16, 3_KB, static_cast<std::int64_t>(h) * apart);
    return run(s).counters.or_acks;
  };
  EXPECT_EQ(or_acks(100_us, Time{}), 32u);
  EXPECT_EQ(or_acks(100_us, 50_us), 32u);
  EXPECT_EQ(or_acks(Time{}, Time{}), 0u);
}

// Each tenth packet, the first one after a silence, and the last one: here round trips take 120 us and carry a packet.
TEST(OnRamp, HearsOfTheFirstPacketAfterASilence) {
  const auto or_acks = [](Time burst_gap) {
    Scenario s;
    s.topology = build(net::Star{2, 10_Gbps, 30_us});
    s.profiles = {profile("fixed-window", {{"window", "1 KB"}})};
    s.profiles[0].on_ramp = {.T = 1_ms, .packets_per_ack = 10, .burst_gap = burst_gap};
    s.add_flow(0, 1, 100_KB);
    return run(s).counters.or_acks;
  };
  EXPECT_EQ(or_acks(100_us), 100u);
  EXPECT_EQ(or_acks(1_ms), 11u);
  EXPECT_EQ(or_acks(Time{}), 10u);
}

// After a pause the algorithm's pacing still holds: no burst makes up for it (section 3.1 of the paper's design).
TEST(OnRamp, KeepsThePacingAfterAPause) {
  Scenario s;
  s.topology = build(net::Star{9, 100_Gbps, 1_us});
  s.profiles = {profile("fixed-window", {{"rate", "20 Gbps"}})};
  s.profiles[0].on_ramp = {.T = kT};
  s.buffer.pfc_alpha = 1;
  for (std::uint32_t h = 0; h < 8; ++h) s.add_flow(h, 8, 1_GB);
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  std::uint64_t before = 0;
  int idle = 0;
  simulation.every(5_us, [&](Time) {
    const std::uint64_t sent = simulation.port_figures(model->routing.nic(0)).sent_bytes;
    EXPECT_LE(sent - before, 5u * 2'500u + 1'048u);
    idle += sent == before;
    before = sent;
  });
  simulation.advance(2_ms);
  EXPECT_GT(idle, 5);  // it has been paused
}

// A flow begins with what the one before has seen: held back until the excess should be gone. Seven windows of 100 KB
// stand in the switch.
TEST(OnRamp, RemembersTheLastDelayOfAPath) {
  Time finish[2];
  Time hold;
  for (const bool memory : {false, true}) {
    Scenario s;
    s.topology = build(net::Star{9, 100_Gbps, 1_us});
    s.profiles = {profile("fixed-window", {{"window", "100 KB"}}), profile("fixed-window")};
    s.profiles[1].on_ramp = {.T = kT, .memory = memory};
    for (std::uint32_t h = 1; h < 8; ++h) s.add_flow(h, 8, 1_MB);
    s.add_flow(0, 8, 1'000_B, 100_us, 1);
    s.add_flow(0, 8, 1'000_B, 170_us, 1);
    const Outcome out = run(s);
    for (const auto& f : out.flows) {
      if (f.src != 0) continue;
      if (f.start == 170_us) finish[memory ? 1 : 0] = f.finish;
      // the delay was shorter than the round trip, by the 2 us of the way back
      if (f.start == 100_us) hold = f.finish + (f.finish - f.start) - kT - 170_us;
    }
  }
  EXPECT_GT(hold, 10_us);
  EXPECT_NEAR((finish[1] - finish[0]).seconds() * 1e6, hold.seconds() * 1e6, 3);
}

}  // namespace
}  // namespace weir::engine
