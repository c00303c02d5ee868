// Sweeps that several processes share: whatever becomes of these, the tables are those of one sweep, to the byte.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/apps/sweep_fixture.h"

extern char** environ;

namespace weir::app {
namespace {

using std::chrono::milliseconds;

// Sweeps that work side by side, each a process of its own.
class Workers {
 public:
  explicit Workers(std::vector<std::string> words) : words_(std::move(words)) {}
  Workers(const Workers&) = delete;
  ~Workers() {
    for (const pid_t pid : pids_) end(pid, SIGKILL);
  }

  void start() { pids_.push_back(spawn()); }
  // Kills one that is at work, and starts another; false if none is.
  bool kill_one(std::mt19937& random) {
    std::vector<std::size_t> alive;
    for (std::size_t i = 0; i < pids_.size(); ++i)
      if (pids_[i] > 0 && is_at_work(pids_[i])) alive.push_back(i);
    if (alive.empty()) return false;
    pid_t& pid = pids_[alive[random() % alive.size()]];
    if (end(pid, SIGKILL) != SIGKILL) return false;  // it has ended by itself meanwhile
    pid = spawn();
    return true;
  }
  // Whether all have ended with status 0.
  bool have_ended_well() {
    bool good = true;
    for (const pid_t pid : pids_) good = end(pid, 0) == 0 && good;
    pids_.clear();
    return good;
  }
  pid_t operator[](std::size_t i) const { return pids_.at(i); }

