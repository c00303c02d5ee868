// weir compare, and measures of ratios, from outside.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/apps/sweep_fixture.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

// Two algorithms, two loads, three seeds.
const std::string kStudy = "[study]\nseeds = 3\n" + star_scenario(9, R"(kind = "poisson"
tag = "web"
sizes = "20 KB"
load = 0.5
stop = "40 us"
[[scenario.traffic]]
kind = "incast"
tag = "burst"
size = "50 KB"
[scenario.network.ecn]
enabled = true
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
)");

class Compare : public Sweep {
 protected:
  Compare() { write(kStudy); }
  void sweep() const { EXPECT_EQ(Sweep::sweep({"--out", dir("a"), "-q"}).status, 0); }
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

// Labels are picked as weir sweep picks points; an axis that alone has several need not be named.
TEST_F(Compare, SomePointsOfASweep) {
  sweep();
  const Json all = json({dir("a"), "--axis", "algorithm"});
  const Json half = json({dir("a"), "--axis", "algorithm", "--only", "load=0.6"});
  ASSERT_EQ(half.size(), 1u);
  EXPECT_EQ(half.at(0), all.at(1));
  EXPECT_EQ(json({dir("a"), "--only", "load=0.6"}), half);
  EXPECT_EQ(json({dir("a"), "--only", "algorithm=hpcc,load=0.6,algorithm=dcqcn"}), half);
  EXPECT_EQ(json({dir("a"), dir("a"), "--only", "load=0.6"}).size(), 2u);
}

// Three algorithms, of which two are picked.
TEST_F(Compare, TwoLabelsOfAnAxis) {
  std::string three = kStudy;
  three.replace(three.find("[\"dcqcn\", \"hpcc\"]"), 17, "[\"dcqcn\", \"dctcp\", \"hpcc\"]");
  write(three.substr(0, three.find("[[measure]]")) +
        "[[measure]]\nname = \"n\"\nof = \"flows\"\ncolumn = \"fct_ps\"\n" + "statistic = \"count\"\n");
  sweep();
  const auto names = [&](const std::vector<std::string>& arguments) {
    std::string out;
    for (const Json& c : json(arguments))
      out += c.at("other").get<std::string>() + "/" + c.at("base").get<std::string>() + " ";
    return out;
  };
  EXPECT_EQ(names({dir("a"), "--axis", "algorithm", "--only", "load=0.3"}), "dctcp/dcqcn hpcc/dcqcn ");
  EXPECT_EQ(names({dir("a"), "--axis", "algorithm", "--only", "load=0.3,algorithm=hpcc,algorithm=dctcp"}),
            "hpcc/dctcp ");
  EXPECT_EQ(
      names({dir("a"), "--only", "load=0.3,algorithm=hpcc,algorithm=dctcp", "--axis", "algorithm", "--base", "hpcc"}),
      "dctcp/hpcc ");
}

TEST_F(Compare, RunsWithoutAFlow) {
  for (const char* name : {"x", "y"})
    EXPECT_EQ(weir({"run", "tests/scenarios/no-flows.toml", "-q", "--out", dir(name)}).status, 0);
  EXPECT_EQ(json({dir("x"), dir("y")}).at(0).at("ratios").at(0).at("n"), 0);
  EXPECT_EQ(weir({"compare", dir("x"), dir("y")}).status, 0);
}

// What differs in the load is named, and the ratios are told all the same.
TEST_F(Compare, OtherDurationsAndLoadsAreTold) {
  const auto run = [&](const std::string& name, const std::vector<std::string>& set) {
    std::vector<std::string> arguments{"run", "scenarios/incast-16.toml", "-q", "--out", dir(name)};
    for (const auto& s : set) arguments.insert(arguments.end(), {"--set", s});
    EXPECT_EQ(weir(arguments).status, 0);
  };
  run("whole", {});
  run("cut", {"run.stop=300 us"});
  run("more", {"network.port=queued", "probes.queues.interval=1 us", "run.threads=2", "title=x"});
  const Output cut = weir({"compare", dir("whole"), dir("cut"), dir("cut")});
  EXPECT_EQ(cut.status, 0);
  EXPECT_NE(cut.out.find("unfinished"), std::string::npos) << cut.out;
  EXPECT_EQ(cut.err, fmt::format("weir: {} and {} differ in run.stop (0 ps and 300 us) (and 1 more comparison like "
                                 "that); completion times differ for that reason too, so the ratios are not those of "
                                 "the other differences alone\n",
                                 dir("whole"), dir("cut")));
  EXPECT_EQ(json({dir("whole"), dir("cut")}).at(0).at("load_differs_in"), Json::array({"run.stop"}));
  const Output same = weir({"compare", dir("whole"), dir("more")});
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.err, "");
}

