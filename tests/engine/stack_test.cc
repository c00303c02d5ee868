// Flows of Linux hosts.
#include <gtest/gtest.h>

#include <optional>

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

}  // namespace
}  // namespace weir::engine
