// run.perturbation: what each number changes, and where there is nothing to change.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/cc/hpcc.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/perturbation.h"

namespace weir::scenario {
namespace {

using namespace weir::literals;

constexpr std::string_view kJoiningFlows = R"([topology]
kind = "star"
hosts = 4
delay = "1 us"
[algorithm]
name = "hpcc"
T = "4.2 us"
[[traffic]]
kind = "flows"
flow = [
  { src = 0, dst = 3, size = "1 MB", start = "0 us" },
  { src = 1, dst = 3, size = "1 MB", start = "10 us" },
  { src = 2, dst = 3, size = "1 KB", start = "20 us" },
]
[probes.queues]
ports = "4->3"
)";

constexpr std::string_view kStaggered = R"([topology]
kind = "star"
hosts = 4
[algorithm]
name = "newreno"
[[traffic]]
kind = "incast"
size = "1 MB"
stagger = "20 us"
)";

Scenario changed(std::string_view text, int number, std::vector<std::string> more = {}) {
  more.push_back("run.perturbation=" + std::to_string(number));
  return load_scenario(text, "a.toml", more);
}

std::string dump(const Scenario& s) { return effective(s, "").toml; }

std::vector<traffic::Flow> flows_of(const Scenario& s) {
  std::vector<traffic::Flow> out;
  build_traffic(s, *build_model(s))->pull_until(1_s, out);
  return out;
}

TEST(Perturbation, ChangesDelays) {
  const std::int64_t wanted[] = {990'000, 995'000, 1'005'000, 1'010'000};
  for (int number = 1; number <= 4; ++number) {
    const Scenario s = changed(kJoiningFlows, number);
    EXPECT_TRUE(s.perturbed);
    for (const net::Link& link : build_topology(s).links) EXPECT_EQ(link.delay.ps, wanted[number - 1]);
  }
}

TEST(Perturbation, ChangesTWhereItIsWritten) {
  const auto t_of = [](const Scenario& s) {
    return static_cast<const cc::Hpcc::Params*>(s.profiles.front().params.get())->base_rtt;
  };
  EXPECT_EQ(t_of(changed(kJoiningFlows, 5)), 4'242_ns);
  EXPECT_EQ(t_of(changed(kJoiningFlows, 6)), 4'284_ns);
  EXPECT_FALSE(changed(kJoiningFlows, 5, {"algorithm.T=0 us"}).perturbed);
  EXPECT_FALSE(changed(kStaggered, 6).perturbed);  // New Reno has none
}

TEST(Perturbation, ReversesStartsOfEqualFlows) {
  const auto flows = changed(kJoiningFlows, 7).traffic.front().flows;
  EXPECT_EQ(flows[0].start, 10_us);
  EXPECT_EQ(flows[1].start, 0_us);
  EXPECT_EQ(flows[2].start, 20_us);  // of another size
  std::vector<std::uint32_t> senders;
  for (const traffic::Flow& f : flows_of(changed(kStaggered, 7))) senders.push_back(f.src);
  EXPECT_EQ(senders, (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_FALSE(changed(kStaggered, 7, {"traffic.0.stagger=0 us"}).perturbed);
}

TEST(Perturbation, ChangesSizes) {
  const auto flows = changed(kJoiningFlows, 8).traffic.front().flows;
  EXPECT_EQ(flows[0].size, 1'100_KB);
  EXPECT_EQ(flows[2].size, 1'100_B);
  EXPECT_EQ(flows_of(changed(kStaggered, 8)).front().size, 1'100_KB);
}

TEST(Perturbation, CountsHostsFromTheOtherEnd) {
  const Scenario s = changed(kJoiningFlows, 9);
  EXPECT_EQ(s.mirrored_hosts, 4u);
  EXPECT_EQ(s.traffic.front().flows[1].src, 2u);
  EXPECT_EQ(s.traffic.front().flows[1].dst, 0u);
  EXPECT_NE(dump(s).find("ports = \"4->0\""), std::string::npos);
  std::vector<std::uint32_t> senders;
  for (const traffic::Flow& f : flows_of(changed(kStaggered, 9))) {
    senders.push_back(f.src);
    EXPECT_EQ(f.dst, 0u);
  }
  EXPECT_EQ(senders, (std::vector<std::uint32_t>{3, 2, 1}));
}

// The port to a host of another switch, and that between two switches of hosts.
TEST(Perturbation, NamesPortsByTheSwitchesOfTheirHosts) {
  const std::vector<std::string> leaf_spine{"topology={kind=\"leaf-spine\", leaves=2, spines=1, hosts_per_leaf=2}",
                                            "probes.queues.ports=4->3, 4->6, 0->4"};
  EXPECT_NE(dump(changed(kJoiningFlows, 9, leaf_spine)).find("ports = \"5->0, 5->6, 3->5\""), std::string::npos);
}

// A chain is another one from its other end on, and so may a file's network be.
TEST(Perturbation, LeavesHostsWhereTheNetworkIsNotTheSame) {
  const std::vector<std::string> chain{"topology={kind=\"parking-lot\"}", "probes={}"};
  EXPECT_FALSE(changed(kJoiningFlows, 9, chain).perturbed);
  const std::vector<std::string> file{"topology={kind=\"file\", file=\"tests/scenario/none.graph\"}"};
  EXPECT_FALSE(changed(kJoiningFlows, 9, file).perturbed);
  EXPECT_TRUE(changed(kJoiningFlows, 9, {}).perturbed);
}

TEST(Perturbation, ScalesTheDelaysOfAFile) {
  const std::vector<std::string> file{"topology={kind=\"file\", file=\"papers/scenarios/two-rates.graph\"}"};
  const Scenario s = changed(kStaggered, 1, file);
  EXPECT_TRUE(s.perturbed);
  for (const net::Link& link : build_topology(s).links) EXPECT_EQ(link.delay, 990_ns);
}

// What results is written down as values, so that running the effective scenario again changes nothing more.
TEST(Perturbation, IsNotAppliedTwice) {
  const std::string once = dump(changed(kJoiningFlows, 1));
  EXPECT_NE(once.find("perturbation = 0"), std::string::npos);
  EXPECT_EQ(dump(load_scenario(once, "a.toml")), once);
}

TEST(Perturbation, IsToldOf) {
  EXPECT_TRUE(changed(kJoiningFlows, 0).notices.empty());
  EXPECT_EQ(changed(kJoiningFlows, 4).notices, std::vector<std::string>{"run.perturbation = 4: all link delays + 1 %"});
  EXPECT_EQ(changed(kStaggered, 5).notices,
            std::vector<std::string>{
                "run.perturbation = 5: T of the algorithms + 1 %; nothing in this scenario changes by that"});
}

TEST(Perturbation, HasNineNumbers) {
  for (const int number : {-1, 10}) {
    try {
      changed(kJoiningFlows, number);
      ADD_FAILURE() << number;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("run.perturbation"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace weir::scenario
