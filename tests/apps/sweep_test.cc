// weir sweep from outside: what it leaves, what it refuses, how it exits.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/apps/sweep_fixture.h"

namespace weir::app {
namespace {

TEST_F(Sweep, LeavesRunsTablesAndFigures) {
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(runs("a"), kRuns);
  EXPECT_NE(o.out.find("6 done, 0 kept from before, 0 failed"), std::string::npos) << o.out;
  EXPECT_EQ(file("a/runs.csv").substr(0, file("a/runs.csv").find('\n')),
            "run,load,seed,status,message,wall_s,cpu_s,max_rss_bytes,unfinished,p50,last");
  EXPECT_EQ(file("a/points.csv").substr(0, file("a/points.csv").find('\n')),
            "load,seeds,unfinished,p50,p50_low,p50_high,last,last_low,last_high");
  const auto figures = nlohmann::json::parse(file("a/figures.json"));
  EXPECT_EQ(figures.at("format"), 1);
  EXPECT_EQ(figures.at("figures").at(0).at("series").at(0).at("x"), (std::vector<double>{0.2, 0.4, 0.6}));
  EXPECT_EQ(figures.at("figures").at(0).at("series").at(0).at("low").size(), 3);

  // a run is what `weir run` makes of its scenario
  EXPECT_EQ(weir({"run", dir("a") + "/runs/0.4+seed2/scenario.toml", "--out", dir("run"), "-q"}).status, 0);
  EXPECT_EQ(file("run/summary.json"), file("a/runs/0.4+seed2/summary.json"));
  EXPECT_EQ(nlohmann::json::parse(file("run/manifest.json")).at("seed"), 2);
  // and the study beside it is the same again
  const Output again = weir({"sweep", dir("a") + "/study.toml", "--out", dir("a")});
  EXPECT_NE(again.out.find("0 done, 6 kept from before"), std::string::npos) << again.out << again.err;
}

TEST_F(Sweep, SameBytesForAnyNumberOfJobs) {
  EXPECT_EQ(sweep({"--out", dir("one"), "--jobs", "1"}).status, 0);
  EXPECT_EQ(sweep({"--out", dir("two"), "--jobs", "2"}).status, 0);
  EXPECT_EQ(settled("one"), settled("two"));
  EXPECT_EQ(file("one/points.csv"), file("two/points.csv"));
  EXPECT_EQ(file("one/figures.json"), file("two/figures.json"));
}

TEST_F(Sweep, ShardsTogetherAreTheWhole) {
  EXPECT_EQ(sweep({"--out", dir("whole")}).status, 0);
  EXPECT_EQ(sweep({"--out", dir("parts"), "--shard", "2/2"}).status, 0);
  EXPECT_EQ(runs("parts").size(), 3);
  EXPECT_EQ(sweep({"--out", dir("parts"), "--shard", "1/2"}).status, 0);
  EXPECT_EQ(settled("parts"), settled("whole"));
  EXPECT_EQ(file("parts/points.csv"), file("whole/points.csv"));
  EXPECT_EQ(file("parts/figures.json"), file("whole/figures.json"));
}

TEST_F(Sweep, OnlySomePoints) {
  EXPECT_EQ(sweep({"--out", dir("a"), "--only", "load=0.4"}).status, 0);
  EXPECT_EQ(runs("a"), (std::vector<std::string>{"0.4+seed1", "0.4+seed2"}));
  const Output rest = sweep({"--out", dir("a")});
  EXPECT_NE(rest.out.find("4 done, 2 kept from before, 0 failed"), std::string::npos) << rest.out;
  const Output refused = sweep({"--out", dir("a"), "--only", "load=0.5"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "weir: --only: the axis 'load' has no label '0.5'; valid is 0.2, 0.4, 0.6\n");
}

TEST_F(Sweep, ListRunsNothing) {
  const Output o = sweep({"--list", "--seeds", "1"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.find("0.2+seed1"), 0);
  EXPECT_NE(o.out.find("\n3 runs\n"), std::string::npos) << o.out;
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"s.toml"}));
}

// Each seed has its own packets: what weir validate counts.
TEST_F(Sweep, ListTellsEachSeed) {
  std::istringstream lines(sweep({"--list"}).out);
  std::vector<double> packets;
  std::string name;
  double number = 0;
  for (std::string line; std::getline(lines, line);)
    if (std::istringstream words(line); words >> name >> number) packets.push_back(number);
  ASSERT_EQ(packets.size(), 6);
  EXPECT_NE(packets[0], packets[1]);
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  for (std::size_t i = 0; i < kRuns.size(); ++i) {
    const Output o = weir({"validate", dir("a") + "/runs/" + kRuns[i] + "/scenario.toml", "--json"});
    EXPECT_EQ(nlohmann::json::parse(o.out).at(0).at("packets"), packets[i]) << kRuns[i];
  }
}

// What selects nothing is told before any run.
TEST_F(Sweep, RefusesMeasuresOfNothing) {
  write(study() + "[[measure]]\nname = \"m\"\nof = \"summary\"\nkey = \"nope.nope\"\n");
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--list"}, {"--out", dir("a")}}) {
    const Output o = sweep(more);
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(
        o.err,
        fmt::format("weir: {}:33: key 'key': summary.json: it has no 'nope'; valid is fidelity, sim_time_ps, flows, "
                    "slowdown\n",
                    dir("s.toml")));
  }
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"s.toml"}));
}

