// weir host: the agent of real hosts, which is a program of its own.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"

namespace weir::app {
namespace {

constexpr const char* kProgram = "weir-host";

// Beside this command, or in PATH; "" = nowhere.
std::string find_agent() {
  std::vector<std::filesystem::path> folders;
  std::error_code unknown;
  if (const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown); !unknown)
    folders.push_back(self.parent_path());
  const char* path = std::getenv("PATH");
  std::istringstream in(path == nullptr ? "" : path);
  for (std::string folder; std::getline(in, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  for (const auto& folder : folders)
    if (const auto program = folder / kProgram; ::access(program.c_str(), X_OK) == 0) return program.string();
  return {};
}

[[noreturn]] void become_agent(const std::vector<std::string>& arguments) {
  const std::string program = find_agent();
  if (program.empty())
    throw InputError(
        fmt::format("host: there is no {} beside this command or in PATH; install the Debian package "
                    "weir-host, or build it with ./dev build weir_host",
                    kProgram));
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  throw InputError(fmt::format("host: {} cannot be started: {}", program, std::strerror(errno)));
}

}  // namespace

void add_host(CLI::App& app) {
  CLI::App* command = app.add_subcommand("host", "On-Ramp on this host: runs weir-host with all that follows");
  command->prefix_command();
  command->set_help_flag();  // its own help is told by weir-host
  command->callback([command] {
    auto arguments = command->remaining();
    if (!arguments.empty() && arguments.front() == "--") arguments.erase(arguments.begin());
    become_agent(arguments);
  });
}

}  // namespace weir::app
