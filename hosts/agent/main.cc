// weir-host, the agent of real hosts and the command that talks to it: one subcommand per file, see commands.h.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hosts/agent/commands.h"
#include "hosts/agent/log.h"
#include "weir/base/error.h"
#include "weir/base/suggestion.h"
#include "weir/base/version.h"

namespace {

// The words that a mistyped argument may have meant.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* command : app.get_subcommands({})) out.push_back(command->get_name());
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

// What is wrong with the command line, in one line.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::string out = error.what();
  if (const auto extra = app.remaining(true); !extra.empty()) {
    const std::string word = extra.front().substr(0, extra.front().find('='));
    out = fmt::format("{} '{}'{}", chosen.empty() && !word.starts_with('-') ? "unknown command" : "unexpected argument",
                      word, weir::did_you_mean(word, known_words(command)));
  }
  return fmt::format("{}; see weir-host{}{} --help", out, chosen.empty() ? "" : " ",
                     chosen.empty() ? "" : command.get_name());
}

int failed(int status, const std::string& what) {
  weir::hosts::log("{}", what);
  return status;
}

int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return failed(1, "cannot write standard output");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace weir::hosts;
  int status = 0;
  Common common;
  try {
    CLI::App app("weir-host, On-Ramp on real hosts: holds packets of TCP while they would only queue");
    app.name("weir-host");
    app.set_version_flag("--version", fmt::format("weir-host {}", weir::version()));
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--run", common.run, "folder of the running agent; one per network namespace");
    app.add_option("--config", common.config, "the configuration");
    add_check(app, common, status);
    add_up(app, common, status);
    add_off(app, common, status);
    add_questions(app, common, status);
    add_top(app, common, status);
    add_trace(app, common, status);
    add_selftest(app, common, status);
    add_key(app, status);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return finish(app.exit(error));  // --help, --version
      return failed(2, complaint(app, error));
    }
  } catch (const weir::InputError& error) {
    return failed(2, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(2, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return failed(1, "out of memory");
  } catch (const std::exception& error) {
    return failed(1, error.what());
  }
  return finish(status);
}
