#include "tests/support/command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <utility>

extern char** environ;

namespace weir::app {
namespace {

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

void signal_when_busy(pid_t pid, int signal, double after_cpu_s) {
  clockid_t clock{};
  if (clock_getcpuclockid(pid, &clock) != 0) return;
  timespec used{};
  while (!has_ended(pid) && clock_gettime(clock, &used) == 0 &&
         static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec) < after_cpu_s)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(pid, signal);
}

// `meanwhile` is called once the command has started, and may end it.
Output run(std::vector<std::string> words, const std::function<void(pid_t)>& meanwhile) {
  const Folder folder("weir-command-output");
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  // whatever the tests' own parent ignores
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, words[0].c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << words[0] << " cannot be started; WEIR_COMMAND names the command";
  if (error != 0) return {};
  if (meanwhile) meanwhile(pid);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return {read_file(out), read_file(err), WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

std::vector<std::string> of_weir(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{command()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

std::string command() {
  const char* path = std::getenv("WEIR_COMMAND");
  return path != nullptr ? path : "build/release/bin/weir";
}

Output weir(const std::vector<std::string>& arguments, int signal, double after_cpu_s) {
  if (signal == 0) return run(of_weir(arguments), {});
  return run(of_weir(arguments), [&](pid_t pid) { signal_when_busy(pid, signal, after_cpu_s); });
}

Output weir(const std::vector<std::string>& arguments, int signal, const std::function<bool()>& moment) {
  return run(of_weir(arguments), [&](pid_t pid) {
    while (!has_ended(pid) && !moment()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    kill(pid, signal);
  });
}

Output shell(const std::string& script) { return run({"/bin/sh", "-c", "weir=$0; " + script, command()}, {}); }

Folder::Folder(const std::string& name) {
  // tests run side by side
  path_ = testing::TempDir() + name + "-" + std::to_string(getpid());
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string read_file(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

}  // namespace weir::app
