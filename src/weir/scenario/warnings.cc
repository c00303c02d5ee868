#include "weir/scenario/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/engine/model/packet_sizes.h"
#include "weir/net/model/dependencies.h"
#include "weir/net/model/planes.h"
#include "weir/scenario/build.h"
#include "weir/scenario/delay_targets.h"
#include "weir/scenario/each_flow.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/nic_choice.h"
#include "weir/scenario/policy_ranges.h"
#include "weir/scenario/server_choice.h"
#include "weir/scenario/shared_gpus.h"
#include "weir/scenario/timeout_warning.h"
#include "weir/scenario/unused.h"

namespace weir::scenario {
namespace {

// Links as they are after the last event.
struct DeadLinks {
  std::vector<bool> down;
  std::vector<bool> dead;  // down, or every packet is lost
  Time since;              // none dies later
  bool any = false;

  explicit DeadLinks(const engine::Model& model)
      : down(model.topology.links.size()), dead(model.topology.links.size()) {
    for (const auto& [link, faults] : model.faults.links) {
      down[link] = !faults.outages.empty() && faults.outages.back().up == Time::max();
      dead[link] = down[link] || faults.loses_all();
      any = any || dead[link];
      if (down[link]) since = std::max(since, faults.outages.back().down);
    }
  }
};

void warn_of_cut_off_flows(const Scenario& s, const engine::Model& model, const DeadLinks& links,
                           std::vector<std::string>& out) {
  const net::Planes left(model.topology, links.dead);
  SomeFlows cut_off;
  for_each_flow(s, model, [&](std::uint32_t src, std::uint32_t dst, Bytes, std::uint16_t) {
    if (!left.join(src, dst)) cut_off.add(src, dst);
    return true;
  });
  if (cut_off.flows > 0)
    out.push_back(
        fmt::format("{} (the first: {}) no path from {} on, since links are down for ever or lose every "
                    "packet; what has not ended by then never will",
                    cut_off.flows == 1 ? "1 flow has" : fmt::format("{} flows have", cut_off.flows), cut_off.first,
                    format_value(links.since)));
}

// Flows with a packet that the first or the last switch on their way can never hold.
void warn_of_small_buffers(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  const std::vector<net::SwitchBuffer> buffers = engine::make_buffers(model);
  const engine::PacketSizes sizes(model);
  if (!sizes.matter_to(buffers)) return;
  SomeFlows flows;
  engine::Sized largest;
  std::int64_t room = 0;
  for_each_flow(s, model, [&](std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t profile) {
    for (const engine::Sized& packet : {sizes.data(profile, size), sizes.ack(profile)}) {
      const auto held_at = [&](std::uint32_t host) {
        std::int64_t most = 0;
        for (const std::uint32_t port : model.routing.ports_of(host))
          most = std::max(most,
                          buffers[model.topology.port_peer(port) - model.topology.hosts].largest(packet.traffic_class));
        return most;
      };
      const std::int64_t held = std::min(held_at(src), held_at(dst));
      if (packet.wire <= held) continue;
      if (flows.flows == 0) {
        largest = packet;
        room = held;
      }
      flows.add(src, dst);
      break;
    }
    return true;
  });
  if (flows.flows > 0)
    out.push_back(
        fmt::format("{} (the first: {}) a packet that a switch can never hold, such as one of {}, and never "
                    "end{}: network.buffer lets an empty switch take no packet of more than {}",
                    flows.flows == 1 ? "1 flow has" : fmt::format("{} flows have", flows.flows), flows.first,
                    format_value(Bytes{largest.wire}), flows.flows == 1 ? "s" : "",
                    format_value(Bytes{std::max<std::int64_t>(0, room)})));
}

// Links that packets are still sent to.
void warn_of_sinks(const engine::Model& model, const DeadLinks& links, std::vector<std::string>& out) {
  std::vector<std::string> sinks;
  for (std::size_t l = 0; l < links.dead.size(); ++l)
    if (links.dead[l] && !(links.down[l] && model.network.reroute))
      sinks.push_back(fmt::format("{}-{}", model.topology.links[l].a, model.topology.links[l].b));
  if (sinks.empty()) return;
  const std::size_t few = std::min<std::size_t>(sinks.size(), 5);
  out.push_back(
      fmt::format("{} link{} every packet from {} on, and switches go on sending by {}: {}{}; a flow without "
                  "another path never ends",
                  sinks.size(), sinks.size() == 1 ? " loses" : "s lose", format_value(links.since),
                  sinks.size() == 1 ? "it" : "them",
                  fmt::join(sinks.begin(), sinks.begin() + static_cast<std::ptrdiff_t>(few), ", "),
                  sinks.size() > few ? ", ..." : ""));
}

void warn_of_deadlocks(const engine::Model& model, const DeadLinks& links, std::vector<std::string>& out) {
  if (!model.is_lossless() || model.watches()) return;
  std::vector<std::uint32_t> cycle = net::dependency_cycle(model.routing);
  const bool reroutes =
      model.network.reroute && std::find(links.down.begin(), links.down.end(), true) != links.down.end();
  if (cycle.empty() && reroutes) cycle = net::dependency_cycle(net::Routing(model.topology, model.seed, links.down));
  if (cycle.empty()) return;
  std::vector<std::string> names;
  for (const std::uint32_t port : cycle)
    names.push_back(fmt::format("{}->{}", model.topology.port_owner(port), model.topology.port_peer(port)));
  out.push_back(
      fmt::format("PFC can deadlock: by the routes, the ports {} can wait for each other in a cycle; "
                  "network.pfc.watchdog.enabled = true breaks it, or take network.buffer.mode = \"lossy\"",
                  fmt::join(names, ", ")));
}

void warn_of_equal_shares(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  if (s.network.ecmp == net::Multipath::capacity) return;
  if (const auto uneven = model.routing.uneven()) {
    constexpr std::size_t kShown = 4;
    std::string hops;
    for (std::size_t i = 0; i < uneven->hops.size() && i < kShown; ++i)
      hops += fmt::format("{}{} by node {}", i == 0 ? "" : ", ",
                          format_value(Rate{static_cast<std::int64_t>(uneven->capacity[i])}),
                          model.topology.port_peer(uneven->hops[i]));
    if (uneven->hops.size() > kShown) hops += ", ...";
    out.push_back(
        fmt::format("switch {} has next hops of different capacity towards {} ({}) and sends by each the same "
                    "share of flows; network.ecmp = \"capacity\" makes shares proportional to capacity",
                    uneven->node, net::name_of_host(model.topology, uneven->host), hops));
  }
}

// What only a program that embeds the run can do.
void warn_of_programs(const Scenario& s, std::vector<std::string>& out) {
  if (s.traffic.empty() && own_flows(s).empty())
    out.emplace_back("traffic = [] stands for flows that a program sends; without one this run ends at once");
  for (const ProfileSettings& p : s.profiles)
    if (cc::has(p.algorithm->about.needs, cc::Needs::decisions))
      out.push_back(
          fmt::format("algorithm '{}' is decided by a program that embeds the run; `weir run` has none, and "
                      "refuses it",
                      p.algorithm->about.name));
}

bool names_file(const TrafficSource& source) {
  const auto params = source.kind->params->params();
  return source.flows.empty() &&
         std::any_of(params.begin(), params.end(), [](const Param& p) { return p.names_file != nullptr; });
}

// What sources leave out of their files.
void warn_of_files(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  if (std::none_of(s.traffic.begin(), s.traffic.end(), names_file)) return;
  build_traffic(s, model, [&](const std::string& notice) { out.push_back(notice); });
}

}  // namespace

void SomeFlows::add(std::uint32_t src, std::uint32_t dst) {
  if (flows++ == 0) first = fmt::format("host {} to {}", src, dst);
}

std::vector<std::string> warnings(const Scenario& s, const engine::Model& model) {
  std::vector<std::string> out = s.notices;
  warn_of_ecn(s, model, out);
  warn_of_programs(s, out);
  warn_of_files(s, model, out);
  warn_of_shared_gpus(s, model, out);
  if (s.run.fidelity->warn != nullptr) s.run.fidelity->warn(s, model, out);
  warn_of_fast_forward(s, out);
  return out;
}

void warn_of_network(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  const DeadLinks links(model);
  warn_of_unused(s, model, out);
  warn_of_delay_targets(s, model, out);
  warn_of_policy_ranges(s, model, out);
  warn_of_rails(s, model, out);
  warn_of_equal_shares(s, model, out);
  warn_of_deadlocks(model, links, out);
  warn_of_small_buffers(s, model, out);
  warn_of_lock_out(s, model, out);
  warn_of_short_timeouts(s, model, out);
  if (!links.any) return;
  warn_of_cut_off_flows(s, model, links, out);
  warn_of_sinks(model, links, out);
}

}  // namespace weir::scenario
