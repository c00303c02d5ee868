// What is left of memory, by files of /proc and /sys that are written by hand.
#include "weir/run/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "weir/base/error.h"
#include "weir/progress.h"
#include "weir/run/execute.h"
#include "weir/run_text.h"
#include "weir/study/estimate.h"
#include "weir/sweep/admission.h"

namespace weir::app {

using namespace run;

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

// What the estimate looks at is what runs: one model, and no more flows than the estimate takes.
TEST(Memory, IsEstimatedFromTheModelThatRuns) {
  const auto s = scenario::load_scenario_file("scenarios/incast-16.toml");
  Admitted small = admit(s, 20'000'000, "it");
  EXPECT_TRUE(small.expected.all);
  EXPECT_EQ(small.expected.flows, 16u);
  EXPECT_NEAR(static_cast<double>(small.bytes), 14e6, 1e6);
  EXPECT_THROW(admit(s, small.bytes - 1, "it"), InputError);
  const engine::Model* model = small.model.get();
  EXPECT_EQ(scenario::build(s, std::move(small.model)).model.get(), model);
  EXPECT_EQ(execute(s, admit(s, 20'000'000, "it").model, nullptr, {}).manifest.digest,
            execute(s, nullptr).manifest.digest);

  const auto many = scenario::load_scenario_file(
      "scenarios/incast-16.toml", {"traffic.0={ kind = \"poisson\", sizes = \"1 B\", load = 1, stop = \"1 s\" }"});
  const Admitted large = admit(many, std::uint64_t{1} << 62, "it");
  EXPECT_FALSE(large.expected.all);
  EXPECT_EQ(large.expected.flows, study::kMaxEstimatedFlows);
  EXPECT_NEAR(static_cast<double>(large.expected.flows) * large.expected.of_all, 2.125e11, 1e9);
  EXPECT_EQ(ProgressLine::flows_text(small.expected), "16");
  EXPECT_TRUE(ProgressLine::flows_text(large.expected).starts_with("about 21"))
      << ProgressLine::flows_text(large.expected);
}

// Of traffic that was not drawn whole, the share is an estimate, and never the whole.
TEST(Memory, ProgressKnowsTrafficInPart) {
  scenario::Expected e;
  e.flows = 10;
  e.packets = 100;
  Progress progress;
  progress.counters.data_packets = 50;
  EXPECT_EQ(share_done(progress, e, {}), 0.5);
  e.all = false;
  EXPECT_EQ(share_done(progress, e, {}), -1);
  EXPECT_EQ(ProgressLine::flows_text(e), "over 10");
  e.of_all = 5;
  EXPECT_EQ(share_done(progress, e, {}), 0.1);
  EXPECT_EQ(ProgressLine::flows_text(e), "about 50");
  progress.counters.data_packets = 600;
  EXPECT_EQ(share_done(progress, e, {}), 0.99);
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
