// Collectives whose messages are made when they are due, against the same ones written down in advance.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/probe/collective_report.h"
#include "weir/scenario/build.h"
#include "weir/traffic/schedule.h"

namespace weir::scenario {
namespace {

constexpr const char* kBase = R"(
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 4
[algorithm]
name = "hpcc"
)";

constexpr const char* kCollective = R"(
[[traffic]]
kind = "collective"
operation = "ring-all-reduce"
size = "400 KB"
start = "3 us"
)";

std::vector<probe::CollectiveSummary> collectives_of(const std::string& text, const std::vector<std::string>& set) {
  const auto run = build(load_scenario(text, "a.toml", set));
  run.simulation->advance();
  return probe::report_collectives(*run.simulation, run.tags());
}

void expect_equal(const probe::CollectiveSummary& a, const probe::CollectiveSummary& b, const std::string& what) {
  EXPECT_EQ(a.tag, b.tag) << what;
  EXPECT_EQ(a.messages, b.messages) << what;
  EXPECT_EQ(a.unfinished, b.unfinished) << what;
  EXPECT_EQ(a.payload, b.payload) << what;
  EXPECT_EQ(a.start, b.start) << what;
  EXPECT_EQ(a.completion, b.completion) << what;
  EXPECT_EQ(a.acknowledged, b.acknowledged) << what;
  EXPECT_EQ(a.bus_bandwidth(), b.bus_bandwidth()) << what;
  ASSERT_TRUE(b.completion) << what;
  EXPECT_GE(*b.completion, b.bound) << what;
  EXPECT_EQ(b.bound, a.bound) << what;
}

TEST(CollectivesMadeWhenDue, EndAsThoseThatAreWrittenDown) {
  const std::vector<std::vector<std::string>> variants{
      {"traffic.0.operation=ring-reduce-scatter"},
      {"traffic.0.operation=ring-all-gather"},
      {"traffic.0.operation=all-to-all"},
      {"traffic.0.operation=halving-doubling-all-reduce"},
      {"traffic.0.chunks=3", "traffic.0.size=400003 B"},
      {"traffic.0.operation=halving-doubling-all-reduce", "traffic.0.chunks=3", "traffic.0.size=400003 B"},
      {"traffic.0.step_delay=2 us", "traffic.0.chunks=2"},
      {"traffic.0.placement=random", "traffic.0.hosts=0-6"},
      {"transport.connections=kept"},
      {"transport.connections=kept", "traffic.0.operation=all-to-all", "traffic.0.size=400003 B"},
      {"run.fidelity=flow"},
      {"run.fidelity=flow", "traffic.0.operation=all-to-all"},
      {"run.scheduler=wheel"},
  };
  for (std::vector<std::string> set : variants) {
    std::string what;
    for (const std::string& one : set) what += one + " ";
    const auto written = collectives_of(std::string(kBase) + kCollective, set);
    set.push_back("traffic.0.messages=sums");
    const auto made = collectives_of(std::string(kBase) + kCollective, set);
    ASSERT_EQ(written.size(), 1u);
    ASSERT_EQ(made.size(), 1u);
    expect_equal(written[0], made[0], what);
  }
}

TEST(CollectivesMadeWhenDue, ShareTheNetworkWithOthers) {
  const std::string two = std::string(kBase) + kCollective + R"(
[[traffic]]
kind = "collective"
operation = "all-to-all"
size = "100 KB"
hosts = "0-3"
tag = "other"
messages = "sums"
)";
  const auto one_thread = collectives_of(two, {"traffic.0.messages=sums"});
  ASSERT_EQ(one_thread.size(), 2u);
  EXPECT_EQ(one_thread[1].tag, "other");
  const auto written = collectives_of(two, {});
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[0].messages, one_thread[0].messages);
  ASSERT_TRUE(one_thread[0].completion && one_thread[1].completion);
}

