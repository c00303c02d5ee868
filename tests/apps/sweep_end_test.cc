// Sweeps that are killed, in each other's way, or short of something: what they leave, and how the next one goes on.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/apps/sweep_fixture.h"
#include "weir/result/contents.h"

namespace weir::app {
namespace {

TEST_F(Sweep, GoesOnAfterItWasKilled) {
  write(long_study());
  const Output killed = shell(meet(folder_.path(), "kill -9 $sweep"));
  EXPECT_EQ(killed.out, "137\n") << killed.err;
  const auto before = runs("a");
  EXPECT_LT(before.size(), 7u);
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.find("0 kept from before"), std::string::npos) << o.out;
  EXPECT_EQ(runs("a"), kRuns);  // and nothing partial
  EXPECT_EQ(sweep({"--out", dir("b")}).status, 0);
  EXPECT_EQ(settled("a"), settled("b"));
  EXPECT_EQ(file("a/figures.json"), file("b/figures.json"));
}

TEST_F(Sweep, StopsAtASignalAndCollects) {
  write(long_study());
  const Output o = shell(meet(folder_.path(), "kill -TERM $sweep"));
  EXPECT_EQ(o.out, "143\n") << o.err;
  EXPECT_NE(file("err").find("interrupted; what is done is kept"), std::string::npos);
  for (const auto& name : runs("a")) EXPECT_EQ(name.find("partial"), std::string::npos) << name;
  EXPECT_NE(file("a/runs.csv").find(",done,"), std::string::npos);
}

TEST_F(Sweep, AFailedRunIsToldAndOthersGoOn) {
  write(long_study());
  const Output o = shell(meet(folder_.path(), "kill -KILL $child"));
  EXPECT_EQ(o.out, "1\n") << o.err;
  EXPECT_EQ(runs("a").size(), 5);
  EXPECT_NE(file("a/runs.csv").find(",failed,ended by signal 9 (Killed); the system may have been out of memory,"),
            std::string::npos)
      << file("a/runs.csv");
  EXPECT_EQ(fs::exists(dir("a") + "/failed"), true);
  // it is tried again
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  EXPECT_EQ(runs("a"), kRuns);
  EXPECT_EQ(file("a/runs.csv").find("failed"), std::string::npos);
}

// The limit of a file's size stands for a disk that is full: write() fails alike.
TEST_F(Sweep, StopsWhenNothingCanBeWritten) {
  EXPECT_EQ(sweep({"--out", dir("a"), "--only", "load=0.2"}).status, 0);
  const Output o = shell(
      fmt::format("trap '' XFSZ; ulimit -f 8; exec \"$weir\" sweep {} --out {} -q", folder_ / "s.toml", dir("a")));
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.err.find("cannot write"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("what is done is kept"), std::string::npos) << o.err;
  EXPECT_EQ(runs("a"), (std::vector<std::string>{"0.2+seed1", "0.2+seed2"}));
  const Output rest = sweep({"--out", dir("a")});
  EXPECT_NE(rest.out.find("4 done, 2 kept from before, 0 failed"), std::string::npos) << rest.out;
}

TEST_F(Sweep, OneAtATimeInADirectory) {
  write(long_study());
  const Output o = shell(meet(
      folder_.path(), "kill -STOP $sweep; \"$weir\" sweep s.toml --out a -q 2>second; echo $?; kill -CONT $sweep"));
  EXPECT_EQ(o.out, "2\n0\n") << o.err;
  EXPECT_NE(file("second").find("another weir sweep is at work there"), std::string::npos);
}

// What a truncated run has is in the form of a whole one.
TEST_F(Sweep, AnInterruptedResultDoesNotCount) {
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  const std::string points = file("a/points.csv");
  std::string manifest = file("a/runs/0.4+seed1/manifest.json");
  const auto at = manifest.find("\"complete\": true");
  ASSERT_NE(at, std::string::npos);
  manifest.replace(at, 16, "\"complete\": false");
  const auto done = manifest.find("\"ended_by\": \"done\"");
  ASSERT_NE(done, std::string::npos);
  manifest.replace(done, 18, "\"ended_by\": \"interrupted\"");
  std::ofstream(folder_ / "a/runs/0.4+seed1/manifest.json")
      << result::sealed(manifest.substr(0, manifest.rfind(",\n  \"checksum\"")) + "\n}\n");
  const Output o = sweep({"--out", dir("a")});
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.err, fmt::format("weir: {}/runs/0.4+seed1: was interrupted (load=0.4, seed 1); choose another --out, or "
                               "run such results again with --fresh\n",
                               dir("a")));
  const Output again = sweep({"--out", dir("a"), "--fresh"});
  EXPECT_NE(again.out.find("1 done, 5 kept from before, 0 failed"), std::string::npos) << again.out << again.err;
  EXPECT_EQ(file("a/points.csv"), points);
}

