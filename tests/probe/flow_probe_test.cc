#include "weir/probe/flow_probe.h"

#include "tests/probe/helpers.h"
#include "weir/base/error.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

// 100 Gb/s: 80 ps per byte; 1048-byte packets take 83,840 ps, 60-byte acknowledgements 4,800 ps.
net::Topology star(std::uint32_t hosts) { return net::build(net::Star{.hosts = hosts}); }

// Two packets meet at one port, a flow of three is alone, another does not get done.
Lab::Flows tiny() {
  return {flow(0_us, 0, 2, 1000_B), flow(0_us, 1, 2, 1000_B), flow(100_us, 0, 1, 3000_B, 1), flow(150_us, 2, 0, 10_MB)};
}

TEST(FlowProbe, WritesTheExpectedFile) {
  const Scratch scratch;
  {
    ResultDirectory out(scratch / "a");
    Lab(star(3), tiny(), "fixed-window", {}, {.stop = 200_us}).run({}, &out);
    out.commit();
  }
  EXPECT_EQ(text_of(scratch / "a/flows.csv"), text_of("tests/probe/data/tiny_flows.csv"));
}

TEST(FlowProbe, SummarisesSlowdown) {
  const Summary s = Lab(star(3), tiny(), "fixed-window", {}, {.stop = 200_us}).run({});
  EXPECT_EQ(s.sim_time, 200_us);
  EXPECT_EQ(s.flows.finished, 3u);
  EXPECT_EQ(s.flows.unfinished, 1u);
  EXPECT_EQ(s.flows.max_fct, 4'344'960_ps);
  EXPECT_EQ(s.flows.last_finish, 104'344'960_ps);
  EXPECT_EQ(s.flows.mean_fct, Time{(4'177'280 + 4'261'120 + 4'344'960) / 3});

  // The second packet waits for the first: one packet time more than the ideal.
  const double late = 4'261'120.0 / 4'177'280.0;
  EXPECT_EQ(s.flows.slowdown.count, 3u);
  EXPECT_EQ(s.flows.slowdown.p50, 1);
  EXPECT_FLOAT_EQ(static_cast<float>(s.flows.slowdown.max), static_cast<float>(late));
  EXPECT_NEAR(s.flows.slowdown.mean, (2 + late) / 3, 1e-7);

  ASSERT_EQ(s.flows.by_tag.size(), 2u);
  EXPECT_EQ(s.flows.by_tag[0].name, "web");
  EXPECT_EQ(s.flows.by_tag[0].values.count, 2u);
  EXPECT_EQ(s.flows.by_tag[1].name, "incast");
  EXPECT_EQ(s.flows.by_tag[1].values.max, 1);
  ASSERT_EQ(s.flows.by_algorithm.size(), 1u);
  EXPECT_EQ(s.flows.by_algorithm[0].name, "fixed-window");

  ASSERT_EQ(s.flows.by_size.size(), 6u);
  EXPECT_EQ(s.flows.by_size[0].slowdown.count, 2u);  // 1 KB itself is in the first
  EXPECT_EQ(s.flows.by_size[1].above, 1_KB);
  EXPECT_EQ(s.flows.by_size[1].up_to, 10_KB);
  EXPECT_EQ(s.flows.by_size[1].slowdown.count, 1u);
  EXPECT_EQ(s.flows.by_size[5].up_to, SizeBucket::kNoLimit);
  EXPECT_TRUE(s.flows.by_equal_count.empty());
}

// 2 us + 2 * 80 ns + 1048 * 80 ps + 2 us: the formula counts the packet twice and the
// acknowledgement not at all.
TEST(FlowProbe, TakesTheIdealOfHpccsArtifact) {
  ProbeParams params;
  params.set(FlowsParams{.ideal = net::IdealFct::hpcc});
  const Summary s = Lab(star(3), {flow(0_us, 0, 2, 1000_B), flow(0_us, 1, 2, 1000_B)}).run(params);
  EXPECT_EQ(s.flows.slowdown.p50, static_cast<float>(4'261'120.0 / 4'243'840));
  EXPECT_EQ(s.flows.by_size[0].slowdown.mean, (1 + s.flows.slowdown.max) / 2);  // not below 1
}

TEST(FlowProbe, ChargesTelemetryToTheAlgorithm) {
  const Summary s = Lab(star(3), {flow(0_us, 0, 2, 1000_B)}, "hpcc").run({});
  const double with_int = 2 * 1090 * 80 + 2 * 88 * 80 + 4'000'000;
  EXPECT_FLOAT_EQ(static_cast<float>(s.flows.slowdown.max), static_cast<float>(with_int / 4'177'280));
}

TEST(SlowdownTable, CutsIntoGroupsOfEqualNumber) {
  SlowdownTable table;
  for (int i = 9; i >= 0; --i) table.add({.size = 100 * (i + 1), .slowdown = static_cast<float>(i)});
  const auto groups = table.by_equal_count(4);
  ASSERT_EQ(groups.size(), 4u);
  // places 0-1, 2-4, 5-6, 7-9
  EXPECT_EQ(groups[0].up_to, 200_B);
  EXPECT_EQ(groups[1].above, 200_B);
  EXPECT_EQ(groups[1].up_to, 500_B);
  EXPECT_EQ(groups[1].slowdown.p50, 3);
  EXPECT_EQ(groups[2].slowdown.count, 2u);
  EXPECT_EQ(groups[3].slowdown.max, 9);
  EXPECT_EQ(table.by_equal_count(20).size(), 10u);
  EXPECT_TRUE(SlowdownTable().by_equal_count(20).empty());
}

TEST(Buckets, AscendAndNameTheirUnit) {
  EXPECT_EQ(parse_buckets("3 KB, 120 KB"), (std::vector<Bytes>{3_KB, 120_KB}));
  for (const char* bad : {"", "1 KB,", "10 KB, 1 KB", "0 B", "1000", "1 KB, 1 KB", "x"})
    EXPECT_THROW(parse_buckets(bad), InputError) << bad;
}

}  // namespace
}  // namespace weir::probe
