#include "weir/scenario/scenario.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weir/probe/pfc_probe.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/queue_probe.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/traffic/incast.h"
#include "weir/traffic/poisson.h"

namespace weir::scenario {
namespace {

using namespace weir::literals;

const std::string kStar = R"(
[topology]
kind = "star"
hosts = 4
[algorithm]
name = "hpcc"
[[traffic]]
kind = "incast"
size = "100 KB"
)";

TEST(Scenario, DefaultsAreThoseOfTheParameters) {
  const Scenario s = load_scenario(kStar, "a.toml");
  EXPECT_EQ(s.run.seed, 1u);
  EXPECT_EQ(s.run.threads, 1u);
  EXPECT_EQ(s.buffer.size, net::BufferParams{}.size);
  EXPECT_FALSE(s.ecn.enabled);
  ASSERT_EQ(s.profiles.size(), 1u);
  EXPECT_EQ(s.profiles[0].name, "hpcc");
  ASSERT_EQ(s.traffic.size(), 1u);
  EXPECT_EQ(s.traffic[0].tag, "incast");
  EXPECT_EQ(s.traffic[0].profile, "hpcc");
  EXPECT_EQ(s.probes.get<probe::QueuesParams>(), nullptr);
}

TEST(Scenario, PresetsGiveWayToWrittenValues) {
  const auto text = kStar + "[[profile]]\nname = \"p\"\nalgorithm = \"hpcc\"\npreset = \"ns3\"\nmax_stage = 3\n";
  const Scenario s = load_scenario(text, "a.toml");
  const auto& list = *s.profiles[1].algorithm->params;
  EXPECT_EQ(list.find("max_stage")->get(s.profiles[1].params.get()), ParamValue(std::int64_t{3}));
  EXPECT_EQ(list.find("r_min")->get(s.profiles[1].params.get()), ParamValue(1_Gbps));
}

TEST(Scenario, TopologyPresetsAreKinds) {
  const Scenario s = load_scenario(kStar, "a.toml", {"topology={kind = \"hpcc-testbed-32\", hosts_per_leaf = 2}"});
  EXPECT_EQ(build_model(s)->topology.hosts, 8u);
}

TEST(Scenario, OverridesWinOverTheFile) {
  const Scenario s = load_scenario(
      kStar, "a.toml",
      {"run.seed=1", "run.seed=7", "topology.rate=25 Gbps", "traffic.0.size=\"1 MB\"", "traffic.0.receiver=2",
       "network.ecn.enabled=true", "title=5 GbE", "probes.queues=true", "probes.queues.series=true"});
  EXPECT_EQ(s.run.seed, 7u);
  EXPECT_EQ(s.title, "5 GbE");
  EXPECT_TRUE(s.ecn.enabled);
  ASSERT_NE(s.probes.get<probe::QueuesParams>(), nullptr);
  EXPECT_TRUE(s.probes.get<probe::QueuesParams>()->series);
  const auto& incast = *static_cast<const traffic::Incast::Params*>(s.traffic[0].params.get());
  EXPECT_EQ(incast.size, 1_MB);
  EXPECT_EQ(incast.receiver, "2");
  EXPECT_EQ(build_model(s)->topology.links[0].rate, 25_Gbps);
}

TEST(Scenario, AnyCharactersInQuotesAndComments) {
  const std::string title = "title = \"\"\"one \\\" \u00b5 two\n\"\u00e9\"\"\"\"\"  # \u00fc \"\n";
  EXPECT_EQ(load_scenario(title + kStar, "a.toml").title, "one \" \u00b5 two\n\"\u00e9\"\"");
  EXPECT_EQ(load_scenario("title = 'C:\\\u00b5'\n" + kStar, "a.toml").title, "C:\\\u00b5");
}

TEST(Scenario, ProbesCanBeTurnedOff) {
  const auto has_pfc = [](const Scenario& s) { return s.probes.get<probe::PfcParams>() != nullptr; };
  EXPECT_TRUE(has_pfc(load_scenario(kStar + "[probes.pfc]\n", "a.toml")));
  EXPECT_FALSE(has_pfc(load_scenario(kStar + "[probes.pfc]\n", "a.toml", {"probes.pfc=false"})));
}

TEST(Scenario, EqualTagsAreOne) {
  const Scenario s = load_scenario(kStar + "[[traffic]]\nkind = \"permutation\"\nsize = \"1 KB\"\ntag = \"b\"\n" +
                                       "[[traffic]]\nkind = \"permutation\"\nsize = \"1 KB\"\ntag = \"incast\"\n",
                                   "a.toml");
  EXPECT_EQ(build(s).tags(), (std::vector<std::string>{"incast", "b"}));
}

TEST(Scenario, PlacesFallBackToTheTable) {
  const Scenario s = load_scenario(kStar, "a.toml");
  EXPECT_EQ(s.place("topology.hosts").text(), "a.toml:4");
  EXPECT_EQ(s.place("topology.rate").text(), "a.toml:2");
  EXPECT_EQ(s.place("traffic.0.fan_in").text(), "a.toml:7");
  EXPECT_EQ(s.place("network.buffer.size").text(), "a.toml");
}

TEST(Scenario, ExpectCountsTheTraffic) {
  const Scenario s = load_scenario(kStar, "a.toml", {"traffic.0.size=2500 B", "traffic.0.stagger=1 us"});
  const auto model = build_model(s);
  const Expected e = expect(s, *model);
  EXPECT_EQ(e.flows, 3u);
  EXPECT_EQ(e.packets, 9u);
  EXPECT_EQ(e.payload, 7500_B);
  EXPECT_EQ(e.last_start, 2_us);
  EXPECT_TRUE(e.all);
  EXPECT_FALSE(expect(s, *model, 2).all);
}

// Three flows of 3 packets that meet at one link of 100 Gb/s, 80 ps per byte, behind links of 1 us.
TEST(Collectives, AreReported) {
  const std::vector<std::string> overrides{"algorithm.name=fixed-window", "traffic.0.size=3 KB",
                                           "traffic.0.completion=true", "traffic.0.start=5 us"};
  const auto report = [&](const std::string& stop) {
    auto all = overrides;
    all.push_back("run.stop=" + stop);
    const Scenario s = load_scenario(kStar, "a.toml", all);
    const scenario::Run run = build(s);
    probe::ProbeSet probes(s.probes, *run.simulation, run.tags());
    while (!run.simulation->advance()) {
    }
    const probe::Summary summary = probes.finish();
    EXPECT_EQ(summary.collectives.size(), 1u);
    return summary;
  };
  const Time data{1048 * 80};
  const Time ack{60 * 80};
  const auto whole = report("0");
  const auto& c = whole.collectives.at(0);
  EXPECT_EQ(c.tag, "incast");
  EXPECT_EQ(c.messages, 3u);
  EXPECT_EQ(c.unfinished, 0u);
  EXPECT_EQ(c.payload, 9_KB);
  EXPECT_EQ(c.start, 5_us);
  EXPECT_EQ(c.bound, 2_us + 10 * data);
  EXPECT_EQ(c.completion, c.bound);
  EXPECT_EQ(c.acknowledged, c.bound + 2_us + 2 * ack);
  EXPECT_EQ(c.acknowledged, whole.flows.max_fct);
  const auto cut = report("8 us");
  EXPECT_EQ(cut.collectives.at(0).unfinished, 3u);
  EXPECT_FALSE(cut.collectives.at(0).completion);
  EXPECT_EQ(cut.collectives.at(0).bound, c.bound);
}

TEST(Collectives, AreNotForTheReplica) {
  const Scenario s =
      load_scenario(kStar, "a.toml", {"run.fidelity=ns3-hpcc", "algorithm.preset=ns3", "traffic.0.completion=true"});
  try {
    build(s);
    FAIL() << "it is built";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--set run.fidelity: there are collectives, which only \"exact\" or \"flow\" knows; write that, or "
                 "take other traffic");
  }
}

