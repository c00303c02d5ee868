// Runs that cannot go on: deadlocks of pauses, and flows that are cut off for ever. And the watchdog that breaks
// deadlocks.
#include "weir/engine/stall.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
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
    for (const BlockedPort& p : out.stall->cycle) sent.push_back(simulation.sent_bytes(p.port));
    simulation.advance(out.stall->found + 5_ms);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const BlockedPort& p = out.stall->cycle[i];
      // pause and resume frames, of 64 bytes, go by it all the same
      EXPECT_LT(simulation.sent_bytes(p.port) - sent[i], 1'000u) << "seed " << seed << ", " << told;
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

struct CutOffCase {
  const char* name;
  bool reroute;
  FaultRows faults;
  std::vector<std::uint64_t> never;  // ids of flows that do not end
};

// Two leaves of two hosts, two spines: hosts 0 to 3, leaves 4 and 5, spines 6 and 7.
TEST(CutOff, EndsTheRunOnceAllOthersAreDone) {
  const auto down = [](std::uint32_t a, std::uint32_t b, Time time = 20_us) {
    return LinkEventRow{.time = time, .a = a, .b = b, .state = LinkState::down};
  };
  const auto up = [](std::uint32_t a, std::uint32_t b, Time time) {
    return LinkEventRow{.time = time, .a = a, .b = b, .state = LinkState::up};
  };
  for (const CutOffCase& c : std::vector<CutOffCase>{
           {"a host", true, {.link_events = {down(3, 5)}}, {0, 1, 3}},
           {"a host for a time", true, {.link_events = {down(3, 5), up(3, 5, 400_us)}}, {}},
           {"one of two ways, rerouted", true, {.link_events = {down(4, 6)}}, {}},
           {"both ways, the second one later", true, {.link_events = {down(4, 6), down(4, 7, 40_us)}}, {0, 1, 2, 3}},
           {"loss of all", true, {.loss = {{"3-5", 1}}}, {0, 1, 3}},
           {"loss of some", true, {.loss = {{"3-5", 0.02}}}, {}}}) {
    for (const char* recovery : {"go-back-n", "irn"}) {
      Scenario s;
      s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2});
      s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
      if (recovery == std::string("irn")) {
        s.profiles[0].recovery.kind = host::RecoveryKind::irn;
        s.profiles[0].balancing.kind = host::Balancing::ops;
      }
      s.transport.min_rto = 100_us;
      s.network.reroute = c.reroute;
      s.faults = c.faults;
      s.add_flow(0, 3, 300_KB);
      s.add_flow(1, 3, 1_KB, 50_us);
      s.add_flow(3, 0, 300_KB);
      s.add_flow(0, 2, 300_KB);
      const Outcome out = run(s);
      std::vector<std::uint64_t> never;
      if (out.stall) {
        EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off) << c.name;
        for (const StuckFlow& flow : out.stall->flows) never.push_back(flow.id);
        EXPECT_EQ(out.stall->unfinished, never.size());
      }
      EXPECT_EQ(out.flows.size() + never.size(), 4u) << c.name;
      EXPECT_EQ(never, c.never) << c.name << ", " << recovery;
      for (const Way& way : kFewWays) EXPECT_EQ(difference(out, run(s, way)), "") << c.name << ", " << name_of(way);
    }
  }
}

// Without rerouting a flow goes on by the path of its entropy, and another one by the other.
TEST(CutOff, OfAHashedPath) {
  Scenario s;
  s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2});
  s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
  s.transport.min_rto = 100_us;
  s.network.reroute = false;
  s.faults.link_events = {{.time = 0_us, .a = 5, .b = 6}};
  for (std::uint16_t port = 0; port < 12; ++port) {
    s.add_flow(0, 2, 10_KB);
    s.flows.back().sport = port;
  }
  const Outcome out = run(s);
  ASSERT_TRUE(out.stall.has_value());
  EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off);
  const auto model = s.model();
  std::size_t free = 0;
  for (const traffic::Flow& flow : s.flows) {
    const std::uint32_t entropy = net::flow_entropy(flow.src, flow.dst, flow.sport, flow.dport);
    auto ports = model->routing.path(0, 2, entropy);
    const auto back = model->routing.path(2, 0, mix32(entropy + 1));
    ports.insert(ports.end(), back.begin(), back.end());
    free += std::none_of(ports.begin(), ports.end(), [&](std::uint32_t p) {
      const net::Link& link = model->topology.links[p / 2];
      return std::minmax(link.a, link.b) == std::minmax(5u, 6u);
    });
  }
  EXPECT_GT(free, 0u);
  EXPECT_EQ(out.flows.size(), free);
  EXPECT_EQ(out.stall->unfinished, 12 - free);
}

