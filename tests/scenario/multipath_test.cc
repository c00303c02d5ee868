// What scenarios gain by choosing paths well: REPS that remembers, shares by capacity; and what is said of the latter.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "weir/scenario/build.h"
#include "weir/scenario/warnings.h"

namespace weir::scenario {
namespace {

// Of each flow of a run: its number, and when it was done.
using Finishes = std::map<std::uint64_t, Time>;

Finishes finishes(const std::string& file, const std::vector<std::string>& overrides) {
  const Scenario s = load_scenario_file("tests/scenarios/" + file, overrides);
  const Run run = build(s);
  Finishes out;
  run.simulation->on_finish([&](const host::FlowRecord& flow) { out[flow.id] = flow.finish; });
  while (!run.simulation->advance()) {
  }
  return out;
}

Time last(const Finishes& finishes) {
  Time out;
  for (const auto& [id, time] : finishes) out = std::max(out, time);
  return out;
}

const std::string kOps = "algorithm.load_balancing.kind=ops";
const std::string kReps = "algorithm.load_balancing.kind=reps";
std::string memory(const std::string& kind) { return "algorithm.load_balancing.memory=" + kind; }

// A message of an all-reduce is sent before its first acknowledgement is back. REPS that starts afresh with each has
// nothing to repeat and draws the very entropies of random spraying.
TEST(RepsInAnAllReduce, StartsAtRandomWithoutMemory) {
  const std::vector<std::string> whole{"network.link_event=[]"};
  const auto with = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), whole.begin(), whole.end());
    return finishes("reps-all-reduce.toml", overrides);
  };
  EXPECT_EQ(with({kReps, memory("flow")}), with({kOps}));
  EXPECT_NE(with({kReps, memory("connection")}), with({kOps}));
}

// One of four ways between two racks is dead, and switches do not know.
TEST(RepsInAnAllReduce, AvoidsADeadLinkThatItRemembers) {
  const Time ops = last(finishes("reps-all-reduce.toml", {kOps}));
  const Time forgetful = last(finishes("reps-all-reduce.toml", {kReps, memory("flow")}));
  const Time mindful = last(finishes("reps-all-reduce.toml", {kReps, memory("connection")}));
  EXPECT_LT(mindful * 2, ops);
  EXPECT_LT(mindful * 2, forgetful);
}

// The same with flows that wait for nothing: their connections are those of the pair, if asked for.
TEST(RepsInAnAllReduce, SharesTheMemoryOfAPairIfAskedTo) {
  std::string flows;
  for (int i = 0; i < 20; ++i) flows += fmt::format(R"({{src=0, dst=7, size="40 KB", start="{} us"}},)", 200 * i);
  const auto with = [&](const std::string& kind) {
    return finishes("reps-all-reduce.toml", {"traffic=[{kind=\"flows\", flow=[" + flows + "]}]", kReps, memory(kind)});
  };
  const Finishes alone = with("flow");
  EXPECT_EQ(alone, with("connection"));
  const Finishes shared = with("pair");
  EXPECT_EQ(shared.at(0), alone.at(0));
  Time sum_alone;
  Time sum_shared;
  for (std::uint64_t i = 0; i < 20; ++i) {
    sum_alone += alone.at(i) - Time{200'000'000} * static_cast<std::int64_t>(i);
    sum_shared += shared.at(i) - Time{200'000'000} * static_cast<std::int64_t>(i);
  }
  EXPECT_LT(sum_shared * 2, sum_alone);
}

// The graph of wcmp.toml, without failures: two permutations, one of them sprayed at random.
TEST(SharesByCapacity, AreQuickerWhereNextHopsDiffer) {
  const auto with = [](const std::string& ecmp) {
    return last(finishes("wcmp.toml", {"network.link_event=[]", "network.ecmp=" + ecmp, "traffic.0.profile=ops"}));
  };
  EXPECT_LT(with("capacity") * 5, with("equal") * 4);
}

// Those that are about shares.
std::vector<std::string> warnings_of(const std::string& file, const std::vector<std::string>& overrides) {
  const Scenario s = load_scenario_file("tests/scenarios/" + file, overrides);
  auto out = warnings(s, *build_model(s));
  std::erase_if(out, [](const std::string& w) { return w.find("network.ecmp") == std::string::npos; });
  return out;
}

TEST(Warnings, TellOfCapacityThatIsNotLookedAt) {
  EXPECT_EQ(warnings_of("wcmp.toml", {"network.ecmp=equal"}),
            (std::vector<std::string>{
                "switch 9 has next hops of different capacity towards host 0 (200 Gbps by node 10, 40 Gbps by node 11, "
                "40 Gbps by node 12) and sends by each the same share of flows; network.ecmp = \"capacity\" makes "
                "shares proportional to capacity"}));
  EXPECT_EQ(warnings_of("wcmp.toml", {}), std::vector<std::string>{});
  EXPECT_EQ(warnings_of("ring-graph.toml", {}), std::vector<std::string>{});
  EXPECT_EQ(warnings_of("reps-all-reduce.toml", {}), std::vector<std::string>{});
}

}  // namespace
}  // namespace weir::scenario
