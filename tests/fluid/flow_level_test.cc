// Runs at flow level: hand-computed cases (tests/fluid/cases), fairness at every instant, what is conserved, and runs
// with packets in which flows share fairly.
#include "weir/fluid/flow_level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/scenario/scenario_files.h"
#include "weir/base/text_file.h"
#include "weir/probe/probe_set.h"
#include "weir/scenario/build.h"
#include "weir/theory/max_min.h"

namespace weir::fluid {
namespace {

using namespace literals;
using scenario::Scenario;

const std::string kCases = "tests/fluid/cases/";

std::map<std::uint64_t, host::FlowRecord> finished(const Scenario& s) {
  const scenario::Run run = scenario::build(s);
  std::map<std::uint64_t, host::FlowRecord> out;
  run.simulation->on_finish([&](const host::FlowRecord& r) { EXPECT_TRUE(out.emplace(r.id, r).second); });
  while (!run.simulation->advance()) {
  }
  return out;
}

class Case : public testing::TestWithParam<std::string> {};

// "flow_id,finish_ps" and a row for each flow.
TEST_P(Case, EndsAsComputedByHand) {
  const auto got = finished(scenario::load_scenario_file(kCases + GetParam() + ".toml"));
  std::string text = "flow_id,finish_ps\n";
  for (const auto& [id, record] : got) text += std::to_string(id) + "," + std::to_string(record.finish.ps) + "\n";
  EXPECT_EQ(text, read_named_file(kCases + GetParam() + ".csv", "finish times", "case"));
}

INSTANTIATE_TEST_SUITE_P(ByHand, Case, testing::ValuesIn(scenario::names_in(kCases)), scenario::test_name);

// Flows one after the other: sprayed over links that are slower than the hosts', and with packets that are no longer
// than acknowledgements.
TEST(FlowLevel, NoFlowIsFasterThanAloneWithPackets) {
  for (const char* setting : {"transport.payload=1000 B", "transport.payload=10 B"})
    for (const char* kind : {"ecmp", "ops"}) {
      const Scenario s =
          scenario::load_scenario(R"(
[run]
fidelity = "flow"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
host_rate = "100 Gbps"
fabric_rate = "50 Gbps"
[algorithm]
name = "fixed-window"
[algorithm.recovery]
kind = "sack"
[[traffic]]
kind = "flows"
flow = [
  { src = 0, dst = 2, size = "1 MB" },
  { src = 0, dst = 3, size = "1001 B", start = "1 ms" },
  { src = 1, dst = 0, size = "1 KB", start = "2 ms" },
  { src = 3, dst = 1, size = "9 KB", start = "3 ms" },
]
)",
                                  "alone.toml", {setting, std::string("algorithm.load_balancing.kind=") + kind});
      const auto model = scenario::build_model(s);
      const net::Framing framing = model->framing(model->profiles.front());
      for (const auto& [id, r] : finished(s))
        EXPECT_GE(r.finish - r.start, model->paths.ideal_fct(r.src, r.dst, r.size, framing))
            << id << " " << setting << " " << kind;
    }
}

TEST(FlowLevel, SaysThatTimeHasEnded) {
  const scenario::Run run = scenario::build(scenario::load_scenario(R"(
[run]
fidelity = "flow"
[topology]
kind = "star"
hosts = 3
rate = "1 Kbps"
[algorithm]
name = "fixed-window"
[[traffic]]
kind = "flows"
flow = [{ src = 0, dst = 1, size = "1 PB" }, { src = 0, dst = 1, size = "1 KB" }]
)",
                                                                    "endless.toml"));
  std::vector<std::uint64_t> ended;
  run.simulation->on_finish([&](const host::FlowRecord& r) { ended.push_back(r.id); });
  while (!run.simulation->advance()) {
  }
  EXPECT_EQ(ended, std::vector<std::uint64_t>{1});
  EXPECT_EQ(run.simulation->now(), engine::kEndOfTime);
  ASSERT_NE(run.simulation->stall(), nullptr);
  EXPECT_EQ(run.simulation->stall()->kind, engine::Stall::Kind::end_of_time);
  EXPECT_EQ(run.simulation->stall()->unfinished, 1u);
}

constexpr const char* kBusyTree = R"(
[topology]
kind = "fat-tree"
k = 4
rate = "100 Gbps"
[algorithm]
name = "hpcc"
[[profile]]
name = "sprayed"
algorithm = "swift"
load_balancing.kind = "ops"
recovery.kind = "sack"
[[traffic]]
kind = "poisson"
sizes = "300 KB"
load = 0.5
stop = "400 us"
[[traffic]]
kind = "poisson"
sizes = "1 MB"
load = 0.3
profile = "sprayed"
stop = "400 us"
[[traffic]]
kind = "collective"
operation = "ring-all-reduce"
size = "3 MB"
)";

Scenario busy_tree(std::vector<std::string> more = {}) {
  more.emplace_back("run.fidelity=flow");
  return scenario::load_scenario(kBusyTree, "busy.toml", more);
}

