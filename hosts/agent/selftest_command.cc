// weir-host selftest.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hosts/agent/check.h"
#include "hosts/agent/commands.h"
#include "hosts/agent/log.h"
#include "hosts/agent/selftest.h"

namespace weir::hosts {
namespace {

int run_selftest(const std::string& wanted) {
  std::vector<Mode> modes{Mode::bpf, Mode::queue};
  if (!wanted.empty()) modes = {under_key("--mode", [&] { return parse_mode(wanted); })};
  if (modes.front() == Mode::observe)
    throw InputError(std::string("--mode"), "observe holds nothing; valid is bpf, queue");
  const CheckReport report = check_this_host(std::nullopt, {});
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  bool good = true;
  bool any = false;
  for (const Mode mode : modes) {
    for (const ModeFact& fact : report.modes) {
      if (fact.mode != mode || fact.possible) continue;
      show_text(fmt::format("{:<6} not on this host: {}\n", name_of(mode), fact.why));
      if (!wanted.empty()) return 1;
    }
    const bool possible = std::any_of(report.modes.begin(), report.modes.end(),
                                      [&](const ModeFact& f) { return f.mode == mode && f.possible; });
    if (!possible) continue;
    any = true;
    good = selftest(mode, program,
                    [&](const SelftestStep& step) {
                      show_text(to_line(mode, step));
                      std::fflush(stdout);
                    }) &&
           good;
  }
  return good && any ? 0 : 1;
}

}  // namespace

void add_selftest(CLI::App& app, const Common&, int& status) {
  auto mode = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "selftest", "Prove in a network of its own that holding, failing open and leaving no trace work on this host");
  command->add_option("--mode", *mode, "bpf or queue; without it, those that this host can have");
  command->callback([mode, &status] { status = run_selftest(*mode); });
}

}  // namespace weir::hosts
