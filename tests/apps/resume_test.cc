// weir run --checkpoint and weir resume: a run that is killed over and over leaves the same bytes as one that is not.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/apps/killed_run.h"
#include "tests/support/command.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

// Every probe writes what it can.
constexpr const char* kKilled = R"(title = "killed"
[run]
stop = "3 ms"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 2
hosts_per_leaf = 4
[algorithm]
name = "hpcc"
[[traffic]]
kind = "poisson"
tag = "web"
sizes = "WebSearch"
load = 0.4
stop = "2 ms"
[[traffic]]
kind = "incast"
tag = "incast"
fan_in = 8
size = "50 KB"
[[traffic]]
kind = "flows"
tag = "file"
file = "more.csv"
[probes.flows]
paths = true
[probes.queues]
interval = "5 us"
series = true
[probes.rates]
interval = "10 us"
[probes.links]
interval = "20 us"
series = true
[probes.pfc]
[probes.packets]
ports = "17-4"
)";

class Resume : public KilledRun {
 protected:
  Resume() : KilledRun("resume", kKilled) {}
};

std::map<std::string, std::string> files_of(const std::string& dir) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::directory_iterator(dir))
    out[entry.path().filename().string()] = read_file(entry.path().string());
  return out;
}

// Files are equal but for what says how long it took and on how many threads.
void expect_same(const std::string& dir, const std::string& whole) {
  auto found = files_of(dir);
  auto expected = files_of(whole);
  const auto manifest = nlohmann::json::parse(found["manifest.json"]);
  const auto other = nlohmann::json::parse(expected["manifest.json"]);
  EXPECT_EQ(manifest["digest"], other["digest"]);
  EXPECT_TRUE(manifest["complete"]);
  for (auto* files : {&found, &expected}) {
    EXPECT_EQ(files->count("checkpoint"), 0u);
    files->erase("manifest.json");
  }
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, content] : expected) EXPECT_TRUE(found[name] == content) << name;
  EXPECT_EQ(manifest["files"], other["files"]);
}

TEST_F(Resume, AfterKillsOverAndOver) {
  const std::string whole = folder_ / "whole";
  ASSERT_EQ(weir({"run", file(), "-q", "--out", whole}).status, 0);
  const std::string dir = folder_ / "killed";
  int resumed = 0;
  double after = 0.02;
  for (bool done = false; !done; after *= 1.1) {
    const bool begun = fs::exists(partial(dir) + "/checkpoint");
    resumed += begun ? 1 : 0;
    const Output o = weir(begun ? std::vector<std::string>{"resume", dir, "-q"} : run(dir), SIGKILL, after);
    ASSERT_TRUE(o.status == 0 || o.status == 128 + SIGKILL) << o.err;
    done = fs::exists(dir);  // a kill may come between the last rename and the end of the process
  }
  EXPECT_GT(resumed, 0);
  expect_same(dir, whole);
  EXPECT_FALSE(fs::exists(partial(dir)));
  EXPECT_EQ(weir({"report", dir, "--out", folder_ / "page.html"}).status, 0);
}

// Half of the kills come while a checkpoint is being written. WEIR_KILLS says how many there are.
TEST_F(Resume, AfterKillsWhileItIsKept) {
  const std::string whole = folder_ / "whole";
  ASSERT_EQ(weir({"run", file(), "-q", "--out", whole}).status, 0);
  const char* given = std::getenv("WEIR_KILLS");
  const int kills = given != nullptr ? std::atoi(given) : 10;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> after(0.02, 0.4);
  int killed = 0;
  int while_writing = 0;
  for (int round = 0; killed < kills; ++round) {
    const std::string dir = folder_ / ("killed-" + std::to_string(round));
    const std::string kept = partial(dir) + "/checkpoint";
    const std::string next = partial(dir) + "/checkpoint.next";
    while (!fs::exists(dir)) {
      const bool begun = fs::exists(kept);
      const auto command = begun ? std::vector<std::string>{"resume", dir, "-q"} : run(dir);
      const bool waits = killed < kills && killed % 2 == 0;
      Output o;
      if (waits) {
        // the second one that it writes, so that the run gets on
        std::error_code none;
        const auto before = fs::last_write_time(kept, none);
        o = weir(command, SIGKILL, [&] { return fs::last_write_time(kept, none) != before && fs::exists(next, none); });
        while_writing += fs::exists(next) ? 1 : 0;
      } else {
        o = weir(command, killed < kills ? SIGKILL : 0, after(random));
      }
      ASSERT_TRUE(o.status == 0 || o.status == 128 + SIGKILL) << o.err;
      killed += o.status == 0 ? 0 : 1;
    }
    expect_same(dir, whole);
    fs::remove_all(dir);
  }
  EXPECT_GT(while_writing, 0);
  RecordProperty("kills", killed);
  RecordProperty("while_writing", while_writing);
}