// What a result lost since does not change the study's figures unseen.
TEST_F(Sweep, ADamagedResultIsNamed) {
  write(study("20 KB", "keep = \"all\"\nset = { \"probes.queues\" = true }") +
        "[[figure]]\nid = \"q\"\nkind = \"cdf\"\nof = \"queues\"\ncolumn = \"queue_bytes\"\nseries = \"load\"\n");
  ASSERT_EQ(sweep({"--out", dir("a")}).status, 0);
  const std::string figures = file("a/figures.json");
  const std::string run = "a/runs/0.4+seed1/";
  const auto damage = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder_ / (run + name)) << text;
    const Output o = sweep({"--out", dir("a")});
    EXPECT_EQ(o.status, 2) << name;
    EXPECT_EQ(o.err.find(
                  fmt::format("weir: {}/runs/0.4+seed1: is damaged: {}/runs/0.4+seed1/{}: ", dir("a"), dir("a"), name)),
              0)
        << o.err;
    EXPECT_NE(o.err.find("--fresh"), std::string::npos) << o.err;
    EXPECT_EQ(file("a/figures.json"), figures);
    const Output again = sweep({"--out", dir("a"), "--fresh"});
    EXPECT_NE(again.out.find("1 done, 5 kept from before, 0 failed"), std::string::npos) << again.out << again.err;
    EXPECT_EQ(file("a/figures.json"), figures);
  };
  // cut at the end of a line
  std::string cdf = file(run + "queue_cdf.csv");
  cdf.resize(cdf.rfind('\n', cdf.size() - 2) + 1);
  damage("queue_cdf.csv", cdf);
  std::string measures = file(run + "measures.json");
  measures[measures.find_first_of("0123456789")] = '7';
  damage("measures.json", measures + " ");
  damage("manifest.json", file(run + "manifest.json") + " ");
  damage("flows.csv", "");
}

// A file where their folder would be stands for a disk that has no room for the message.
TEST_F(Sweep, AFailureThatCannotBeWrittenEndsItWithTables) {
  write(long_study());
  const Output o = shell(meet(folder_.path(), "touch a/failed; kill -KILL $child"));
  EXPECT_EQ(o.out, "1\n") << o.err;
  EXPECT_NE(file("err").find("weir: cannot create a/failed: "), std::string::npos) << file("err");
  EXPECT_NE(file("err").find("what is done is kept"), std::string::npos) << file("err");
  EXPECT_NE(file("a/runs.csv").find(",done,"), std::string::npos);
}

TEST_F(Sweep, MoreJobsThanDescriptors) {
  const Output o =
      shell(fmt::format("ulimit -n 20; exec \"$weir\" sweep {} --out {} --seeds 8 --jobs 24 --memory '2 GB' -q",
                        folder_ / "s.toml", dir("a")));
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(runs("a").size(), 24);
}

