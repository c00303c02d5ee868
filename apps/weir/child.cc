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
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace weir::app {
namespace {

void require(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
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

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments) {
  std::array<int, 2> pipe_ends{};
  require(pipe2(pipe_ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);

  std::vector<std::string> words{"weir"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const auto begin = std::chrono::steady_clock::now();
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (error != 0) close(pipe_ends[0]);
  require(error, "cannot start a process");

  ChildResult out;
  out.output = read_all(pipe_ends[0]);
  close(pipe_ends[0]);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0)
    if (errno != EINTR) require(errno, "wait");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("a process for '{}' failed", arguments.empty() ? "" : arguments.back()));
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  out.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return out;
}

}  // namespace weir::app