// When each flow ends.
struct Ends {
  explicit Ends(const Scenario& s) : run(build(s)) {
    run.simulation->on_finish([this](const host::FlowRecord& r) { times.push_back(r.finish); });
  }
  Run run;
  std::vector<Time> times;
};

// A library without globals: two runs in one process, stepped in turn, are what they are alone.
TEST(Runs, LiveSideBySide) {
  const Scenario s = load_scenario(kStar, "a.toml");
  Ends alone(s);
  while (!alone.run.simulation->advance()) {
  }
  Ends a(s);
  Ends b(load_scenario(kStar, "b.toml", {"algorithm.eta=0.8"}));
  Time t;
  for (bool a_ended = false, b_ended = false; !a_ended || !b_ended;) {
    t += 10_us;
    a_ended = a.run.simulation->advance(t);
    b_ended = b.run.simulation->advance(t);
  }
  EXPECT_EQ(a.times, alone.times);
  EXPECT_NE(b.times, alone.times);
}

TEST(Effective, WritesEveryParameter) {
  const auto text = effective(load_scenario(kStar, "a.toml", {"title=quotes \" and \\ and \t"})).toml;
  for (const ParamSet* set :
       {&params_of<RunParams>(), &params_of<net::NetworkParams>(), &params_of<net::BufferParams>(),
        &params_of<net::EcnParams>(), &params_of<host::TransportParams>(), cc::find_algorithm("hpcc")->params,
        &params_of<net::Star>(), &params_of<traffic::Incast::Params>()})
    for (const Param& p : set->params()) EXPECT_NE(text.find("\n" + p.name + " = "), std::string::npos) << p.name;
  const Scenario again = load_scenario(text, "effective.toml");
  EXPECT_EQ(again.title, "quotes \" and \\ and \t");
  EXPECT_EQ(effective(again).toml, text);
}

}  // namespace
}  // namespace weir::scenario
