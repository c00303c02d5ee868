// Runs as processes, from inside: what a test from outside cannot time.
#include "weir/sweep/run_process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/star_scenario.h"
#include "weir/signals.h"
#include "weir/study/kept_runs.h"
#include "weir/sweep/sweep.h"

namespace weir::app {

using namespace run;

namespace {

study::Plan six_runs() {
  return study::make_plan(study::parse_study(
      "[study]\nseeds = 6\n" + star_scenario(5, "kind = \"incast\"\nsize = \"100 KB\"\n"), "s.toml"));
}

// None of them is at its end before the first look.
study::Plan long_runs() {
  return study::make_plan(study::parse_study(
      "[study]\nseeds = 6\n" + star_scenario(5, "kind = \"incast\"\nsize = \"100 GB\"\n"), "s.toml"));
}

// What follows is done in a process that is then ended; its exit status is 0 if all went well.
[[noreturn]] void end(bool good) { ::_exit(good ? 0 : 1); }

[[noreturn]] void begin_after_a_signal(const study::Plan& plan, const std::string& dir) {
  catch_signals();
  ::raise(SIGTERM);
  if (pending_signal() != SIGTERM) end(false);
  RunProcess process(plan, dir, 0);
  auto ended = process.end();
  while (!ended) ended = process.end();
  end(ended->how == RunEnd::How::done);
}

SweepOptions all_of(const study::Plan& plan, const std::string& dir) {
  return {.dir = dir, .jobs = 6, .memory = 1u << 30, .runs = study::runs_with(plan, "")};
}

[[noreturn]] void sweep_with_ends_ignored(const study::Plan& plan, const std::string& dir) {
  ::signal(SIGCHLD, SIG_IGN);
  const auto outcome = run_all(plan, all_of(plan, dir), [](const SweepProgress&) {});
  end(outcome.done == 5 && outcome.failures.size() == 1);
}

void on_end(int) {}

// Whoever called has SIGCHLD as it was: its action, and whether it is held.
[[noreturn]] void sweep_and_look_at_signals(const study::Plan& plan, const std::string& dir) {
  struct sigaction own {};
  own.sa_handler = on_end;
  ::sigaction(SIGCHLD, &own, nullptr);
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGCHLD);
  sigprocmask(SIG_UNBLOCK, &held, nullptr);
  run_all(plan, all_of(plan, dir), [](const SweepProgress&) {});
  struct sigaction after {};
  ::sigaction(SIGCHLD, nullptr, &after);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  end(after.sa_handler == on_end && sigismember(&mask, SIGCHLD) == 0);
}

// Nobody is left at work, or waits to be told of, when the caller gives up.
[[noreturn]] void give_up_while_runs_are_at_work(const study::Plan& plan, const std::string& dir) {
  bool had_some = false;
  try {
    run_all(plan, all_of(plan, dir), [&](const SweepProgress& progress) {
      had_some = had_some || progress.running > 0;
      throw std::runtime_error("enough");
    });
  } catch (const std::runtime_error&) {
    end(had_some && ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD);
  }
  end(false);
}

// As a user who may have three processes: this one and two runs.
[[noreturn]] void sweep_with_three_processes(const study::Plan& plan, const std::string& dir) {
  const rlimit processes{3, 3};
  ::setrlimit(RLIMIT_NPROC, &processes);
  if (::setuid(64321) != 0) end(false);
  std::size_t most = 0;
  const auto outcome =
      run_all(plan, all_of(plan, dir), [&](const SweepProgress& progress) { most = std::max(most, progress.running); });
  end(outcome.done == 6 && outcome.obstacle.empty() && most <= 2);
}

// One that comes just before a run begins ends the sweep, and does not shorten the run.
TEST(RunProcess, ASignalBeforeItBeginsIsNotForIt) {
  const Folder folder("weir-run-process");
  ::mkdir((folder / "runs").c_str(), 0777);
  const auto plan = six_runs();
  EXPECT_EXIT(begin_after_a_signal(plan, folder.path()), testing::ExitedWithCode(0), "");
  const auto manifest = nlohmann::json::parse(read_file(folder / "runs/seed1/manifest.json"));
  EXPECT_EQ(manifest.at("complete"), true);
  EXPECT_EQ(study::difference(plan, 0, folder / "runs/seed1"), "");
}

// A run that cannot get its name fails, and that is told even if whoever started the sweep ignores how processes end.
TEST(RunProcess, IgnoredEndsAreTold) {
  const Folder folder("weir-run-process");
  ::mkdir((folder / "runs").c_str(), 0777);
  ASSERT_EQ(::symlink("nowhere", (folder / "runs/seed3").c_str()), 0);
  EXPECT_EXIT(sweep_with_ends_ignored(six_runs(), folder.path()), testing::ExitedWithCode(0), "");
  EXPECT_EQ(read_file(folder / "failed/seed3.txt").find("filesystem error: cannot rename"), 0);
}

TEST(RunProcess, TheSignalOfEndsIsGivenBack) {
  const Folder folder("weir-run-process");
  EXPECT_EXIT(sweep_and_look_at_signals(six_runs(), folder / "a"), testing::ExitedWithCode(0), "");
}

TEST(RunProcess, NoneIsLeftWhenTheCallerGivesUp) {
  const Folder folder("weir-run-process");
  EXPECT_EXIT(give_up_while_runs_are_at_work(long_runs(), folder / "a"), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a/runs"));
}

// The others follow when those that found a place have ended.
TEST(RunProcess, MoreJobsThanProcesses) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become a user who has no process yet";
  const Folder folder("weir-run-process");
  ::chmod(folder.path().c_str(), 0777);
  EXPECT_EXIT(sweep_with_three_processes(six_runs(), folder.path()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weir::app
