#include "weir/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "weir/base/system_error.h"

extern char** environ;

namespace weir::app {
namespace {

void require(int error, const char* what) {
  if (error != 0) throw errno_error(what, error);
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

std::string read_all(int descriptor) {
  std::string out;
  std::array<char, 4096> chunk;
  for (;;) {
    const auto n = read(descriptor, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return out;
    out.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

struct Waited {
  std::string output;
  int status = 0;  // of wait4()
  rusage usage{};
};

Waited run(const char* program, std::vector<std::string> words, Messages messages = Messages::shown) {
  std::array<int, 2> pipe_ends{};
  require(pipe2(pipe_ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  if (messages == Messages::dropped)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (error != 0) close(pipe_ends[0]);
  require(error, "cannot start a process");

  Waited out;
  out.output = read_all(pipe_ends[0]);
  close(pipe_ends[0]);
  while (wait4(pid, &out.status, 0, &out.usage) < 0)
    if (errno != EINTR) require(errno, "wait");
  return out;
}

int exit_status(const Waited& ended) {
  return WIFEXITED(ended.status) ? WEXITSTATUS(ended.status) : 128 + WTERMSIG(ended.status);
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"weir"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto begin = std::chrono::steady_clock::now();
  Waited ended = run("/proc/self/exe", std::move(words));
  if (exit_status(ended) != 0)
    throw std::runtime_error(fmt::format("a process for '{}' failed", arguments.empty() ? "" : arguments.back()));
  return {std::move(ended.output), std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          seconds(ended.usage.ru_utime) + seconds(ended.usage.ru_stime),
          static_cast<std::uint64_t>(ended.usage.ru_maxrss) * 1024};
}

Ended run_to_end(std::vector<std::string> words, Messages messages) {
  const std::string program = words.front();
  Waited ended = run(program.c_str(), std::move(words), messages);
  const int status = exit_status(ended);
  return {std::move(ended.output), status};
}

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access(fmt::format("{}/{}", folder.empty() ? "." : folder, name).c_str(), X_OK) == 0) return true;
  return false;
}

std::optional<std::string> run_program(const std::vector<std::string>& words) {
  Ended ended = run_to_end(words);
  return ended.status == 0 ? std::optional(std::move(ended.output)) : std::nullopt;
}

}  // namespace weir::app
