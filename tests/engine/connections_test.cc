// Messages that share connections, and drivers that send them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/random_driver.h"
#include "tests/engine/scenario.h"
#include "tests/support/thread_ranks.h"
#include "weir/base/archive.h"
#include "weir/base/error.h"

namespace weir::engine::connections_test {
namespace {

using namespace literals;
using host::ConnectionKind;
using host::IdleRule;
using host::RecoveryKind;
using traffic::Event;
using traffic::Program;

Program::Node message(std::uint32_t src, std::uint32_t dst, Bytes size, Time delay = {}) {
  return {.src = src, .dst = dst, .size = size, .delay = delay};
}

// Those of the catalogue that decide by themselves.
std::vector<std::string> algorithms() {
  std::vector<std::string> names;
  for (const cc::Algorithm& a : cc::catalogue())
    if (!cc::has(a.about.needs, cc::Needs::decisions)) names.emplace_back(a.about.name);
  return names;
}

Outcome run_kept(Scenario s, const Way& way = {}) {
  s.transport.connections = ConnectionKind::kept;
  return run(s, way);
}

// What both have sent and received, and when.
std::string difference_of_messages(const Outcome& a, const Outcome& b) {
  Outcome x = a;
  Outcome y = b;
  for (Outcome* o : {&x, &y}) {
    o->digest = 0;
    o->samples.clear();
  }
  return difference(x, y);
}

// Eight hosts send to two others, by a leaf-spine whose queues mark and drop.
Scenario congested(std::string_view algorithm, RecoveryKind recovery) {
  Scenario s = two_leaves(5);
  s.profiles = {profile(algorithm)};
  s.profiles[0].recovery.kind = recovery;
  s.transport.min_rto = 100_us;
  s.ecn.enabled = true;
  s.ecn.k_min = 20_KB;
  s.ecn.k_max = 60_KB;
  s.ecn.p_max = 0.5;
  s.buffer.mode = net::BufferMode::lossy;
  s.buffer.size = 200_KB;
  s.faults.loss.push_back({"all", 0.003});
  s.stop = 1_s;
  return s;
}

class AnyAlgorithm : public testing::TestWithParam<std::string> {};

// C1.
TEST_P(AnyAlgorithm, AConnectionWithOneMessageIsAFlow) {
  for (const RecoveryKind recovery : {RecoveryKind::go_back_n, RecoveryKind::irn, RecoveryKind::sack}) {
    Scenario s = congested(GetParam(), recovery);
    std::vector<Program::Node> nodes;
    constexpr Bytes kSizes[] = {1_B, 999_B, 1'000_B, 1'001_B, 64'000_B, 123'457_B, 400'001_B, 500'000_B};
    for (std::uint32_t src = 0; src < 8; ++src)
      for (std::uint32_t dst = 8; dst < 10; ++dst)
        nodes.push_back(message(src, dst, kSizes[(src + 3 * dst) % 8], Time{src % 3 * 1'000'000}));
    s.program = Program(nodes, {}, 0);
    const Outcome flows = run(s);
    EXPECT_EQ(flows.flows.size(), nodes.size());
    EXPECT_EQ(difference_of_messages(flows, run_kept(s)), "") << static_cast<int>(recovery);
  }
}

// C2: what is sent at once is as one whole. Messages have numbers, of which random choices of algorithms follow; nodes
// that do nothing let both have the same.
TEST_P(AnyAlgorithm, MessagesOfWholePacketsAreAsOne) {
  for (const RecoveryKind recovery : {RecoveryKind::go_back_n, RecoveryKind::irn, RecoveryKind::sack}) {
    std::vector<Program::Node> whole;
    std::vector<Program::Node> parts;
    for (std::uint32_t src = 0; src < 8; ++src)
      for (const Bytes size : {1'000_B, 99'000_B, 20'000_B, 80'000_B}) {
        whole.push_back(whole.size() % 4 == 0 ? message(src, 8, 200_KB) : message(src, src, {}));
        parts.push_back(message(src, 8, size));
      }
    for (auto* nodes : {&whole, &parts})
      for (Program::Node& node : *nodes) node.sport = node.dport = 1;
    Scenario s = congested(GetParam(), recovery);
    s.program = Program(whole, {}, 0);
    const Outcome one = run_kept(s);
    s.program = Program(parts, {}, 0);
    const Outcome many = run_kept(s);
    for (std::size_t first = 0; first < parts.size(); first += 4) {
      EXPECT_EQ(many.nodes[first + 3].received, one.nodes[first].received);
      EXPECT_EQ(many.nodes[first + 3].sent, one.nodes[first].sent);
    }
    EXPECT_EQ(many.counters.data_packets, one.counters.data_packets);
    EXPECT_EQ(many.counters.retransmitted, one.counters.retransmitted);
  }
}

// Two messages, of which the second starts so long after the acknowledgement of the first; how long it takes.
Time second_takes(const std::string& algorithm, IdleRule idle, Time pause, Time* first = nullptr) {
  Scenario s;
  s.topology = build(net::Star{2, 100_Gbps, 10_us});
  s.profiles = {profile(algorithm)};
  s.profiles[0].recovery.kind = RecoveryKind::sack;
  s.transport.min_rto = 1_ms;
  s.transport.idle = idle;
  s.ecn.enabled = true;
  s.ecn.k_min = 5_KB;
  s.ecn.k_max = 10_KB;
  s.ecn.p_max = 1;
  s.program = Program({message(0, 1, 2'000'500_B), message(0, 1, 2'000'500_B, pause)}, {{{0, Event::sent, 1}}}, 0);
  for (Program::Node& node : s.program.nodes()) node.sport = node.dport = 1;
  const Outcome o = run_kept(s);
  if (first != nullptr) *first = o.nodes[0].sent;
  return o.nodes[1].sent - o.nodes[1].started;
}

// C5. The last packet leaves a round trip before its acknowledgement comes.
TEST_P(AnyAlgorithm, AConnectionThatHasRestedBeginsAnew) {
  Time first;
  const Time anew = second_takes(GetParam(), IdleRule::restart, 1_ms, &first);
  EXPECT_EQ(anew, first);
  EXPECT_EQ(second_takes(GetParam(), IdleRule::restart, 3_ms), first);
  EXPECT_EQ(second_takes(GetParam(), IdleRule::restart, 500_us), second_takes(GetParam(), IdleRule::keep, 500_us));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, AnyAlgorithm, testing::ValuesIn(algorithms()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// The pause counts from the last packet, to the picosecond.
TEST(Connections, RestAtLeastATimeout) {
  Time first;
  second_takes("newreno", IdleRule::keep, 500_us, &first);
  const Time kept = second_takes("newreno", IdleRule::keep, 500_us);
  EXPECT_LT(kept, first);
  // 100 Gb/s is 80 ps per byte. The last packet has 548 bytes on the wire, its acknowledgement 60, and the one before
  // it has 500 more.
  const Time round_trip = 40_us + (2 * (548 + 60) + 500) * Time{80};
  const Time pause = 1_ms - round_trip;
  EXPECT_EQ(second_takes("newreno", IdleRule::restart, pause), first);
  EXPECT_EQ(second_takes("newreno", IdleRule::restart, pause - Time{1}), kept);
}

// C3.
TEST(Connections, AFixedWindowDoesNotNoticeThem) {
  for (const Bytes segment : {4'096_B, 125'001_B}) {
    Scenario s;
    s.topology = build(net::Star{8, 400_Gbps, 500_ns});
    s.profiles = {profile("fixed-window")};
    std::vector<Program::Node> nodes;
    std::vector<Program::Edge> edges;
    for (std::uint32_t step = 0; step < 14; ++step)
      for (std::uint32_t rank = 0; rank < 8; ++rank) {
        const auto node = static_cast<std::uint32_t>(nodes.size());
        if (step > 0) edges.push_back({node - 8 - rank + (rank + 7) % 8, Event::received, node});
        nodes.push_back(message(rank, (rank + 1) % 8, segment));
        nodes.back().sport = nodes.back().dport = 9;
      }
    s.program = Program(nodes, edges, 0);
    EXPECT_EQ(difference_of_messages(run(s), run_kept(s)), "");
  }
}

// Each byte crosses each link once, and no packet is larger than it has to be.
TEST(Connections, SendWhatThereIs) {
  for (const RecoveryKind recovery : {RecoveryKind::go_back_n, RecoveryKind::irn, RecoveryKind::sack}) {
    Scenario s;
    s.topology = build(net::Star{2, 100_Gbps, 1_us});
    s.profiles = {profile("fixed-window")};
    s.profiles[0].recovery.kind = recovery;
    std::vector<Program::Node> nodes;
    std::int64_t wire = 0;
    for (std::int64_t i = 0; i < 300; ++i) {
      const Bytes size{1 + i * i * 37 % 5'000};
      nodes.push_back(message(0, 1, size, Time{i % 7 * 333'000}));
      nodes.back().sport = nodes.back().dport = 1;
      wire += size.count + (size.count + 999) / 1'000 * 48;
    }
    s.program = Program(nodes, {}, 0);
    s.transport.connections = ConnectionKind::kept;
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {});
    simulation.every(777_ns, [&](Time) { EXPECT_EQ(simulation.broken_invariant(), ""); });
    EXPECT_TRUE(simulation.advance());
    EXPECT_EQ(simulation.counters().retransmitted, 0u);
    EXPECT_EQ(static_cast<std::int64_t>(simulation.port_figures(0).sent_bytes), wire);
  }
}

// A small message first: what may be sent beyond a missing byte does not depend on it.
TEST(Connections, DoNotDependOnTheirFirstMessage) {
  Scenario s;
  s.topology = build(net::Star{2, 100_Gbps, 10_us});
  s.profiles = {unlimited()};
  s.profiles[0].recovery.kind = RecoveryKind::sack;
  s.program = Program({message(0, 1, 1_B), message(0, 1, 1_MB)}, {{{0, Event::sent, 1}}}, 0);
  for (Program::Node& node : s.program.nodes()) node.sport = node.dport = 1;
  EXPECT_EQ(difference_of_messages(run(s), run_kept(s)), "");
}

// DCQCN's timers do not go on while there is nothing to send; when there is, it is as if they had.
TEST(Connections, RestWithoutTimers) {
  Scenario s;
  s.topology = build(net::Star{4, 100_Gbps, 1_us});
  s.profiles = {profile("dcqcn")};
  s.ecn.enabled = true;
  s.ecn.k_min = 5_KB;
  s.ecn.k_max = 10_KB;
  s.ecn.p_max = 1;
  s.program = Program({message(0, 3, 2_MB), message(1, 3, 2_MB), message(2, 3, 2_MB)}, {}, 0);
  s.add_flow(0, 1, 1_B, 50_ms);
  s.transport.connections = ConnectionKind::kept;
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {.scheduler = SchedulerKind::heap});
  simulation.advance(5_ms);
  EXPECT_EQ(simulation.counters().flows_completed, 3u);
  EXPECT_GT(simulation.counters().cnps, 0u);
  const std::uint64_t events = simulation.counters().events;
  simulation.advance(49_ms);
  EXPECT_LE(simulation.counters().events, events + 3);
  EXPECT_TRUE(simulation.advance());
  EXPECT_EQ(simulation.counters().flows_completed, 4u);
}

TEST(Connections, OfDcqcnAreFasterTheLongerTheyRest) {
  const auto second_takes_after = [](Time pause) {
    Scenario s;
    s.topology = build(net::Star{4, 100_Gbps, 1_us});
    s.profiles = {profile("dcqcn")};
    s.ecn.enabled = true;
    s.ecn.k_min = 5_KB;
    s.ecn.k_max = 10_KB;
    s.ecn.p_max = 1;
    s.program = Program({message(0, 3, 2_MB), message(1, 3, 2_MB), message(2, 3, 2_MB), message(0, 3, 1_MB, pause)},
                        {{{0, Event::sent, 3}, {1, Event::sent, 3}, {2, Event::sent, 3}}}, 0);
    for (Program::Node& node : s.program.nodes()) node.sport = node.dport = 1;
    const Outcome o = run_kept(s);
    return o.nodes[3].received - o.nodes[3].started;
  };
  const Time at_line_rate = 2_us + 1'001 * 1'048 * Time{80};
  const Time soon = second_takes_after(10_us);
  const Time later = second_takes_after(5_ms);
  EXPECT_GT(soon, later);
  EXPECT_GT(later, at_line_rate);
  EXPECT_EQ(second_takes_after(1_s), at_line_rate);
}

// Random networks, faults and ways of sending, with hosts that are driven.
Scenario driven_scenario(std::uint64_t seed, ConnectionKind connections) {
  Scenario s = random_scenario(seed);
  for (host::Profile& p : s.profiles) p.unsolicited = {};
  s.transport.connections = connections;
  s.transport.idle = seed % 2 == 0 ? IdleRule::keep : IdleRule::restart;
  const bool kept = connections == ConnectionKind::kept;
  s.driver = std::make_shared<RandomDriver>(
      RandomDriver::Params{.hosts = s.topology.hosts,
                           .profiles = static_cast<std::uint16_t>(s.profiles.size()),
                           .messages = static_cast<std::uint32_t>(2 + 100 / s.topology.hosts),
                           .largest = {std::int64_t{2'000} << seed % 7},
                           .posts = seed % 3 == 0,
                           .scale_up = {.group = s.topology.hosts % 2 == 0 && seed % 4 < 2 ? 2u : 1u,
                                        .latency = seed % 4 == 0 ? 500_ns : 3_us},
                           .in_order = kept,
                           .seed = seed});
  s.text += fmt::format(", driven, {}", kept ? "connections" : "flows");
  return s;
}

class Driven : public testing::TestWithParam<std::uint64_t> {
 protected:
  Scenario scenario(ConnectionKind kind) const { return driven_scenario(GetParam(), kind); }
};

constexpr ConnectionKind kKinds[] = {ConnectionKind::message, ConnectionKind::kept};

// C4 and D1.
TEST_P(Driven, AllWaysAgree) {
  for (const ConnectionKind kind : kKinds) {
    const Scenario s = scenario(kind);
    SCOPED_TRACE(s.text);
    const Outcome plain = run(s, {net::PortKind::queued, SchedulerKind::heap, 1});
    EXPECT_GT(plain.flows.size(), 0u);
    constexpr Way kWays[] = {
        {net::PortKind::fifo, SchedulerKind::automatic, 1}, {net::PortKind::fifo, SchedulerKind::wheel, 1},
        {net::PortKind::fifo, SchedulerKind::heap, 1},      {net::PortKind::fifo, SchedulerKind::automatic, 2},
        {net::PortKind::queued, SchedulerKind::heap, 2},    {net::PortKind::fifo, SchedulerKind::automatic, 4},
    };
    for (const Way& way : kWays) EXPECT_EQ(difference(plain, run(s, way)), "") << name_of(way);
  }
}

// Of a run that is whole, or is saved and goes on in another one as often as `pieces` says.
struct Seen {
  std::vector<host::FlowRecord> flows;
  std::vector<std::uint64_t> digests;
  std::string broken;
};
Seen in_pieces(const Scenario& s, Time piece, bool saved) {
  Seen out;
  const auto model = s.model();
  constexpr RunOptions kOptions[] = {{.threads = 1},
                                     {.threads = 1, .scheduler = SchedulerKind::wheel},
                                     {.threads = 1, .scheduler = SchedulerKind::heap}};
  std::unique_ptr<traffic::Traffic> traffic;
  std::unique_ptr<Simulation> simulation;
  std::string state;
  for (std::size_t i = 0;; ++i) {
    if (simulation == nullptr || saved) {
      simulation = nullptr;
      traffic = s.traffic();
      RunOptions options = kOptions[i % 3];
      options.stop = s.stop;
      simulation = std::make_unique<Simulation>(*model, *traffic, options);
      simulation->on_finish([&](const host::FlowRecord& r) { out.flows.push_back(r); }, FinishCalls::later);
      if (i > 0) {
        Loader loader(state);
        simulation->load(loader);
        EXPECT_TRUE(loader.at_end());
      }
    }
    const bool ended = simulation->advance(static_cast<std::int64_t>(i + 1) * piece);
    if (const std::string broken = simulation->broken_invariant(); !broken.empty()) out.broken = broken;
    out.digests.push_back(simulation->state_digest());
    if (ended) return out;
    Saver saver;
    simulation->save(saver);
    state = saver.take();
  }
}

// Each message is traced as a flow: its packets carry it once, from its first byte on, between its start and its end.
TEST_P(Driven, TracesTellMessagesApart) {
  const Scenario s = scenario(ConnectionKind::kept);
  SCOPED_TRACE(s.text);
  struct Course {
    Bytes size;
    Time started;
    Time ended = Time::max();
    std::int64_t sent = 0;
  };
  std::map<std::uint64_t, Course> flows;
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {.stop = s.stop, .traced = true});
  std::vector<host::FlowRecord> records;
  simulation.on_finish([&](const host::FlowRecord& r) { records.push_back(r); }, FinishCalls::later);
  const auto see = [&](const net::TraceEvent& event) {
    if (event.kind == net::EventKind::started) {
      EXPECT_TRUE(flows.try_emplace(event.flow, Course{event.first, event.time}).second) << event.flow;
      return;
    }
    if (net::is_of_port(event.kind) || event.packet.is_control() || event.flow == net::kNoFlow) return;
    Course& flow = flows.at(event.flow);
    EXPECT_GE(event.time, flow.started);
    const net::PacketView& p = event.packet;
    if (event.kind == net::EventKind::ended) flow.ended = event.time;
    EXPECT_TRUE(event.kind != net::EventKind::told_loss || event.first < flow.size);
    const bool at_sender = model->topology.port_owner(event.port) == event.src;
    if (event.kind != net::EventKind::accepted || !at_sender || p.kind != net::PacketKind::data) return;
    EXPECT_EQ(flow.ended, Time::max());
    EXPECT_LE(p.seq, flow.sent);
    EXPECT_TRUE(p.payload == model->transport.payload.count || p.seq + p.payload == flow.size.count);
    flow.sent = std::max(flow.sent, p.seq + p.payload);
  };
  simulation.trace(
      {}, [&](net::TraceEvents events) { std::for_each(events.begin(), events.end(), see); },
      net::Telling::between_epochs);
  while (!simulation.advance()) {
  }
  EXPECT_EQ(flows.size(), simulation.counters().flows_started);
  std::size_t ended = 0;
  for (const auto& [id, flow] : flows)
    if (flow.ended != Time::max()) {
      ++ended;
      EXPECT_EQ(flow.sent, flow.size.count) << id;
    }
  EXPECT_EQ(ended, simulation.counters().flows_completed);
  for (const host::FlowRecord& r : records) {
    EXPECT_EQ(flows.at(r.id).started, r.start);
    EXPECT_EQ(flows.at(r.id).ended, r.finish);
    EXPECT_EQ(flows.at(r.id).size, r.size);
  }
  simulation.for_each_active([&](const host::FlowView& view) {
    EXPECT_EQ(flows.at(view.id).ended, Time::max());
    EXPECT_EQ(flows.at(view.id).size, view.size);
    EXPECT_LE(view.in_order, view.next);
    EXPECT_LE(view.next, view.sent);
    EXPECT_LE(view.sent, view.size);
  });
}

TEST_P(Driven, GoesOnFromACheckpoint) {
  for (const ConnectionKind kind : kKinds) {
    const Scenario s = scenario(kind);
    SCOPED_TRACE(s.text);
    const auto model = s.model();
    const auto traffic = s.traffic();
    const Time epoch = Simulation(*model, *traffic, {}).epoch();
    const Time piece = (20_us / epoch + 1) * epoch;
    const Seen whole = in_pieces(s, piece, false);
    const Seen pieces = in_pieces(s, piece, true);
    EXPECT_EQ(whole.broken, "");
    EXPECT_EQ(pieces.broken, "");
    EXPECT_EQ(whole.digests, pieces.digests);
    ASSERT_EQ(whole.flows.size(), pieces.flows.size());
    for (std::size_t i = 0; i < whole.flows.size(); ++i) {
      EXPECT_EQ(whole.flows[i].id, pieces.flows[i].id);
      EXPECT_EQ(whole.flows[i].finish, pieces.flows[i].finish);
      EXPECT_EQ(whole.flows[i].retransmitted, pieces.flows[i].retransmitted);
    }
  }
}

class DrivenOnRanks : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DrivenOnRanks, HasTheResultOfOneProcess) {
  const std::uint64_t seed = GetParam();
  const Scenario s = driven_scenario(seed, kKinds[seed / 2 % 2]);
  SCOPED_TRACE(s.text);
  const Outcome alone = run(s);
  ThreadRanks(2 + seed % 2).run([&](Ranks& all) {
    EXPECT_EQ(difference(alone, run(s, {.ranks = &all})), "") << "rank " << all.rank();
  });
}

INSTANTIATE_TEST_SUITE_P(Random, DrivenOnRanks, testing::Range<std::uint64_t>(0, scenario_count(12)));
INSTANTIATE_TEST_SUITE_P(Random, Driven, testing::Range<std::uint64_t>(0, scenario_count(40)));

// C4: whatever is lost, each message is received once, in order, and whole (RandomDriver).
TEST(Connections, EveryMessageArrives) {
  for (const RecoveryKind recovery : {RecoveryKind::go_back_n, RecoveryKind::irn, RecoveryKind::sack})
    for (const bool sprayed : {false, true})
      for (const std::int64_t ack_every : {0, 4'000}) {
        if (!(recovery == RecoveryKind::go_back_n && sprayed)) {
          Scenario s = congested("dctcp", recovery);
          s.profiles.push_back(profile("dcqcn"));
          s.profiles[1].recovery.kind = recovery;
          for (host::Profile& p : s.profiles) {
            if (sprayed) p.balancing.kind = host::Balancing::reps;
            p.ack_every = {ack_every};
          }
          s.transport.ack_class = ack_every == 0 ? host::AckClass::data : host::AckClass::priority;
          s.transport.connections = ConnectionKind::kept;
          s.faults.loss = {{"all", 0.01}};
          s.topology = build(net::LeafSpine{2, 3, 3, 1, 100_Gbps, 100_Gbps, 1_us, 1_us, 1, 1, sprayed ? 2u : 1u});
          const RandomDriver::Params params{
              .hosts = 6, .profiles = 2, .messages = 40, .largest = 2_MB, .posts = true, .in_order = true, .seed = 7};
          const auto model = s.model();
          const auto traffic = s.traffic();
          Simulation simulation(*model, *traffic, {.stop = 1_s});
          auto driver = std::make_unique<RandomDriver>(params);
          const RandomDriver& seen = *driver;
          simulation.drive(std::move(driver));
          simulation.every(100_us, [&](Time) { ASSERT_EQ(simulation.broken_invariant(), ""); });
          EXPECT_TRUE(simulation.advance());
          EXPECT_LT(simulation.now(), 1_s);
          EXPECT_EQ(seen.messages_received(), 240u);
          EXPECT_EQ(seen.messages_sent(), 240u);
          EXPECT_GT(seen.bytes_received(), 50_MB);
          EXPECT_GT(simulation.counters().retransmitted, 0u);
          EXPECT_EQ(simulation.counters().flows_completed, 240u);
        }
      }
}

// Several epochs are taken as one only while there is something to send, and between messages there is not.
TEST(Connections, EndWithTheirLastMessage) {
  Scenario s = two_leaves(4);
  s.profiles = {unlimited()};
  s.transport.payload = 9'000_B;
  std::vector<Program::Node> nodes;
  for (std::uint32_t i = 0; i < 400; ++i) nodes.push_back(message(0, 5, 1_B));
  for (Program::Node& node : nodes) node.sport = node.dport = 1;
  s.program = Program(nodes, {}, 0);
  s.transport.connections = ConnectionKind::kept;
  const Outcome plain = run(s, {net::PortKind::queued, SchedulerKind::heap, 1});
  for (const std::uint32_t threads : {1u, 2u}) EXPECT_EQ(difference(plain, run(s, {.threads = threads})), "");
}

// The acknowledgements cannot return, but the first message may be received all the same, and then the next, as long as
// the window goes.
TEST(Connections, AreCutOffOnceNoMessageCanArrive) {
  for (const ConnectionKind kind : {ConnectionKind::message, ConnectionKind::kept}) {
    Scenario s;
    s.topology = build(net::Star{3, 100_Gbps, 1_us});
    s.profiles = {profile("fixed-window", {{"window", "3 KB"}})};
    s.transport.ack_header = {1'400};
    s.buffer = {.size = {1'300}, .mode = net::BufferMode::lossy};
    s.program = Program({message(0, 1, 1_B), message(0, 1, 2_KB), message(0, 1, 9_KB), message(1, 2, 1_B)},
                        {{{1, Event::received, 3}}}, 0);
    for (Program::Node& node : s.program.nodes()) node.sport = node.dport = 1;
    s.transport.connections = kind;
    const Outcome o = run(s);
    ASSERT_TRUE(o.stall.has_value());
    EXPECT_EQ(o.stall->kind, Stall::Kind::cut_off);
    EXPECT_NE(o.nodes[1].received, Time::max());
    EXPECT_NE(o.nodes[3].received, Time::max());
    EXPECT_EQ(o.nodes[0].sent, Time::max());
    EXPECT_EQ(o.stall->unfinished, 4u);
  }
}

// Sends one message of which something is wrong.
class WrongDriver final : public traffic::Driver {
 public:
  explicit WrongDriver(const traffic::Message& message) : message_(message) {}
  std::uint64_t tasks() const override { return 1; }
  void begin(traffic::Desk& desk) override {
    if (desk.host() == 0) desk.wake(5_us, 0);
  }
  void woken(traffic::Desk& desk, std::uint32_t) override { desk.send(message_); }
  std::unique_ptr<Driver> clone() const override { return std::make_unique<WrongDriver>(*this); }
  void archive(Saver&, std::uint32_t) override {}
  void archive(Loader&, std::uint32_t) override {}

 private:
  traffic::Message message_;
};

TEST(Drive, RefusesWrongMessages) {
  Scenario s = two_leaves(2);
  s.profiles = {profile("fixed-window")};
  const auto model = s.model();
  const traffic::Message wrong[] = {{.size = 0_B, .dst = 1},
                                    {.size = 1_B, .dst = 0},
                                    {.size = 1_B, .dst = 4},
                                    {.size = traffic::kMaxFlowSize + 1_B, .dst = 1},
                                    {.size = 1_B, .dst = 1, .profile = 1}};
  for (const std::uint32_t threads : {1u, 2u})
    for (const traffic::Message& message : wrong) {
      const auto traffic = s.traffic();
      Simulation simulation(*model, *traffic, {.threads = threads});
      simulation.drive(std::make_unique<WrongDriver>(message));
      EXPECT_THROW(simulation.advance(), InputError);
    }
}

TEST(Drive, TakesDriversBeforeTheRunOnly) {
  Scenario s;
  s.topology = build(net::Star{2, 100_Gbps, 1_us});
  s.profiles = {profile("fixed-window")};
  s.add_flow(0, 1, 1_MB);
  const auto model = s.model();
  const auto driver = [] { return std::make_unique<RandomDriver>(RandomDriver::Params{}); };
  {
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {});
    simulation.drive(driver());
    simulation.drive(driver());
    simulation.advance(10_us);
    EXPECT_THROW(simulation.drive(driver()), std::logic_error);
    EXPECT_TRUE(simulation.advance());
    EXPECT_EQ(simulation.counters().flows_completed, 1u + 2 * 60);
  }
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {.fast_forward = {}});
  EXPECT_THROW(simulation.drive(driver()), std::logic_error);
}

}  // namespace
}  // namespace weir::engine::connections_test
