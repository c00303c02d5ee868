// weir import ns3 CONFIG -o FILE.toml: other simulators' inputs as scenarios.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/probe/results.h"
#include "weir/scenario/ns3_import.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/text_file.h"

namespace weir::app {
namespace {

struct Options {
  std::string config;
  std::string out;
  bool exact = false;
};

using Files = std::vector<std::pair<std::string, const std::string*>>;  // name and content

// All of them, the last one last; what is there already stays.
void write_files(const Files& files) {
  for (const auto& [name, content] : files)
    if (std::filesystem::exists(name)) throw InputError(fmt::format("{} exists already; name another file", name));
  try {
    for (const auto& [name, content] : files) {
      probe::ResultFile file(name + ".partial", name);
      file.write(*content);
      file.close();
    }
  } catch (...) {
    for (const auto& [name, content] : files) std::remove((name + ".partial").c_str());
    throw;
  }
  for (const auto& [name, content] : files) std::filesystem::rename(name + ".partial", name);
}

int import(const Options& o) {
  const std::filesystem::path target(o.out);
  if (target.extension() != ".toml") throw InputError(fmt::format("--out {}: write a name that ends in .toml", o.out));
  const std::filesystem::path folder = target.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw InputError(fmt::format("--out {}: there is no folder {}", o.out, folder.string()));
  const scenario::Ns3ImportOptions options{.exact = o.exact,
                                           .graph_name = target.stem().string() + ".graph",
                                           .flows_name = target.stem().string() + ".flows.csv"};
  const auto result = scenario::import_ns3(traffic::read_text_file(o.config, "a config of the simulator"), o.config,
                                           options, traffic::read_text_file);
  scenario::load_scenario(result.toml, o.out);
  write_files({{(folder / options.graph_name).string(), &result.graph},
               {(folder / options.flows_name).string(), &result.flows},
               {o.out, &result.toml}});
  if (!result.ignored.empty()) fmt::print(stderr, "ignored: {}\n", fmt::join(result.ignored, ", "));
  fmt::print("{}\n", o.out);
  return 0;
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("import", "Make a scenario of another simulator's input");
  command->require_subcommand(1);
  auto o = std::make_shared<Options>();
  CLI::App* ns3 = command->add_subcommand("ns3", "The config of the simulator of HPCC's authors, and what it names");
  ns3->add_option("CONFIG", o->config, "its config file")->required();
  ns3->add_option("-o,--out", o->out, "the scenario, a new TOML file; its data files are written beside it")
      ->required()
      ->check(not_empty());
  ns3->add_flag("--exact", o->exact, "with Weir's physics and the papers' algorithms, not with that simulator's own");
  ns3->callback([o, &status] { status = import(*o); });
}

}  // namespace weir::app
