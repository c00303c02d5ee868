#include "hosts/agent/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "hosts/path/descriptor.h"

namespace weir::hosts {
namespace {

constexpr std::size_t kMostOutput = 64 * 1024;
constexpr std::array<const char*, 6> kFolders{"/usr/sbin", "/usr/bin",        "/sbin",
                                              "/bin",      "/usr/local/sbin", "/usr/local/bin"};

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  for (const char* folder : kFolders) {
    std::string path = fmt::format("{}/{}", folder, name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

// The actions and attributes of a process to be spawned; its output goes into the pipe.
class Spawn {
 public:
  explicit Spawn(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  pid_t start(const std::string& path, const std::vector<std::string>& command) const {
    std::vector<char*> argv;
    for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::array<char*, 3> environment{const_cast<char*>("PATH=/usr/sbin:/usr/bin:/sbin:/bin"),
                                     const_cast<char*>("LC_ALL=C"), nullptr};
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, path.c_str(), &actions_, &attributes_, argv.data(), environment.data());
    return error == 0 ? pid : -1;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

int exit_status(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, int timeout_ms) {
  const std::string path = find_program(command.at(0));
  if (path.empty()) return {127, fmt::format("{} is not installed", command[0])};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  const Descriptor reader(ends[0]);
  pid_t pid = -1;
  {
    const Descriptor writer(ends[1]);
    pid = Spawn(ends[1]).start(path, command);
  }
  if (pid < 0) return {127, fmt::format("{} cannot be started", path)};
  ProgramResult out;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (bool open = true; open;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waiting{reader.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      ::kill(pid, SIGKILL);
      break;
    }
    std::array<char, 4096> chunk;
    const auto size = ::read(reader.get(), chunk.data(), chunk.size());
    open = size > 0 || (size < 0 && errno == EINTR);
    if (size > 0 && out.output.size() < kMostOutput) out.output.append(chunk.data(), static_cast<std::size_t>(size));
  }
  out.status = exit_status(pid);
  return out;
}

std::string to_text(const std::vector<std::string>& command) { return fmt::format("{}", fmt::join(command, " ")); }

}  // namespace weir::hosts
