// Workers that share a directory by leases, from inside: who gets a run, and when it is taken over.
#include "weir/sweep/sweep_leases.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/command.h"

namespace weir::run {
namespace {

using app::Folder;

constexpr double kLease = 3;                                // s
constexpr auto kWatched = std::chrono::milliseconds(1100);  // a third of it, and some

class SweepLeasesTest : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_ / ("claims/" + name); }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    if (!std::filesystem::exists(folder_ / "claims")) return out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "claims"))
      out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  // The lease of a worker that died so long ago.
  void leave(const std::string& name, double seconds_ago) const {
    std::filesystem::create_directories(folder_ / "claims");
    std::ofstream(file(name)) << "process 1 on elsewhere\n";
    const auto when = static_cast<std::time_t>(std::time(nullptr) - static_cast<std::time_t>(seconds_ago));
    const timespec times[2]{{when, 0}, {when, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file(name).c_str(), times, 0), 0);
  }
  // A worker that has watched what is there for long enough.
  std::unique_ptr<SweepLeases> watcher() const {
    auto out = std::make_unique<SweepLeases>(folder_.path(), kLease);
    out->look();
    return out;
  }

  Folder folder_{"weir-leases"};
};

TEST_F(SweepLeasesTest, OneHasARunUntilItGivesItBack) {
  SweepLeases a(folder_.path(), kLease);
  SweepLeases b(folder_.path(), kLease);
  EXPECT_TRUE(a.take("load=0.5+seed1"));
  EXPECT_TRUE(a.is_mine("load=0.5+seed1"));
  EXPECT_FALSE(b.take("load=0.5+seed1"));
  EXPECT_TRUE(b.is_held("load=0.5+seed1"));
  EXPECT_TRUE(b.take("load=0.5+seed2"));
  a.give_back("load=0.5+seed1");
  EXPECT_TRUE(b.take("load=0.5+seed1"));
  EXPECT_FALSE(a.is_mine("load=0.5+seed1"));
}

TEST_F(SweepLeasesTest, TheEndGivesAllBack) {
  {
    SweepLeases a(folder_.path(), kLease);
    EXPECT_TRUE(a.take("x"));
    EXPECT_TRUE(a.take("y"));
    EXPECT_EQ(files(), (std::vector<std::string>{"x.0", "y.0"}));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "claims"));
}

// Without having watched it nobody takes a lease over, however old it seems: clocks may differ.
TEST_F(SweepLeasesTest, ADeadLeaseIsWatchedFirst) {
  leave("x.4", 3600);
  const auto a = watcher();
  EXPECT_FALSE(a->take("x"));
  std::this_thread::sleep_for(kWatched);
  EXPECT_TRUE(a->take("x"));
  EXPECT_EQ(files(), std::vector<std::string>{"x.5"});
}

// One that is younger than a lease by the server's clock lives, however long it has been watched unchanged for.
TEST_F(SweepLeasesTest, AYoungLeaseLives) {
  leave("x.0", -30);  // and one from the future, too
  const auto a = watcher();
  std::this_thread::sleep_for(kWatched);
  EXPECT_FALSE(a->take("x"));
}

// A heartbeat while it is watched saves it, even one by a clock that is an hour late.
TEST_F(SweepLeasesTest, AHeartbeatSaves) {
  leave("x.0", 3600);
  const auto a = watcher();
  std::this_thread::sleep_for(kWatched);
  leave("x.0", 3590);
  a->look();
  EXPECT_TRUE(a->is_beating("x"));
  EXPECT_FALSE(a->take("x"));
  EXPECT_EQ(files(), std::vector<std::string>{"x.0"});
}

TEST_F(SweepLeasesTest, AnOwnerThatBeatsKeepsItsRuns) {
  SweepLeases a(folder_.path(), kLease);
  ASSERT_TRUE(a.take("x"));
  const auto b = watcher();
  for (int i = 0; i < 8; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_TRUE(a.beat().empty());
    EXPECT_FALSE(b->take("x"));
  }
  EXPECT_TRUE(b->is_beating("x"));
}

TEST_F(SweepLeasesTest, ASlowOwnerLearnsThatItHasLost) {
  SweepLeases a(folder_.path(), kLease);
  ASSERT_TRUE(a.take("x"));
  ASSERT_TRUE(a.take("y"));
  const auto b = watcher();
  std::this_thread::sleep_for(std::chrono::milliseconds(3200));
  EXPECT_TRUE(b->take("x"));
  EXPECT_FALSE(a.is_mine("x"));
  EXPECT_EQ(a.beat(), std::vector<std::string>{"x"});
  EXPECT_TRUE(a.is_mine("y"));
  EXPECT_TRUE(b->is_mine("x"));
  a.give_back("x");  // which is not its any more
  EXPECT_TRUE(b->is_mine("x"));
}

// Of eight thieves at once, each dead lease has one.
TEST_F(SweepLeasesTest, EachDeadLeaseHasOneThief) {
  constexpr int kThieves = 8;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) leave(std::to_string(run) + ".0", 3600);
  std::vector<std::unique_ptr<SweepLeases>> thieves;
  for (int i = 0; i < kThieves; ++i) thieves.push_back(watcher());
  std::this_thread::sleep_for(kWatched);
  std::vector<std::atomic<int>> taken(kRuns);
  std::vector<std::thread> threads;
  for (auto& thief : thieves)
    threads.emplace_back([&] {
      for (int run = 0; run < kRuns; ++run)
        if (thief->take(std::to_string(run))) ++taken[run];
    });
  for (std::thread& thread : threads) thread.join();
  for (int run = 0; run < kRuns; ++run) EXPECT_EQ(taken[run], 1) << run;
  EXPECT_EQ(files().size(), kRuns);
}

// What is left of a theft that was broken off: the highest generation counts, and the next owner clears the rest.
TEST_F(SweepLeasesTest, TheHighestGenerationCounts) {
  leave("x.0", 3600);
  leave("x.1", 3600);
  leave("x.10", -30);
  const auto a = watcher();
  std::this_thread::sleep_for(kWatched);
  EXPECT_FALSE(a->take("x"));
  leave("x.10", 3600);
  a->look();
  std::this_thread::sleep_for(kWatched);
  EXPECT_TRUE(a->take("x"));
  EXPECT_EQ(files(), std::vector<std::string>{"x.11"});
}

}  // namespace
}  // namespace weir::run
