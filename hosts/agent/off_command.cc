// weir-host off: ends the agent, whatever it takes, and puts back what it or one before has left.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hosts/agent/commands.h"
#include "hosts/agent/control.h"
#include "hosts/agent/log.h"
#include "hosts/agent/restore.h"
#include "hosts/agent/serve.h"

namespace weir::hosts {
namespace {

constexpr int kAnswerWithin = 5'000;  // ms
constexpr int kEndWithin = 3'000;     // ms

// Whether the process has ended within that time.
bool ends(int process, int timeout_ms) {
  pollfd waiting{process, POLLIN, 0};
  return ::poll(&waiting, 1, timeout_ms) == 1;
}

// Asks the agent that holds the lock to end, then tells it, then forces it.
void end_agent(const RunDir& dir, pid_t pid) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process || dir.holder() != pid) return;  // it has just ended
  std::string wrong;
  try {
    ControlClient client(dir.socket());
    client.ask({{"command", "off"}});
    client.answer(kAnswerWithin);
    if (ends(process.get(), kEndWithin)) return;
  } catch (const std::exception& error) {
    wrong = error.what();
    if (ends(process.get(), 100)) throw;  // it has ended, but said what it could not put back
  }
  log("the agent does not end ({}); it is told to", wrong.empty() ? "although it said so" : wrong);
  for (const int number : {SIGTERM, SIGKILL}) {
    ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGCONT, nullptr, 0);
    if (ends(process.get(), kEndWithin)) return;
  }
  throw std::runtime_error(fmt::format("the agent, process {}, does not end", pid));
}

int off(const Common& common, bool leftovers) {
  RunDir dir(common.run);
  bool was_up = false;
  std::string wrong;
  if (const auto pid = dir.holder()) {
    if (leftovers) return 0;  // it lives and will put back itself
    was_up = true;
    try {
      end_agent(dir, *pid);
    } catch (const std::exception& error) {
      wrong = error.what();
    }
  }
  std::vector<std::string> back;
  if (::access(dir.path().c_str(), F_OK) == 0) {
    dir.make();  // whether it can be trusted
    if (!dir.lock()) throw std::runtime_error("another agent has just started");
    back = put_back_leftovers(dir);
    dir.leave();
  }
  if (!back.empty())
    show_text(fmt::format("put back what {} has left: {}\n", was_up ? "the agent" : "a crash", fmt::join(back, ", ")));
  if (!wrong.empty()) throw std::runtime_error(wrong);
  show_text(was_up ? "weir-host is off\n"
                   : fmt::format("weir-host was not up in {}; if it runs in another folder, name that with --run\n",
                                 dir.path()));
  return 0;
}

}  // namespace

void add_off(CLI::App& app, const Common& common, int& status) {
  auto leftovers = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("off", "End the agent and put everything back as it was");
  command->add_flag("--leftovers", *leftovers, "only put back what an agent has left that is no longer there");
  command->callback([leftovers, &common, &status] { status = off(common, *leftovers); });
}

}  // namespace weir::hosts
