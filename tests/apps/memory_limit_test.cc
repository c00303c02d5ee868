// What is left of memory, by files of /proc and /sys that are written by hand.
#include "weir/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "weir/execute.h"

namespace weir::app {
namespace {

class MemoryLeft : public testing::Test {
 protected:
  MemoryLeft() {
    write("proc/meminfo", "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    8000 kB\n");
    write("proc/self/cgroup", "");
  }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void second(const std::string& group, const std::string& limit, int used, int cache) const {
    write(group + "/memory.max", limit + "\n");
    write(group + "/memory.current", std::to_string(used) + "\n");
    write(group + "/memory.stat", "anon 7\nfile 9\ninactive_file " + std::to_string(cache) + "\nactive_file 5\n");
  }
  void first(const std::string& group, const std::string& limit, int used, int cache) const {
    write(group + "/memory.limit_in_bytes", limit + "\n");
    write(group + "/memory.usage_in_bytes", std::to_string(used) + "\n");
    write(group + "/memory.stat", "inactive_file 3\ntotal_inactive_file " + std::to_string(cache) + "\n");
  }
  std::uint64_t left() const { return memory_left(folder_.path()); }

  Folder folder_{"weir-memory"};
};

TEST_F(MemoryLeft, WithoutGroups) { EXPECT_EQ(left(), 8000 * 1024); }

TEST_F(MemoryLeft, CacheOfFilesIsLeft) {
  write("proc/self/cgroup", "0::/\n");
  second("sys/fs/cgroup", "1000000", 990000, 940000);
  EXPECT_EQ(left(), 950000);
  second("sys/fs/cgroup", "1000000", 990000, 0);
  EXPECT_EQ(left(), 10000);
  second("sys/fs/cgroup", "1000000", 1000100, 0);  // a moment above it
  EXPECT_EQ(left(), 0);
  second("sys/fs/cgroup", "max", 1000000, 0);
  EXPECT_EQ(left(), 8000 * 1024);
}

TEST_F(MemoryLeft, TheTightestGroupOnThePath) {
  write("proc/self/cgroup", "0::/system.slice/job/step\n");
  second("sys/fs/cgroup/system.slice", "5000000", 1000000, 0);
  second("sys/fs/cgroup/system.slice/job", "3000000", 500000, 100000);
  second("sys/fs/cgroup/system.slice/job/step", "max", 500000, 0);
  EXPECT_EQ(left(), 2600000);
  second("sys/fs/cgroup/system.slice/job/step", "700000", 500000, 0);
  EXPECT_EQ(left(), 200000);
  second("sys/fs/cgroup/system.slice/job/other", "1", 1, 0);
  EXPECT_EQ(left(), 200000);
}

// Both versions side by side, memory in the first one; "no limit" is a large number there.
TEST_F(MemoryLeft, FirstVersion) {
  write("proc/self/cgroup", "9:cpu,cpuacct:/a\n4:hugetlb,memory:/slurm/uid:7/job\n1:name=systemd:/b\n0::/c\n");
  first("sys/fs/cgroup/memory", "9223372036854771712", 6000000, 0);
  EXPECT_EQ(left(), 8000 * 1024);
  first("sys/fs/cgroup/memory/slurm/uid:7", "4000000", 3000000, 2000000);
  EXPECT_EQ(left(), 3000000);
  first("sys/fs/cgroup/memory/slurm/uid:7/job", "2000000", 500000, 0);
  EXPECT_EQ(left(), 1500000);
}

// A container sees its own group in the place of the first one, and not the path that leads there.
TEST_F(MemoryLeft, PathsThatAreNotThere) {
  write("proc/self/cgroup", "4:memory:/docker/0123\n");
  first("sys/fs/cgroup/memory", "2000000", 500000, 0);
  EXPECT_EQ(left(), 1500000);
}

TEST(MemoryLimit, AsItIsWritten) {
  EXPECT_EQ(memory_limit("3 MB"), 3000000);
  EXPECT_GT(memory_limit(""), 0);
}

// The result of a run that takes too much is kept as far as it came.
TEST(Memory, ARunThatTakesTooMuchEnds) {
  const Folder folder("weir-memory-run");
  const auto s = scenario::load_scenario_file("scenarios/incast-16.toml");
  probe::ResultDirectory out(folder / "a");
  const Outcome outcome = execute(s, &out, {.memory = 1'000'000});
  EXPECT_EQ(status_of(outcome), 1);
  EXPECT_EQ(outcome.manifest.reason, "it took more than 1 MB of memory, its limit (--memory sets another)");
  out.commit();
  const auto manifest = nlohmann::json::parse(read_file(folder / "a/manifest.json"));
  EXPECT_EQ(manifest.at("complete"), false);
  EXPECT_EQ(manifest.at("interrupted"), false);
  EXPECT_EQ(manifest.at("reason"), outcome.manifest.reason);
  const auto summary = nlohmann::json::parse(read_file(folder / "a/summary.json"));
  EXPECT_GT(summary.at("flows").at("unfinished"), 0);
}

TEST(Memory, IsEstimatedShownAndRefused) {
  const std::string file = "scenarios/incast-16.toml";
  const Output shown = weir({"validate", file});
  EXPECT_NE(shown.out.find("\n  memory    14 MB at most\n"), std::string::npos) << shown.out;
  EXPECT_NEAR(nlohmann::json::parse(weir({"validate", file, "--json"}).out).at(0).at("memory_bytes"), 14e6, 1e6);
  const Folder folder("weir-memory-refused");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"validate", file}, {"run", file, "--out", folder / "a"}}) {
    auto limited = arguments;
    limited.insert(limited.end(), {"--memory", "10 MB"});
    const Output o = weir(limited);
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, "weir: " + file +
                         ": it may need 14 MB of memory, and the limit is 10 MB; take fewer flows or hosts, or raise "
                         "the limit with --memory\n");
  }
  EXPECT_TRUE(folder.names().empty());
}

// Flows that the links never carry, in ever larger number.
TEST(Memory, FlowsThatPileUpAreRefused) {
  const Folder folder("weir-memory-poisson");
  std::ofstream(folder / "s.toml") << "[topology]\nkind = \"star\"\nhosts = 17\n[algorithm]\nname = \"hpcc\"\n"
                                      "[[traffic]]\nkind = \"poisson\"\nsizes = \"1 B\"\nload = 1\nstop = \"10 ms\"\n";
  const Output piled = weir({"run", folder / "s.toml", "--memory", "50 GB", "--out", folder / "a"});
  EXPECT_EQ(piled.status, 2);
  EXPECT_NE(piled.err.find(" MB of memory, and the limit is 50000 MB"), std::string::npos) << piled.err;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"s.toml"}));
}

}  // namespace
}  // namespace weir::app