// An axis of durations is one; an axis that changes the duration beside something else is not.
TEST_F(Compare, AnAxisOfDurationsNeedsNoWarning) {
  const std::string axis =
      "[[measure]]\nname = \"n\"\nof = \"flows\"\ncolumn = \"fct_ps\"\nstatistic = \"count\"\n[[axis]]\nname = \"a\"\n";
  write(study_without_figure() + axis + "key = \"run.stop\"\nvalues = [\"100 us\", \"150 us\"]\n");
  EXPECT_EQ(Sweep::sweep({"--out", dir("a"), "-q"}).status, 0);
  const Output durations = weir({"compare", dir("a"), "--axis", "a"});
  EXPECT_EQ(durations.status, 0) << durations.err;
  EXPECT_EQ(durations.err, "");
  write(study_without_figure() + axis +
        "point = [{ label = \"x\", set = { \"run.stop\" = \"100 us\" } }, "
        "{ label = \"y\", set = { \"run.stop\" = \"150 us\", \"algorithm.eta\" = 0.9 } }]\n");
  EXPECT_EQ(Sweep::sweep({"--out", dir("b"), "-q"}).status, 0);
  const Output both = weir({"compare", dir("b"), "--axis", "a", "--only", "load=0.4"});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_NE(both.err.find("differ in run.stop (100 us and 150 us); "), std::string::npos) << both.err;
}

