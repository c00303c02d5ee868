// The subcommands of weir-host. Each adds itself to the command line and, once chosen, leaves its exit status: 0 done,
// 1 failed, 2 bad input or a host that lacks what is needed. Bad input is thrown as InputError.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "hosts/agent/run_dir.h"

namespace weir::hosts {

// Of all commands.
struct Common {
  std::string run = "/run/weir-host";
  std::string config = "/etc/weir/host.toml";
};

void add_check(CLI::App& app, const Common& common, int& status);
void add_up(CLI::App& app, const Common& common, int& status);
void add_off(CLI::App& app, const Common& common, int& status);
// status, peers, sync
void add_questions(CLI::App& app, const Common& common, int& status);
void add_top(CLI::App& app, const Common& common, int& status);
void add_trace(CLI::App& app, const Common& common, int& status);
void add_selftest(CLI::App& app, const Common& common, int& status);
void add_key(CLI::App& app, int& status);

// A time on the command line, "10 s", in ns. Throws InputError that names the option.
std::int64_t parse_duration(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most);

}  // namespace weir::hosts
