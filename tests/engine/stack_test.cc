// Flows of Linux hosts.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

// The round trip that one flow sees with a window of 100 packets at 10 Gb/s, over one switch; 4 us of it are on links.
Time lone_flow(const std::optional<host::StackParams>& stack) {
  Scenario s;
  s.topology = build(net::Star{2, 10_Gbps, 1_us});
  host::Profile p = profile("fixed-window", {{"window", "100 KB"}});
  p.recovery.kind = host::RecoveryKind::sack;
  p.stack = stack;
  s.profiles = {p};
  s.add_flow(0, 1, 100_MB);
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  simulation.advance(2_ms);
  Time srtt;
  simulation.for_each_active([&](const host::FlowView& flow) { srtt = flow.srtt; });
  return srtt;
}

// The NIC takes packets as it sends them, so that round trips are those of an empty path. In a Linux host all of the
// window that is not on the wire waits below the socket: 100 packets of 1,048 B are 83.8 us.
TEST(Stack, WhatWaitsBelowTheSocketIsPartOfTheRoundTrip) {
  EXPECT_LT(lone_flow({}), 10_us);
  const Time srtt = lone_flow(host::StackParams{.segment = 4_KB});
  EXPECT_GT(srtt, 78_us);
  EXPECT_LT(srtt, 88_us);
}

// TSQ: with no more than two segments of 4 packets, and one more that finds that little, 12 packets wait at most.
TEST(Stack, SmallQueuesLimitWhatWaits) {
  const Time srtt = lone_flow(host::StackParams{.segment = 4_KB, .limit_output = 8_KB});
  EXPECT_LT(srtt, 20_us);
}

// On-Ramp's pauses are part of the round trip that the algorithm sees: eight flows share a link, and each pauses for
// most of the time. The path itself is shorter.
TEST(Stack, PausesArePartOfTheRoundTrip) {
  const auto mean_srtt = [](bool stacked) {
    Scenario s;
    s.topology = build(net::Star{9, 10_Gbps, 1_us});
    host::Profile p = profile("fixed-window", {{"window", "100 KB"}});
    p.recovery.kind = host::RecoveryKind::sack;
    p.on_ramp = {.T = 50_us};
    if (stacked) p.stack = host::StackParams{.segment = 4_KB};
    s.profiles = {p};
    for (std::uint32_t h = 0; h < 8; ++h) s.add_flow(h, 8, 100_MB);
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {});
    simulation.advance(5_ms);
    Time sum;
    simulation.for_each_active([&](const host::FlowView& flow) { sum += flow.srtt; });
    return sum / 8;
  };
  const Time stacked = mean_srtt(true);
  EXPECT_GT(stacked, 500_us);  // 800 KB under way at 10 Gb/s are 640 us
  EXPECT_LT(mean_srtt(false), stacked);
}

// The least and the most one-way delay that On-Ramp hears of, of one flow with a window of 40 packets at 10 Gb/s over
// one switch: T is never reached.
std::pair<Time, Time> heard_delays(Bytes on_ramp_segment) {
  Scenario s;
  s.topology = build(net::Star{2, 10_Gbps, 1_us});
  host::Profile p = profile("fixed-window", {{"window", "40 KB"}});
  p.recovery.kind = host::RecoveryKind::sack;
  p.on_ramp = {.T = 1_ms, .segment = on_ramp_segment};
  p.stack = host::StackParams{.segment = 8_KB};
  s.profiles = {p};
  s.add_flow(0, 1, 100_MB);
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  std::pair<Time, Time> out{1_s, {}};
  simulation.every(500_ns, [&](Time) {
    simulation.for_each_active([&](const host::FlowView& flow) {
      const cc::OnRamp* shim = simulation.on_ramp(flow);
      if (shim == nullptr || shim->last_report().heard == Time{}) return;
      out.first = std::min(out.first, shim->last_report().delay);
      out.second = std::max(out.second, shim->last_report().delay);
    });
  });
  simulation.advance(1_ms);
  return out;
}

// All packets of a segment that TCP hands down count as leaving with its first one, and none of another segment does: a
// packet of 1,048 B takes 0.84 us, the eight of a segment 6.7 us. A size that On-Ramp is given counts instead of the
// stack's segments.
TEST(Stack, OnRampSeesItsSegments) {
  const auto [least, most] = heard_delays({});
  EXPECT_LT(least, 4_us);
  EXPECT_GT(most - least, 5_us);
  EXPECT_LT(most - least, 6_us);
  const auto [first, last] = heard_delays(64_KB);
  EXPECT_GT(last - first, 50_us);
}

// A pause holds each segment, also where a window has several of them and what TCP could hand down at most is more than
// the window: eight flows of 20 packets keep 160 under way, of which no more than T allows are in the queue.
TEST(Stack, OnRampHoldsEachSegment) {
  const auto mean_queue = [](Bytes on_ramp_segment) {
    Scenario s;
    s.topology = build(net::Star{9, 10_Gbps, 1_us});
    host::Profile p = profile("fixed-window", {{"window", "20 KB"}});
    p.recovery.kind = host::RecoveryKind::sack;
    p.on_ramp = {.T = 50_us, .segment = on_ramp_segment};
    p.stack = host::StackParams{};
    s.profiles = {p};
    for (std::uint32_t h = 0; h < 8; ++h) s.add_flow(h, 8, 100_MB);
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {});
    const std::uint32_t port = net::Topology::reverse(model->routing.nic(8));
    double sum = 0;
    int samples = 0;
    simulation.every(1_us, [&](Time now) {
      if (now < 2_ms) return;
      sum += simulation.port(port).queued;
      ++samples;
    });
    simulation.advance(5_ms);
    return sum / samples;
  };
  const double at_threshold = static_cast<double>(bytes_in(50_us, 10_Gbps).count);
  EXPECT_LT(mean_queue({}), 1.5 * at_threshold);
  EXPECT_GT(mean_queue(64_KB), mean_queue({}));
}

}  // namespace
}  // namespace weir::engine