// The receiver of a message needs no acknowledgement, but a message that is longer than its window does.
TEST(CutOff, OfTheAcknowledgementsOfMessages) {
  for (const Bytes size : {20_KB, 300_KB}) {
    Scenario s;
    s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2});
    s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
    s.transport.min_rto = 100_us;
    s.network.reroute = false;
    s.faults.link_events = {{.time = 0_us, .a = 5, .b = 6}};
    std::vector<traffic::Program::Node> nodes;
    for (std::uint16_t port = 1; port <= 12; ++port)
      nodes.push_back({.src = 0, .dst = 2, .size = size, .sport = port, .dport = 1});
    s.program = traffic::Program(nodes, {}, 0);
    const auto model = s.model();
    const auto is_cut = [&](std::uint32_t from, std::uint32_t to, std::uint32_t entropy) {
      const auto ports = model->routing.path(from, to, entropy);
      return std::any_of(ports.begin(), ports.end(), [&](std::uint32_t p) {
        const net::Link& link = model->topology.links[p / 2];
        return std::minmax(link.a, link.b) == std::minmax(5u, 6u);
      });
    };
    std::size_t of_data = 0;
    std::size_t of_acknowledgements = 0;
    for (const auto& node : nodes) {
      const std::uint32_t entropy = net::flow_entropy(node.src, node.dst, node.sport, node.dport);
      if (is_cut(0, 2, entropy))
        ++of_data;
      else
        of_acknowledgements += is_cut(2, 0, net::answer_entropy(entropy)) ? 1 : 0;
    }
    ASSERT_GT(of_data, 0u);
    ASSERT_GT(of_acknowledgements, 0u);
    const Outcome out = run(s);
    ASSERT_TRUE(out.stall.has_value()) << size.count;
    EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off);
    EXPECT_EQ(out.stall->obstacles, (Obstacles{.links = true, .of_data = true, .of_acknowledgements = true}));
    EXPECT_EQ(out.stall->unfinished, of_data + of_acknowledgements);
    std::size_t received = 0;
    for (const NodeTimes& node : out.nodes) received += node.received < Time::max() ? 1 : 0;
    EXPECT_EQ(received, nodes.size() - of_data - (size > 50_KB ? of_acknowledgements : 0)) << size.count;
  }
}

// All that a flow's path choice may draw: of 1000 draws, each number comes.
std::set<std::uint32_t> entropies_of(const Scenario& s, std::uint64_t flow) {
  host::PathChoice choice;
  host::BalancingParams params = s.profiles[0].balancing;
  params.kind = host::Balancing::ops;
  choice.start(params, static_cast<std::uint32_t>(
                           RandomStream(s.seed, static_cast<std::uint32_t>(flow), Purpose::spraying).bits(0)));
  std::set<std::uint32_t> out;
  for (int n = 0; n < 1000; ++n) out.insert(choice.next(0_us));
  return out;
}

// Switches draw another port for a flow that has waited for its timeout, so it ends if any path is alive, there and
// back. Without one it is cut off.
TEST(CutOff, OfFlowlets) {
  for (const bool all_down : {false, true}) {
    Scenario s;
    s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2});
    s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
    s.profiles[0].balancing.kind = host::Balancing::flowlets;
    s.network.reroute = false;
    s.network.flowlet_gap = 100_us;
    s.faults.link_events = {{.time = 0_us, .a = 4, .b = 6}};
    if (all_down) s.faults.link_events.push_back({.time = 0_us, .a = 4, .b = 7});
    for (int n = 0; n < 6; ++n) s.add_flow(0, 2, 2_KB);
    const Outcome out = run(s);
    EXPECT_EQ(out.flows.size(), all_down ? 0u : 6u);
    EXPECT_EQ(out.stall.has_value(), all_down);
  }
}

