// weir list topology FILE: a network by its numbers, or as a picture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/commands.h"
#include "weir/net/model/graph_file.h"
#include "weir/net/model/topologies.h"
#include "weir/network_listing.h"
#include "weir/network_picture.h"
#include "weir/output.h"
#include "weir/probe/results.h"
#include "weir/scenario/build.h"

namespace weir::app {
namespace {

struct ListTopologyOptions {
  std::string name;
  std::vector<std::string> set;
  std::vector<std::string> paths;
  bool json = false;
  bool graph = false;
  std::string svg;
};

std::vector<std::string> topology_names() {
  std::vector<std::string> out;
  for (const auto& kind : net::topology_kinds()) {
    out.emplace_back(kind.name);
    for (const auto& preset : kind.presets) out.emplace_back(preset.name);
  }
  return out;
}

// A scenario's network; that of a graph file; or one by its name, with its defaults.
struct Network {
  std::shared_ptr<const engine::Model> model;  // of a scenario
  std::unique_ptr<net::Topology> topology;

  const net::Topology& nodes() const { return model ? model->topology : *topology; }
};

// The scenario that a name is of: itself, or that of a result; "" = it is none.
std::string scenario_of(const std::string& name) {
  const std::filesystem::path path(name);
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path.extension() == ".toml" ? name : "";
  if (std::filesystem::exists(path / "scenario.toml", error)) return (path / "scenario.toml").string();
  if (std::filesystem::is_directory(path / "runs", error))
    throw InputError(fmt::format("list topology: '{}' holds the runs of a sweep; name one of them, such as {}", name,
                                 (path / "runs" / "NAME").string()));
  throw InputError(fmt::format(
      "list topology: the directory '{}' has no scenario.toml; valid is one that weir run --out has written", name));
}

// The least that a scenario with this topology has, so that its values can be set.
std::string any_scenario_of(const std::string& topology) {
  return fmt::format(
      "[topology]\nkind = \"{}\"\n[algorithm]\nname = \"hpcc\"\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 KB\"\n",
      topology);
}

Network find(const ListTopologyOptions& o) {
  Network out;
  const auto names = topology_names();
  const bool is_name = std::find(names.begin(), names.end(), o.name) != names.end();
  const std::string scenario = is_name ? "" : scenario_of(o.name);
  if (scenario.empty() && !is_name && !o.set.empty())
    throw InputError(
        fmt::format("--set: '{}' is neither a scenario (a file that ends in .toml, or a directory that "
                    "weir run --out has written) nor the name of a topology",
                    o.name));
  if (is_name && !o.set.empty()) {
    out.model = scenario::build_network(scenario::load_scenario(any_scenario_of(o.name), o.name, o.set));
  } else if (!scenario.empty()) {
    out.model = scenario::build_network(scenario::load_scenario_file(scenario, o.set));
  } else if (is_name) {
    const auto choice = net::find_topology(o.name);
    out.topology = std::make_unique<net::Topology>(choice.kind->build(choice.params.get()));
  } else if (std::filesystem::exists(o.name)) {
    out.topology = std::make_unique<net::Topology>(net::parse_graph(read_text_file(o.name, "a graph file"), o.name));
  } else {
    throw InputError(fmt::format(
        "list topology: there is no file '{}', and no topology of that name{}; valid is a scenario, a result "
        "directory, a graph file, {}",
        o.name, did_you_mean(o.name, names), fmt::join(names, ", ")));
  }
  return out;
}

std::uint32_t host_of(const std::string& text, std::uint32_t hosts) {
  std::uint64_t host = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, host);
  if (stop != end || error == std::errc::invalid_argument)
    throw InputError(
        fmt::format("--paths: '{}' is no number of a host; hosts are 0 to {}", one_line(text, kQuoted), hosts - 1));
  if (error != std::errc() || host >= hosts)
    throw InputError(
        fmt::format("--paths: there is no host {}; hosts are 0 to {}", one_line(text, kQuoted), hosts - 1));
  return static_cast<std::uint32_t>(host);
}

std::vector<NetworkPaths> paths_of(const ListTopologyOptions& o, const Network& network) {
  if (o.paths.empty()) return {};
  const std::uint32_t hosts = network.nodes().hosts;
  const std::uint32_t src = host_of(o.paths[0], hosts);
  const std::uint32_t dst = host_of(o.paths[1], hosts);
  if (src == dst) throw InputError(fmt::format("--paths: host {} has no path to itself; name two hosts", src));
  if (network.model) return paths_over_time(*network.model, src, dst);
  return {paths_between(net::Routing(*network.topology, 1), src, dst)};
}

probe::ResultFile open_picture(const std::string& name) {
  try {
    return {name, name};
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("--svg: {}", error.what()));
  }
}

// A file that [topology] kind = "file" reads again.
std::string graph_of(const ListTopologyOptions& o, const net::Topology& topology) {
  return fmt::format("# {}: {}\n", printable(o.name), net::summary(topology)) + net::format_graph(topology);
}

int list_topology(const ListTopologyOptions& o) {
  const Network network = find(o);
  const NetworkView view{network.nodes(),
                         network.model ? network.model->faults.changes : std::vector<engine::LinkChange>{},
                         paths_of(o, network)};
  if (!o.svg.empty()) {
    const std::string picture = network_picture(view);
    probe::ResultFile file = open_picture(o.svg);
    file.write(picture);
    file.close();
    show("{}: {}\n", o.svg, net::summary(view.topology));
    if (view.paths.empty()) return 0;
  }
  show_text(o.graph ? graph_of(o, view.topology) : o.json ? listing_json(view) : listing_text(view));
  return 0;
}

}  // namespace

void add_list_topology(CLI::App& list, int& status) {
  auto o = std::make_shared<ListTopologyOptions>();
  CLI::App* command = list.add_subcommand("topology", "Nodes, links, ports and paths of a network, by their numbers");
  command->add_option("FILE", o->name, "a scenario, a result directory, a graph file, or the name of a topology")
      ->required();
  command
      ->add_option("--set", o->set,
                   "key=value: any value instead of the scenario's, or the topology's: topology.leaves=8")
      ->allow_extra_args(false);
  command->add_option("--paths", o->paths, "the paths from one host to another, instead of nodes and links")
      ->expected(2)
      ->type_name("A B");
  CLI::Option* json = command->add_flag("--json", o->json, "print everything as JSON");
  CLI::Option* graph =
      command->add_flag("--graph", o->graph, "print it as a graph file, for [topology] kind = \"file\"");
  graph->excludes(json)->excludes("--paths");
  command->add_option("--svg", o->svg, "draw it into this file; paths stand out")
      ->check(not_empty())
      ->excludes(json)
      ->excludes(graph);
  command->callback([o, &status] { status = list_topology(*o); });
}

}  // namespace weir::app
