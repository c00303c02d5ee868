// Single events of a run: what the tracer tells agrees with all that is counted otherwise, tracing changes nothing, and
// the events are the same whatever the ports, the scheduler and the threads.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>
#include <map>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using net::EventKind;
using net::TraceEvent;
using net::TraceEvents;

struct Traced {
  Traced(const Scenario& scenario, const Way& way, bool traced)
      : model(scenario.model(way.port)),
        traffic(scenario.traffic()),
        simulation(*model, *traffic,
                   {.threads = way.threads, .scheduler = way.scheduler, .stop = scenario.stop, .traced = traced}) {}

  std::unique_ptr<Model> model;
  std::unique_ptr<traffic::Traffic> traffic;
  Simulation simulation;
};

void look(Traced& run, net::TraceFilter filter, const std::function<void(const TraceEvent&)>& at_event) {
  run.simulation.trace(std::move(filter), [&](TraceEvents some) { std::for_each(some.begin(), some.end(), at_event); });
  while (!run.simulation.advance()) {
  }
}

std::vector<TraceEvent> events_of(Traced& run, net::TraceFilter filter = {}) {
  std::vector<TraceEvent> events;
  look(run, std::move(filter), [&](const TraceEvent& event) { events.push_back(event); });
  return events;
}

std::string text_of(const TraceEvent& e) {
  const net::PacketView& p = e.packet;
  return fmt::format(
      "{} {} port {} flow {} queued {} kind {} seq {} wire {} slot {} flags {} window {} rate {} first {}", e.time.ps,
      net::name_of(e.kind), e.port, e.flow, e.queued, static_cast<int>(p.kind), p.seq, p.wire, p.slot,
      std::bit_cast<std::uint64_t>(p.marks), e.window.count, e.rate.bits_per_second, e.first.count);
}

std::vector<std::string> texts_of(const std::vector<TraceEvent>& events) {
  std::vector<std::string> out;
  for (const TraceEvent& e : events) out.push_back(text_of(e));
  return out;
}

std::array<std::uint64_t, net::kEventKinds> counts_of(const std::vector<TraceEvent>& events) {
  std::array<std::uint64_t, net::kEventKinds> n{};
  for (const TraceEvent& e : events) ++n[static_cast<std::size_t>(e.kind)];
  return n;
}

class Trace : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Trace, ChangesNothing) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  for (const Way& way : {Way{}, Way{.port = net::PortKind::queued}, Way{.threads = 3}}) {
    Traced plain(scenario, way, false);
    Traced traced(scenario, way, true);
    while (!plain.simulation.advance()) {
    }
    EXPECT_FALSE(events_of(traced).empty());
    EXPECT_EQ(plain.simulation.state_digest(), traced.simulation.state_digest()) << name_of(way);
    EXPECT_EQ(plain.simulation.counters().events, traced.simulation.counters().events) << name_of(way);
  }
}

TEST_P(Trace, IsTheSameOnAnyThreadsAndScheduler) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  Traced one(scenario, {}, true);
  const auto expected = texts_of(events_of(one));
  for (const Way& way : {Way{.scheduler = SchedulerKind::heap}, Way{.threads = 2}, Way{.threads = 4}}) {
    Traced other(scenario, way, true);
    EXPECT_EQ(texts_of(events_of(other)), expected) << name_of(way);
  }
}

TEST_P(Trace, AgreesWithWhatIsCounted) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  for (const net::PortKind port : {net::PortKind::fifo, net::PortKind::queued}) {
    Traced run(scenario, {.port = port}, true);
    const auto events = events_of(run);
    const auto n = counts_of(events);
    const auto of = [&](EventKind kind) { return n[static_cast<std::size_t>(kind)]; };
    Simulation& s = run.simulation;
    const Counters c = s.counters();
    std::uint64_t marked = 0;
    std::uint64_t pauses = 0;
    for (std::uint32_t id = 0; id < run.model->topology.ports(); ++id) {
      marked += s.port_figures(id).marked;
      pauses += s.port_figures(id).pauses;
    }
    EXPECT_EQ(of(EventKind::marked), marked);
    EXPECT_EQ(of(EventKind::paused), pauses);
    EXPECT_EQ(of(EventKind::dropped), c.dropped + c.storm_dropped);
    EXPECT_EQ(of(EventKind::trimmed), c.trimmed);
    EXPECT_EQ(of(EventKind::lost), c.lost);
    EXPECT_EQ(of(EventKind::started), c.flows_started);
    EXPECT_EQ(of(EventKind::ended), c.flows_completed);
    std::map<std::uint64_t, std::uint64_t> data;
    for (const TraceEvent& e : events)
      if (e.kind == EventKind::accepted && e.packet.kind == net::PacketKind::data &&
          run.model->topology.port_owner(e.port) < run.model->topology.hosts)
        ++data[e.flow];
    std::uint64_t sent = 0;
    for (const auto& [flow, packets] : data) sent += packets;
    EXPECT_EQ(sent, c.data_packets);
    EXPECT_FALSE(data.contains(net::kNoFlow));
  }
}