// Those that other shards will do again are left out of the tables until then.
TEST_F(Sweep, FreshShardsDoNotMixResults) {
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  write(study("30 KB"));
  EXPECT_EQ(sweep({"--out", dir("parts"), "--shard", "1/2"}).status, 0);
  EXPECT_EQ(sweep({"--out", dir("whole")}).status, 0);

  const Output first = sweep({"--out", dir("a"), "--fresh", "--shard", "1/2", "-q"});
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.err, fmt::format("weir: 3 results are left out until they have been run again, such as "
                                   "{}/runs/0.2+seed2, which is of another scenario\n",
                                   dir("a")));
  EXPECT_EQ(settled("a"), settled("parts"));
  EXPECT_EQ(sweep({"--out", dir("a"), "--fresh", "--shard", "2/2"}).status, 0);
  EXPECT_EQ(settled("a"), settled("whole"));
}

// The first shard comes to its tables while another one holds the results; what that one adds is in them.
TEST_F(Sweep, TablesOfShardsComeOneAfterTheOther) {
  write(long_study());
  EXPECT_EQ(sweep({"--out", dir("whole")}).status, 0);
  const Output o = shell(meet(folder_.path(),
                              "exec 9>a/.lock-results; flock 9; kill -CONT $child; "
                              "until ls -l /proc/$sweep/fd | grep -q lock-results || "
                              "[ ! -e /proc/$sweep/fd/2 ]; do sleep 0.01; done; "
                              "cp -rn whole/runs/. a/runs/; exec 9>&-",
                              "--shard 1/2"));
  EXPECT_EQ(o.out, "0\n") << o.err;
  EXPECT_EQ(settled("a"), settled("whole"));
  EXPECT_EQ(file("a/points.csv"), file("whole/points.csv"));
}

// Shards 1/2 and 1/4 have runs in common.
TEST_F(Sweep, ShardsAreOfOneNumber) {
  write(long_study());
  const auto second = [](const std::string& shard, const std::string& err) {
    return fmt::format("\"$weir\" sweep s.toml --out a -q --shard {} >/dev/null 2>{}; echo $?; ", shard, err);
  };
  const Output o = shell(meet(folder_.path(),
                              "kill -STOP $sweep; " + second("1/4", "of-four") + second("01/2", "the-same") +
                                  second("2/2", "the-other") + "kill -CONT $sweep",
                              "--shard 1/2"));
  EXPECT_EQ(o.out, "2\n2\n0\n0\n") << o.err;
  EXPECT_EQ(file("of-four"),
            "weir: a: another weir sweep is at work there; wait for it, or share the work with --shard i/n, of the "
            "same n\n");
  EXPECT_EQ(file("the-same"), "weir: a: shard 1/2 is at work there already; wait for it, or take another\n");
  EXPECT_EQ(runs("a"), kRuns);
  // when no one is there, any number will do
  EXPECT_EQ(sweep({"--out", dir("a"), "--shard", "3/4"}).status, 0);
}

TEST_F(Sweep, NewMeasuresOfFilesThatAreGone) {
  write(study("20 KB", "keep = []"));
  EXPECT_EQ(sweep({"--out", dir("a")}).status, 0);
  write(study("20 KB", "keep = []") +
        "[[measure]]\nname = \"first\"\nof = \"flows\"\ncolumn = \"finish_ps\"\nstatistic = \"min\"\n");
  const Output o = sweep({"--out", dir("a"), "--seeds", "3"});
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.err, fmt::format("weir: {}/runs/0.2+seed1: has not kept flows.csv, from which measure 'first' is taken "
                               "(load=0.2, seed 1); choose another --out, or run such results again with --fresh\n",
                               dir("a")));
  EXPECT_EQ(runs("a"), kRuns);
  EXPECT_EQ(sweep({"--out", dir("a"), "--fresh"}).status, 0);
  EXPECT_EQ(file("a/points.csv").find("load,seeds,unfinished,p50,p50_low,p50_high,last,last_low,last_high,first,"), 0);
  // and figures
  write(study("20 KB", "keep = []") +
        "[[figure]]\nid = \"b\"\nkind = \"cdf\"\nof = \"flows\"\ncolumn = \"slowdown\"\nwhere = { load = "
        "0.2 }\n");
  EXPECT_NE(sweep({"--out", dir("a")}).err.find("has not kept flows.csv, of which figure 'b' is made"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::app
