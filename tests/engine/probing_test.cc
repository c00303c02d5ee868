// Probes of round trips, and bursts at the NIC, by an algorithm that asks for both and for nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/engine/scenario.h"
#include "weir/cc/pcc_rl.h"
#include "weir/net/trace.h"

namespace weir::engine {
namespace {

using namespace literals;

// A fixed rate, bursts, and a probe behind the first burst after each echo. The rate falls with the round trip, so that
// what a probe tells shows in the run.
class Prober {
 public:
  struct Params {
    Rate rate = 10_Gbps;
    int burst = 1;
    std::vector<cc::Echo>* echoes = nullptr;
    static void describe(ParamList<Params>& p) {
      p.rate("rate", &Params::rate, "of the flow");
      p.integer("burst", &Params::burst, 1, 255, "packets in a turn");
    }
  };
  static constexpr cc::About about{.name = "prober", .title = "Prober", .source = "this test"};

  Prober(const Params& p, const cc::FlowFacts&, cc::Control& control) {
    control.rate = p.rate;
    control.burst = static_cast<std::uint8_t>(p.burst);
    control.probe = true;
  }
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack&, cc::Control&) {}
  void on_echo(const Params& p, const cc::FlowFacts& flow, const cc::Echo& echo, cc::Control& control) {
    if (p.echoes != nullptr) p.echoes->push_back(echo);
    control.probe = true;
    if (echo.rtt > 2 * flow.base_rtt) control.rate = Rate{p.rate.bits_per_second / 2};
  }
};

host::Profile prober(Rate rate, int burst, std::vector<cc::Echo>* echoes = nullptr) {
  static const cc::Algorithm algorithm = cc::describe<Prober>();
  host::Profile out = profile(algorithm);
  const auto params = std::make_shared<Prober::Params>();
  params->rate = rate;
  params->burst = burst;
  params->echoes = echoes;
  out.params = params;
  return out;
}

// So many hosts behind one switch that send to one more.
Scenario star(std::uint32_t senders, const host::Profile& profile) {
  Scenario s;
  s.topology = build(net::Star{senders + 1, 100_Gbps, 1_us});
  s.profiles = {profile};
  for (std::uint32_t h = 0; h < senders; ++h) s.add_flow(h, senders, 1_MB);
  return s;
}

// When each packet of data began to leave the NIC, by flow.
std::map<std::uint64_t, std::vector<net::TraceEvent>> departures(const Scenario& scenario, net::PacketKind kind) {
  const auto model = scenario.model();
  const auto traffic = scenario.traffic();
  Simulation simulation(*model, *traffic, {.traced = true});
  std::map<std::uint64_t, std::vector<net::TraceEvent>> out;
  simulation.trace({}, [&](net::TraceEvents events) {
    for (const net::TraceEvent& e : events)
      if (e.kind == net::EventKind::left && e.packet.kind == kind && e.port == 0) out[e.flow].push_back(e);
  });
  while (!simulation.advance()) {
  }
  return out;
}

TEST(Probing, GivesTheRoundTripOfTheSmallestFrameBehindItsData) {
  std::vector<cc::Echo> echoes;
  const Scenario s = star(1, prober(10_Gbps, 1, &echoes));
  const Outcome out = run(s);
  ASSERT_GT(echoes.size(), 50u);
  EXPECT_LE(out.counters.probes - echoes.size(), 1u);  // one may be on its way at the end
  const auto model = s.model();
  const Time data = transmission_time(model->data_wire(s.profiles[0]), 100_Gbps);
  const Time frame = transmission_time(s.transport.min_frame, 100_Gbps);
  for (const cc::Echo& echo : echoes) {
    EXPECT_EQ(echo.rtt, echo.now - echo.sent_at);
    // At the switch it waits until its data packet has left; then three links are new to the frame alone.
    EXPECT_EQ(echo.rtt, data + 3 * frame + 4_us) << echo.now.ps;
  }
}

TEST(Probing, SeesTheQueueThatDataMake) {
  std::vector<cc::Echo> echoes;
  run(star(2, prober(80_Gbps, 1, &echoes)));
  const auto longest = std::max_element(echoes.begin(), echoes.end(),
                                        [](const cc::Echo& a, const cc::Echo& b) { return a.rtt < b.rtt; });
  ASSERT_NE(longest, echoes.end());
  EXPECT_GT(longest->rtt, 6_us);
}

TEST(Bursts, LeaveBackToBackAndArePacedAsAWhole) {
  const Scenario s = star(1, prober(10_Gbps, 4));
  const auto flows = departures(s, net::PacketKind::data);
  ASSERT_EQ(flows.size(), 1u);
  const auto& left = flows.begin()->second;
  ASSERT_GT(left.size(), 100u);
  for (std::size_t i = 1; i + 1 < left.size(); ++i) {  // the last packet is shorter
    const Bytes wire{left[i].packet.wire};
    const Time gap = left[i].time - left[i - 1].time;
    if (i % 4 != 0)
      EXPECT_EQ(gap, transmission_time(wire, 100_Gbps)) << i;
    else
      EXPECT_EQ(left[i].time - left[i - 4].time, 4 * transmission_time(wire, 10_Gbps)) << i;
  }
}

TEST(Bursts, OfTwoFlowsDoNotMix) {
  Scenario s = star(1, prober(40_Gbps, 4));
  s.add_flow(0, 1, 1_MB);
  std::vector<std::pair<Time, std::uint64_t>> all;
  for (const auto& [flow, left] : departures(s, net::PacketKind::data))
    for (const net::TraceEvent& e : left) all.emplace_back(e.time, flow);
  std::sort(all.begin(), all.end());
  ASSERT_GT(all.size(), 1'000u);
  for (std::size_t i = 0; i + 4 <= 1'000; i += 4)
    for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(all[i + k].second, all[i].second) << i;
}

TEST(Bursts, HaveTheirProbeBehindThem) {
  const Scenario s = star(1, prober(10_Gbps, 4));
  const auto data = departures(s, net::PacketKind::data).begin()->second;
  const auto probes = departures(s, net::PacketKind::probe).begin()->second;
  ASSERT_GT(probes.size(), 20u);
  for (const net::TraceEvent& probe : probes) {
    const auto behind = std::count_if(data.begin(), data.end(), [&](const auto& d) { return d.time < probe.time; });
    EXPECT_TRUE(behind % 4 == 0 || behind == static_cast<std::ptrdiff_t>(data.size())) << behind;
    EXPECT_EQ(probe.time,
              data[static_cast<std::size_t>(behind - 1)].time +
                  transmission_time(Bytes{data[static_cast<std::size_t>(behind - 1)].packet.wire}, 100_Gbps));
  }
}

class ProbingEverywhere : public testing::TestWithParam<std::uint64_t> {};

// Random networks, among them some that lose, pause and drop.
TEST_P(ProbingEverywhere, IsTheSameInAllWays) {
  Scenario s = random_scenario(GetParam());
  const auto burst = static_cast<int>(1 + GetParam() % 3);
  for (host::Profile& p : s.profiles) {
    if (p.reads_telemetry() || cc::has(p.algorithm->about.needs, cc::Needs::delivery_rate)) continue;
    const host::Profile mine = prober(40_Gbps, burst);
    p.algorithm = mine.algorithm;
    p.params = mine.params;
    p.receiver = mine.receiver;
  }
  SCOPED_TRACE(s.text);
  const Outcome plain = run(s);
  for (const Way& way : {Way{.port = net::PortKind::queued}, Way{.scheduler = SchedulerKind::heap}, Way{.threads = 3}})
    EXPECT_EQ(difference(plain, run(s, way)), "") << name_of(way);
}

INSTANTIATE_TEST_SUITE_P(Random, ProbingEverywhere, testing::Range<std::uint64_t>(1, 25));

// Halves the rate for a round trip of more than 12 us, and counts.
class Halver : public cc::DecisionMaker {
 public:
  std::uint32_t start(const cc::FlowFacts&, double&) override { return flows_++; }
  double decide(std::uint32_t, Time, const policy::Observation& seen) override {
    ++decisions;
    return seen.rtt > 12_us ? 0.5 : 1.1;
  }
  void ask(std::uint32_t, Time, const policy::Observation&) override { throw std::logic_error("no latency was asked"); }
  double answer(std::uint32_t, Time) override { throw std::logic_error("no latency was asked"); }
  std::uint64_t decisions = 0;

 private:
  std::uint32_t flows_ = 0;
};

Outcome run_learner(cc::PccRl::Probe probe, Bytes buffer, Halver& maker, const Way& way = {}) {
  const auto params = std::make_shared<cc::PccRl::Params>();
  params->probe = probe;
  params->maker = &maker;
  params->first_rate = 0.25;
  host::Profile p = profile(*cc::find_algorithm("pcc_rl"));
  p.params = params;
  Scenario s = star(4, p);
  s.buffer.mode = net::BufferMode::lossy;
  s.buffer.size = buffer;
  return run(s, way);
}

TEST(PccRl, DecidesOnceForEachProbeThatComesBack) {
  Halver maker;
  const Outcome out = run_learner(cc::PccRl::Probe::packet, 5_MB, maker);
  EXPECT_EQ(out.counters.flows_completed, 4u);
  EXPECT_EQ(out.counters.dropped, 0u);
  EXPECT_GE(out.counters.probes, maker.decisions);
  EXPECT_LE(out.counters.probes, maker.decisions + 4);  // each flow may end with one on its way
  EXPECT_GT(maker.decisions, 40u);
}

TEST(PccRl, GoesOnWhenProbesAreLost) {
  for (const auto probe : {cc::PccRl::Probe::data, cc::PccRl::Probe::packet}) {
    Halver maker;
    const Outcome out = run_learner(probe, 40_KB, maker);
    EXPECT_EQ(out.counters.flows_completed, 4u);
    EXPECT_GT(out.counters.dropped, 100u);
    EXPECT_GT(maker.decisions, 40u);
    for (const Way& way : {Way{.port = net::PortKind::queued}, Way{.scheduler = SchedulerKind::heap}}) {
      Halver other;
      EXPECT_EQ(difference(out, run_learner(probe, 40_KB, other, way)), "") << name_of(way);
      EXPECT_EQ(other.decisions, maker.decisions);
    }
  }
}

}  // namespace
}  // namespace weir::engine