// What leaves a port with its mark, its telemetry and what it tells selectively is what the far end receives, unless
// the link loses it; the same whatever the ports, the scheduler and the threads.
TEST_P(Trace, ShowsPacketsAsTheyAreOnTheWire) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  const auto text_of_wire = [](const net::WireEvent& e) {
    const net::PacketView& p = e.packet;
    const auto& [trigger, first, arrived, entropy, made_us] = e.sack;
    return fmt::format("kind {} class {} seq {} wire {} slot {} {} flags {} INT {:x} {:x} sack {} {} {:x} {} {}",
                       static_cast<int>(p.kind), static_cast<int>(p.traffic_class), p.seq, p.wire, p.slot, p.generation,
                       std::bit_cast<std::uint64_t>(p.marks), e.int_head, fmt::join(e.int_hop, " "), trigger, first,
                       arrived, entropy, made_us);
  };
  std::vector<std::string> expected;
  for (const Way& way :
       {Way{}, Way{.port = net::PortKind::queued}, Way{.scheduler = SchedulerKind::heap}, Way{.threads = 3}}) {
    Traced run(scenario, way, true);
    net::TraceFilter filter;
    filter.kinds = net::kOnWire | net::kind_bit(EventKind::left);
    std::uint64_t left = 0;
    std::vector<net::WireEvent> events;
    look(run, filter, [&](const TraceEvent& event) {
      if (event.kind == EventKind::left)
        ++left;
      else if ((net::kOnWire & net::kind_bit(event.kind)) != 0)
        events.push_back(net::on_wire(event));
    });
    std::map<std::uint32_t, std::vector<std::string>> under_way;  // by port that has sent
    std::uint64_t frames = 0;
    std::uint64_t sent = 0;
    std::vector<std::string> texts;
    for (const net::WireEvent& e : events) {
      const std::string text = text_of_wire(e);
      texts.push_back(fmt::format("{} {} {} {}", e.time.ps, net::name_of(e.kind), e.port, text));
      if (e.kind == EventKind::sent) {
        under_way[e.port].push_back(text);
        ++sent;
        frames += e.packet.is_control();
        continue;
      }
      auto& from = under_way[net::Topology::reverse(e.port)];
      const auto at = std::find(from.begin(), from.end(), text);  // those before it are lost
      ASSERT_NE(at, from.end()) << name_of(way) << " " << texts.back();
      from.erase(from.begin(), at + 1);
    }
    EXPECT_EQ(sent, left + frames);
    if (expected.empty()) expected = texts;
    EXPECT_EQ(texts, expected) << name_of(way);
  }
}

// At each port: what is accepted leaves, in time, and what waits is what was accepted and has not left.
TEST_P(Trace, KeepsTheBooksOfEachPort) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  Traced run(scenario, {}, true);
  const auto events = events_of(run);
  struct Books {
    std::int64_t waiting = 0;
    std::uint64_t left = 0;
    std::uint64_t beyond = 0;
    Time last;
  };
  std::map<std::uint32_t, Books> ports;
  Time now;
  for (const TraceEvent& e : events) {
    EXPECT_GE(e.time, now) << text_of(e);
    now = e.time;
    Books& b = ports[e.port];
    switch (e.kind) {
      case EventKind::accepted:
        b.waiting += e.packet.wire;
        EXPECT_EQ(b.waiting, e.queued) << text_of(e);
        break;
      case EventKind::left:
        b.waiting -= e.packet.wire;
        ++b.left;
        EXPECT_EQ(b.waiting, e.queued) << text_of(e);
        break;
      case EventKind::dropped: EXPECT_EQ(b.waiting, e.queued) << text_of(e); break;
      case EventKind::arrived:
      case EventKind::lost: ++b.beyond; break;
      default: break;
    }
  }
  for (auto& [port, b] : ports) {
    EXPECT_EQ(b.waiting, run.simulation.queued_bytes(port)) << port;
    EXPECT_LE(b.beyond, b.left) << port;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Trace, testing::Range<std::uint64_t>(0, scenario_count(24)));

TEST(TraceFilter, TakesPortsAndTimes) {
  const Scenario scenario = random_scenario(3);
  Traced whole(scenario, {}, true);
  const auto all = events_of(whole);
  const Time middle = all[all.size() / 2].time;
  const std::uint32_t port = all[all.size() / 2].port;
  net::TraceFilter filter{.ports = {}, .from = Time{1}, .until = middle};
  filter.ports.resize(whole.model->topology.ports());
  filter.ports[port] = true;
  std::vector<std::string> expected;
  for (const TraceEvent& e : all)
    if (filter.takes(e)) expected.push_back(text_of(e));
  ASSERT_FALSE(expected.empty());
  Traced part(scenario, {.threads = 2}, true);
  EXPECT_EQ(texts_of(events_of(part, filter)), expected);
}