 private:
  pid_t spawn() {
    std::vector<char*> argv;
    for (std::string& word : words_) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    pid_t pid = 0;
    EXPECT_EQ(::posix_spawn(&pid, command().c_str(), &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
  }
  static bool is_at_work(pid_t pid) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
  }
  // Its exit status, or the signal that ended it.
  static int end(pid_t pid, int signal) {
    if (signal != 0) ::kill(pid, signal);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::vector<std::string> words_;
  std::vector<pid_t> pids_;
};

class SharedSweep : public Sweep {
 protected:
  SharedSweep() {
    write(long_study());
    EXPECT_EQ(sweep({"--out", dir("whole"), "-q"}).status, 0);
  }
  std::vector<std::string> worker(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> out{"weir",    "sweep", folder_ / "s.toml", "--out", dir(name),
                                 "--claim", "-q",    "--jobs",           "1"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  // The same tables as of the whole, each run once, and nothing else left.
  void expect_whole(const std::string& name) const {
    EXPECT_EQ(runs(name), kRuns);
    EXPECT_EQ(settled(name), settled("whole"));
    for (const char* table : {"points.csv", "figures.json", "sweep.json", "study.toml"})
      EXPECT_EQ(file(name + "/" + table), file("whole/" + std::string(table))) << table;
    EXPECT_FALSE(fs::exists(dir(name) + "/claims"));
    EXPECT_TRUE(!fs::exists(dir(name) + "/failed") || fs::is_empty(dir(name) + "/failed"));
  }
  template <class Condition>
  static void wait_until(const Condition& holds) {
    while (!holds()) std::this_thread::sleep_for(milliseconds(5));
  }
  // Whether a run of this directory has kept a checkpoint.
  bool has_checkpoint(const std::string& name) const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(dir(name) + "/runs", error))
      if (fs::exists(entry.path() / "run.partial-run/checkpoint", error)) return true;
    return false;
  }
  // Kills this worker in the directory a while it has a run with a checkpoint.
  void leave_checkpoint(const std::vector<std::string>& words) const {
    do {
      fs::remove_all(dir("a"));
      Workers killed(words);
      killed.start();
      wait_until([&] { return has_checkpoint("a"); });
    } while (!has_checkpoint("a"));  // its run has ended meanwhile
  }
};

TEST_F(SharedSweep, FourClaimersAreAsOne) {
  Workers workers(worker("a"));
  for (int i = 0; i < 4; ++i) workers.start();
  EXPECT_TRUE(workers.have_ended_well());
  expect_whole("a");
  const Output again = sweep({"--out", dir("a"), "--claim"});
  EXPECT_NE(again.out.find("0 done, 6 kept from before, 0 failed"), std::string::npos) << again.out;
}

// Workers that are killed at any time, with their runs, lose nothing and do nothing twice.
TEST_F(SharedSweep, FiftyKills) {
  std::mt19937 random(1);
  int kills = 0;
  for (int round = 0; kills < 50; ++round) {
    const std::string name = fmt::format("round-{}", round);
    Workers workers(worker(name, {"--lease", "0.5", "--checkpoint-seconds", "0.02"}));
    for (int i = 0; i < 4; ++i) workers.start();
    do std::this_thread::sleep_for(milliseconds(random() % 150));
    while (kills < 50 && workers.kill_one(random) && ++kills < 50);
    EXPECT_TRUE(workers.have_ended_well());
    expect_whole(name);
    if (HasFailure()) return;
  }
}

// A worker may be killed between the end of its run and the removal of its claim, or before its clock has lost its
// name.
TEST_F(SharedSweep, NothingIsLeftOfClaimsWhenAllIsDone) {
  ASSERT_EQ(sweep({"--out", dir("a"), "--claim"}).status, 0);
  fs::create_directory(dir("a") + "/claims");
  const auto run = fs::directory_iterator(dir("a") + "/runs")->path().filename().string();
  for (const std::string& name : {run + ".0", run + ".2", std::string(".clock-0123456789abcdef")})
    std::ofstream(dir("a") + "/claims/" + name) << "process 1 on nowhere\n";
  const Output o = sweep({"--out", dir("a"), "--claim"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("0 done, 6 kept from before, 0 failed"), std::string::npos) << o.out;
  expect_whole("a");
}

TEST_F(SharedSweep, GoesOnFromTheCheckpointOfAKilledWorker) {
  leave_checkpoint(worker("a", {"--checkpoint-seconds", "0.01"}));
  const Output o = sweep({"--out", dir("a"), "--claim", "--lease", "0.5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find(" (1 from a checkpoint), "), std::string::npos) << o.out;
  expect_whole("a");
}

// The same without others.
TEST_F(SharedSweep, ASweepGoesOnFromItsCheckpoints) {
  leave_checkpoint(
      {"weir", "sweep", folder_ / "s.toml", "--out", dir("a"), "-q", "--jobs", "1", "--checkpoint-seconds", "0.01"});
  const Output o = sweep({"--out", dir("a")});
  EXPECT_NE(o.out.find(" (1 from a checkpoint), "), std::string::npos) << o.out << o.err;
  expect_whole("a");
}

// A checkpoint that cannot be used is no reason to fail.
TEST_F(SharedSweep, ADamagedCheckpointIsLeftAside) {
  leave_checkpoint(worker("a", {"--checkpoint-seconds", "0.01"}));
  for (const auto& entry : fs::directory_iterator(dir("a") + "/runs"))
    if (const auto checkpoint = entry.path() / "run.partial-run/checkpoint"; fs::exists(checkpoint))
      fs::resize_file(checkpoint, fs::file_size(checkpoint) / 2);
  const Output o = sweep({"--out", dir("a"), "--claim", "--lease", "0.5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.find("from a checkpoint"), std::string::npos) << o.out;
  expect_whole("a");
}

// One that was only held up finds its run taken over, and leaves it to the other.
TEST_F(SharedSweep, AWorkerThatWasHeldUpHarmsNothing) {
  Workers workers(worker("a", {"--lease", "0.5", "--checkpoint-seconds", "0.01"}));
  workers.start();
  wait_until([&] { return has_checkpoint("a"); });
  ASSERT_EQ(::kill(workers[0], SIGSTOP), 0);
  // its run goes on meanwhile, and may end
  workers.start();
  const std::string claims = dir("a") + "/claims";
  const auto is_taken_over = [&] {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(claims, error))
      if (entry.path().extension() == ".1") return true;
    return runs("a") == kRuns;
  };
  wait_until(is_taken_over);
  ASSERT_EQ(::kill(workers[0], SIGCONT), 0);
  EXPECT_TRUE(workers.have_ended_well());
  expect_whole("a");
}

// A run that fails is not tried by every worker.
TEST_F(SharedSweep, AFailureIsTriedOnce) {
  fail("0.4+seed1");
  Workers workers(worker("a"));
  for (int i = 0; i < 3; ++i) workers.start();
  EXPECT_FALSE(workers.have_ended_well());
  const Output o = sweep({"--out", dir("a"), "--claim", "--since", dir("a") + "/failed/0.4+seed1.txt"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("0 done, 5 kept from before, 1 failed"), std::string::npos) << o.out;
  fs::remove(dir("a") + "/runs/0.4+seed1");
  EXPECT_EQ(sweep({"--out", dir("a"), "--claim"}).status, 0);  // the next one tries it again
  expect_whole("a");
}

TEST_F(SharedSweep, RanksOfMpi) {
  const Output o = shell(fmt::format(
      "command -v mpirun >/dev/null || exit 77; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_rmaps_base_oversubscribe=1; cd {}; mpirun -n 2 {} sweep s.toml --out a -q --shard auto",
      folder_.path(), fs::absolute(command()).string()));
  if (o.status == 77) GTEST_SKIP() << "mpirun is not there (Debian: openmpi-bin or mpich)";
  EXPECT_EQ(o.status, 0) << o.err;
  expect_whole("a");
}

TEST_F(Sweep, WhatSharedSweepsRefuse) {
  const auto refusal = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--out", dir("a")});
    const Output o = sweep(options);
    EXPECT_EQ(o.status, 2);
    EXPECT_FALSE(fs::exists(dir("a")));
    return o.err;
  };
  EXPECT_EQ(refusal({"--claim", "--shard", "1/2"}),
            "weir: --claim and --shard are two ways to share the runs; leave out one\n");
  EXPECT_EQ(refusal({"--executor", "slurm", "--claim"}),
            "weir: --executor: its jobs share the runs by themselves; leave out --claim and --shard\n");
  EXPECT_EQ(refusal({"--retries", "2"}),
            "weir: --workers, --retries and --sbatch are for jobs; write --executor slurm, or leave them out\n");
  EXPECT_EQ(refusal({"--since", "s.toml"}), "weir: --since is for workers; write --claim, or leave it out\n");
  EXPECT_EQ(refusal({"--collect"}), fmt::format("weir: --collect: there are no results in {}\n", dir("a")));
  EXPECT_NE(refusal({"--executor", "pbs"}).find("--executor: pbs not in {local,slurm}"), std::string::npos);
  EXPECT_NE(refusal({"--shard", "auto"}).find("--shard auto: this is no task of an array job"), std::string::npos);
  const Output o = shell(
      fmt::format("PATH=/nowhere; exec \"$weir\" sweep {} --out {} --executor slurm", folder_ / "s.toml", dir("a")));
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(
      o.err,
      "weir: --executor slurm: there is no program sbatch in PATH; log in to a node of the cluster that has it, or "
      "install Slurm's client (Debian: slurm-client)\n");
  EXPECT_FALSE(fs::exists(dir("a")));
}

TEST_F(Sweep, ClaimersAndOthersDoNotMix) {
  write(long_study());
  const Output o = shell(meet(folder_.path(),
                              "kill -STOP $sweep; \"$weir\" sweep s.toml --out a -q 2>alone; echo $?; "
                              "\"$weir\" sweep s.toml --out a -q --shard 1/2 2>shard; echo $?; kill -CONT $sweep",
                              "--claim"));
  EXPECT_EQ(o.out, "2\n2\n0\n") << o.err;
  EXPECT_NE(file("alone").find("another weir sweep is at work there"), std::string::npos);
  EXPECT_NE(file("shard").find("another weir sweep is at work there"), std::string::npos);
}

}  // namespace
}  // namespace weir::app