// nccl-tests, PERFORMANCE.md: the factors, and the bandwidth of a ring that nothing holds up.
TEST(BusBandwidth, IsWhatNcclTestsSays) {
  EXPECT_DOUBLE_EQ(traffic::bus_factor(traffic::Operation::ring_all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(traffic::bus_factor(traffic::Operation::ring_all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(traffic::bus_factor(traffic::Operation::all_to_all, 8), 0.875);
  const auto found = collectives_of(R"(
[topology]
kind = "star"
hosts = 8
rate = "100 Gbps"
[algorithm]
name = "fixed-window"
[[traffic]]
kind = "collective"
operation = "ring-all-reduce"
size = "80 MB"
)",
                                    {"run.fidelity=flow"});
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].bus_bandwidth());
  // 1,000 of each 1,048 bytes are payload, and each of 14 steps takes some microseconds of latency beside 800
  EXPECT_NEAR(*found[0].bus_bandwidth() / 100e9, 1000.0 / 1048, 0.005);
  EXPECT_NEAR(*found[0].algorithm_bandwidth() * 1.75, *found[0].bus_bandwidth(), 1);
}

// 4 servers of 4: 2 * 3 steps of S / 4 in the servers, and 6 of S / 16 between them, of which nothing holds up another.
TEST(HierarchicalAllReduce, TakesTheTimeOfItsSteps) {
  const std::string servers = R"(
[topology]
kind = "star"
hosts = 16
rate = "400 Gbps"
[algorithm]
name = "fixed-window"
[[traffic]]
kind = "collective"
operation = "hierarchical-all-reduce"
size = "64 MB"
group = 4
)";
  const std::vector<std::string> flow{"run.fidelity=flow"};
  const auto found = collectives_of(servers, flow);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].messages, 16u * 12);
  ASSERT_TRUE(found[0].completion);
  const auto run = build(load_scenario(servers, "a.toml", flow));
  const auto framing = run.model->framing_without_int(run.model->profiles[0]);
  const Time across = run.model->paths.delivery(0, 4, Bytes{4'000'000}, framing);
  const Time within = transmission_time(Bytes{16'000'000}, Rate{3'600'000'000'000}) + Time{500'000};
  EXPECT_EQ(*found[0].completion, 6 * across + 6 * within);
  EXPECT_LE(found[0].bound, *found[0].completion);
  // With packets it is no quicker; acknowledgements, 60 bytes to 1,048, share the links.
  const auto packets = collectives_of(servers, {});
  ASSERT_TRUE(packets[0].completion);
  EXPECT_GE(*packets[0].completion, packets[0].bound);
  EXPECT_LT(packets[0].completion->seconds(), 1.06 * found[0].completion->seconds());
  EXPECT_EQ(*packets[0].completion, *collectives_of(servers, {"run.threads=2", "run.scheduler=wheel"})[0].completion);
}

// Few chunks at a time keep both networks busy at once; all at once they fill one after the other.
TEST(HierarchicalAllReduce, IsPipelinedByActiveChunks) {
  const std::string servers = R"(
[topology]
kind = "star"
hosts = 16
rate = "400 Gbps"
[algorithm]
name = "fixed-window"
[run]
fidelity = "flow"
[[traffic]]
kind = "collective"
operation = "hierarchical-all-reduce"
size = "512 MB"
group = 4
chunks = 32
scale_up_rate = "800 Gbps"
)";
  const auto all = collectives_of(servers, {}).at(0);
  const auto few = collectives_of(servers, {"traffic.0.active_chunks=6"}).at(0);
  ASSERT_TRUE(all.completion && few.completion);
  // What the GPUs' scale-up links need at least: 2 * 3/4 of the buffer at 100 GB/s.
  const double busier = 1.5 * 512e6 / 100e9;
  EXPECT_LT(few.completion->seconds(), 1.05 * busier);
  EXPECT_GT(few.completion->seconds(), busier);
  EXPECT_GT(all.completion->seconds(), 1.1 * busier);
  EXPECT_GE(*few.completion, few.bound);
}