// At every instant that is looked at, rates are the theory library's from nothing, no link carries more than its rate,
// and each flow has a bottleneck.
TEST(FlowLevel, RatesAreMaxMinFairAtAnyTime) {
  const scenario::Run run = scenario::build(busy_tree());
  const engine::Model& model = *run.model;
  PathFinder paths(model);
  std::size_t looked_at = 0;
  run.simulation->every(3_us, [&](Time now) {
    theory::Network network;
    for (const net::Link& link : model.topology.links)
      network.capacities.insert(network.capacities.end(), 2, static_cast<double>(link.rate.bits_per_second));
    std::vector<double> rates;
    run.simulation->for_each_active([&](const host::FlowView& f) {
      if (f.rate == Rate{}) return;  // all of it is on its way
      theory::Flow flow;
      const auto uses = model.profiles[f.profile].balancing.sprays() ? paths.spread(f.src, f.dst)
                                                                     : paths.along(f.src, f.dst, f.entropy);
      for (const auto& use : uses) {
        flow.links.push_back(use.link);
        flow.shares.push_back(use.share);
      }
      network.flows.push_back(flow);
      rates.push_back(static_cast<double>(f.rate.bits_per_second));
    });
    if (network.flows.empty()) return;
    ++looked_at;
    const auto wanted = theory::max_min(network).rates;
    for (std::size_t j = 0; j < rates.size(); ++j)
      ASSERT_NEAR(rates[j], wanted[j], 1 + 1e-9 * wanted[j]) << now.ps << " flow " << j;
    const auto loads = theory::loads(network, rates);
    for (std::size_t i = 0; i < loads.size(); ++i)
      ASSERT_LE(loads[i], network.capacities[i] + static_cast<double>(rates.size())) << now.ps << " link " << i;
    for (const auto& b : theory::bottlenecks(network, rates, 1e-8)) ASSERT_TRUE(b.has_value()) << now.ps;
  });
  while (!run.simulation->advance()) {
  }
  EXPECT_GT(looked_at, 100u);
}

// What ports have sent is what flows have brought, and never more than their links can carry.
TEST(FlowLevel, BytesAreConserved) {
  const scenario::Run run = scenario::build(busy_tree());
  const engine::Model& model = *run.model;
  std::vector<std::uint64_t> before(model.topology.ports());
  Time last;
  run.simulation->every(5_us, [&](Time now) {
    for (std::uint32_t port = 0; port < before.size(); ++port) {
      const std::uint64_t sent = run.simulation->port_figures(port).sent_bytes;
      ASSERT_GE(sent, before[port]);
      const double most = model.topology.links[port / 2].rate.bytes_per_second() * (now - last).seconds();
      ASSERT_LE(static_cast<double>(sent - before[port]), most + 2) << "port " << port;
      before[port] = sent;
    }
    last = now;
  });
  std::vector<double> sent(model.topology.hosts);
  std::vector<double> received(model.topology.hosts);
  run.simulation->on_finish([&](const host::FlowRecord& r) {
    const auto packets = (r.size.count + 999) / 1000;
    const double wire = static_cast<double>(
        r.size.count + packets * (model.data_wire(model.profiles[r.profile]) - model.transport.payload).count);
    sent[r.src] += wire;
    received[r.dst] += wire;
  });
  while (!run.simulation->advance()) {
  }
  for (std::uint32_t host = 0; host < model.topology.hosts; ++host) {
    const std::uint32_t port = model.routing.nic(host);
    EXPECT_NEAR(static_cast<double>(run.simulation->port_figures(port).sent_bytes), sent[host], 1 + 1e-9 * sent[host]);
    EXPECT_NEAR(static_cast<double>(run.simulation->port_figures(net::Topology::reverse(port)).sent_bytes),
                received[host], 1 + 1e-9 * received[host]);
  }
}

std::uint64_t digest_of(const Scenario& s, Time step, bool in_no_time = false) {
  const scenario::Run run = scenario::build(s);
  const probe::RunClock clock;
  probe::ProbeSet probes(s.probes, *run.simulation, run.tags());
  Time until = step;
  while (!(in_no_time ? run.simulation->advance_for(0, until) : run.simulation->advance(until)))
    if (run.simulation->now() >= until) until += step;
  probes.finish();
  return probes.manifest(clock).digest;
}

TEST(FlowLevel, ResultsDependOnTheScenarioAlone) {
  const std::uint64_t one = digest_of(busy_tree(), 1_s);
  EXPECT_EQ(digest_of(busy_tree({"run.threads=2"}), 1_s), one);
  EXPECT_EQ(digest_of(busy_tree({"run.scheduler=heap"}), 1_s), one);
  EXPECT_EQ(digest_of(busy_tree(), 700_ns), one);     // in pieces
  EXPECT_EQ(digest_of(busy_tree(), 1_s, true), one);  // which end after each instant
  EXPECT_NE(digest_of(busy_tree({"run.seed=2"}), 1_s), one);
}

