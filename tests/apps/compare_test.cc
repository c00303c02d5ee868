// weir compare, and measures of ratios, from outside.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

// Two algorithms, two loads, three seeds.
constexpr const char* kStudy = R"([study]
seeds = 3
[scenario.topology]
kind = "star"
hosts = 9
[scenario.algorithm]
name = "hpcc"
[scenario.network.ecn]
enabled = true
[[scenario.traffic]]
kind = "poisson"
tag = "web"
sizes = "20 KB"
load = 0.5
stop = "40 us"
[[scenario.traffic]]
kind = "incast"
tag = "burst"
size = "50 KB"
[[axis]]
name = "load"
key = "traffic.0.load"
values = [0.3, 0.6]
[[axis]]
name = "algorithm"
key = "algorithm.name"
values = ["dcqcn", "hpcc"]
[[measure]]
name = "ratio"
of = "ratio"
statistic = "geomean"
against = { algorithm = "dcqcn" }
[[measure]]
name = "web_p99"
of = "ratio"
statistic = "p99"
tag = "web"
against = { algorithm = "dcqcn" }
)";

class Compare : public testing::Test {
 protected:
  Compare() { std::ofstream(folder_ / "s.toml") << kStudy; }
  std::string dir(const std::string& name) const { return folder_ / name; }
  void sweep() const { EXPECT_EQ(weir({"sweep", dir("s.toml"), "--out", dir("a"), "-q"}).status, 0); }
  Json json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "compare");
    arguments.emplace_back("--json");
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    return Json::parse(o.out);
  }
  void expect_refused(std::vector<std::string> arguments, const std::string& message) const {
    arguments.insert(arguments.begin(), "compare");
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, "weir: " + message + "\n");
  }

  Folder folder_{"weir-compare-command"};
};

// The value of a column in the row of points.csv that begins so.
double cell(const std::string& text, const std::string& begin, int column) {
  auto at = text.find("\n" + begin) + 1;
  for (int i = 0; i < column; ++i) at = text.find(',', at) + 1;
  return std::stod(text.substr(at));
}

TEST_F(Compare, AnAxisOfASweep) {
  sweep();
  const Json all = json({dir("a"), "--axis", "algorithm"});
  ASSERT_EQ(all.size(), 2);  // loads
  const Json& first = all.at(0);
  EXPECT_EQ(first.at("base"), "dcqcn");
  EXPECT_EQ(first.at("other"), "hpcc");
  EXPECT_EQ(first.at("point"), "load=0.3");
  EXPECT_EQ(first.at("runs"), 3);
  EXPECT_EQ(first.at("interval"), "seeds");
  const Json& row = first.at("ratios").at(0);
  EXPECT_EQ(row.at("name"), "all");
  EXPECT_LT(row.at("low"), row.at("geomean"));
  EXPECT_GT(row.at("high"), row.at("geomean"));
  std::string names;
  for (const Json& r : first.at("ratios")) names += r.at("name").get<std::string>() + " ";
  EXPECT_EQ(names, "all burst web <= 100 KB ");

  // one seed alone: its own interval
  const Json one = json({dir("a") + "/runs/0.3+dcqcn+seed2", dir("a") + "/runs/0.3+hpcc+seed2"});
  EXPECT_EQ(one.at(0).at("interval"), "flows");
  EXPECT_EQ(one, json({dir("a") + "/runs/0.3+dcqcn+seed2", dir("a") + "/runs/0.3+hpcc+seed2"}));
  // the other way round
  const Json back = json({dir("a"), "--axis", "algorithm", "--base", "hpcc"});
  EXPECT_NEAR(back.at(0).at("ratios").at(0).at("geomean").get<double>() * row.at("geomean").get<double>(), 1, 1e-9);
  // a sweep with itself
  const Json same = json({dir("a"), dir("a")});
  ASSERT_EQ(same.size(), 4);
  EXPECT_EQ(same.at(3).at("point"), "load=0.6, algorithm=hpcc");
  EXPECT_EQ(same.at(3).at("ratios").at(0).at("geomean"), 1);
  EXPECT_EQ(same.at(3).at("ratios").at(0).at("slower"), 0);
}

TEST_F(Compare, MeasuresOfRatios) {
  sweep();
  const std::string points = read_file(dir("a") + "/points.csv");
  EXPECT_EQ(cell(points, "0.3,dcqcn", 3), 1);
  double mean = 0;
  for (const std::string seed : {"1", "2", "3"}) {
    const std::string end = "+seed" + seed;
    mean += json({dir("a") + "/runs/0.6+dcqcn" + end, dir("a") + "/runs/0.6+hpcc" + end})
                .at(0)
                .at("ratios")
                .at(0)
                .at("geomean")
                .get<double>() /
            3;
  }
  EXPECT_NEAR(cell(points, "0.6,hpcc", 3), mean, 1e-9);
  // percentiles say of how many values they are
  const Output o = weir({"sweep", dir("s.toml"), "--out", dir("a")});
  EXPECT_NE(o.out.find("\nweb_p99: of "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(" *\n"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("*: of so few values, in some run, that this percentile is the largest of them\n"),
            std::string::npos)
      << o.out;
}

TEST_F(Compare, ForPeople) {
  sweep();
  const Output o = weir({"compare", dir("a"), "--axis", "algorithm"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(o.out.starts_with("hpcc / dcqcn, load=0.3\nratio of FCTs ")) << o.out;
  EXPECT_NE(o.out.find("\ninterval: from seed to seed, of 3 seeds\n"), std::string::npos) << o.out;
}

TEST_F(Compare, UnfinishedFlowsAreTold) {
  for (const std::string name : {"fifo", "queued"})
    EXPECT_EQ(weir({"run", "scenarios/incast-16.toml", "--set", "network.port=" + name, "--set", "run.stop=300 us",
                    "--out", dir(name), "-q"})
                  .status,
              0);
  const Output o = weir({"compare", dir("fifo"), dir("queued")});
  EXPECT_NE(o.out.find("unfinished, and so without a ratio: 0 only in"), std::string::npos) << o.out << o.err;
  EXPECT_NE(o.out.find("16 in both\n"), std::string::npos) << o.out;
}

TEST_F(Compare, Refusals) {
  expect_refused({dir("none"), dir("s.toml")}, dir("none") + ": it is neither a result of weir run nor of weir sweep");
  sweep();
  expect_refused({dir("a")},
                 "there is nothing to compare with; name two directories, or one sweep and an --axis of it");
  expect_refused({dir("a"), "--axis", "algo"}, "--axis: the study has no axis 'algo'; valid is load, algorithm");
  expect_refused({dir("a"), "--axis", "algorithm", "--base", "x"},
                 "--base: the axis 'algorithm' has no label 'x' with a run that is done; valid is dcqcn, hpcc");
  const Output other = weir({"compare", dir("a"), "--axis", "load"});
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.out, "");
  EXPECT_TRUE(other.err.starts_with("weir: " + dir("a") + "/runs/0.3+dcqcn+seed1 and " + dir("a") +
                                    "/runs/0.6+dcqcn+seed1 are not of the same flows: flow 8 has "))
      << other.err;
}

}  // namespace
}  // namespace weir::app