TEST(HierarchicalAllReduce, NeedsServers) {
  const auto refusal = [](const std::string& more) -> std::string {
    try {
      build(load_scenario(std::string(kBase) + kCollective, "a.toml",
                          {"traffic.0.operation=hierarchical-all-reduce", more}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("traffic.0.group=1").find("two or more servers"), std::string::npos);
  EXPECT_NE(refusal("traffic.0.group=8").find("two or more servers"), std::string::npos);
  EXPECT_NE(refusal("traffic.0.group=3").find("does not divide"), std::string::npos);
  EXPECT_EQ(refusal("traffic.0.group=4"), "");
}

TEST(TreeAllReduce, GoesUpAndDownBothTrees) {
  const std::string tree = R"(
[topology]
kind = "star"
hosts = 2
[algorithm]
name = "fixed-window"
[[traffic]]
kind = "collective"
operation = "tree-all-reduce"
size = "2 MB"
)";
  // Of two ranks each is the root of one tree: half of the buffer goes there and back, in both directions at once.
  const auto run = build(load_scenario(tree, "a.toml", {"run.fidelity=flow"}));
  run.simulation->advance();
  const auto found = probe::report_collectives(*run.simulation, run.tags()).at(0);
  const auto framing = run.model->framing_without_int(run.model->profiles[0]);
  ASSERT_TRUE(found.completion);
  EXPECT_EQ(*found.completion, 2 * run.model->paths.delivery(0, 1, Bytes{1'000'000}, framing));
  EXPECT_EQ(found.bound, *found.completion);

  for (const std::vector<std::string>& set :
       {std::vector<std::string>{"topology.hosts=13", "traffic.0.chunks=4"},
        {"topology.hosts=24", "traffic.0.group=4", "traffic.0.chunks=3", "traffic.0.step_delay=1 us"},
        {"topology.hosts=12", "transport.connections=kept", "traffic.0.messages=sums"},
        {"topology.hosts=12", "traffic.0.chunks=9", "traffic.0.active_chunks=2"},
        {"topology.hosts=12", "traffic.0.chunks=9", "traffic.0.active_chunks=2",
         "traffic.0.operation=ring-all-reduce"}}) {
    const auto one = collectives_of(tree, set).at(0);
    const auto hosts = one.messages;
    ASSERT_TRUE(one.completion) << set[0];
    EXPECT_GE(*one.completion, one.bound) << set[0];
    EXPECT_EQ(one.unfinished, 0u) << set[0];
    std::vector<std::string> other = set;
    other.emplace_back("run.threads=2");
    other.emplace_back("run.scheduler=heap");
    const auto two = collectives_of(tree, other).at(0);
    EXPECT_EQ(two.completion, one.completion) << set[0];
    EXPECT_EQ(two.messages, hosts) << set[0];
  }
  EXPECT_EQ(collectives_of(tree, {"topology.hosts=13", "traffic.0.chunks=4"}).at(0).messages, 12u * 2 * 2 * 4);
}

// docs/evidence/gpu-clusters.md: what SimAI prints for 16 MiB to 512 MiB, with two constants that were fitted.
TEST(BusBandwidth, HasTheFormOfSimAis) {
  const std::string rail = R"(
[topology]
kind = "star"
hosts = 32
rate = "400 Gbps"
delay = "500 ns"
[algorithm]
name = "fixed-window"
[transport]
payload = "9000 B"
[run]
fidelity = "flow"
[fidelity]
utilisation = 0.9302
[[traffic]]
kind = "collective"
operation = "ring-all-reduce"
size = "16 MiB"
step_delay = "3300 ns"
)";
  const std::vector<std::string> server{
      "fidelity.utilisation=1", "traffic.0.step_delay=0 ns",           "traffic.0.hosts=0-7",
      "traffic.0.group=8",      "traffic.0.scale_up_rate=1341.6 Gbps", "traffic.0.scale_up_latency=2271 ns"};
  const double of_rail[] = {33.095585, 38.572166, 42.049648, 44.036110, 45.101425, 45.653648};
  const double of_server[] = {141.84, 153.68, 160.60, 163.85, 165.72, 166.68};
  for (int i = 0; i < 6; ++i) {
    std::vector<std::string> set{"traffic.0.size=" + std::to_string(16 << i) + " MiB"};
    EXPECT_NEAR(*collectives_of(rail, set).at(0).bus_bandwidth() / 8e9, of_rail[i], 0.006 * of_rail[i]);
    set.insert(set.end(), server.begin(), server.end());
    EXPECT_NEAR(*collectives_of(rail, set).at(0).bus_bandwidth() / 8e9, of_server[i], 0.002 * of_server[i]);
  }
}

TEST(CollectivesMadeWhenDue, AreRefusedWhereNobodyMakesThem) {
  const auto refusal = [](const std::vector<std::string>& set) -> std::string {
    try {
      build(load_scenario(std::string(kBase) + kCollective, "a.toml", set));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string sums = "traffic.0.messages=sums";
  EXPECT_EQ(refusal({sums, "run.until=collectives"}), "");
  EXPECT_NE(refusal({sums, "run.fidelity=ns3-hpcc", "algorithm.additive_increase=rate"}).find("there are collectives"),
            std::string::npos)
      << refusal({sums, "run.fidelity=ns3-hpcc", "algorithm.additive_increase=rate"});
}

TEST(CollectivesMadeWhenDue, MayBeAnyNumber) {
  const std::string many = R"(
[topology]
kind = "star"
hosts = 8192
[algorithm]
name = "fixed-window"
[network.buffer]
mode = "lossy"
[[traffic]]
kind = "collective"
operation = "ring-all-reduce"
size = "100 MB"
)";
  try {
    build(load_scenario(many, "a.toml", {}));
    FAIL() << "134 million messages are not written down";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("any number with messages = \"sums\""), std::string::npos) << error.what();
  }
  const auto run = build(load_scenario(many, "a.toml", {"traffic.0.messages=sums", "run.stop=20 us"}));
  run.simulation->advance();
  const auto found = probe::report_collectives(*run.simulation, run.tags());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].messages, 8192ull * 2 * 8191);
  EXPECT_GT(found[0].messages - found[0].unfinished, 0u);
}

}  // namespace
}  // namespace weir::scenario