// Flows that are stopped are left active, with what they have sent.
TEST(FlowLevel, StopsAndTellsOfActiveFlows) {
  const Scenario s = scenario::load_scenario_file(kCases + "two-flows.toml", {"run.stop=500 us"});
  const scenario::Run run = scenario::build(s);
  EXPECT_TRUE(run.simulation->advance());
  EXPECT_EQ(run.simulation->now(), 500_us);
  std::vector<std::int64_t> sent;
  run.simulation->for_each_active([&](const host::FlowView& f) {
    EXPECT_EQ(f.src, sent.size());
    sent.push_back(f.in_order.count);
  });
  EXPECT_EQ(sent, (std::vector<std::int64_t>{250'000, 250'000}));
  EXPECT_EQ(run.simulation->port_figures(run.model->routing.nic(0)).sent_bytes, 250'000u);
  EXPECT_EQ(run.simulation->counters().flows_completed, 0u);
  EXPECT_EQ(run.simulation->counters().data_packets, 500u);
}

// Where packets share fairly, flows end when they do with packets, but for this part of their completion times: a lone
// flow, long flows at one link with windows that are alike, and messages that follow one another, where
// acknowledgements of 60 B take 60 / 1108 of all links.
struct Fair {
  std::string name;
  std::string text;
  double tolerance = 0;
  std::string utilisation = "1";
};

void PrintTo(const Fair& fair, std::ostream* out) { *out << fair.name; }

class Packets : public testing::TestWithParam<Fair> {};

TEST_P(Packets, EndAboutAsEarly) {
  const Fair& fair = GetParam();
  const auto packets = finished(scenario::load_scenario(fair.text, "fair.toml"));
  const auto flows = finished(scenario::load_scenario(
      fair.text, "fair.toml", {"run.fidelity=flow", "fidelity.utilisation=" + fair.utilisation}));
  ASSERT_EQ(packets.size(), flows.size());
  for (const auto& [id, record] : packets) {
    const auto with = static_cast<double>((record.finish - record.start).ps);
    const auto without = static_cast<double>((flows.at(id).finish - flows.at(id).start).ps);
    EXPECT_NEAR(without / with, 1, fair.tolerance) << "flow " << id;
  }
}

constexpr const char* kStarOfFour = "[topology]\nkind = \"star\"\nhosts = 5\n[algorithm]\nname = \"fixed-window\"\n";

const std::string kFlows = "[[traffic]]\nkind = \"flows\"\nflow = [";

INSTANTIATE_TEST_SUITE_P(
    ThatShareFairly, Packets,
    testing::Values(
        Fair{"alone", kStarOfFour + kFlows + "{ src = 0, dst = 1, size = \"1 MB\" }]\n", 0},
        Fair{"one_packet", kStarOfFour + kFlows + "{ src = 0, dst = 1, size = \"1 KB\" }]\n", 0},
        Fair{"long_incast",
             kStarOfFour + kFlows +
                 "{ src = 0, dst = 4, size = \"10 MB\" }, { src = 1, dst = 4, size = \"20 MB\" }, "
                 "{ src = 2, dst = 4, size = \"40 MB\" }, { src = 3, dst = 4, size = \"5 MB\", start = \"2 ms\" }]\n",
             0.01},
        Fair{"reduce_scatter",
             std::string(kStarOfFour) +
                 "[[traffic]]\nkind = \"collective\"\noperation = \"ring-reduce-scatter\"\nsize = \"50 MB\"\n",
             0.002, "0.9458"}),
    [](const auto& info) { return info.param.name; });

// A host sends as soon as it is told of the beginning, and nothing else happens in the run.
class SendsAtOnce final : public traffic::Driver {
 public:
  std::uint64_t tasks() const override { return 1; }
  void begin(traffic::Desk& desk) override {
    if (desk.host() == 0) desk.send({.size = 100_KB, .dst = 1, .sport = 1, .dport = 1});
  }
  void sent(traffic::Desk& desk, const traffic::Message&) override { desk.done(); }
  std::unique_ptr<Driver> clone() const override { return std::make_unique<SendsAtOnce>(); }
  void archive(Saver&, std::uint32_t) override {}
  void archive(Loader&, std::uint32_t) override {}
};

TEST(FlowLevel, WhatADriverSendsAtTheBeginningIsSent) {
  const std::string network = R"(
[run]
fidelity = "flow"
[topology]
kind = "star"
hosts = 2
[algorithm]
name = "hpcc"
)";
  const auto flow = finished(scenario::load_scenario(
      network + "[[traffic]]\nkind = \"flows\"\n[[traffic.flow]]\nsrc = 0\ndst = 1\nsize = \"100 KB\"\n", "s.toml",
      {}));
  ASSERT_EQ(flow.size(), 1);
  const scenario::Run run = scenario::build(scenario::load_scenario(network, "s.toml", {"traffic=[]"}));
  std::vector<Time> ends;
  run.simulation->on_finish([&](const host::FlowRecord& r) { ends.push_back(r.finish); });
  run.simulation->drive(std::make_unique<SendsAtOnce>());
  EXPECT_TRUE(run.simulation->advance());
  EXPECT_EQ(ends, std::vector{flow.begin()->second.finish});
}

}  // namespace
}  // namespace weir::fluid
