#include "weir/learn/curriculum.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "weir/base/error.h"
#include "weir/learn/trained.h"

namespace weir::learn {
namespace {

using namespace literals;

struct Wrong {
  const char* text;
  const char* message;  // a part of it
};

TEST(Curriculum, TellsWhatIsWrong) {
  const Wrong cases[] = {
      {"", "environment"},
      {"[lerner]\n[[environment]]\nflows = 2", "lerner"},
      {"[learner]\nupdate = 3\n[[environment]]\nflows = 2", "updates"},
      {"[learner]\nmethod = 'sarsa'\n[[environment]]\nflows = 2", "ppo-discrete"},
      {"[learner]\nrollout = 1\n[[environment]]\nflows = 2", "c.toml:2"},
      {"[[environment]]\nhosts = 2", "flows"},
      {"[[environment]]\nflows = 2\nset = ['nothing.there = 3']", "nothing"},
      {"[[environment]]\nfile = 'not_there.toml'", "not_there.toml"},
      {"[scenario.algorithm]\nname = 'hpcc'\n[[environment]]\nflows = 2", "pcc_rl"},
      {"[validation]\nflows = [1]\n[[environment]]\nflows = 2", "validation.flows"},
      {"[validation]\nflows = 3\n[[environment]]\nflows = 2", "validation.flows"},
      {"[learner]\nrollout = 8\nhorizon = 6\ndelay = 3\n[[environment]]\nflows = 2", "horizon"},
      {"[randomise]\nfirst_rate_low = 0.5\nfirst_rate_high = 0.1\n[[environment]]\nflows = 2", "first_rate_high"},
      {"[policy]\ninputs = 'paper'\n[[environment]]\nflows = 2", "history"},
      {"[policy]\nqueue_unit = '1 us'\n[[environment]]\nflows = 2", "base_rtt"},
      {"[policy]\nqueue_packets = 2\n[[environment]]\nflows = 2", "queue_packets"},
      {"[policy]\npower_eighths = 9\n[[environment]]\nflows = 2", "power_eighths"},
      {"[[validation.network]]\nhosts = 2\n[[environment]]\nflows = 2", "flows"},
      {"[[validation.network]]\nflow = 2\n[[environment]]\nflows = 2", "flow"},
      {"[[validation.network]]\nfile = 'scenarios/incast-dcqcn-pfc.toml'\nset = ['algorithm={name=\"pcc_rl\"}']\n"
       "[[environment]]\nflows = 2",
       "key 'validation.network.0.flows': what is measured are flows to one host"},
      {"[[environment]]\nfile = 'scenarios/incast-dcqcn-pfc.toml'\nset = ['topology.delai=\"2 us\"']",
       "c.toml:3: key 'environment.0.set': --set topology.delai: unknown key"},
      {"scenario = 3\n[[environment]]\nflows = 2", "scenario"},
  };
  for (const Wrong& c : cases) try {
      parse_curriculum(c.text, "c.toml");
      ADD_FAILURE() << c.text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(c.message), std::string::npos) << c.text << "\n" << error.what();
      EXPECT_NE(std::string(error.what()).find("c.toml"), std::string::npos) << error.what();
    }
}

TEST(Curriculum, ReadsBackWhatItWrites) {
  const Curriculum c = parse_curriculum(R"(
title = "t"
[learner]
seed = 5
[policy]
target = 0.011
[scenario]
topology = { rate = "50 Gbps", delay = "1 us" }
network.buffer.size = "5 MB"
[validation]
flows = [5, 6]
[[validation.network]]
flows = 7
set = ["topology.delay=3 us"]
[[environment]]
flows = 3
set = ["transport.payload=4 KB"]
[[environment]]
flows = 2
hosts = 3
pattern = "all-to-all"
)",
                                        "c.toml");
  const Curriculum again = parse_curriculum(c.effective(), "c.toml");
  EXPECT_EQ(again.effective(), c.effective());
  EXPECT_EQ(again.digest(), c.digest());
  EXPECT_EQ(again.environments.at(0).scenario.transport.payload.count, 4000);
  EXPECT_EQ(again.environments.at(1).pattern, Pattern::all_to_all);
  EXPECT_EQ(again.validation_flows, (std::vector<std::uint32_t>{5, 6}));
  ASSERT_EQ(again.validations.size(), 3u);
  EXPECT_EQ(again.validations[1].flows, 6u);
  EXPECT_EQ(again.validations[2].flows, 7u);
}

// Validations count as environments do, and so do all paths of all flows.
TEST(Curriculum, SaysForWhatItTrains) {
  const policy::Trained t = trained_of(parse_curriculum(R"(
[scenario.topology]
rate = "100 Gbps"
delay = "2 us"
[validation]
flows = [3]
[[validation.network]]
flows = 9
hosts = 3
set = ['topology={kind="leaf-spine", leaves=2, spines=1, hosts_per_leaf=2, host_delay="2 us", fabric_delay="1 us"}']
[[environment]]
flows = 2
set = ["topology.rate=25 Gbps"]
)",
                                                        "c.toml"));
  EXPECT_EQ(t.flows.low, 2);
  EXPECT_EQ(t.flows.high, 9);
  EXPECT_EQ(t.hops.low, 1);
  EXPECT_EQ(t.hops.high, 3);
  EXPECT_EQ(t.rate.low, Rate{25'000'000'000});
  EXPECT_EQ(t.rate.high, Rate{100'000'000'000});  // of NICs and slowest links, not of the fabric's
  // 4 links of 2 us and twice as many of 1 us, and what the packets take to be sent
  EXPECT_GT(t.base_rtt.low, 8_us);
  EXPECT_LT(t.base_rtt.low, 8'300_ns);
  EXPECT_GT(t.base_rtt.high, 12_us);
  EXPECT_LT(t.base_rtt.high, 12'800_ns);
}

TEST(Curriculum, ShippedOnesCanBeRead) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator("scenarios/train")) {
    EXPECT_NO_THROW(read_curriculum(file.path().string())) << file.path();
    ++count;
  }
  EXPECT_GE(count, 5);
}

// What a training leaves in a folder of its own can be trained again.
TEST(Curriculum, NamesScenarioFilesFromWhereItStands) {
  const char* text =
      "[[validation.network]]\nflows = 3\nset = ['topology.delay=2 us']\n"
      "[[environment]]\nfile = 'incast-dcqcn-pfc.toml'\nset = ['algorithm={name=\"pcc_rl\"}']\n";
  const Curriculum c = parse_curriculum(text, "scenarios/c.toml");
  const Curriculum again = parse_curriculum(c.effective("tests/learn"), "tests/learn/curriculum.toml");
  EXPECT_EQ(again.rows.at(0).params.file, "../../scenarios/incast-dcqcn-pfc.toml");
  EXPECT_EQ(again.environments.at(0).scenario.traffic.size(), c.environments.at(0).scenario.traffic.size());
  EXPECT_EQ(c.network_of(0), "star");
  EXPECT_EQ(c.network_of(3), "topology.delay=2 us");
}

}  // namespace
}  // namespace weir::learn