TEST_F(Compare, MeasuresOfRatios) {
  sweep();
  const std::string points = read_file(dir("a") + "/points.csv");
  EXPECT_EQ(cell(points, "0.3,dcqcn", 4), 1);
  // over seeds the same as weir compare: the geometric mean and its interval
  const Json compared = json({dir("a"), "--axis", "algorithm", "--only", "load=0.6"}).at(0).at("ratios").at(0);
  EXPECT_NEAR(cell(points, "0.6,hpcc", 4), compared.at("geomean").get<double>(), 1e-9);
  EXPECT_NEAR(cell(points, "0.6,hpcc", 5), compared.at("low").get<double>(), 1e-9);
  EXPECT_NEAR(cell(points, "0.6,hpcc", 6), compared.at("high").get<double>(), 1e-9);
  double logs = 0;
  for (const std::string seed : {"1", "2", "3"}) {
    const std::string end = "+seed" + seed;
    logs += std::log(json({dir("a") + "/runs/0.6+dcqcn" + end, dir("a") + "/runs/0.6+hpcc" + end})
                         .at(0)
                         .at("ratios")
                         .at(0)
                         .at("geomean")
                         .get<double>());
  }
  EXPECT_NEAR(cell(points, "0.6,hpcc", 4), std::exp(logs / 3), 1e-9);
  // percentiles say of how many values they are
  const Output o = weir({"sweep", dir("s.toml"), "--out", dir("a")});
  EXPECT_NE(o.out.find("\nweb_p99: of "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(" *\n"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("*: too few values in some run: there this percentile is their maximum\n"), std::string::npos)
      << o.out;
}

TEST_F(Compare, ForPeople) {
  sweep();
  const Output o = weir({"compare", dir("a"), "--axis", "algorithm"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(o.out.starts_with("hpcc / dcqcn, load=0.3\nratio of FCTs ")) << o.out;
  EXPECT_NE(o.out.find("\ninterval: from seed to seed, of 3 seeds; geomean: the geometric mean of the seeds'; median, "
                       "slower, faster: means of the seeds'\n"),
            std::string::npos)
      << o.out;
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

// What one side lacks is told by point and seed, and what failed is said to have failed.
TEST_F(Compare, MissingSeedsAreTold) {
  const auto compare = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    return o.err;
  };
  fail("0.3+hpcc+seed2");
  fail("0.3+hpcc+seed3");
  fail("0.6+dcqcn+seed1");
  fail("0.6+hpcc+seed1");
  EXPECT_EQ(Sweep::sweep({"--out", dir("a"), "-q"}).status, 1);
  EXPECT_EQ(compare({dir("a"), "--axis", "algorithm"}),
            "weir: dcqcn lacks 1 run, left out of the comparison with hpcc: load=0.6: seed 1 (failed)\n"
            "weir: hpcc lacks 3 runs, left out of the comparison with dcqcn: load=0.3: seeds 2 (failed), 3 (failed); "
            "load=0.6: seed 1 (failed)\n");
  EXPECT_EQ(compare({dir("a"), "--axis", "algorithm", "--only", "load=0.3"}),
            "weir: hpcc lacks 2 runs, left out of the comparison with dcqcn: load=0.3: seeds 2 (failed), 3 (failed)\n");
  // of two directories
  write(kStudy);
  EXPECT_EQ(Sweep::sweep({"--out", dir("b"), "-q", "--only", "load=0.3"}).status, 0);
  EXPECT_EQ(
      compare({dir("b"), dir("a"), "--only", "load=0.3"}),
      fmt::format("weir: {0}: 6 of 12 runs are still to be done; what is compared lacks them\n"
                  "weir: {1} lacks 2 runs, left out of the comparison with {0}: load=0.3, algorithm=hpcc: seeds 2 "
                  "(failed), 3 (failed)\n",
                  dir("b"), dir("a")));
}

// A label all of whose runs have failed is named; the others are compared.
TEST_F(Compare, ALabelWithoutARunIsTold) {
  std::string three = kStudy;
  three.replace(three.find("[\"dcqcn\", \"hpcc\"]"), 17, "[\"dcqcn\", \"dctcp\", \"hpcc\"]");
  write(three);
  for (const char* load : {"0.3", "0.6"})
    for (const char* seed : {"1", "2", "3"}) fail(fmt::format("{}+dctcp+seed{}", load, seed));
  EXPECT_EQ(Sweep::sweep({"--out", dir("a"), "-q"}).status, 1);
  const Output o = weir({"compare", dir("a"), "--axis", "algorithm"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.err,
            fmt::format("weir: algorithm=dctcp is left out: all of its runs have failed; see {}/failed\n", dir("a")));
  EXPECT_NE(o.out.find("hpcc / dcqcn"), std::string::npos) << o.out;
}

TEST_F(Compare, Refusals) {
  expect_refused(
      {dir("none"), dir("s.toml")},
      dir("none") + ": there is no such directory; name a directory that weir run --out or weir sweep has written");
  sweep();
  const std::string run = dir("a") + "/runs/0.3+hpcc+seed1";
  expect_refused({dir("a")}, dir("a") +
                                 " is a sweep over several axes; say with --axis which one is compared, load or "
                                 "algorithm, or name a second directory");
  expect_refused({run}, run + " is a single run; name the result that it is compared with, too");
  expect_refused({run, "--axis", "load"}, "--axis: " + run + " is no result of weir sweep");
  expect_refused({run, run, "--only", "load=0.3"},
                 "--only: it picks points of sweeps, and " + run + " is a single run");
  expect_refused({run, run, "--base", "hpcc"},
                 "--base: it is a label of a sweep's axis; of several directories the first is the base");
  expect_refused({dir("a"), dir("a"), "--axis", "load"},
                 "--axis: it is for the points of one sweep; name one directory, or leave --axis away");
  expect_refused({dir("a"), "--only", "load=0.3,algorithm=hpcc"},
                 dir("a") +
                     ": the labels of --only leave one point, and nothing to compare it with; name two "
                     "directories, or two labels of an axis");
  expect_refused({dir("a"), "--axis", "algorithm", "--only", "algorithm=hpcc"},
                 "--axis: of 'algorithm' there is only the label 'hpcc', so nothing to compare it with");
  expect_refused({dir("a"), "--axis", "algorithm", "--only", "load=0.5"},
                 "--only: the axis 'load' has no label '0.5'; valid is 0.3, 0.6");
  expect_refused({dir("a"), "--axis", "algorithm", "--only", "hpcc"},
                 "--only: 'hpcc' is no axis=label; axes are load, algorithm");
  expect_refused({dir("a"), "--axis", "algo"}, "--axis: the study has no axis 'algo'; valid is load, algorithm");
  expect_refused({dir("a"), "--axis", "algorithm", "--base", "x"},
                 "--base: the axis 'algorithm' has no label 'x' with a run that is done; valid is dcqcn, hpcc");
  const Output other = weir({"compare", dir("a"), "--axis", "load"});
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.out, "");
  EXPECT_TRUE(other.err.starts_with("weir: " + dir("a") + "/runs/0.3+dcqcn+seed1 and " + dir("a") +
                                    "/runs/0.6+dcqcn+seed1 are not of the same flows: flow 8 has "))
      << other.err;
  EXPECT_TRUE(
      other.err.ends_with("; compare runs with the same traffic and seed (these differ in traffic.0.load (0.3 and "
                          "0.6))\n"))
      << other.err;
}

// Packets, some of them skipped, and none at all, side by side: each with its own errors and costs.
TEST_F(Compare, PacketsFastForwardAndFlows) {
  const auto run = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "tests/scenarios/fast-forward.toml", "-q", "--out", dir(name)});
    EXPECT_EQ(weir(more).status, 0) << name;
  };
  run("packets", {"--set", "run.fast_forward.theta=0"});
  run("fast", {});
  run("flows", {"--set", "run.fast_forward.theta=0", "--set", "run.fidelity=flow"});
  const Json both = json({dir("packets"), dir("fast"), dir("flows")});
  ASSERT_EQ(both.size(), 2);
  const Json& fast = both.at(0);
  const Json& flows = both.at(1);
  EXPECT_EQ(fast.at("fidelity").at("base"), "exact");
  EXPECT_EQ(fast.at("fidelity").at("other"), "run.fast_forward");
  EXPECT_EQ(flows.at("fidelity").at("other"), "flow");
  const auto events = [](const Json& c, const char* key) { return c.at("fidelity").at(key).get<double>(); };
  EXPECT_GT(events(fast, "base_events"), 2 * events(fast, "other_events"));
  EXPECT_GT(events(fast, "other_events"), 2 * events(flows, "other_events"));
  const auto error = [](const Json& c) { return c.at("ratios").at(0).at("mean_error").get<double>(); };
  EXPECT_GT(error(fast), 0);
  EXPECT_LT(error(fast), 0.01);
  EXPECT_GT(error(flows), 0.1);
  const Output text = weir({"compare", dir("packets"), dir("fast"), dir("flows")});
  EXPECT_NE(text.out.find("errors: of run.fast_forward if"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("errors: of run.fidelity = \"flow\" if"), std::string::npos) << text.out;
}

// Runs whose messages have no rows: how long each collective took, and what its hosts did meanwhile.
TEST_F(Compare, CollectivesOfRunsWithoutFlows) {
  std::ofstream(dir("calls.toml")) << R"([topology]
kind = "star"
hosts = 8
rate = "400 Gbps"
[algorithm]
name = "hpcc"
[[traffic]]
kind = "collective"
tag = "job"
operation = "ring-all-reduce"
size = "1 MB"
compute = "100 us"
repeat = 2
messages = "sums"
)";
  const auto run = [&](const std::string& name, const std::string& change) {
    return weir({"run", dir("calls.toml"), "--out", dir(name), "--set", change});
  };
  const Output first = run("once", "traffic.0.compute=100 us");
  EXPECT_NE(first.out.find("224 messages finished, 0 unfinished, in "), std::string::npos) << first.out;
  EXPECT_EQ(run("slow", "traffic.0.compute=300 us").status, 0);
  const Json all = json({dir("once"), dir("slow")}).at(0).at("collectives");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at(0).at("activity"), "");
  EXPECT_NEAR(all.at(0).at("other_ps").get<double>() - all.at(0).at("base_ps").get<double>(), 400e6, 1);
  EXPECT_EQ(all.at(1).at("activity"), "computation");
  EXPECT_EQ(all.at(1).at("base_ps"), 200e6);
  EXPECT_EQ(all.at(1).at("ratio"), 3);
  EXPECT_EQ(all.at(2).at("activity"), "ring-all-reduce");
  EXPECT_EQ(all.at(2).at("ratio"), 1);
  const Output text = weir({"compare", dir("once"), dir("slow")});
  EXPECT_EQ(text.out.find("ratio of FCTs"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("    computation                    200.000 us       600.000 us    3.0000\n"),
            std::string::npos)
      << text.out;
  run("cut", "run.stop=250 us");
  const Output cut = weir({"compare", dir("once"), dir("cut")});
  EXPECT_NE(cut.out.find("       unfinished         -\n"), std::string::npos) << cut.out;
  EXPECT_EQ(run("other", "traffic.0.tag=other").status, 0);
  const Output other = weir({"compare", dir("once"), dir("other")});
  EXPECT_NE(other.out.find("nothing can be compared: "), std::string::npos) << other.out;
  EXPECT_EQ(other.out.find("ratio of FCTs"), std::string::npos) << other.out;
}

}  // namespace
}  // namespace weir::app