TEST_F(Sweep, NamesTheCommandOfTheFile) {
  EXPECT_EQ(
      weir({"run", dir("s.toml")}).err,
      fmt::format("weir: {}:1: key 'study': this is a study, of which 'weir sweep' makes its runs; a scenario has "
                  "no table [study]\n",
                  dir("s.toml")));
  EXPECT_EQ(
      weir({"sweep", "scenarios/incast-16.toml", "--list"}).err,
      "weir: scenarios/incast-16.toml:5: key 'topology': this is a scenario, which 'weir run' runs; a study has a "
      "table [study]\n");
}

TEST_F(Sweep, RefusesWhatAnotherScenarioLeft) {
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  write(study("30 KB"));
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.err, fmt::format("weir: {}/runs/0.2+seed1: is of another scenario (load=0.2, seed 1); choose another "
                               "--out, or run such results again with --fresh\n",
                               dir("a")));
  EXPECT_EQ(sweep({"--out", dir("a"), "--fresh"}).status, 0);
  EXPECT_EQ(sweep({"--out", dir("b")}).status, 0);
  EXPECT_EQ(file("a/points.csv"), file("b/points.csv"));
}

TEST_F(Sweep, RefusesTheDirectoryOfAnotherStudy) {
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  const std::string points = file("a/points.csv");
  std::string other = study();
  other.replace(other.find("[0.2, 0.4, 0.6]"), 15, "[0.3, 0.5]");
  write(other);
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.err, fmt::format("weir: --out: {} has the runs of another study, such as 0.2+seed1; name another "
                               "directory, or use --fresh\n",
                               dir("a")));
  EXPECT_EQ(file("a/points.csv"), points);
}

// Only names of scenarios lead elsewhere from the directory of the results; a label that reads the same stays.
TEST_F(Sweep, ItsStudyRunsFromThere) {
  std::ofstream(folder_ / "base.toml") << "[topology]\nkind = \"star\"\nhosts = 3\n[algorithm]\nname = \"hpcc\"\n"
                                          "[[traffic]]\nkind = \"incast\"\nsize = \"10 KB\"\n";
  write(
      "[study]\nscenario = \"base.toml\"\n[[axis]]\nname = \"which\"\n"
      "point = [{ label = \"base.toml\", scenario = \"base.toml\" }]\n");
  const Output o = sweep({"--out", dir("a")});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(file("a/study.toml").find("{ label = \"base.toml\", scenario = \"../base.toml\" }"), std::string::npos)
      << file("a/study.toml");
  EXPECT_EQ(weir({"sweep", dir("a") + "/study.toml", "--out", dir("a")}).status, 0);
}

TEST_F(Sweep, KeepsWhatItIsToldTo) {
  write(study("20 KB", "keep = []"));
  EXPECT_EQ(sweep({"--out", dir("a"), "--only", "load=0.2"}).status, 0);
  const auto names = [&] {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(dir("a") + "/runs/0.2+seed1"))
      out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_EQ(names(), (std::vector<std::string>{"manifest.json", "measures.json", "scenario.toml", "summary.json"}));
  // measures of files that are gone are known
  EXPECT_NE(file("a/points.csv").find("0.2,2,"), std::string::npos);
  const std::string points = file("a/points.csv");
  EXPECT_EQ(sweep({"--out", dir("a"), "--only", "load=0.2"}).status, 0);
  EXPECT_EQ(file("a/points.csv"), points);
}

