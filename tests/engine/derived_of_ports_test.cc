// What is derived of "the" link of a host where hosts have several: rates that algorithms are told, ideal times,
// bounds, ports that messages share, pauses, links that fail, flows that are cut off (docs/developers/host-ports.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/scenario.h"
#include "weir/base/error.h"
#include "weir/engine/endings/completion.h"
#include "weir/engine/skip/skippable_kinds.h"
#include "weir/engine/stall.h"
#include "weir/net/link/packet.h"

namespace weir::engine::derived_of_ports_test {
namespace {

using namespace literals;

// Keeps what it is told at the start of a flow; for runs on one thread.
class FactsReader {
 public:
  struct Params {
    static void describe(ParamList<Params>&) {}
  };
  static constexpr cc::About about{.name = "facts-reader", .title = "Facts reader", .source = "test"};
  static inline std::vector<cc::FlowFacts> seen;
  FactsReader(const Params&, const cc::FlowFacts& facts, cc::Control&) { seen.push_back(facts); }
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack&, cc::Control&) {}
};

// Keeps the round-trip times that it is told.
class RttReader {
 public:
  struct Params {
    static void describe(ParamList<Params>&) {}
  };
  static constexpr cc::About about{.name = "rtt-reader", .title = "Reader of round-trip times", .source = "test"};
  static inline std::vector<Time> seen;
  RttReader(const Params&, const cc::FlowFacts&, cc::Control&) {}
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack& ack, cc::Control&) { seen.push_back(ack.rtt); }
};

void spray(host::Profile& p) {
  p.balancing.kind = host::Balancing::ops;
  p.recovery = {.kind = host::RecoveryKind::sack, .reordering = 1_ms};
}

Scenario two_leaves_of(std::uint32_t planes, std::uint32_t tors, std::uint32_t host_links = 1) {
  Scenario s;
  s.topology = build(net::LeafSpine{
      .leaves = 2, .spines = 2, .hosts_per_leaf = 2, .planes = planes, .tors = tors, .host_links = host_links});
  s.profiles = {unlimited()};
  s.host = {.rate_tolerance = 0, .send_jitter = 0};
  return s;
}

// A flow that keeps to a port has the rates of that, one that sprays those of all, and both at most the NIC's.
TEST(DerivedOfPorts, RatesThatAlgorithmsAreTold) {
  static const cc::Algorithm algorithm = cc::describe<FactsReader>();
  const auto rates = [](bool sprayed, Rate nic) {
    Scenario s = two_leaves_of(2, 2);
    s.profiles = {profile(algorithm)};
    if (sprayed) spray(s.profiles[0]);
    s.host.nic_rate = nic;
    s.add_flow(0, 3, 10_KB);
    FactsReader::seen.clear();
    EXPECT_EQ(run(s).flows.size(), 1u);
    const cc::FlowFacts facts = FactsReader::seen.at(0);
    return std::pair(facts.line_rate, facts.path_rate);
  };
  EXPECT_EQ(rates(false, Rate{}), std::pair(100_Gbps, 100_Gbps));
  EXPECT_EQ(rates(true, Rate{}), std::pair(400_Gbps, 400_Gbps));
  EXPECT_EQ(rates(false, 250_Gbps), std::pair(100_Gbps, 100_Gbps));
  EXPECT_EQ(rates(true, 250_Gbps), std::pair(250_Gbps, 250_Gbps));
  EXPECT_EQ(rates(false, 40_Gbps), std::pair(40_Gbps, 40_Gbps));
}

