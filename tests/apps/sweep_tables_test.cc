// What a sweep tells of runs that have failed, or ended with unfinished flows, and of odd scenarios.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/apps/sweep_fixture.h"

namespace weir::app {
namespace {

std::string line_with(const std::string& text, const std::string& begin) {
  const auto at = text.find("\n" + begin);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

// Each row says on how many seeds it stands.
TEST_F(Sweep, TablesTellOfSeedsThatFailed) {
  fail("0.4+seed2");
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(line_with(o.out, "load ").starts_with("load   seeds ")) << o.out;
  EXPECT_TRUE(line_with(o.out, "0.2 ").starts_with("0.2        2 ")) << o.out;
  EXPECT_TRUE(line_with(o.out, "0.4 ").starts_with("0.4   1 of 2 ")) << o.out;
  EXPECT_TRUE(line_with(file("a/points.csv"), "0.4,").starts_with("0.4,1,0,")) << file("a/points.csv");
  const auto json = nlohmann::json::parse(sweep({"--out", dir("a"), "--json", "-q"}).out);
  EXPECT_EQ(json.at("points").at(1).at("seeds"), 1);
  EXPECT_EQ(json.at("points").at(1).at("measures").at("p50").at("seeds"), 1);
  EXPECT_EQ(json.at("points").at(2).at("seeds"), 2);
}

// The scenario beside the reason repeats the run, data files included; what has succeeded since leaves nothing there.
TEST_F(Sweep, AFailedRunCanBeRepeated) {
  std::string text = study_without_figure();
  text.replace(text.find("sizes = \"20 KB\""), 15, "sizes = \"sizes.txt\"");
  write(text);
  std::ofstream(folder_ / "sizes.txt") << "1000 0\n20000 100\n";
  fail("0.4+seed2");
  const Output o = sweep({"--out", dir("a"), "-q"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(o.err.ends_with(
      fmt::format("; see {0}/failed/0.4+seed2.txt; weir run {0}/failed/0.4+seed2.toml repeats it\n", dir("a"))))
      << o.err;
  const Output repeated = weir({"run", dir("a") + "/failed/0.4+seed2.toml", "-q", "--out", dir("again")});
  EXPECT_EQ(repeated.status, 0) << repeated.err;
  fs::remove(dir("a") + "/runs/0.4+seed2");
  EXPECT_EQ(sweep({"--out", dir("a"), "-q"}).status, 0);
  EXPECT_EQ(file("again/summary.json"), file("a/runs/0.4+seed2/summary.json"));
  EXPECT_TRUE(fs::is_empty(dir("a") + "/failed"));
  // what a sweep that was killed has left there
  std::ofstream(folder_ / "a/failed/0.4+seed1.txt") << "stale\n";
  EXPECT_EQ(sweep({"--out", dir("a"), "-q"}).status, 0);
  EXPECT_TRUE(fs::is_empty(dir("a") + "/failed"));
}

TEST_F(Sweep, UnfinishedFlowsAreCountedAndWarnedOf) {
  write(study("20 KB", "set = { \"run.stop\" = \"60 us\" }"));
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 0);
  const auto summary = nlohmann::json::parse(file("a/runs/0.6+seed1/summary.json"));
  const auto unfinished = summary.at("flows").at("unfinished").get<int>();
  ASSERT_GT(unfinished, 0);
  EXPECT_NE(o.err.find(" of 6 runs ended with unfinished flows, such as "), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("statistics of them may be too low (column 'unfinished')\n"), std::string::npos) << o.err;
  EXPECT_TRUE(line_with(o.out, "load ").starts_with("load  seeds  unfinished ")) << o.out;
  const auto json = nlohmann::json::parse(sweep({"--out", dir("a"), "--json", "-q"}).out);
  const auto other = nlohmann::json::parse(file("a/runs/0.6+seed2/summary.json"));
  EXPECT_EQ(json.at("points").at(2).at("unfinished"), unfinished + other.at("flows").at("unfinished").get<int>());
  // where all flows have finished, nothing is said
  write(study());
  const Output whole = sweep({"--out", dir("b"), "-q"});
  EXPECT_EQ(whole.err, "");
  EXPECT_EQ(whole.out, "");
  EXPECT_EQ(sweep({"--out", dir("b")}).out.find("unfinished"), std::string::npos);
}

// Warnings of weir validate come once, with their points, before anything runs.
TEST_F(Sweep, WarningsOfScenariosAreTold) {
  write("[study]\nseeds = 2\nscenario = \"" + fs::absolute("tests/scenarios/cut-off.toml").string() +
        "\"\n[[axis]]\nname = \"a\"\nkey = \"traffic.0.flow.1.dst\"\nvalues = [3, 2]\n");
  const std::string warning =
      "weir: 3 flows have (the first: host 0 to 3) no path from 20 us on, since links are down for ever or lose every "
      "packet; what has not ended by then never will (all points; these numbers are of a=3)\n";
  const Output list = sweep({"--list"});
  EXPECT_EQ(list.status, 0);
  EXPECT_EQ(list.err, warning);
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.err.find(warning), 0) << o.err;
  EXPECT_EQ(o.err.find("no path from", warning.size()), std::string::npos) << o.err;
}

TEST_F(Sweep, MeasuresHaveTheUnitsOfTheirColumnsScaled) {
  const Output o = sweep({"--out", dir("a")});
  EXPECT_NE(line_with(o.out, "load ").find("last [us]"), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("[ps]"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace weir::app
