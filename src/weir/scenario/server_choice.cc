#include "weir/scenario/server_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/scenario/build.h"
#include "weir/traffic/calls.h"
#include "weir/traffic/collective_choice.h"
#include "weir/traffic/collectives.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/training.h"

namespace weir::scenario {
namespace {

// Whether the topology may have servers of several hosts: what says so is cheap to see, the topology is not.
bool may_have_servers(const Topology& t) {
  if (t.kind == nullptr) return true;
  return std::any_of(t.list().params().begin(), t.list().params().end(), [&](const Param& p) {
    return (p.name == "hosts_per_server" || p.name == "gpus") && p.get(t.params.get()) != ParamValue(std::int64_t{1});
  });
}

// One that cannot be built is refused later, with its place.
std::optional<net::Topology> topology_of(const Scenario& s) {
  try {
    return build_topology(s);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Those that take part; nothing = that is refused later, with its place.
template <class T>
std::optional<std::vector<std::uint32_t>> hosts_of(const T& params, const net::Topology& t) {
  traffic::Context context;
  context.host_rates.resize(t.hosts);
  try {
    return traffic::hosts_of_job(params.hosts, params.places, params.placement, t.hosts_per_server, context);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool are_whole_servers(const std::vector<std::uint32_t>& hosts, std::uint32_t group) {
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (hosts[i] / group != hosts[i - i % group] / group) return false;
  return hosts.size() % group == 0;
}

// Whether two hosts of one process group are of one server.
bool share_servers(const std::vector<std::uint32_t>& hosts, std::uint32_t group, std::size_t ranks,
                   std::uint32_t stride) {
  std::set<std::pair<std::size_t, std::uint32_t>> seen;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::size_t process_group = ranks == 0 ? 0 : i / (ranks * stride) * stride + i % stride;
    if (!seen.emplace(process_group, hosts[i] / group).second) return true;
  }
  return false;
}

bool is_ring(traffic::Operation o) {
  using enum traffic::Operation;
  return o == ring_all_reduce || o == ring_reduce_scatter || o == ring_all_gather;
}

// Whether the first and the last host of a server have no switch in common.
bool has_rails(const net::Topology& t, const net::Routing& routing) {
  const auto switches_of = [&](std::uint32_t host) {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t port : routing.ports_of(host)) out.push_back(t.port_peer(port));
    return out;
  };
  const auto first = switches_of(0);
  const auto last = switches_of(t.hosts_per_server - 1);
  return std::find_first_of(first.begin(), first.end(), last.begin(), last.end()) == first.end();
}

// How hosts are cut into process groups, if that is known here.
struct ProcessGroups {
  std::uint32_t ranks = 0;
  std::uint32_t stride = 1;

  bool fit(std::uint32_t group) const { return ranks == 0 || (ranks % group == 0 && stride == 1); }
};
ProcessGroups process_groups(const traffic::Collective& c) { return {c.ranks, c.stride}; }
ProcessGroups process_groups(const traffic::Calls&) { return {}; }
ProcessGroups process_groups(const traffic::Training&) { return {}; }

template <class T>
void choose(Scenario& s, TrafficSource& source) {
  if (source.kind->params != &params_of<T>() || !may_have_servers(s.topology)) return;
  const auto topology = topology_of(s);
  if (!topology || topology->hosts_per_server == 1) return;
  auto params = *static_cast<const T*>(source.params.get());
  const std::uint32_t group = topology->hosts_per_server;
  const auto hosts = hosts_of(params, *topology);
  if (params.group == group || !hosts) return;
  const ProcessGroups groups = process_groups(params);
  const bool are_whole = are_whole_servers(*hosts, group);
  if (!are_whole || !groups.fit(group)) {
    if (share_servers(*hosts, group, groups.ranks, groups.stride))
      s.notices.push_back(
          fmt::format("messages of '{}' within servers of {} hosts, as the topology has them, go by the network, since "
                      "its {} are no whole servers; write group = 1 if that is meant",
                      source.tag, group, are_whole ? "process groups" : "hosts"));
    return;
  }
  params.group = group;
  source.params = std::make_shared<T>(params);
  s.notices.push_back(fmt::format(
      "messages of '{}' within servers of {} hosts, as the topology has them, go by scale-up links and not by "
      "the network; write group = 1 to send them by it",
      source.tag, group));
}

}  // namespace

void choose_servers(const TableReader& table, Scenario& s, TrafficSource& source) {
  if (source.params == nullptr || table.find("group") != nullptr) return;
  choose<traffic::Collective>(s, source);
  choose<traffic::Calls>(s, source);
  choose<traffic::Training>(s, source);
}

void choose_algorithm(Scenario& s, TrafficSource& source) {
  if (source.params == nullptr || source.kind->params != &params_of<traffic::Collective>()) return;
  const auto& given = *static_cast<const traffic::Collective*>(source.params.get());
  if (!traffic::is_to_choose(given.operation)) return;
  const auto topology = topology_of(s);
  if (!topology) return;
  traffic::Context context;
  context.host_rates.resize(topology->hosts);
  for (const net::Link& link : topology->links)
    for (const std::uint32_t node : {link.a, link.b})
      if (node < topology->hosts) context.host_rates[node] = context.host_rates[node] + link.rate;
  for (Rate& rate : context.host_rates) rate = s.host.capped(rate);
  try {
    traffic::CollectiveChoice choice = traffic::choose_collective(given, context);
    source.chosen_for = format_value(params_of<traffic::Collective>().find("operation")->get(&given));
    source.params = std::make_shared<traffic::Collective>(std::move(choice.collective));
    if (!choice.reason.empty()) s.notices.push_back(fmt::format("'{}': {}", source.tag, choice.reason));
  } catch (const InputError&) {  // refused later, with its place
  }
}

void warn_of_rails(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  const net::Topology& t = model.topology;
  if (t.hosts_per_server == 1 || !has_rails(t, model.routing)) return;
  traffic::Context context;
  context.host_rates.resize(t.hosts);
  for (const TrafficSource& source : s.traffic) {
    if (source.kind->params != &params_of<traffic::Collective>()) continue;
    const auto& c = *static_cast<const traffic::Collective*>(source.params.get());
    if (c.group != t.hosts_per_server || c.pxn || !is_ring(c.operation)) continue;
    const std::size_t ranks =
        c.ranks > 0 ? c.ranks : traffic::hosts_of_job(c.hosts, c.places, c.placement, c.group, context).size();
    if (ranks <= c.group) continue;  // in one server
    out.push_back(fmt::format(
        "rings of '{}' go from rail to rail between servers, since the last GPU of a server sends by its own NIC; NCCL "
        "keeps to one rail: write pxn = true and scale_up_sharing = \"max-min\" for that",
        source.tag));
  }
}

}  // namespace weir::scenario