// A flow that sprays ends if one of its entropies leads past the dead link, there and back.
TEST(CutOff, OfFewEntropies) {
  using host::Balancing;
  int few = 0;
  for (const Balancing kind :
       {Balancing::ops, Balancing::ops_xor, Balancing::reps, Balancing::adaptive, Balancing::round_robin})
    for (const auto& [entropies, acks] :
         std::vector<std::pair<std::int64_t, host::AckRouting>>{{1, host::AckRouting::hash},
                                                                {2, host::AckRouting::hash},
                                                                {8, host::AckRouting::hash},
                                                                {1, host::AckRouting::adaptive}}) {
      Scenario s;
      s.topology = build(net::LeafSpine{.leaves = 2, .spines = 3, .hosts_per_leaf = 2});
      s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
      s.profiles[0].recovery.kind = host::RecoveryKind::irn;
      s.profiles[0].balancing = {.kind = kind, .entropies = entropies, .freeze = 1_ms, .acks = acks};
      s.network.reroute = false;
      s.faults.link_events = {{.time = 0_us, .a = 5, .b = 6}, {.time = 0_us, .a = 4, .b = 7}};
      for (int n = 0; n < 6; ++n) s.add_flow(0, 2, 2_KB);
      const auto model = s.model();
      const auto alive = [&](const std::vector<std::uint32_t>& ports) {
        return std::none_of(ports.begin(), ports.end(), [&](std::uint32_t p) {
          const net::Link& link = model->topology.links[p / 2];
          const auto ends = std::minmax(link.a, link.b);
          return ends == std::minmax(5u, 6u) || ends == std::minmax(4u, 7u);
        });
      };
      const bool by_switch = kind == Balancing::adaptive || kind == Balancing::round_robin;
      const bool led_back = kind == Balancing::adaptive && acks == host::AckRouting::adaptive;
      std::size_t free = 0;
      Obstacles obstacles{.links = true};
      for (std::uint64_t id = 0; id < s.flows.size(); ++id) {
        const std::set<std::uint32_t> all = entropies_of(s, id);
        const auto arrives = [&](std::uint32_t e) { return by_switch || alive(model->routing.path(0, 2, e)); };
        const bool is_free = std::any_of(all.begin(), all.end(), [&](std::uint32_t e) {
          return arrives(e) && (led_back || alive(model->routing.path(2, 0, mix32(e + 1))));
        });
        free += is_free;
        if (is_free) continue;
        (std::any_of(all.begin(), all.end(), arrives) ? obstacles.of_acknowledgements : obstacles.of_data) = true;
      }
      const std::string what = fmt::format("kind {}, {} entropies, acknowledgements {}", static_cast<int>(kind),
                                           entropies, static_cast<int>(acks));
      const Outcome out = run(s);
      EXPECT_EQ(out.flows.size(), free) << what;
      EXPECT_EQ(out.stall.has_value(), free < s.flows.size()) << what;
      if (out.stall) {
        EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off) << what;
        EXPECT_EQ(out.stall->obstacles, obstacles) << what;
        EXPECT_EQ(out.stall->unfinished, s.flows.size() - free) << what;
      }
      few += free > 0 && free < s.flows.size();
      EXPECT_EQ(difference(out, run(s, {.port = net::PortKind::queued})), "") << what;
    }
  EXPECT_GT(few, 3);
}

struct SmallBufferCase {
  const char* name;
  net::BufferParams buffer;
  Bytes size;  // of the flow
  bool ends = false;
  host::RecoveryKind recovery = host::RecoveryKind::go_back_n;
  bool trimming = false;
  bool unpaused = false;  // lossless, with a class that is not paused; the size is beside what is set aside
};

