#include "hosts/agent/scratch_network.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "hosts/agent/program.h"
#include "hosts/path/descriptor.h"

namespace weir::hosts {
namespace {

// In the child: the answer goes into the pipe.
void try_it(const std::function<nlohmann::json()>& work, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  nlohmann::json answer;
  try {
    if (::unshare(CLONE_NEWNET) != 0)
      throw std::runtime_error(
          fmt::format("no network namespace can be made to try it: {}; run it as root", std::strerror(errno)));
    run_program({"ip", "link", "set", "lo", "up"});
    answer["value"] = work();
  } catch (const std::exception& error) {
    answer["error"] = error.what();
  }
  const std::string text = answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t done = 0; done < text.size();) {
    const auto size = ::write(output, text.data() + done, text.size() - done);
    if (size <= 0 && errno != EINTR) return;
    if (size > 0) done += static_cast<std::size_t>(size);
  }
}

}  // namespace

nlohmann::json in_scratch_network(const std::function<nlohmann::json()>& work, int timeout_ms) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("no process can be started");
  if (pid == 0) {
    try_it(work, ends[1]);
    std::_Exit(0);
  }
  writer = Descriptor();
  std::string text;
  bool late = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (bool open = true; open && !late;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waiting{reader.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    late = ready <= 0;
    if (late) break;
    std::array<char, 4096> chunk;
    const auto size = ::read(reader.get(), chunk.data(), chunk.size());
    open = size > 0;
    if (open) text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  if (late) ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (late) throw std::runtime_error(fmt::format("it took longer than {} ms", timeout_ms));
  const auto answer = nlohmann::json::parse(text, nullptr, false);
  if (!answer.is_object()) throw std::runtime_error("the process that tried it has crashed");
  if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  return answer.at("value");
}

}  // namespace weir::hosts
