#include "hosts/queue/watchdog.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

namespace weir::hosts {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::int64_t monotonic() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

// True if it happens within so long.
bool happens(const std::function<bool()>& what, Clock::duration within = 5s) {
  const auto end = Clock::now() + within;
  while (!what()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

bool lives(pid_t process) { return ::kill(process, 0) == 0; }

// Instead of the kernel's queue: what is sent to it goes nowhere.
class Watched : public testing::Test {
 protected:
  Watched() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  ~Watched() override {
    for (const int end : ends_) ::close(end);
  }
  int socket() const { return ends_[0]; }
  static WatchdogSettings settings() {
    // longer than a busy machine lets a turn wait
    return {.queue = 1, .hang_after = 1'000'000'000, .kill_after = 0, .put_back = {}};
  }
  static void live(Watchdog& watchdog, Clock::duration time) {
    const auto end = Clock::now() + time;
    while (Clock::now() < end) {
      EXPECT_TRUE(watchdog.turn(monotonic()));
      std::this_thread::sleep_for(10ms);
    }
  }

 private:
  std::array<int, 2> ends_{};
};

TEST_F(Watched, APathThatLivesIsLeftAlone) {
  Watchdog watchdog(settings(), socket());
  live(watchdog, 600ms);
  EXPECT_EQ(watchdog.shared().state.load(), Shared::running);
  EXPECT_EQ(watchdog.shared().seizures.load(), 0u);
}

TEST_F(Watched, APathThatStandsStillLosesTheQueueAndMayTakeItAgain) {
  Watchdog watchdog(settings(), socket());
  for (int round = 1; round != 3; ++round) {
    live(watchdog, 100ms);
    ASSERT_EQ(watchdog.shared().state.load(), Shared::running);
    const auto begun = Clock::now();
    ASSERT_TRUE(happens([&] { return watchdog.shared().state.load() == Shared::passed; }));
    EXPECT_GE(Clock::now() - begun, 750ms);
    watchdog.shared().state.store(Shared::running);
  }
  EXPECT_EQ(watchdog.shared().seizures.load(), 2u);
}

TEST_F(Watched, AnotherWatchdogTakesThePlaceOfOneThatEndsOrStandsStill) {
  Watchdog watchdog(settings(), socket());
  for (const int number : {SIGKILL, SIGSTOP}) {
    live(watchdog, 100ms);
    const pid_t before = watchdog.process();
    ::kill(before, number);
    bool missed = false;
    ASSERT_TRUE(happens([&] {
      missed = missed || !watchdog.turn(monotonic());
      return watchdog.process() > 0 && watchdog.process() != before;
    }));
    EXPECT_TRUE(missed) << "nothing is held meanwhile";
    EXPECT_TRUE(lives(watchdog.process()));
    EXPECT_FALSE(lives(before));
  }
}

TEST_F(Watched, EndsWithThePath) {
  pid_t process = 0;
  {
    Watchdog watchdog(settings(), socket());
    process = watchdog.process();
    live(watchdog, 100ms);
    watchdog.shared().state.store(Shared::detached);
  }
  EXPECT_FALSE(lives(process));
}

TEST_F(Watched, SignalsForThePathsGroupDoNotEndIt) {
  Watchdog watchdog(settings(), socket());
  live(watchdog, 100ms);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::kill(watchdog.process(), number);
  live(watchdog, 200ms);
  EXPECT_TRUE(lives(watchdog.process()));
}

// The path is a process of its own here, which does what `path` says.
class WatchedProcess : public Watched {
 protected:
  WatchedProcess() { std::filesystem::create_directory(folder_); }
  ~WatchedProcess() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return folder_ + "/put-back"; }
  pid_t start(WatchdogSettings with, const std::function<void(Watchdog&)>& path) {
    with.put_back = {{"touch", file()}, {"there-is-no-such-program"}, {"false"}};
    const pid_t child = ::fork();
    if (child == 0) {
      Watchdog watchdog(with, socket());
      path(watchdog);
      ::_exit(0);
    }
    return child;
  }

 private:
  std::string folder_ = testing::TempDir() + "weir-watchdog-" + std::to_string(::getpid());
};

TEST_F(WatchedProcess, PutsTheHostBackWhenThePathIsKilled) {
  const pid_t path = start(settings(), [](Watchdog& watchdog) { live(watchdog, 10s); });
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(std::filesystem::exists(file()));
  ::kill(path, SIGKILL);
  ::waitpid(path, nullptr, 0);
  EXPECT_TRUE(happens([&] { return std::filesystem::exists(file()); }));
}

TEST_F(WatchedProcess, EndsAPathThatStandsStillForTooLong) {
  WatchdogSettings with = settings();
  with.kill_after = 300'000'000;
  const pid_t path = start(with, [](Watchdog&) { std::this_thread::sleep_for(10s); });
  int status = 0;
  EXPECT_TRUE(happens([&] { return ::waitpid(path, &status, WNOHANG) == path; }));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(happens([&] { return std::filesystem::exists(file()); }));
}

}  // namespace
}  // namespace weir::hosts
