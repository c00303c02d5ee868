// Flow by flow: results that are written by hand.
#include "weir/study/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "tests/support/command.h"
#include "weir/base/error.h"
#include "weir/study/run_differences.h"

namespace weir::study {
namespace {

class Compare : public testing::Test {
 protected:
  // Rows "flow_id,src,dst,size,start,fct,tag".
  RunFiles result(const std::string& name, const std::vector<std::string>& rows,
                  const std::string& summary = "{}") const {
    std::filesystem::create_directory(folder_ / name);
    std::ofstream flows(folder_ / (name + "/flows.csv"));
    flows << "flow_id,src,dst,size_bytes,start_ps,fct_ps,tag\n";
    for (const auto& row : rows) flows << row << "\n";
    std::ofstream(folder_ / (name + "/summary.json")) << summary;
    return RunFiles(folder_ / name);
  }
  static Ratios ratios(const PairedFlows& paired) {
    std::vector<const FlowPair*> all;
    for (const auto& pair : paired.flows) all.push_back(&pair);
    return compare(all);
  }

  app::Folder folder_{"weir-compare"};
};

TEST_F(Compare, RatiosByHand) {
  // in the order of their ends, as runs write them; flow 4 has finished in the base alone, flow 5 nowhere
  const auto base = result("a", {"1,0,1,10,5,100,x", "0,0,1,10,0,100,x", "2,1,0,10,7,400,y", "3,1,0,10,8,100,y",
                                 "4,1,0,10,9,50,y", "5,1,0,10,9,,y", "6,1,0,10,9,1,y"});
  const auto other = result("b", {"0,0,1,10,0,50,x", "1,0,1,10,5,100,x", "3,1,0,10,8,200,y", "2,1,0,10,7,100,y",
                                  "4,1,0,10,9,,y", "5,1,0,10,9,,y"});
  const auto paired = pair_flows(base, other);
  EXPECT_EQ(paired.flows.size(), 6);
  EXPECT_EQ(paired.only_base, 1);
  EXPECT_EQ(paired.only_other, 0);
  const Ratios r = ratios(paired);  // of 0.5, 1, 0.25, 2
  EXPECT_EQ(r.n, 4);
  EXPECT_EQ(r.median, 1);  // place floor(4 * 0.5) = 2 of 0.25 0.5 1 2
  EXPECT_DOUBLE_EQ(r.geomean, std::pow(0.25, 0.25));
  EXPECT_EQ(r.slower, 0.25);
  EXPECT_EQ(r.faster, 0.5);
  EXPECT_EQ(r.unfinished_base, 0);
  EXPECT_EQ(r.unfinished_other, 1);
  EXPECT_EQ(r.unfinished_both, 1);
  EXPECT_LT(r.low, r.geomean);
  EXPECT_GT(r.high, r.geomean);
  EXPECT_GE(r.low, 0.25);
  EXPECT_LE(r.high, 2);
  const Ratios again = ratios(pair_flows(base, other));
  EXPECT_EQ(again.low, r.low);
  EXPECT_EQ(again.high, r.high);
}

TEST_F(Compare, OtherFlowsAreRefused) {
  const auto base = result("a", {"0,0,1,10,0,50,x", "1,0,1,10,5,100,x"});
  const std::vector<std::pair<std::string, std::string>> list{{"1,2,1,10,5,100,x", "senders 0 and 2"},
                                                              {"1,0,2,10,5,100,x", "receivers 1 and 2"},
                                                              {"1,0,1,11,5,100,x", "sizes 10 and 11"},
                                                              {"1,0,1,10,6,100,x", "starts 5 and 6 ps"},
                                                              {"1,0,1,10,5,100,y", "tags 'x' and 'y'"}};
  for (const auto& [row, difference] : list) {
    const auto other = result("b", {"0,0,1,10,0,50,x", row});
    try {
      pair_flows(base, other);
      ADD_FAILURE() << row;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), fmt::format("{} and {} are not of the same flows: flow 1 has {}; compare runs with the "
                                          "same traffic and seed",
                                          base.directory().path(), other.directory().path(), difference));
    }
  }
}

