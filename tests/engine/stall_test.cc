// Runs that cannot go on since pauses have them in a deadlock, and the watchdog that breaks deadlocks.
#include "weir/engine/stall.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/engine/scenario.h"
#include "weir/net/model/dependencies.h"

namespace weir::engine::stall_test {
namespace {

using namespace literals;

const std::vector<Way> kWays{{},
                             {.port = net::PortKind::queued},
                             {.scheduler = SchedulerKind::heap},
                             {.threads = 2},
                             {.threads = 4},
                             {.threads = 2, .step = 7_us},
                             {.step = 30_us}};

const std::vector<Way> kFewWays{{.port = net::PortKind::queued}, {.threads = 2, .step = 30_us}};

// So many switches in a ring with `hosts` hosts each; hosts first, then switches.
Scenario ring(std::uint32_t switches, std::uint32_t hosts) {
  Scenario s;
  net::Topology& t = s.topology;
  t.name = "ring";
  t.hosts = switches * hosts;
  t.switches = switches;
  for (std::uint32_t h = 0; h < t.hosts; ++h) t.links.push_back({h, t.hosts + h / hosts, 100_Gbps, 1_us});
  for (std::uint32_t i = 0; i < switches; ++i)
    t.links.push_back({t.hosts + i, t.hosts + (i + 1) % switches, 100_Gbps, 1_us});
  net::assign_tiers(t);
  s.profiles = {profile("fixed-window", {{"window", "0 B"}})};
  s.transport.min_rto = 200_us;
  s.buffer.size = {s.set_aside() + 60'000};
  return s;
}

// All send two switches further in the same direction.
Scenario ring_of_five(Bytes size) {
  Scenario s = ring(5, 2);
  for (std::uint32_t h = 0; h < 10; ++h) s.add_flow(h, (h + 4) % 10, size);
  return s;
}

TEST(Deadlock, IsFoundAndItsPortsAreNamed) {
  const Scenario s = ring_of_five(2_MB);
  const Outcome out = run(s);
  ASSERT_TRUE(out.stall.has_value());
  EXPECT_EQ(out.stall->kind, Stall::Kind::deadlock);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  for (const BlockedPort& p : out.stall->cycle) ends.emplace_back(p.from, p.to);
  EXPECT_EQ(ends,
            (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{10, 11}, {11, 12}, {12, 13}, {13, 14}, {14, 10}}));
  EXPECT_EQ(out.stall->blocked, 5u);
  EXPECT_EQ(out.stall->unfinished, 10u);
  EXPECT_EQ(out.stall->flows.size(), Stall::kFewFlows);
  EXPECT_EQ(out.stall->found, out.end);
  EXPECT_LT(out.stall->since, out.stall->found);
  EXPECT_LE(out.stall->found - out.stall->since, 200_us);
  EXPECT_NE(to_text(*out.stall).find("10->11, 11->12, 12->13, 13->14, 14->10"), std::string::npos)
      << to_text(*out.stall);
  for (const Way& way : kWays) EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
}

TEST(Deadlock, OfOneClassAmongSeveralIsFound) {
  Scenario s = ring(5, 3);
  s.classes = {{}, {}};
  s.buffer.size = {s.set_aside() + 100'000};
  s.profiles.push_back(profile("fixed-window", {{"window", "20 KB"}}));
  s.profiles[0].data_class = 1;
  for (std::uint32_t h = 0; h < 15; ++h)
    s.add_flow(h, (h + (h % 3 == 2 ? 1 : 6)) % 15, h % 3 == 2 ? 20_MB : 2_MB, {}, h % 3 == 2 ? 1 : 0);
  const Outcome out = run(s);
  ASSERT_TRUE(out.stall.has_value());
  for (const BlockedPort& p : out.stall->cycle) EXPECT_EQ(p.data_class, 1u);
  EXPECT_EQ(out.stall->cycle.size(), 5u);
  for (const Way& way : kFewWays) EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
}

// A cycle is no deadlock as long as a link may still go down and so end its pauses.
TEST(Deadlock, IsNotTakenForGoodBeforeTheLastLinkEvent) {
  Scenario s = ring_of_five(100_KB);
  s.faults.link_events = {{.time = 300_us, .a = 10, .b = 11, .state = LinkState::down},
                          {.time = 320_us, .a = 10, .b = 11, .state = LinkState::up}};
  s.network.reroute = false;
  const Outcome out = run(s);
  EXPECT_GT(out.end, 320_us);
  for (const Way& way : kFewWays) EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
}

// Random traffic on rings, in which pauses meet in cycles all the time. What is told to be a deadlock is one: with the
// search put off by a link event that never comes, no port of the cycle sends anything any more. And where none is
// told, all flows end.
TEST(Deadlock, IsToldIfAndOnlyIfItIsOne) {
  int deadlocks = 0;
  int others = 0;
  for (std::uint64_t seed = 0; seed < scenario_count(40); ++seed) {
    std::mt19937_64 dice(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
    const std::uint32_t hosts = 1 + below(3);
    Scenario s = ring(5 + below(2), hosts);
    s.buffer.size = {s.set_aside() + 20'000 + 1'000 * below(100)};
    s.buffer.pfc_alpha = 1.0 / (1 << below(5));
    const std::uint32_t astray = 2 + below(6);  // one of so many flows goes anywhere, the others two switches further
    const std::uint32_t largest = seed % 2 == 0 ? 300 : 20;
    for (std::uint32_t n = 0; n < 3 * s.topology.hosts; ++n) {
      const std::uint32_t src = below(s.topology.hosts);
      const std::uint32_t dst = below(astray) == 0 ? below(s.topology.hosts) : (src + 2 * hosts) % s.topology.hosts;
      if (src != dst) s.add_flow(src, dst, Bytes{1'000 + 1'000 * below(largest)}, Time{1'000'000 * below(20)});
    }
    const Outcome out = run(s);
    const std::string told = out.stall ? to_text(*out.stall) : "no stall";
    const Way other{.port = net::PortKind::queued, .threads = seed % 8 == 0 ? 2u : 1u};
    ASSERT_EQ(difference(out, run(s, other)), "") << "seed " << seed;
    if (!out.stall) {
      ++others;
      EXPECT_EQ(out.flows.size(), s.flows.size()) << "seed " << seed;
      continue;
    }
    ++deadlocks;
    ASSERT_EQ(out.stall->kind, Stall::Kind::deadlock) << "seed " << seed << ", " << told;
    s.faults.link_events = {{.time = 1_s, .a = s.topology.hosts, .b = s.topology.hosts + 1}};
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {});
    simulation.advance(out.stall->found);
    std::vector<std::uint64_t> sent;
    for (const BlockedPort& p : out.stall->cycle) sent.push_back(simulation.port_figures(p.port).sent_bytes);
    simulation.advance(out.stall->found + 5_ms);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const BlockedPort& p = out.stall->cycle[i];
      // pause and resume frames, of 64 bytes, go by it all the same
      EXPECT_LT(simulation.port_figures(p.port).sent_bytes - sent[i], 1'000u) << "seed " << seed << ", " << told;
      EXPECT_GT(simulation.queued_bytes(p.port), 0u) << "seed " << seed << ", " << told;
    }
  }
  EXPECT_GT(deadlocks, 5);
  EXPECT_GT(others, 5);
}

// Of a network without cycles none is ever told, nor anything else where nothing goes wrong.
TEST(Deadlock, IsNeverToldOfATree) {
  int paused = 0;
  for (std::uint64_t seed = 0; seed < scenario_count(120); ++seed) {
    Scenario s = random_scenario(seed);
    s.faults.link_events.clear();
    s.faults.failures.clear();
    const auto model = s.model();
    ASSERT_TRUE(net::dependency_cycle(model->routing).empty()) << s.text;
    const Outcome out = run(s);
    EXPECT_FALSE(out.stall.has_value()) << s.text << ": " << to_text(*out.stall);
    paused += out.counters.pauses > 0;
  }
  EXPECT_GT(paused, 10);
}

TEST(Dependencies, OfARingFromFiveSwitchesOnAreACycle) {
  for (const std::uint32_t switches : {3u, 5u, 6u, 9u}) {
    const Scenario s = ring(switches, 1);
    const auto cycle = net::dependency_cycle(s.model()->routing);
    EXPECT_EQ(cycle.size(), switches == 3 ? 0 : switches);
    for (std::size_t i = 0; i < cycle.size(); ++i)
      EXPECT_EQ(s.topology.port_peer(cycle[i]), s.topology.port_owner(cycle[(i + 1) % cycle.size()]));
  }
}

// Of two planes one is a ring of five switches, the other a star, which has no cycle alone.
TEST(Dependencies, AreThoseOfAllPlanes) {
  net::Topology t;
  t.hosts = 5;
  t.switches = 6;
  for (std::uint32_t h = 0; h < 5; ++h) t.links.push_back({h, 10, 100_Gbps, 1_us});
  for (std::uint32_t h = 0; h < 5; ++h) t.links.push_back({h, 5 + h, 100_Gbps, 1_us});
  for (std::uint32_t s = 0; s < 5; ++s) t.links.push_back({5 + s, 5 + (s + 1) % 5, 100_Gbps, 1_us});
  check(t);
  assign_tiers(t);
  const auto cycle = net::dependency_cycle(net::Routing(t, 1));
  EXPECT_EQ(cycle.size(), 5u);
  for (const std::uint32_t port : cycle) EXPECT_NE(t.port_owner(port), 10u);
  // Without the links between its switches only hosts of one switch reach each other by the first plane.
  std::vector<bool> down(t.links.size());
  for (std::size_t l = 10; l < 15; ++l) down[l] = true;
  EXPECT_TRUE(net::dependency_cycle(net::Routing(t, 1, down)).empty());
}

TEST(Watchdog, BreaksADeadlock) {
  for (const net::StormAction action : {net::StormAction::drop, net::StormAction::forward}) {
    Scenario s = ring_of_five(300_KB);
    s.transport.min_rto = 50_us;
    s.watchdog = {.enabled = true, .detection_time = 50_us, .restoration_time = 60_us, .action = action};
    const Outcome out = run(s);
    EXPECT_FALSE(out.stall.has_value());
    EXPECT_EQ(out.flows.size(), 10u);
    EXPECT_GT(out.counters.storms, 0u);
    EXPECT_EQ(out.counters.storm_dropped > 0, action == net::StormAction::drop);
    EXPECT_EQ(out.counters.dropped > 0, action == net::StormAction::forward);
    EXPECT_LT(out.end, 20_ms);
    for (const Way& way : kFewWays) EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
  }
}

TEST(Watchdog, LeavesShortPausesAlone) {
  Scenario s = ring(3, 2);
  for (std::uint32_t h = 0; h < 6; ++h) s.add_flow(h, (h + 2) % 6, 1_MB);
  const Outcome without = run(s);
  ASSERT_GT(without.counters.pauses, 0u);
  s.watchdog = {.enabled = true, .detection_time = 1_ms, .restoration_time = 1_ms};
  EXPECT_EQ(difference(without, run(s)), "");
}

// Polls at 50, 100, 150 us...: a pause from 70 us on is a storm at the first poll 100 us after it or later, the storm
// over at the first one 100 us after the last wish for a pause.
TEST(Watchdog, GoesByItsPolls) {
  const net::WatchdogParams params{.enabled = true, .detection_time = 100_us, .restoration_time = 100_us};
  EXPECT_EQ(params.interval(), 50_us);
  const auto c = net::TrafficClass::data;
  net::PauseWatch watch;
  EXPECT_TRUE(watch.hear(c, true, 70_us));
  EXPECT_TRUE(watch.hear(c, true, 90_us));  // a repetition begins nothing anew
  EXPECT_FALSE(watch.begins(c, true, 150_us, params));
  EXPECT_FALSE(watch.begins(c, false, 200_us, params)) << "nothing waits";
  EXPECT_TRUE(watch.begins(c, true, 200_us, params));
  watch.storm = net::class_bit(c);
  EXPECT_FALSE(watch.ends(c, 900_us, params)) << "it is still wanted";
  EXPECT_FALSE(watch.hear(c, false, 910_us)) << "in a storm nothing is obeyed";
  EXPECT_FALSE(watch.hear(c, true, 950_us));
  EXPECT_FALSE(watch.hear(c, false, 960_us));
  EXPECT_FALSE(watch.ends(c, 1'050_us, params));
  EXPECT_TRUE(watch.ends(c, 1'100_us, params));
}

TEST(Stall, WithoutAnyFlowThereIsNone) {
  Scenario s = ring(3, 1);
  const Outcome out = run(s);
  EXPECT_FALSE(out.stall.has_value());
  EXPECT_EQ(out.counters.flows_started, 0u);
  EXPECT_EQ(out.end, 0_us);
}

}  // namespace
}  // namespace weir::engine::stall_test
