// weir import ns3 CONFIG -o FILE.toml, weir import htsim -o FILE.toml -- OPTIONS: other simulators' inputs as
// scenarios. weir import host DIR... -o FILE.toml: what weir-host trace has captured.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/commands.h"
#include "weir/import/host_import.h"
#include "weir/import/htsim_import.h"
#include "weir/import/ns3_import.h"
#include "weir/output.h"
#include "weir/probe/whole_files.h"
#include "weir/result/host_trace.h"
#include "weir/scenario/scenario.h"

namespace weir::app {
namespace {

struct ImportOptions {
  std::string config;
  std::vector<std::string> arguments;
  std::string out;
  bool exact = false;
  std::string goal_unit;
  // of hosts
  std::vector<std::string> traces;
  std::string rate;
  std::string buffer = "1 MB";
  std::string gap = "20 ms";
  std::string threshold;
};

using Files = std::vector<std::pair<std::string, const std::string*>>;  // name and content

// All of them, the last one last; what is there already stays.
void write_files(const Files& files) {
  for (const auto& [name, content] : files)
    if (std::filesystem::exists(name)) throw InputError(fmt::format("{} exists already; name another file", name));
  probe::WholeFiles whole;
  for (const auto& [name, content] : files) whole.write(name, *content);
  whole.commit();
}

// Where the scenario goes. `usage` says how the command is called.
std::filesystem::path check_target(const ImportOptions& o, std::string_view usage) {
  if (o.out.empty()) throw InputError(fmt::format("--out is missing; write {}", usage));
  std::filesystem::path target(o.out);
  if (target.extension() != ".toml") throw InputError(fmt::format("--out {}: write a name that ends in .toml", o.out));
  const std::filesystem::path folder = target.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw InputError(fmt::format("--out {}: there is no folder {}", o.out, folder.string()));
  return target;
}

int report(const ImportOptions& o, const std::vector<std::string>& ignored) {
  if (!ignored.empty()) notice("ignored: {}", fmt::join(ignored, ", "));
  show("{}\n", o.out);
  return 0;
}

int import_ns3(const ImportOptions& o) {
  const std::filesystem::path target = check_target(o, "weir import ns3 -o FILE.toml CONFIG");
  const scenario::Ns3ImportOptions options{.exact = o.exact,
                                           .graph_name = target.stem().string() + ".graph",
                                           .flows_name = target.stem().string() + ".flows.csv",
                                           .is_file = [](const std::string& path) {
                                             return std::filesystem::exists(path) &&
                                                    !std::filesystem::is_directory(path);
                                           }};
  const auto result =
      scenario::import_ns3(read_document(o.config, "a config of the simulator"), o.config, options, read_text_file);
  scenario::load_scenario(result.toml, o.out);
  const std::filesystem::path folder = target.parent_path();
  Files files{{(folder / options.graph_name).string(), &result.graph},
              {(folder / options.flows_name).string(), &result.flows}};
  const std::string nodes = (folder / (target.stem().string() + ".nodes.csv")).string();
  if (!result.nodes.empty()) files.emplace_back(nodes, &result.nodes);
  files.emplace_back(o.out, &result.toml);
  write_files(files);
  if (!result.nodes.empty()) notice("hosts come before switches here: {} tells which node is which", nodes);
  return report(o, result.ignored);
}

int import_htsim(const ImportOptions& o) {
  constexpr std::string_view kUsage =
      "weir import htsim -o FILE.toml -- OPTIONS, such as -- -tm FILE.cm -linkspeed 400000";
  const std::filesystem::path target = check_target(o, kUsage);
  if (o.arguments.empty()) throw InputError(fmt::format("the options of htsim_uec are missing; write {}", kUsage));
  const std::filesystem::path folder = target.parent_path();
  const scenario::HtsimImportOptions options{.exact = o.exact,
                                             .connections_name = target.stem().string() + ".connections.csv",
                                             .program_name = target.stem().string() + ".program.csv",
                                             .graph_name = target.stem().string() + ".graph",
                                             .folder = folder.string(),
                                             .goal_unit = o.goal_unit};
  const auto result = scenario::import_htsim(o.arguments, options, read_text_file);
  scenario::load_scenario(result.toml, o.out);
  const std::string& flows_name = o.exact ? options.program_name : options.connections_name;
  Files files;
  if (!result.connections.empty()) files.emplace_back((folder / flows_name).string(), &result.connections);
  if (!result.graph.empty()) files.emplace_back((folder / options.graph_name).string(), &result.graph);
  files.emplace_back(o.out, &result.toml);
  write_files(files);
  return report(o, result.ignored);
}

int import_traces(const ImportOptions& o) {
  const std::filesystem::path target = check_target(o, "weir import host -o FILE.toml DIR...");
  scenario::HostImportOptions options{.flows_name = target.stem().string() + ".flows.csv"};
  if (!o.rate.empty()) options.rate = under_key("--rate", [&] { return parse_rate(o.rate); });
  options.buffer = under_key("--buffer", [&] { return parse_bytes(o.buffer); });
  options.gap = under_key("--gap", [&] { return parse_time(o.gap); });
  if (!o.threshold.empty()) options.threshold = under_key("--T", [&] { return parse_time(o.threshold); });
  std::vector<result::HostTrace> traces;
  for (const std::string& path : o.traces) {
    if (!result::is_host_trace(path))
      throw InputError(fmt::format("{}: no trace of a host; name a folder that weir-host trace has written", path));
    traces.push_back(result::read_host_trace(path));
  }
  const auto result = scenario::import_host(traces, options);
  const std::filesystem::path folder = target.parent_path();
  scenario::load_scenario(result.toml, o.out);
  write_files({{(folder / options.flows_name).string(), &result.flows}, {o.out, &result.toml}});
  return report(o, {});
}

void add_out(CLI::App* command, ImportOptions& o) {
  command->add_option("-o,--out", o.out, "the scenario, a new TOML file; its data files are written beside it")
      ->check(not_empty());
}

void add_target(CLI::App* command, ImportOptions& o) {
  add_out(command, o);
  command->add_flag("--exact", o.exact, "with Weir's physics, not with that simulator's own");
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("import", "Make a scenario of another simulator's input, or of what hosts did");
  command->require_subcommand(1);
  auto o = std::make_shared<ImportOptions>();
  CLI::App* ns3 = command->add_subcommand("ns3", "The config of the simulator of HPCC's authors, and what it names");
  ns3->add_option("CONFIG", o->config, "its config file")->required();
  add_target(ns3, *o);
  ns3->callback([o, &status] { status = import_ns3(*o); });
  CLI::App* htsim =
      command->add_subcommand("htsim", "Options of htsim_uec, of uet-htsim, and the files that they name");
  add_target(htsim, *o);
  htsim->add_option("--goal-unit", o->goal_unit,
                    "what a calc counts in, with -goal: ns (the default), us, '100 ns'...");
  htsim->add_option("OPTIONS", o->arguments, "after --, as htsim_uec takes them");
  htsim->callback([o, &status] { status = import_htsim(*o); });
  CLI::App* host = command->add_subcommand("host", "What weir-host trace has captured on real hosts");
  host->add_option("DIR", o->traces, "folders of traces, one for each host that sent")->required();
  add_out(host, *o);
  host->add_option("--rate", o->rate, "rate of the links, like '10 Gbps'; without it, what the traces tell");
  host->add_option("--buffer", o->buffer, "buffer of each port of the switch")->capture_default_str();
  host->add_option("--gap", o->gap, "silence of a connection after which what it sends is another message")
      ->capture_default_str();
  host->add_option("--T", o->threshold, "On-Ramp's threshold, 0 for none; without it, that of the traces");
  host->callback([o, &status] { status = import_traces(*o); });
}

}  // namespace weir::app
