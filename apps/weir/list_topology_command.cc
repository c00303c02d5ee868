// weir list topology FILE: a network by its numbers, or as a picture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/text_file.h"
#include "weir/commands.h"
#include "weir/net/graph_file.h"
#include "weir/net/topologies.h"
#include "weir/network_listing.h"
#include "weir/network_picture.h"
#include "weir/output.h"
#include "weir/probe/results.h"
#include "weir/scenario/run.h"

namespace weir::app {
namespace {

struct Options {
  std::string name;
  std::vector<std::string> set;
  std::vector<std::uint32_t> paths;
  bool json = false;
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
  std::unique_ptr<engine::Model> model;  // of a scenario
  std::unique_ptr<net::Topology> topology;
  std::unique_ptr<net::Routing> routing;  // if paths are asked for

  const net::Topology& nodes() const { return model ? model->topology : *topology; }
  const net::Routing& routes() const { return model ? model->routing : *routing; }
};

Network find(const Options& o) {
  Network out;
  const bool is_scenario = std::filesystem::path(o.name).extension() == ".toml";
  if (!is_scenario && !o.set.empty())
    throw InputError(fmt::format("--set: '{}' is no scenario, a file that ends in .toml", o.name));
  const auto names = topology_names();
  if (is_scenario) {
    out.model = scenario::build_model(scenario::load_scenario_file(o.name, o.set));
  } else if (std::find(names.begin(), names.end(), o.name) != names.end()) {
    const auto choice = net::find_topology(o.name);
    out.topology = std::make_unique<net::Topology>(choice.kind->build(choice.params.get()));
  } else if (std::filesystem::exists(o.name)) {
    out.topology = std::make_unique<net::Topology>(net::parse_graph(read_text_file(o.name, "a graph file"), o.name));
  } else {
    const auto near = nearest(o.name, names);
    throw InputError(fmt::format(
        "list topology: there is no file '{}', and no topology of that name{}; valid is a scenario, a graph "
        "file, {}",
        o.name, near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), fmt::join(names, ", ")));
  }
  if (!out.model && !o.paths.empty()) out.routing = std::make_unique<net::Routing>(*out.topology, 1);
  return out;
}

std::optional<NetworkPaths> paths_of(const Options& o, const Network& network) {
  if (o.paths.empty()) return std::nullopt;
  const std::uint32_t hosts = network.nodes().hosts;
  for (const std::uint32_t host : o.paths)
    if (host >= hosts)
      throw InputError(fmt::format("--paths: there is no host {}; hosts are 0 to {}", host, hosts - 1));
  if (o.paths[0] == o.paths[1])
    throw InputError(fmt::format("--paths: host {} has no path to itself; name two hosts", o.paths[0]));
  return paths_between(network.routes(), o.paths[0], o.paths[1]);
}

probe::ResultFile open_picture(const std::string& name) {
  try {
    return {name, name};
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("--svg: {}", error.what()));
  }
}

int list_topology(const Options& o) {
  const Network network = find(o);
  const auto paths = paths_of(o, network);
  if (!o.svg.empty()) {
    const std::string picture = network_picture(network.nodes(), paths);
    probe::ResultFile file = open_picture(o.svg);
    file.write(picture);
    file.close();
    show("{}: {}\n", o.svg, net::summary(network.nodes()));
    return 0;
  }
  const auto text = o.json ? listing_json(network.nodes(), paths) : listing_text(network.nodes(), paths);
  show_text(text);
  return 0;
}

}  // namespace

void add_list_topology(CLI::App& list, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = list.add_subcommand("topology", "Nodes, links, ports and paths of a network, by their numbers");
  command->add_option("FILE", o->name, "a scenario, a graph file, or the name of a topology")->required();
  command->add_option("--set", o->set, "key=value: any value in place of the scenario's")->allow_extra_args(false);
  command->add_option("--paths", o->paths, "the paths from one host to another, in place of nodes and links")
      ->expected(2)
      ->type_name("A B");
  CLI::Option* json = command->add_flag("--json", o->json, "print everything as JSON");
  command->add_option("--svg", o->svg, "draw it into this file; paths stand out")->check(not_empty())->excludes(json);
  command->callback([o, &status] { status = list_topology(*o); });
}

}  // namespace weir::app
