// Runs that cannot end, from outside: what the command says, what it keeps, what sweeps make of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/apps/sweep_fixture.h"
#include "tests/support/command.h"
#include "weir/progress.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

struct Case {
  const char* scenario;
  int status;
  const char* ended_by;
  const char* says;   // on standard error
  const char* warns;  // by weir validate; "" = it does not
};

TEST(StalledRun, IsKeptAsIncompleteAndSaysWhy) {
  for (const Case& c :
       {Case{"pfc-deadlock", 1, "deadlock", "the ports 10->11, 11->12, 12->13, 13->14, 14->10 have been paused",
             "PFC can deadlock"},
        Case{"pfc-watchdog", 0, "done", "", ""},
        Case{"cut-off", 1, "cut-off", "0 (host 0 to 3)", "3 flows have (the first: host 0 to 3) no path"},
        Case{"cut-off-small-buffer", 1, "cut-off", "a switch whose buffer can never hold one of their packets",
             "2 flows have (the first: host 0 to 3) a packet that a switch can never hold, such as one of 1048 B, and "
             "never end: network.buffer lets an empty switch take no packet of more than 750 B"},
        Case{"cut-off-few-entropies", 1, "cut-off",
             "every path of their data or of their acknowledgements crosses a link", "5-6"},
        Case{"no-flows", 0, "done", "", ""}}) {
    const Folder folder("weir-stalled");
    const std::string file = std::string("tests/scenarios/") + c.scenario + ".toml";
    const Output o = weir({"run", file, "--quiet", "--out", folder / "a"});
    EXPECT_EQ(o.status, c.status) << c.scenario << ": " << o.err;
    EXPECT_NE(o.err.find(c.says), std::string::npos) << o.err;
    EXPECT_EQ(o.err.find("the result is incomplete") != std::string::npos, c.status == 1) << o.err;
    const Json manifest = Json::parse(read_file(folder / "a/manifest.json"));
    EXPECT_EQ(manifest.at("complete"), c.status == 0);
    EXPECT_EQ(manifest.at("interrupted"), false);
    EXPECT_EQ(manifest.at("ended_by"), c.ended_by);
    EXPECT_EQ(manifest.contains("stall"), c.status == 1);
    EXPECT_TRUE(Json::parse(read_file(folder / "a/summary.json")).contains("flows"));

    const Output valid = weir({"validate", file});
    EXPECT_EQ(valid.status, 0);
    const auto warning = valid.out.find("warning");
    EXPECT_EQ(warning != std::string::npos, c.warns[0] != '\0') << valid.out;
    EXPECT_NE(valid.out.find(c.warns), std::string::npos) << valid.out;
  }
}

TEST(StalledRun, NamesThePortsOfADeadlockInItsManifest) {
  const Output o = weir({"run", "tests/scenarios/pfc-deadlock.toml", "--quiet", "--json"});
  const Json stall = Json::parse(o.out).at("manifest").at("stall");
  ASSERT_EQ(stall.at("cycle").size(), 5u);
  EXPECT_EQ(stall.at("cycle")[0].at("from"), 10);
  EXPECT_EQ(stall.at("cycle")[0].at("to"), 11);
  EXPECT_EQ(stall.at("unfinished_flows"), 10);
  EXPECT_EQ(stall.at("flows").size(), 5u);
}