// Alone in the network a flow takes its ideal time if it keeps to a port. If it takes all in turn, that is the least
// that their rates together allow, and a port may have half a packet more to send than its share.
TEST(DerivedOfPorts, IdealTimesAreThoseOfAFlowAlone) {
  for (const std::uint32_t links : {2u, 3u, 4u})
    for (const bool sprayed : {false, true})
      for (const Bytes size : {500_B, 1_KB, 7_KB, 64_KB, 1'000'500_B}) {
        Scenario s;
        s.topology = build(net::Star{.hosts = 2, .planes = links});
        s.profiles = {unlimited()};
        if (sprayed) spray(s.profiles[0]);
        s.host = {.rate_tolerance = 0, .send_jitter = 0};
        s.add_flow(0, 1, size);
        const auto model = s.model();
        const Time ideal = model->paths.ideal_fct(0, 1, size, model->framing(model->profiles[0]));
        const Time finish = run(s).flows.at(0).finish;
        const Time more = sprayed && size > 64_KB ? transmission_time(1'048_B, 100_Gbps) : Time{};
        EXPECT_GE(finish, ideal) << links << " links, " << size.count << " B";
        EXPECT_LE(finish, ideal + more) << links << " links, " << size.count << " B, " << sprayed;
      }
}

// Of messages that spray all links of a host are busy at once, so bounds are those of their rates together; of those
// that keep to a port they are no higher.
TEST(DerivedOfPorts, BoundsAreThoseOfAllLinks) {
  const auto found = [](bool sprayed, std::uint32_t senders) {
    Scenario s;
    s.topology = build(net::Star{.hosts = 5, .planes = 2});
    s.profiles = {unlimited()};
    if (sprayed) spray(s.profiles[0]);
    s.host = {.rate_tolerance = 0, .send_jitter = 0};
    std::vector<traffic::Program::Node> nodes;
    for (std::uint32_t h = 0; h < senders; ++h) nodes.push_back({.src = h, .dst = 4, .size = 1_MB});
    s.program = traffic::Program(std::move(nodes), {}, 0);
    Time last;
    for (const NodeTimes& t : run(s).nodes) last = std::max(last, t.received);
    const auto model = s.model();
    const Time bound = completion_bounds(*model, s.program).at(0).received;
    EXPECT_LE(bound, last);
    return std::pair(bound, last);
  };
  // 1,000 packets of 1,048 B at 200 Gb/s, 41.92 us, and the way.
  const auto [one, alone] = found(true, 1);
  EXPECT_EQ(one, alone);
  EXPECT_GT(one, 43_us);
  EXPECT_LT(one, 45_us);
  const auto [four, together] = found(true, 4);
  EXPECT_GT(four, 4 * 41_us);
  EXPECT_GT(four, together * 95 / 100);
  EXPECT_EQ(found(false, 1).first, found(false, 1).second);
  EXPECT_GT(found(false, 1).first, 85_us);
}

// Messages that are skipped count as using all ports by which their packets may go.
TEST(DerivedOfPorts, MessagesShareTheirPorts) {
  Scenario s = two_leaves_of(2, 1);
  s.profiles = {unlimited(), unlimited()};
  spray(s.profiles[1]);
  const auto model = s.model();
  std::set<std::uint32_t> first;
  for (std::uint32_t n = 0; n < 32; ++n) {
    const std::uint32_t entropy = mix32(n);
    const auto ports = data_ports(*model, 0, 3, entropy, 0);
    ASSERT_EQ(ports.size(), 4u);
    EXPECT_EQ(ports.front(), model->routing.nic(0, 3, entropy));
    first.insert(ports.front());
  }
  EXPECT_EQ(first.size(), 2u);
  // Two planes of a leaf's port to each of two spines, back to the other leaf, and to the host.
  EXPECT_EQ(data_ports(*model, 0, 3, 0, 1).size(), 2u * (1 + 2 + 2 + 1));
}

// What a host answers leaves by the port by which the data came.
TEST(DerivedOfPorts, AnswersLeaveByThePortOfTheirData) {
  for (const auto lane : {std::uint16_t{0}, std::uint16_t{1}}) {
    Scenario s = two_leaves_of(2, 1);
    s.profiles[0].balancing.ports = host::PortChoice::lane;
    s.add_flow(0, 3, 100_KB);
    s.flows.back().sport = lane;
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {});
    simulation.advance();
    for (const std::size_t other : {0u, 1u}) {
      const auto sent = [&](std::uint32_t host) {
        return simulation.port_figures(model->routing.ports_of(host)[other]).sent_bytes;
      };
      EXPECT_EQ(sent(0), other == lane ? 104'800u : 0u);
      EXPECT_EQ(sent(3), other == lane ? 6'000u : 0u);
    }
  }
}

// Or by the one that the answer's own hash names, or by whichever is idle: a flow that keeps to one port has all its
// acknowledgements on one, or on both in equal shares. Nothing is lost of them, and the flow is as quick.
TEST(DerivedOfPorts, AnswersMayChooseTheirPort) {
  const auto of = [](host::AnswerPorts choice, std::uint16_t sport) {
    Scenario s = two_leaves_of(2, 1);
    s.profiles[0].balancing.answer_ports = choice;
    s.add_flow(0, 3, 100_KB);
    s.flows.back().sport = sport;
    s.flows.back().dport = 7;
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {});
    simulation.advance();
    std::vector<std::uint64_t> sent;
    for (const std::uint32_t port : model->routing.ports_of(3))
      sent.push_back(simulation.port_figures(port).sent_bytes);
    return sent;
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // ports of data and of answers
  for (std::uint16_t sport = 1; sport <= 16; ++sport) {
    const auto model = two_leaves_of(2, 1).model();
    const std::uint32_t entropy = model->entropy_of(0, 3, sport, 7, 0);
    const auto place = [&](std::uint32_t src, std::uint32_t dst, std::uint32_t with) {
      const auto ports = model->routing.ports_of(src);
      return static_cast<std::uint32_t>(std::find(ports.begin(), ports.end(), model->routing.nic(src, dst, with)) -
                                        ports.begin());
    };
    const std::uint32_t answers = place(3, 0, net::answer_entropy(entropy));
    seen.emplace(place(0, 3, entropy), answers);
    EXPECT_EQ(of(host::AnswerPorts::hash, sport),
              (std::vector<std::uint64_t>{answers == 0 ? 6'000u : 0u, answers == 1 ? 6'000u : 0u}));
    EXPECT_EQ(of(host::AnswerPorts::free, sport), (std::vector<std::uint64_t>{3'000, 3'000}));
  }
  EXPECT_EQ(seen.size(), 4u);
}

// Answers that take whichever port is idle do not wait behind data of their host while another port has none: a flow
// that keeps to one port leaves the other one to acknowledgements of what comes to its host.
TEST(DerivedOfPorts, AnswersByAnIdlePortDoNotWaitForData) {
  const auto rtt = [](host::AnswerPorts choice) {
    static const cc::Algorithm algorithm = cc::describe<RttReader>();
    Scenario s = two_leaves_of(2, 1);
    s.profiles = {unlimited(), profile(algorithm)};
    for (auto& p : s.profiles) p.balancing.ports = host::PortChoice::lane;
    s.profiles[1].balancing.answer_ports = choice;
    s.add_flow(3, 1, 10_MB);           // by port 0, which it keeps busy
    s.add_flow(0, 3, 2_KB, 50_us, 1);  // by port 0 as well
    RttReader::seen.clear();
    run(s);
    return RttReader::seen.at(0);
  };
  EXPECT_GT(rtt(host::AnswerPorts::data), rtt(host::AnswerPorts::free));
}

// One port is the data's, the hash's and the one that is free.
TEST(DerivedOfPorts, AnswersOfHostsOfOnePortAreTheSameWhatever) {
  Scenario s = two_leaves_of(1, 1);
  for (std::uint32_t h = 0; h < 4; ++h) s.add_flow(h, (h + 1) % 4, 300_KB);
  const Outcome out = run(s);
  for (const auto choice : {host::AnswerPorts::hash, host::AnswerPorts::free}) {
    s.profiles[0].balancing.answer_ports = choice;
    EXPECT_EQ(difference(out, run(s)), "");
  }
}

// A port that leads nowhere gets no answers, and where data's own port does, the answers of the others still come.
TEST(DerivedOfPorts, AnswersTakePortsThatLead) {
  for (const auto choice : {host::AnswerPorts::hash, host::AnswerPorts::free}) {
    Scenario s = two_leaves_of(1, 2);
    s.profiles[0].balancing.answer_ports = choice;
    s.transport.min_rto = 100_us;
    const auto model = s.model();
    s.faults.link_events = {{.time = 20_us, .a = 3, .b = s.topology.port_peer(model->routing.ports_of(3)[1])}};
    for (std::uint16_t port = 0; port < 8; ++port) {
      s.add_flow(0, 3, 500_KB);
      s.flows.back().sport = port;
    }
    const Outcome out = run(s);
    EXPECT_EQ(out.flows.size(), 8u);
    for (const Way& way :
         {Way{.scheduler = SchedulerKind::wheel}, Way{.port = net::PortKind::queued}, Way{.threads = 2}})
      EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
  }
}

// A host that stalls sends by none of its ports.
TEST(DerivedOfPorts, AStalledHostHoldsAllPorts) {
  Scenario s = two_leaves_of(1, 2);
  spray(s.profiles[0]);
  s.add_flow(0, 3, 10_MB);
  s.faults.host_pauses = {{.host = 0, .start = 100_us, .duration = 60_us}};
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  const auto sent = [&] {
    std::vector<std::uint64_t> out;
    for (const std::uint32_t port : model->routing.ports_of(0)) out.push_back(simulation.port_figures(port).sent_bytes);
    return out;
  };
  simulation.advance(100_us);
  const auto before = sent();
  ASSERT_EQ(before.size(), 2u);
  for (const std::uint64_t bytes : before) EXPECT_GT(bytes, 1'000'000u);
  simulation.advance(160_us);
  EXPECT_EQ(sent(), before);
  simulation.advance(170_us);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_GT(sent()[i], before[i] + 100'000);
  const Outcome out = run(s);
  EXPECT_EQ(out.flows.size(), 1u);
  for (const Way& way : {Way{.scheduler = SchedulerKind::wheel}, Way{.threads = 2}})
    EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
}

// An event of the link between two nodes is one of all links between them, unless it names one.
TEST(DerivedOfPorts, ParallelLinksGoDownTogether) {
  Scenario s = two_leaves_of(1, 1, 2);
  s.faults.link_events = {{.time = 10_us, .a = 0, .b = 4}};
  s.add_flow(0, 3, 10_MB);
  s.add_flow(1, 2, 1_MB);
  EXPECT_EQ(s.model()->faults.links.size(), 2u);
  const Outcome out = run(s);
  ASSERT_TRUE(out.stall);
  EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off);
  EXPECT_EQ(out.flows.size(), 1u);

  // Or of one of them, by its place: the flow goes on by the other one.
  for (const std::uint32_t place : {1u, 2u}) {
    s.faults.link_events[0].parallel = place;
    const auto model = s.model();
    ASSERT_EQ(model->faults.links.size(), 1u);
    EXPECT_EQ(model->faults.links.begin()->first, model->routing.ports_of(0)[place - 1] / 2);
    EXPECT_EQ(run(s).flows.size(), 2u);
    s.faults.loss = {{fmt::format("0-4#{}", place), 0.5}};
    EXPECT_EQ(s.model()->faults.links.size(), 1u);
    s.faults.loss = {{fmt::format("0-4#{}", 3 - place), 0.5}};
    EXPECT_EQ(s.model()->faults.links.size(), 2u);
    s.faults.loss.clear();
  }
  const auto complaint = [&]() -> std::string {
    try {
      s.model();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  s.faults.link_events[0].parallel = 3;
  EXPECT_EQ(complaint(),
            "network.link_event.0.parallel: there is no link 0-4 number 3; valid is 1 to 2, or all of them without a "
            "number");
  s.faults.link_events.clear();
  for (const char* name : {"0-4#0", "0-4#", "0-4#x"}) {
    s.faults.loss = {{name, 0.5}};
    EXPECT_NE(complaint().find("names no links"), std::string::npos) << name;
  }
}

// Host 0 has lost the second of two planes and host 3 the first one: hosts forward nothing, so nothing goes from the
// one to the other, though both reach all others.
TEST(DerivedOfPorts, PlanesThatDoNotMeetCutFlowsOff) {
  for (const bool sprayed : {false, true})
    for (const bool reroute : {true, false}) {
      Scenario s = two_leaves_of(2, 1);
      if (sprayed) spray(s.profiles[0]);
      s.transport.min_rto = 100_us;
      s.network.reroute = reroute;
      const auto leaf = [&](std::uint32_t host, std::size_t plane) {
        const auto model = s.model();
        return s.topology.port_peer(model->routing.ports_of(host)[plane]);
      };
      s.faults.link_events = {{.time = 20_us, .a = 0, .b = leaf(0, 1)}, {.time = 20_us, .a = 3, .b = leaf(3, 0)}};
      s.add_flow(0, 3, 2_MB);
      s.add_flow(3, 0, 2_MB);
      if (reroute) s.add_flow(0, 2, 2_MB);
      if (reroute) s.add_flow(1, 3, 2_MB);
      const Outcome out = run(s);
      ASSERT_TRUE(out.stall);
      EXPECT_EQ(out.stall->kind, Stall::Kind::cut_off);
      std::set<std::uint64_t> never;
      for (const StuckFlow& flow : out.stall->flows) never.insert(flow.id);
      EXPECT_EQ(never, (std::set<std::uint64_t>{0, 1})) << sprayed << reroute;
      for (const Way& way : {Way{.port = net::PortKind::queued}, Way{.threads = 2, .step = 30_us}})
        EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
    }
}

// The NIC's rate holds for all ports of each host, on several threads and by either way of taking events.
TEST(DerivedOfPorts, TheRateOfNicsIsTheSameOnAnyThreads) {
  for (const host::PortChoice choice : {host::PortChoice::free, host::PortChoice::entropy}) {
    Scenario s = two_leaves_of(2, 2);
    s.profiles = {profile("nscc")};
    s.ecn = {.enabled = true, .k_min = {50'000}, .k_max = {200'000}, .p_max = 1};
    spray(s.profiles[0]);
    s.profiles[0].balancing.kind = host::Balancing::reps;
    s.profiles[0].balancing.ports = choice;
    s.host = {.nic_rate = 150_Gbps};
    for (std::uint32_t h = 0; h < 4; ++h) s.add_flow(h, (h + 2) % 4, 2_MB, Time{1'000'000 * h});
    const Outcome out = run(s);
    ASSERT_EQ(out.flows.size(), 4u);
    const Time least = transmission_time(Bytes{2'000 * 1'048}, 150_Gbps);
    for (const auto& f : out.flows) EXPECT_GT(f.finish - f.start, least);
    for (const Way& way : {Way{.scheduler = SchedulerKind::wheel}, Way{.scheduler = SchedulerKind::heap},
                           Way{.port = net::PortKind::queued}, Way{.threads = 2}, Way{.threads = 4, .step = 30_us}})
      EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
  }
}

}  // namespace
}  // namespace weir::engine::derived_of_ports_test