// By their scenarios: what changes the load is told apart from the rest, and what only measures is none.
TEST_F(Compare, DifferencesOfScenarios) {
  const auto with = [&](const std::string& name, const std::string& scenario) {
    const RunFiles files = result(name, {});
    std::ofstream(folder_ / (name + "/scenario.toml")) << scenario;
    return files;
  };
  const auto base = with("a",
                         "title = \"x\"\n[run]\nstop = \"1 ms\"\nthreads = 1\n[algorithm]\neta = 0.9\n"
                         "[[traffic]]\nkind = \"incast\"\nprofile = \"p\"\nload = 0.5\n[probes.queues]\n");
  const auto other = with("b",
                          "title = \"y\"\n[run]\nstop = \"2 ms\"\nthreads = 2\n[algorithm]\neta = 0.95\n"
                          "[[traffic]]\nkind = \"incast\"\nprofile = \"q\"\nload = 0.5\n"
                          "[[traffic]]\nkind = \"poisson\"\nload = 0.1\n");
  std::string all;
  for (const Difference& d : differences(base, other)) all += d.key + (d.of_load ? "! " : " ");
  EXPECT_EQ(all, "algorithm.eta run.stop! traffic.0.profile traffic.1! ");
  EXPECT_EQ(load_text(differences(base, other)), "run.stop (1 ms and 2 ms), traffic.1 (none and a table)");
  EXPECT_TRUE(differences(base, base).empty());
  EXPECT_TRUE(differences(base, result("c", {})).empty());
  EXPECT_EQ(load_text({}), "");
}

// Messages of collectives start when others have ended.
TEST_F(Compare, FlowsThatWereNotKeptAreToldOf) {
  const auto base = result("a", {"0,0,1,10,0,100,x"});
  const auto other = result("b", {});
  std::filesystem::remove(folder_ / "b/flows.csv");
  try {
    pair_flows(base, other);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), folder_ / "b" +
                                " has kept no flows.csv; write keep = [\"flows.csv\"] in [study] and run "
                                "such results again with --fresh");
  }
}

TEST_F(Compare, MessagesMayStartAtOtherTimes) {
  const std::string summary = R"({"collectives": [{"tag": "ring"}]})";
  const auto paired =
      pair_flows(result("a", {"0,0,1,10,5,50,ring"}, summary), result("b", {"0,0,1,10,9,25,ring"}, summary));
  ASSERT_EQ(paired.flows.size(), 1);
  EXPECT_EQ(paired.flows[0].ratio(), 0.5);
}

// A hundred blocks at most, whatever the number of flows: flows of one block go together.
TEST_F(Compare, TheIntervalIsOfBlocks) {
  std::vector<FlowPair> flows(10'000);
  std::vector<const FlowPair*> all;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].row.value = 1;
    flows[i].other = i / 100 % 2 == 0 ? 1 : std::exp(1);  // alike within each block
    all.push_back(&flows[i]);
  }
  const Ratios r = compare(all);
  EXPECT_DOUBLE_EQ(r.geomean, std::exp(0.5));
  // 100 independent blocks of 0 or 1: the standard error of their mean is 0.05
  EXPECT_NEAR(std::log(r.low), 0.5 - 1.96 * 0.05, 0.011);
  EXPECT_NEAR(std::log(r.high), 0.5 + 1.96 * 0.05, 0.011);
}

TEST_F(Compare, OverSeeds) {
  // logarithms 0, 1, 2: mean 1, standard deviation 1, t = 4.3027
  std::vector<Ratios> seeds(3);
  for (std::size_t i = 0; i < 3; ++i) {
    seeds[i].n = 10 * (i + 1);
    seeds[i].geomean = std::exp(static_cast<double>(i));
    seeds[i].median = static_cast<double>(i);
    seeds[i].slower = 0.5;
    seeds[i].faster = 0.25;
    seeds[i].unfinished_both = 1;
  }
  const Ratios all = over_seeds(seeds);
  EXPECT_EQ(all.n, 60);
  EXPECT_EQ(all.median, 1);
  EXPECT_EQ(all.unfinished_both, 3);
  EXPECT_DOUBLE_EQ(all.geomean, std::exp(1));
  EXPECT_NEAR(std::log(all.low), 1 - 4.3027 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(std::log(all.high), 1 + 4.3027 / std::sqrt(3.0), 1e-12);
  EXPECT_TRUE(std::isnan(over_seeds(std::vector{Ratios{}}).geomean));
}

}  // namespace
}  // namespace weir::study