TEST(StalledRun, WatchdogIsRefusedWhereItMakesNoSense) {
  const std::string file = "tests/scenarios/pfc-watchdog.toml";
  Output o = weir({"validate", file, "--set", "network.buffer.mode=lossy"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("network.pfc.watchdog.enabled"), std::string::npos) << o.err;
  o = weir({"validate", file, "--set", "network.pfc.watchdog.poll_interval=1 ms"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("above detection_time = 100 us"), std::string::npos) << o.err;
}

// Its measures are not what the study asks for.
TEST_F(Sweep, ARunThatCannotGoOnFails) {
  write(R"([study]
title = "A test"
scenario = ")" +
        std::filesystem::absolute("tests/scenarios/cut-off.toml").string() + R"("
[[axis]]
name = "spare"
key = "network.reroute"
values = [true]
[[measure]]
name = "p50"
of = "summary"
key = "slowdown.all.p50"
)");
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("1 failed"), std::string::npos) << o.out << o.err;
  const std::string runs = file("a/runs.csv");
  EXPECT_NE(runs.find("cut off: 3 flows have not ended"), std::string::npos) << runs;
}

// The first reason in the study's order, how many it is of, and where the whole of it is.
TEST_F(Sweep, ReasonsOfFailuresAreTold) {
  const auto with_axis = [](const std::string& axis) {
    return "[study]\nseeds = 2\nscenario = \"" + std::filesystem::absolute("tests/scenarios/cut-off.toml").string() +
           "\"\n[[axis]]\nname = \"a\"\n" + axis;
  };
  write(with_axis("key = \"traffic.0.flow.0.size\"\nvalues = [\"1 MB\", \"2 MB\"]\n"));
  const Output all = sweep({"--out", dir("a"), "-q"});
  EXPECT_EQ(all.status, 1);
  EXPECT_NE(all.err.find("\nweir: 4 runs failed; the first, 1_MB+seed1: ended at "), std::string::npos) << all.err;
  EXPECT_NE(all.err.find("cut off: 3 flows have not ended"), std::string::npos) << all.err;
  EXPECT_TRUE(all.err.ends_with(fmt::format(
      "; 4 of them failed for this reason; see {0}/failed/1_MB+seed1.txt; weir run {0}/failed/1_MB+seed1.toml repeats "
      "it\n",
      dir("a"))))
      << all.err;
  EXPECT_NE(all.err.find(file("a/failed/1_MB+seed1.txt").substr(0, 100)), std::string::npos) << all.err;
  const Output one = sweep({"--out", dir("b"), "-q", "--only", "a=2 MB", "--seeds", "1"});
  EXPECT_NE(one.err.find("\nweir: 1 run failed, 2_MB+seed1: ended at "), std::string::npos) << one.err;
  EXPECT_TRUE(one.err.ends_with(
      fmt::format("; see {0}/failed/2_MB+seed1.txt; weir run {0}/failed/2_MB+seed1.toml repeats it\n", dir("b"))))
      << one.err;
  // for two reasons
  write(with_axis("key = \"traffic.0.flow.1.dst\"\nvalues = [3, 2]\n"));
  const Output two = sweep({"--out", dir("c"), "-q", "--seeds", "1"});
  EXPECT_NE(two.err.find("; no other failed for this reason; "), std::string::npos) << two.err;
}

TEST(StalledRun, NoEndIsForetoldOnceAllHasBeenSent) {
  Forecast f;
  EXPECT_EQ(ProgressLine::with_forecast("x", -1, 10, f), "x");
  EXPECT_EQ(ProgressLine::with_forecast("x", 0.5, 10, f), " 50 %  x, about 10 s left");
  EXPECT_EQ(ProgressLine::with_forecast("x", 0.9999, 10, f), " 99 %  x, about 0 s left");
  EXPECT_EQ(ProgressLine::with_forecast("x", 1, 10, f), "x, all sent, waiting for what is under way");
}

// Seven of eight runs are done after 11 minutes, and the last one takes long.
TEST(ProgressLine, TimeLeftCountsDownAndDoesNotGrowUnlessItSaysSo) {
  Forecast f;
  EXPECT_EQ(f.text(0, 5), "");
  EXPECT_EQ(f.text(0.5, 100), "about 1 min 40 s left");
  EXPECT_EQ(f.text(0.5, 150), "about 50 s left");
  EXPECT_EQ(f.text(0.75, 160), "about 40 s left");  // it would be 53 s, by the mean of all that is done
  EXPECT_EQ(f.text(0.75, 200), "longer than foreseen");
  EXPECT_EQ(f.text(0.8, 240), "about 1 min 0 s left, longer than foreseen");
  EXPECT_EQ(f.text(0.9, 250), "about 28 s left, longer than foreseen");
}

TEST(ProgressLine, ASlowerRunSaysThatItTakesLonger) {
  Forecast f;
  std::string before = f.text(0.1, 1);
  EXPECT_EQ(before, "about 9 s left");
  // from there on a quarter of the speed
  for (int s = 2; s <= 30; ++s) {
    const std::string now = f.text(0.1 + 0.025 * (s - 1), s);
    const auto seconds = [](const std::string& text) { return std::stoi(text.substr(text.find(' ') + 1)); };
    if (now.starts_with("about") && before.starts_with("about") && seconds(now) > seconds(before)) {
      EXPECT_NE(now.find("longer than foreseen"), std::string::npos) << s << ": " << before << ", then " << now;
    }
    before = now;
  }
}

// Round trips of 20 ms, and a delay target of 23 us: said before the run, and while it goes on.
TEST(StarvingRun, SaysWhoStarves) {
  const Folder folder("weir-starving");
  const std::string file = folder / "a.toml";
  std::ofstream(file) << R"([topology]
kind = "star"
hosts = 2
delay = "5 ms"
[network.buffer]
mode = "lossy"
[transport]
min_rto = "100 ms"
[algorithm]
name = "swift"
[[traffic]]
kind = "flows"
flow = [{ src = 0, dst = 1, size = "1 MB" }]
[run]
stop = "3 s"
)";
  const std::string starving = "s of simulated time 1 of 1 active flows send less than a packet per round trip";
  const std::string target = "longer than the 23053 ns that base_target lets them take";
  const Output o = weir({"run", file});
  EXPECT_NE(o.err.find(target), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("at 2.04"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find(starving), std::string::npos) << o.err;
  EXPECT_NE(weir({"validate", file}).out.find(target), std::string::npos);
  // what the receiver takes for its answers is no queue
  const Output slow_host = weir({"run", file, "--set", "host.receive_delay=2 ms", "--set",
                                 "algorithm.endpoint_target=3 ms", "--set", "run.stop=5 s"});
  EXPECT_NE(slow_host.err.find(starving), std::string::npos) << slow_host.err;
  const Output works = weir({"run", file, "--set", "algorithm.base_target=30 ms"});
  EXPECT_EQ(works.err.find(starving), std::string::npos) << works.err;
  EXPECT_EQ(works.err.find("lets them take"), std::string::npos) << works.err;
}

}  // namespace
}  // namespace weir::app