// A full packet has 1048 bytes, an acknowledgement 60.
TEST(CutOff, OfAPacketThatNoSwitchCanHold) {
  using host::RecoveryKind;
  const auto lossy = [](std::int64_t size, double alpha = 1) {
    return net::BufferParams{.size = {size}, .mode = net::BufferMode::lossy, .egress_alpha = alpha};
  };
  const auto per_port = [](std::int64_t size) {
    return net::BufferParams{.size = {size}, .mode = net::BufferMode::per_port};
  };
  for (const SmallBufferCase& c : std::vector<SmallBufferCase>{
           {"a full packet", lossy(1047), 10_KB},
           {"it just fits", lossy(1048), 10_KB, true},
           {"a share of the buffer", lossy(2000, 0.5), 10_KB},
           {"of one port", per_port(1047), 10_KB},
           {"of one port it just fits", per_port(1048), 10_KB, true},
           {"flows of small packets", lossy(600), 500_B, true},
           {"only the last packet is small", lossy(600), 1500_B},
           {"the same, selective", lossy(600), 1500_B, false, RecoveryKind::irn},
           {"acknowledgements", lossy(59), 1_B},
           {"acknowledgements just fit", lossy(60), 1_B, true},
           {"trimmed", lossy(600), 10_KB, false, RecoveryKind::irn, true},
           {"trimmed, go-back-N", lossy(600), 10_KB, false, RecoveryKind::go_back_n, true},
           {"of a class that is not paused", {.size = {1047}}, 10_KB, false, RecoveryKind::irn, false, true}}) {
    Scenario s;
    s.topology = build(net::Star{.hosts = 3});
    s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
    s.profiles[0].recovery.kind = c.recovery;
    s.network.trimming = c.trimming;
    s.buffer = c.buffer;
    if (c.unpaused) {
      s.classes = {{.pfc = false}};
      s.buffer.size += Bytes{s.set_aside()};
    }
    s.transport.min_rto = 100_us;
    s.add_flow(0, 2, c.size);
    const Outcome out = run(s);
    EXPECT_EQ(out.flows.size(), c.ends ? 1u : 0u) << c.name;
    ASSERT_EQ(out.stall.has_value(), !c.ends) << c.name;
    if (out.stall) {
      EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off) << c.name;
      const bool back = std::string_view(c.name) == "acknowledgements";
      EXPECT_EQ(out.stall->obstacles, (Obstacles{.buffers = true, .of_data = !back, .of_acknowledgements = back}))
          << c.name;
      EXPECT_NE(to_text(*out.stall).find("a switch whose buffer can never hold"), std::string::npos);
      EXPECT_LE(out.stall->found, 200_us) << c.name;
    }
    for (const Way& way : kFewWays) EXPECT_EQ(difference(out, run(s, way)), "") << c.name << ", " << name_of(way);
  }
}

// Whether it is the data's way that is cut or that of what comes back.
TEST(CutOff, SaysWhoseWayIsCut) {
  const struct {
    Obstacles by;
    const char* says;
  } cases[] = {
      {{.links = true, .of_data = true}, "since every path crosses a link"},
      {{.links = true, .of_acknowledgements = true}, "since every path of their acknowledgements crosses a link"},
      {{.links = true, .of_data = true, .of_acknowledgements = true},
       "since every path of their data or of their acknowledgements crosses a link"},
  };
  for (const auto& c : cases) {
    const std::string text = to_text({.kind = Stall::Kind::cut_off, .obstacles = c.by, .unfinished = 1});
    EXPECT_NE(text.find(c.says), std::string::npos) << text;
  }
}

// One by a link, the other by the buffer.
TEST(CutOff, ByLinksAndBuffers) {
  Scenario s;
  s.topology = build(net::Star{.hosts = 4});
  s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
  s.buffer = {.size = {1000}, .mode = net::BufferMode::lossy};
  s.faults.link_events = {{.time = 0_us, .a = 3, .b = 4}};
  s.add_flow(0, 2, 10_KB);
  s.add_flow(1, 3, 500_B);
  s.add_flow(1, 2, 500_B);
  const Outcome out = run(s);
  ASSERT_TRUE(out.stall.has_value());
  EXPECT_EQ(out.stall->obstacles, (Obstacles{.links = true, .buffers = true, .of_data = true}));
  EXPECT_EQ(out.stall->unfinished, 2u);
}

// The acknowledgement is past the link that goes down, and takes 300 us more.
TEST(CutOff, NotWhileSomethingIsUnderWayThatHelps) {
  Scenario s;
  s.topology = build(net::Star{.hosts = 2});
  s.topology.links[0].delay = 300_us;
  s.topology.tree.clear();
  s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
  s.faults.link_events = {{.time = 320_us, .a = 1, .b = 2}};
  s.transport.min_rto = 100_us;
  s.add_flow(0, 1, 1_KB);
  const Outcome out = run(s);
  EXPECT_FALSE(out.stall.has_value());
  EXPECT_EQ(out.flows.size(), 1u);
  EXPECT_GT(out.end, 600_us);
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
