// weir fork: up to the fork the bytes of the run that it is forked from, behind it those of the changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/apps/killed_run.h"
#include "tests/support/command.h"
#include "weir/report/render.h"
#include "weir/run/fork.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

// DCQCN in a small fabric, busy all the time.
constexpr const char* kForked = R"(title = "warm"
[run]
stop = "2 ms"
[topology]
kind = "leaf-spine"
leaves = 3
spines = 2
hosts_per_leaf = 4
[algorithm]
name = "dcqcn"
[network.ecn]
enabled = true
k_min = "20 KB"
k_max = "80 KB"
p_max = 0.01
at_rate = "0 bps"
[[network.link_event]]
time = "200 us"
a = 12
b = 15
state = "down"
[[network.link_event]]
time = "300 us"
a = 12
b = 15
state = "up"
[[traffic]]
kind = "poisson"
sizes = "WebSearch"
load = 0.5
stop = "1.5 ms"
[[traffic]]
kind = "flows"
tag = "file"
file = "more.csv"
[probes.queues]
interval = "5 us"
series = true
[probes.rates]
interval = "10 us"
[probes.links]
)";

class Fork : public KilledRun {
 protected:
  Fork() : KilledRun("fork", kForked) {}

  std::string whole() const {
    const std::string dir = folder_ / "whole";
    if (!fs::exists(dir)) {
      EXPECT_EQ(weir({"run", file(), "-q", "--out", dir}).status, 0);
    }
    return dir;
  }
  static std::vector<std::string> fork(const std::string& from, const std::string& at, const std::string& out,
                                       const std::vector<std::string>& changes,
                                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> line{"fork", from, "--at", at, "-q", "--out", out};
    for (const std::string& change : changes) line.insert(line.end(), {"--set", change});
    line.insert(line.end(), more.begin(), more.end());
    return line;
  }
};

std::string digest_of(const std::string& dir) {
  return nlohmann::json::parse(read_file(dir + "/manifest.json"))["digest"];
}

// The rows of a table that are of instants up to this one, of which the column tells.
std::vector<std::string> rows_until(const std::string& file, std::size_t column, std::int64_t until) {
  std::istringstream in(read_file(file));
  std::vector<std::string> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string field;
    for (std::size_t i = 0; i <= column; ++i) std::getline(fields, field, ',');
    if (!field.empty() && std::stoll(field) <= until) out.push_back(line);
  }
  return out;
}

void expect_same_tables(const std::string& a, const std::string& b) {
  for (const char* name : {"flows.csv", "queues.csv", "queue_cdf.csv", "rates.csv", "links.csv", "summary.json"})
    EXPECT_TRUE(read_file(a + "/" + name) == read_file(b + "/" + name)) << name;
  EXPECT_EQ(digest_of(a), digest_of(b));
}

TEST_F(Fork, WithoutChangesIsTheRun) {
  const std::string a = folder_ / "again";
  ASSERT_EQ(weir(fork(whole(), "700 us", a, {})).status, 0);
  expect_same_tables(a, whole());
  EXPECT_TRUE(read_file(a + "/scenario.toml") == read_file(whole() + "/scenario.toml"));
  EXPECT_TRUE(read_file(a + "/before.toml") == read_file(whole() + "/scenario.toml"));
  EXPECT_TRUE(nlohmann::json::parse(read_file(a + "/manifest.json"))["files"].contains("fork.toml"));
  const std::string b = folder_ / "on two threads";
  ASSERT_EQ(weir(fork(whole(), "0 us", b, {}, {"--threads", "2"})).status, 0);
  expect_same_tables(b, whole());
}

