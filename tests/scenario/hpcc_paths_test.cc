// HPCC and the paths of its packets: what a failure elsewhere changes, and spraying.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/scenario/build.h"

namespace weir::scenario::hpcc_paths_test {
namespace {

std::map<std::uint64_t, Time> finishes(const std::string& text) {
  const Run run = build(load_scenario(text, "hpcc.toml"));
  std::map<std::uint64_t, Time> out;
  run.simulation->on_finish([&](const host::FlowRecord& r) { out[r.id] = r.finish; });
  while (!run.simulation->advance()) {
  }
  return out;
}

// Two flows within the first rack, one of which joins the other.
constexpr const char* kRack = R"(
[run]
stop = "2 ms"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 2
hosts_per_leaf = 4
fabric_rate = "100 Gbps"
[algorithm]
name = "hpcc"
preset = "paper"
[[traffic]]
kind = "flows"
flow = [{ src = 0, dst = 3, size = "5 MB" }, { src = 1, dst = 3, size = "5 MB", start = "10 us" }]
)";

TEST(HpccPaths, AFailureInAnotherRackChangesNothing) {
  const auto without = finishes(kRack);
  ASSERT_EQ(without.size(), 2u);
  EXPECT_EQ(finishes(kRack + std::string(R"(
[[network.link_event]]
time = "100 us"
a = 19
b = 21
state = "down"
)")),
            without);
}

constexpr const char* kPermutation = R"(
[run]
stop = "1 ms"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 4
hosts_per_leaf = 4
fabric_rate = "100 Gbps"
[algorithm]
name = "hpcc"
[algorithm.recovery]
kind = "sack"
[[traffic]]
kind = "permutation"
size = "20 MB"
)";

std::uint64_t hops_carried(const std::vector<std::string>& overrides) {
  const Run run = build(load_scenario(kPermutation, "permutation.toml", overrides));
  while (!run.simulation->advance()) {
  }
  return run.simulation->counters().packet_hops;
}

TEST(HpccPaths, SprayedFlowsCarryWhatFlowsOnOnePathDo) {
  for (const std::string algorithm : {"hpcc", "mhpcc"}) {
    const std::string name = "algorithm.name=" + algorithm;
    const auto on_one_path = hops_carried({name});
    for (const std::string kind : {"ops", "round-robin", "adaptive"})
      EXPECT_GE(hops_carried({name, "algorithm.load_balancing.kind=" + kind}), on_one_path) << algorithm << " " << kind;
  }
}

TEST(HpccPaths, RegistersOfLinksNeedOnePath) {
  const auto s = load_scenario(kPermutation, "permutation.toml",
                               {"algorithm.name=hpcc-alpha-fair", "algorithm.load_balancing.kind=ops"});
  try {
    build(s);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'hpcc-alpha-fair' needs one path"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weir::scenario::hpcc_paths_test
