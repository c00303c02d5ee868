// Flows that are cut off for ever: when that is told, and of which.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/scenario.h"
#include "weir/engine/stall.h"

namespace weir::engine::cut_off_test {
namespace {

using namespace literals;

const std::vector<Way> kFewWays{{.port = net::PortKind::queued}, {.threads = 2, .step = 30_us}};

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

// Of host 0 to host 2, so many that some take each of a few paths.
void add_twelve_flows(Scenario& s) {
  for (std::uint16_t port = 0; port < 12; ++port) {
    s.add_flow(0, 2, 10_KB);
    s.flows.back().sport = port;
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
  add_twelve_flows(s);
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

// An answer leaves by the port at which its data came, and so a host with two ports has flows whose acknowledgements
// are lost for ever though the other port would carry them.
TEST(CutOff, OfAcknowledgementsByThePortOfTheirData) {
  Scenario s;
  s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2, .tors = 2});
  s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
  s.transport.min_rto = 100_us;
  s.network.reroute = false;
  s.faults.link_events = {{.time = 0_us, .a = 0, .b = s.topology.links[0].b}};
  add_twelve_flows(s);
  const Outcome out = run(s);
  ASSERT_TRUE(out.stall.has_value());
  EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off);
  EXPECT_TRUE(out.stall->obstacles.of_data);
  EXPECT_TRUE(out.stall->obstacles.of_acknowledgements);
  EXPECT_GT(out.flows.size(), 0u);
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

}  // namespace
}  // namespace weir::engine::cut_off_test
