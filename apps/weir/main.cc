// The weir command: one subcommand per file, see commands.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/base/version.h"
#include "weir/commands.h"
#include "weir/help.h"
#include "weir/output.h"

namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* command : app.get_subcommands({})) out.push_back(command->get_name());
  return out;
}

// The words that a mistyped argument may have meant.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> out = commands_of(app);
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

// Words for the same thing: where one is unknown and the other is known, that is what was meant.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSynonyms{{{"--threads", "--jobs"},
                                                                                  {"--jobs", "--threads"},
                                                                                  {"--workers", "--jobs"},
                                                                                  {"--parallel", "--jobs"},
                                                                                  {"--output", "--out"},
                                                                                  {"--filter", "--only"}}};

// What a word may have meant; "" = nothing that is known.
std::string meant(const std::string& word, const std::vector<std::string>& known) {
  for (const auto& [other, name] : kSynonyms)
    if (word == other && std::find(known.begin(), known.end(), name) != known.end()) return std::string(name);
  return weir::nearest(word, known);
}

// What is wrong with the command line, in one line.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string path;
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = command->get_subcommands()) {
    command = chosen.front();
    path += " " + command->get_name();
  }
  const std::vector<std::string> commands = commands_of(*command);
  const std::string valid = fmt::format("; valid is {}", fmt::join(commands, ", "));
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
    const bool is_command = !commands.empty() && !word.starts_with('-');
    out = fmt::format("{} '{}'{}", is_command ? "unknown command" : "unexpected argument", word,
                      weir::did_you_mean(meant(word, known_words(*command))));
    if (is_command) out += valid;
    if (command->get_name() == "htsim" && word.starts_with('-')) out += "; options of htsim_uec stand after --";
  } else if (!commands.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    out = "no command is named" + valid;
  }
  return fmt::format("{}; see weir{} --help", out, path);
}

// Tells one line, status 1.
int failed(const std::string& what) {
  weir::app::notice("weir: {}", what);
  return 1;
}

// A file or folder cannot be used. If that is the fault of its name or rights, status 2.
int failed(const std::filesystem::filesystem_error& error) {
  constexpr std::array kFaultsOfNames{std::errc::filename_too_long,
                                      std::errc::no_such_file_or_directory,
                                      std::errc::not_a_directory,
                                      std::errc::is_a_directory,
                                      std::errc::directory_not_empty,
                                      std::errc::file_exists,
                                      std::errc::too_many_symbolic_link_levels,
                                      std::errc::permission_denied,
                                      std::errc::operation_not_permitted,
                                      std::errc::read_only_file_system,
                                      std::errc::invalid_argument};
  weir::app::notice("weir: {}: {}", weir::one_line(error.path1().string(), 2 * weir::kQuoted), error.code().message());
  return std::any_of(kFaultsOfNames.begin(), kFaultsOfNames.end(), [&](auto fault) { return error.code() == fault; })
             ? 2
             : 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace weir::app;
  hold_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of whoever writes it
  int status = 0;
  try {
    CLI::App app("Weir, a datacenter transport simulator");
    app.name("weir");
    app.set_version_flag("--version", fmt::format("weir {}", weir::version()));
    app.add_flag_callback("--describe", [&app] { throw CLI::CallForVersion(description(app), 0); })
        ->group("");  // --help does not show it
    app.require_subcommand(1);
    add_run(app, status);
    add_resume(app, status);
    add_fork(app, status);
    add_validate(app, status);
    add_list(app, status);
    add_demo(app, status);
    add_bench(app, status);
    add_theory(app, status);
    add_import(app, status);
    add_sweep(app, status);
    add_compare(app, status);
    add_report(app, status);
    add_view(app, status);
    add_paper(app, status);
    add_policy(app, status);
    add_train(app, status);
    add_host(app);
    describe_options(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return finish_output(app.exit(error));  // --help, --version
      notice("weir: {}", complaint(app, error));
      return 2;
    }
  } catch (const weir::InputError& error) {
    notice("weir: {}", error.what());
    return 2;
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(error);
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& error) {
    return std::ferror(stdout) != 0 ? finish_output(1) : failed(error.what());
  }
  return finish_output(status);
}