TEST_F(Resume, ByOtherThreadsAfterAnInterruption) {
  const std::string whole = folder_ / "whole";
  ASSERT_EQ(weir({"run", file(), "-q", "--out", whole, "--threads", "2"}).status, 0);
  const std::string dir = folder_ / "interrupted";
  Output o;
  // Before signals are caught nothing is left; after its end nothing is interrupted.
  for (double after = 0.02; !fs::exists(dir + "/checkpoint"); after = after < 30 ? after * 1.3 : 0.02) {
    fs::remove_all(dir);
    fs::remove_all(partial(dir));
    o = weir(run(dir, {"--threads", "2"}), SIGINT, after);
  }
  EXPECT_NE(o.err.find("`weir resume " + dir + "` goes on from here"), std::string::npos) << o.err;
  EXPECT_NE(weir(run(dir)).err.find("`weir resume " + dir + "` goes on with it"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(read_file(dir + "/manifest.json"))["complete"]);
  ASSERT_EQ(weir({"resume", dir, "-q", "--threads", "1"}).status, 0);
  EXPECT_FALSE(fs::exists(partial(dir)));
  expect_same(dir, whole);
}

// What is not to be gone on from is refused, and stays as it is.
TEST_F(Resume, RefusesWhatDoesNotBelong) {
  const std::string dir = killed("killed");
  const std::string checkpoint = partial(dir) + "/checkpoint";
  const std::string good = read_file(checkpoint);
  const auto refused = [&](const std::string& content, const std::string& why) {
    std::ofstream(checkpoint, std::ios::binary) << content;
    const auto before = files_of(partial(dir));
    const Output o = weir({"resume", dir, "-q"});
    EXPECT_EQ(o.status, 2) << why;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_TRUE(files_of(partial(dir)) == before) << why;
  };
  refused("", "it is no checkpoint of Weir");
  refused("something else", "it is no checkpoint of Weir");
  for (std::size_t i = 1; i < 8; ++i) refused(good.substr(0, good.size() * i / 8), "cut short");
  for (std::size_t i = 1; i < 20; ++i) {
    std::string flipped = good;
    flipped[100 + (good.size() - 100) * i / 20] ^= 4;
    refused(flipped, "cut short or changed");
  }
  std::string other = good;
  other[24] = other[24] == '9' ? '8' : '9';  // in the version, which follows its length
  refused(other, "it is of weir");
  std::ofstream(checkpoint, std::ios::binary) << good;
  std::ofstream(partial(dir) + "/scenario.toml", std::ios::app) << "\n# more\n";
  refused(good, "it is of another scenario");
}

// What the run had written before its checkpoint would be in the result, which vouches for all of it.
TEST_F(Resume, RefusesFilesThatHaveBeenChanged) {
  const std::string dir = killed("killed");
  const auto good = files_of(partial(dir));
  const auto refused = [&](const std::string& name, const std::string& why) {
    const auto before = files_of(partial(dir));
    const Output o = weir({"resume", dir, "-q"});
    EXPECT_EQ(o.status, 2) << name << ": " << o.err;
    EXPECT_NE(o.err.find(partial(dir) + "/" + name + ": "), std::string::npos) << o.err;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_TRUE(files_of(partial(dir)) == before) << name;
    std::ofstream(partial(dir) + "/" + name, std::ios::binary) << good.at(name);
  };
  // a table and a file that the scenario names
  for (const auto& [name, why] : {std::pair<std::string, std::string>{"queues.csv", "has been changed"},
                                  {"traffic-2-more.csv", "has been changed since the run wrote it"}}) {
    std::string other = good.at(name);
    const std::size_t digit = other.find_first_of("0123456789", other.find('\n'));  // of the first row
    other[digit] = other[digit] == '9' ? '8' : '9';
    std::ofstream(partial(dir) + "/" + name, std::ios::binary) << other;
    refused(name, why);
  }
  std::ofstream(partial(dir) + "/queues.csv", std::ios::binary) << good.at("queues.csv").substr(0, 100);
  refused("queues.csv", "shorter than it was");
  fs::remove(partial(dir) + "/queues.csv");
  refused("queues.csv", "it is not there, and its run cannot go on without it");
  fs::remove(partial(dir) + "/traffic-2-more.csv");
  refused("traffic-2-more.csv", "No such file");
  EXPECT_EQ(weir({"resume", dir, "-q"}).status, 0);
}

// Whoever names what the run has left means its result.
TEST_F(Resume, ByTheNameOfWhatIsLeft) {
  const std::string dir = killed("killed");
  ASSERT_EQ(weir({"resume", partial(dir), "-q"}).status, 0);
  EXPECT_TRUE(fs::exists(dir + "/manifest.json"));
  EXPECT_FALSE(fs::exists(partial(dir)));
}

TEST_F(Resume, IsToldBeforeAnythingRuns) {
  const auto expect = [](const Output& o, const std::string& why) {
    EXPECT_EQ(o.status, 2);
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
  };
  const std::string dir = killed("killed");
  expect(weir(run(dir)), "has left a checkpoint: `weir resume");
  EXPECT_TRUE(fs::exists(partial(dir) + "/checkpoint"));
  expect(weir({"resume", folder_ / "nothing"}), "there is no run of this name");
  fs::create_directory(dir);
  std::ofstream(dir + "/log") << "x";
  expect(weir({"resume", dir}), "it exists already, beside what is to go on");
  EXPECT_TRUE(fs::exists(partial(dir) + "/checkpoint"));
  const std::string whole = folder_ / "whole";
  ASSERT_EQ(weir({"run", file(), "-q", "--out", whole}).status, 0);
  expect(weir({"resume", whole}), "it has no checkpoint");
  expect(weir({"run", file(), "--checkpoint", "1 ms"}), "write --out DIR");
  expect(weir(run(folder_ / "bad", {"--checkpoint", "soon"})), "--checkpoint");
  expect(weir(run(folder_ / "bad", {"--set", "run.fidelity=\"ns3-hpcc\""})), "run.fidelity");
  EXPECT_FALSE(fs::exists(folder_ / "bad"));
}

}  // namespace
}  // namespace weir::app