TEST(TraceFilter, EachReaderGetsItsOwn) {
  const Scenario scenario = random_scenario(3);
  Traced whole(scenario, {}, true);
  const auto all = events_of(whole);
  const Time middle = all[all.size() / 2].time;
  std::array<net::TraceFilter, 2> filters{net::TraceFilter{.ports = {}, .from = middle},
                                          net::TraceFilter{.ports = {}, .from = Time{}, .until = middle}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    filters[i].ports.resize(whole.model->topology.ports());
    filters[i].ports[i] = true;
  }
  Traced both(scenario, {}, true);
  std::array<std::vector<TraceEvent>, 2> told;
  for (std::size_t i = 0; i < 2; ++i)
    both.simulation.trace(filters[i],
                          [&told, i](TraceEvents some) { told[i].insert(told[i].end(), some.begin(), some.end()); });
  while (!both.simulation.advance()) {
  }
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<TraceEvent> expected;
    std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
                 [&](const TraceEvent& e) { return filters[i].takes(e); });
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(texts_of(told[i]), texts_of(expected));
  }
}

TEST(TraceFilter, ArrivalsAtSwitchesCanBeLeftOut) {
  const Scenario scenario = random_scenario(3);
  Traced whole(scenario, {}, true);
  const net::Topology& t = whole.model->topology;
  const net::TraceFilter filter{.ports = {}, .from = {}, .arrivals_at_switches = false};
  std::vector<std::string> expected;
  std::size_t left_out = 0;
  for (const TraceEvent& e : events_of(whole))
    if (e.kind == EventKind::arrived && t.port_peer(e.port) >= t.hosts)
      ++left_out;
    else
      expected.push_back(text_of(e));
  ASSERT_GT(left_out, 0u);
  for (const std::uint32_t threads : {1u, 2u}) {
    Traced part(scenario, {.threads = threads}, true);
    EXPECT_EQ(texts_of(events_of(part, filter)), expected);
  }
  // Beside a reader of all, each gets its own.
  Traced both(scenario, {}, true);
  std::size_t all = 0;
  both.simulation.trace({}, [&](TraceEvents events) { all += events.size(); });
  EXPECT_EQ(texts_of(events_of(both, filter)), expected);
  EXPECT_EQ(all, expected.size() + left_out);
}

TEST(TraceFilter, WhoPassesOverOtherKindsMayBeToldOfThem) {
  const Scenario scenario = random_scenario(3);
  constexpr net::EventKinds kLeft = net::kind_bit(EventKind::left);
  Traced run(scenario, {}, true);
  std::vector<TraceEvent> others;
  run.simulation.trace({.ports = {}, .from = {}, .kinds = kLeft, .passes_over_others = true},
                       [&](TraceEvents some) { others.insert(others.end(), some.begin(), some.end()); });
  std::vector<TraceEvent> all = events_of(run);
  const auto is_other = [](const TraceEvent& e) { return e.kind != EventKind::left; };
  EXPECT_GT(std::erase_if(others, is_other), 0u);
  std::erase_if(all, is_other);
  EXPECT_EQ(texts_of(others), texts_of(all));
}

// A call that is ordered by the trace comes behind all that was before it, and ahead of all else.
TEST(AfterTrace, CallsComeInTheOrderOfEvents) {
  const Scenario scenario = random_scenario(3);
  for (const net::Telling telling : {net::Telling::between_epochs, net::Telling::beside})
    for (const std::uint32_t threads : {1u, 2u}) {
      Traced run(scenario, {.threads = threads}, true);
      Time told{-1};
      Time called{-1};
      std::size_t calls = 0;
      std::size_t wrong = 0;
      run.simulation.trace(
          {},
          [&](TraceEvents events) {
            wrong += events.front().time < called;
            told = events.back().time;
          },
          telling);
      run.simulation.every(Time{3'000'000}, [&](Time now) {
        run.simulation.after_trace([&, now] {
          ++calls;
          wrong += told >= now;
          called = now;
        });
      });
      while (!run.simulation.advance()) {
      }
      EXPECT_GT(calls, 3u);
      EXPECT_EQ(wrong, 0u);
      bool is_called = false;
      run.simulation.after_trace([&] { is_called = true; });
      EXPECT_TRUE(is_called);
    }
}

TEST(TraceFilter, IsRefusedByARunThatIsNotTraced) {
  Traced run(random_scenario(0), {}, false);
  EXPECT_THROW(run.simulation.trace({}, [](TraceEvents) {}), std::logic_error);
}

}  // namespace
}  // namespace weir::engine