// From what a killed run has left, which can be resumed afterwards as if it had not been forked.
TEST_F(Fork, FromACheckpoint) {
  const std::string dir = killed("killed");
  const std::string a = folder_ / "a";
  EXPECT_TRUE(run::read_fork(partial(dir), Time{1'900'000'000}, {}).from.has_value());
  EXPECT_FALSE(run::read_fork(partial(dir), Time{50'000'000}, {}).from.has_value());
  ASSERT_EQ(weir(fork(dir, "1.9 ms", a, {})).status, 0);
  expect_same_tables(a, whole());
  const std::string b = folder_ / "b";  // before the checkpoint: done again from its start
  ASSERT_EQ(weir(fork(dir, "50 us", b, {})).status, 0);
  expect_same_tables(b, whole());
  ASSERT_EQ(weir({"resume", dir, "-q"}).status, 0);
  expect_same_tables(dir, whole());
}

// Whatever the threads of the run and of its fork.
TEST_F(Fork, IsTheSameOnAnyThreads) {
  const std::string two = folder_ / "two";
  ASSERT_EQ(weir({"run", file(), "-q", "--out", two, "--threads", "2"}).status, 0);
  const std::vector<std::vector<std::string>> cases{
      {"network.ecn.k_min=2 KB", "network.ecn.k_max=4 KB", "network.ecn.p_max=1"},
      {"network.loss=[{links=\"fabric\",probability=0.02}]"},
  };
  for (const auto& changes : cases) {
    const std::string a = folder_ / "a";
    const std::string b = folder_ / "b";
    fs::remove_all(a);
    fs::remove_all(b);
    ASSERT_EQ(weir(fork(whole(), "800 us", a, changes)).status, 0);
    ASSERT_EQ(weir(fork(two, "800 us", b, changes, {"--threads", "2"})).status, 0);
    expect_same_tables(a, b);
  }
}

TEST_F(Fork, ChangesWhatFollows) {
  constexpr std::int64_t kAt = 800'000'000;  // ps
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"marking", {"network.ecn.k_min=2 KB", "network.ecn.k_max=4 KB", "network.ecn.p_max=1"}},
      {"buffers", {"network.buffer.size=1.5 MB", "network.buffer.pfc_alpha=0.01"}},
      {"rate", {"algorithm.r_ai=400 Mbps"}},
      {"links",
       {"network.link_event=[{time=\"200 us\",a=12,b=15,state=\"down\"},{time=\"300 us\",a=12,b=15,state=\"up\"},"
        "{time=\"900 us\",a=13,b=15,state=\"down\"}]"}},
      {"losses", {"network.loss=[{links=\"fabric\",probability=0.01}]"}},
      {"stop", {"run.stop=1.2 ms"}},
  };
  for (const auto& [name, changes] : cases) {
    SCOPED_TRACE(name);
    const std::string dir = folder_ / name;
    const Output o = weir(fork(whole(), "800 us", dir, changes));
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_NE(digest_of(dir), digest_of(whole()));
    for (const auto& [table, column] : {std::pair{"/queues.csv", 0}, {"/rates.csv", 0}, {"/flows.csv", 5}}) {
      const auto before = rows_until(whole() + table, static_cast<std::size_t>(column), kAt);
      EXPECT_GT(before.size(), 5u) << table;
      EXPECT_TRUE(rows_until(dir + table, static_cast<std::size_t>(column), kAt) == before) << table;
    }
    EXPECT_NE(read_file(dir + "/fork.toml").find("at = \"800 us\""), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(read_file(dir + "/manifest.json"))["forked_at_ps"], kAt);
    EXPECT_EQ(weir({"validate", dir + "/before.toml"}).status, 0);
    EXPECT_EQ(weir({"validate", dir + "/scenario.toml"}).status, 0);
  }
}

// The command and the report say of a fork that it is one.
TEST_F(Fork, IsCalledAFork) {
  const std::string dir = folder_ / "a";
  std::vector<std::string> line = fork(whole(), "800 us", dir, {"algorithm.r_ai=400 Mbps"});
  line.erase(std::find(line.begin(), line.end(), "-q"));
  const Output o = weir(line);
  EXPECT_NE(o.out.find("fork     at 800 us; up to there it is another run"), std::string::npos) << o.out;
  if (!report::available()) GTEST_SKIP() << "this build has no report";
  const std::string page = folder_ / "page.html";
  ASSERT_EQ(weir({"report", dir, "--out", page}).status, 0);
  EXPECT_NE(read_file(page).find("At 800 us the run was forked from another one, which it equals up to there; from "
                                 "then on algorithm.r_ai = 400 Mbps instead of "),
            std::string::npos);
}

// Killed over and over behind the fork, it is resumed to the same bytes.
TEST_F(Fork, CanBeResumed) {
  const std::vector<std::string> changes{"network.ecn.k_min=2 KB", "network.ecn.k_max=4 KB"};
  const std::string a = folder_ / "a";
  ASSERT_EQ(weir(fork(whole(), "300 us", a, changes)).status, 0);
  const std::string b = folder_ / "b";
  kill(b, fork(whole(), "300 us", b, changes, {"--checkpoint", "100 us"}));
  ASSERT_EQ(weir({"resume", b, "-q"}).status, 0);
  expect_same_tables(b, a);
  EXPECT_TRUE(read_file(b + "/before.toml") == read_file(a + "/before.toml"));
  EXPECT_EQ(nlohmann::json::parse(read_file(a + "/manifest.json"))["files"],
            nlohmann::json::parse(read_file(b + "/manifest.json"))["files"]);
}

TEST_F(Fork, RefusesWhatARunningNetworkCannotChange) {
  const std::string out = folder_ / "out";
  const auto refused = [&](const std::string& at, const std::vector<std::string>& changes, const std::string& why) {
    const Output o = weir(fork(whole(), at, out, changes));
    EXPECT_EQ(o.status, 2) << why;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_FALSE(fs::exists(out)) << why;
    EXPECT_FALSE(fs::exists(partial(out))) << why;
  };
  refused("1 ms", {"topology.hosts_per_leaf=5"}, "packets are on their way through this network");
  refused("1 ms", {"run.seed=2"}, "all that was random before would be another");
  refused("1 ms", {"traffic.0.load=0.6"}, "those before would be others");
  refused("1 ms", {"probes.queues.interval=1 us"}, "the files of the result have been begun");
  refused("1 ms", {"transport.payload=2000 B"}, "framed by it");
  refused("1 ms", {"network.buffer.mode=lossy"}, "accounted for by it");
  refused("1 ms", {"algorithm.fast_recovery=3"},
          "counts and choices of an algorithm are part of the state of its flows");
  refused("1 ms", {"algorithm.recovery.kind=irn"}, "flows under way have state of it");
  refused("1 ms", {"network.link_event.0.time=250 us"}, "up to 1 ms it must be what it was");
  refused("1 ms", {"run.stop=1 ms"}, "write a later time, or 0");
  refused("2 ms", {}, "--at 2 ms: the run stops at 2 ms");
  refused("soon", {}, "--at:");
  refused("1 ms", {"network.nothing=1"}, "network.nothing");
  fs::create_directory(folder_ / "other");
  std::ofstream(folder_ / "other/more.csv") << "src,dst,size_bytes,start_us\n0,5,300000,10\n3,9,2000000,600\n";
  refused("1 ms", {"traffic.1.file=" + (folder_ / "other/more.csv")}, "a fork cannot change it");
  const std::string altered = folder_ / "altered";
  fs::copy(whole(), altered, fs::copy_options::recursive);
  std::ofstream(altered + "/scenario.toml", std::ios::app) << "\n";
  const Output other = weir(fork(altered, "1 ms", out, {}));
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("scenario.toml"), std::string::npos) << other.err;
  const Output o = weir({"fork", folder_ / "nowhere", "--at", "1 ms", "--out", out});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("there is no such directory"), std::string::npos) << o.err;
}

}  // namespace
}  // namespace weir::app
