// The weir command: one subcommand per file, see commands.h.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/version.h"
#include "weir/commands.h"

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
  const CLI::App* command = &app;
  std::string path;
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = command->get_subcommands()) {
    command = chosen.front();
    path += " " + command->get_name();
  }
  const bool lacks_command = !command->get_subcommands({}).empty();
  std::string out = error.what();
  std::string word;
  if (const auto extra = app.remaining(true); !extra.empty()) {
    // the first option that is unknown, or else the first word
    word = extra.front();
    for (const auto& w : extra)
      if (w.starts_with('-')) {
        word = w.substr(0, w.find('='));
        break;
      }
    out = fmt::format("{} '{}'", lacks_command && !word.starts_with('-') ? "unknown command" : "unexpected argument",
                      word);
    if (const auto near = weir::nearest(word, known_words(*command)); !near.empty())
      out += fmt::format(" (did you mean '{}'?)", near);
  }
  for (char& c : out)
    if (c == '\n') c = ' ';
  return fmt::format("{}; see weir{} --help", out, path);
}

// Tells one line, status 1.
int failed(const std::string& what) {
  fmt::print(stderr, "weir: {}\n", what);
  return 1;
}

// What has been written to standard output has arrived, or the command has failed.
int finish_output(int status) {
  errno = 0;
  const bool good = std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (good) return status;
  return failed(
      fmt::format("cannot write standard output{}{}", errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno)));
}

}  // namespace

CLI::Validator weir::app::not_empty() {
  return {[](std::string& value) { return value.empty() ? std::string("it is empty; write a value") : std::string(); },
          ""};
}

int main(int argc, char** argv) {
  using namespace weir::app;
  int status = 0;
  try {
    CLI::App app("Weir, a datacenter transport simulator");
    app.name("weir");
    app.set_version_flag("--version", fmt::format("weir {}", weir::version()));
    app.require_subcommand(1);
    add_run(app, status);
    add_validate(app, status);
    add_list(app, status);
    add_demo(app, status);
    add_bench(app, status);
    add_theory(app, status);
    add_import(app, status);
    add_sweep(app, status);
    add_compare(app, status);
    add_report(app, status);
    add_paper(app, status);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return finish_output(app.exit(error));  // --help, --version
      fmt::print(stderr, "weir: {}\n", complaint(app, error));
      return 2;
    }
  } catch (const weir::InputError& error) {
    std::string what = error.what();  // quotes the input, which may have line ends
    std::replace(what.begin(), what.end(), '\n', ' ');
    fmt::print(stderr, "weir: {}\n", what);
    return 2;
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& error) {
    return std::ferror(stdout) != 0 ? finish_output(1) : failed(error.what());
  }
  return finish_output(status);
}