TEST_F(Sweep, NoticesNameTheirPoints) {
  write(study_without_figure() + "[[axis]]\nname = \"ecn\"\nkey = \"network.ecn.enabled\"\nvalues = [false, true]\n");
  const Output o = sweep({"--out", dir("a"), "-q", "--only", "load=0.2,load=0.4", "--seeds", "1"});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(o.err.starts_with("weir: network.ecn: no algorithm of this scenario comes with thresholds; ")) << o.err;
  EXPECT_TRUE(o.err.ends_with(" (ecn=true)\n")) << o.err;
}

TEST_F(Sweep, MemoryThatARunAloneExceeds) {
  const Output o = sweep({"--out", dir("a"), "--memory", "1 MB"});
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.err.find("weir: run 0.2+seed1 may need 14 MB of memory, and the limit is 1 MB"), 0) << o.err;
  EXPECT_FALSE(fs::exists(dir("a"))) << "nothing is left of what has not begun";
}

TEST_F(Sweep, FreshLeavesWhatWeirHasNotWritten) {
  fs::create_directories(dir("a") + "/runs/0.2+seed1");
  std::ofstream(dir("a") + "/runs/0.2+seed1/precious") << "x";
  const Output o = sweep({"--out", dir("a"), "--fresh"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("runs/0.2+seed1: it is no result of weir; remove it, or choose another --out"),
            std::string::npos)
      << o.err;
  EXPECT_TRUE(fs::exists(dir("a") + "/runs/0.2+seed1/precious"));
}

// --fresh makes way for the runs that are asked for, not for others.
TEST_F(Sweep, FreshIsForTheRunsOfNow) {
  write(study());
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  write(study("30 KB"));
  const Output o = sweep({"--out", dir("a"), "--fresh", "--only", "load=0.2"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("run the whole study again with --fresh"), std::string::npos) << o.err;
  EXPECT_EQ(runs("a"), kRuns);
  EXPECT_EQ(sweep({"--out", dir("a"), "--fresh"}).status, 0);
}

// What a study kept of its runs is enough for a report, and what an earlier one has drawn is gone.
TEST_F(Sweep, IsReported) {
  write(study_without_figure());
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  std::ofstream(dir("a") + "/figures.json") << "{}";
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  EXPECT_FALSE(fs::exists(dir("a") + "/figures.json"));
  const Output o = weir({"report", dir("a"), "--out", dir("r.html")});
  if (o.err.find("has no report") != std::string::npos) GTEST_SKIP() << o.err;
  EXPECT_EQ(o.status, 0) << o.err;
}

TEST_F(Sweep, BadStudies) {
  write("[study]\n");
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("s.toml:1: key 'study.scenario': missing"), std::string::npos) << o.err;
  const auto complaint = [&](const std::string& more) {
    write(study() + more);
    const Output bad = sweep({"--list"});
    EXPECT_EQ(bad.status, 2) << bad.out;
    return bad.err.substr(std::min(bad.err.size(), bad.err.find("s.toml:")));
  };
  EXPECT_EQ(complaint("[[measure]]\nname = \"q\"\nof = \"queues\"\nstatistic = \"p99\"\ntier = \"tier 2\"\n"
                      "[scenario.probes.queues]\n"),
            "s.toml:33: key 'tier': no tier 'tier 2' at point load=0.2; valid is all, edge, edge down\n");
  EXPECT_EQ(complaint("[paper]\npaper = \"hpcc\"\n"),
            "s.toml:33: key 'paper.figure': missing; write text in quotes (as the paper numbers it)\n");
  EXPECT_EQ(complaint("[[claim]]\nid = \"A36\"\n"),
            "s.toml:33: key 'claim.0.rule': missing; write such as \"p95{HPCC} <= 24\"\n");
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"s.toml"}));
}

// What is called differently elsewhere.
TEST(Options, OfOtherCommandsAreUnderstood) {
  for (const auto& [command, word, meant] : {std::array{"sweep", "--threads", "--jobs"},
                                             {"sweep", "--filter", "--only"},
                                             {"run", "--jobs", "--threads"},
                                             {"run", "--output", "--out"},
                                             {"report", "--output=a", "--out"}}) {
    const Output o = weir({command, "a.toml", word});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.err, fmt::format("weir: unexpected argument '{}' (did you mean '{}'?); see weir {} --help\n",
                                 std::string(word).substr(0, std::string(word).find('=')), meant, command));
  }
}

TEST(SweepExamples, AreValid) {
  for (const auto& entry : fs::directory_iterator("scenarios/studies"))
    EXPECT_EQ(weir({"sweep", entry.path().string(), "--list"}).status, 0) << entry.path();
}

}  // namespace
}  // namespace weir::app
