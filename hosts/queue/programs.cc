#include "hosts/queue/programs.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "hosts/path/descriptor.h"

namespace weir::hosts {
namespace {

constexpr std::size_t kMostOutput = 16'000'000;
constexpr std::size_t kMostErrors = 4'096;
constexpr std::chrono::seconds kLongest{10};

bool make_pair(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  read_end = Descriptor(ends[0]);
  write_end = Descriptor(ends[1]);
  return true;
}

// What can be read; at the end the descriptor is closed.
void take(Descriptor& from, std::string& text, std::size_t most) {
  std::array<char, 4'096> chunk;
  const ssize_t size = ::read(from.get(), chunk.data(), chunk.size());
  if (size <= 0)
    from = Descriptor();
  else if (text.size() < most)
    text.append(chunk.data(), static_cast<std::size_t>(size));
}

// A program that runs, and this side of its three streams.
struct Child {
  pid_t id = -1;
  Descriptor input;
  Descriptor output;
  Descriptor errors;
};

// Starts `file` with the words of `command`. Returns 0 or an errno.
int start(Child& child, const std::string& file, const Command& command) {
  // Sockets are used since writing to a pipe that nobody reads raises SIGPIPE.
  Descriptor input_read, output_write, errors_write;
  if (!make_pair(input_read, child.input) || !make_pair(child.output, output_write) ||
      !make_pair(child.errors, errors_write))
    return errno;

  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input_read.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output_write.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors_write.get(), STDERR_FILENO);
  // The child has neither our signal mask nor our priority.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigfillset(&defaults);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&child.id, file.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

// Writes `input` and reads what the program writes, until it has closed its streams or the deadline is over.
void converse(Child& child, const std::string& input, std::chrono::steady_clock::time_point deadline, Outcome& out) {
  std::size_t written = 0;
  while (child.output || child.errors) {
    if (child.input && written == input.size()) child.input = Descriptor();
    std::array<pollfd, 3> wait{pollfd{child.output.get(), POLLIN, 0}, pollfd{child.errors.get(), POLLIN, 0},
                               pollfd{child.input.get(), POLLOUT, 0}};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    if (::poll(wait.data(), wait.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) break;
    if (wait[0].revents != 0) take(child.output, out.output, kMostOutput);
    if (wait[1].revents != 0) take(child.errors, out.errors, kMostErrors);
    if (wait[2].revents != 0) {
      const ssize_t size =
          ::send(child.input.get(), input.data() + written, input.size() - written, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size < 0 && errno != EAGAIN && errno != EINTR) written = input.size();
      if (size > 0) written += static_cast<std::size_t>(size);
    }
  }
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* set = std::getenv("PATH");
  std::istringstream folders(std::string(set == nullptr ? "" : set) + ":/usr/sbin:/sbin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty() || folder.front() != '/') continue;
    folder.append("/").append(name);
    if (::access(folder.c_str(), X_OK) == 0) return folder;
  }
  return {};
}

Outcome run(const Command& command, const std::string& input) {
  const std::string file = find_program(command.front());
  if (file.empty()) return {.errors = command.front() + " is missing"};
  Child child;
  if (const int error = start(child, file, command); error != 0) return {.errors = std::strerror(error)};

  Outcome out;
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  converse(child, input, deadline, out);
  if (std::chrono::steady_clock::now() >= deadline) ::kill(child.id, SIGKILL);
  int status = 0;
  while (::waitpid(child.id, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
  while (!out.errors.empty() && out.errors.back() == '\n') out.errors.pop_back();
  return out;
}

}  // namespace weir::hosts
