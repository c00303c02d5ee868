// weir-host top: flows, delays, holds and clocks, again and again.
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include <CLI/CLI.hpp>

#include "hosts/agent/commands.h"
#include "hosts/agent/control.h"
#include "hosts/agent/log.h"
#include "hosts/agent/status.h"

namespace weir::hosts {
namespace {

struct TopOptions {
  std::string every = "1 s";
  int times = 0;
};

constexpr const char* kClear = "\x1b[H\x1b[2J";

int top(const Common& common, const TopOptions& o) {
  const auto wait = parse_duration("--every", o.every, 100'000'000, 3'600'000'000'000);
  const std::string socket = RunDir(common.run).socket();
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  auto before = ask_agent(socket, "status");
  for (int i = 0; o.times == 0 || i < o.times; ++i) {
    ::poll(nullptr, 0, static_cast<int>(wait / 1'000'000));
    const auto now = ask_agent(socket, "status");
    winsize size{};
    const bool known = terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    if (terminal) std::fputs(kClear, stdout);
    show_text(top_text(now, before, known ? size.ws_row : 1'000));
    if (!terminal) show_text("\n");
    std::fflush(stdout);
    before = now;
  }
  return 0;
}

}  // namespace

void add_top(CLI::App& app, const Common& common, int& status) {
  auto o = std::make_shared<TopOptions>();
  CLI::App* command = app.add_subcommand("top", "Show flows, delays, holds and clocks, again and again");
  command->add_option("--every", o->every, "time between two pictures");
  command->add_option("--times", o->times, "pictures; 0 = until Ctrl-C")->check(CLI::Range(0, 1'000'000));
  command->callback([o, &common, &status] { status = top(common, *o); });
}

}  // namespace weir::hosts
