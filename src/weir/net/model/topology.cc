#include "weir/net/model/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/net/model/components.h"
#include "weir/net/model/planes.h"

namespace weir::net {
namespace {

// By host.
std::vector<std::uint32_t> ports_of_hosts(const Topology& t) {
  std::vector<std::uint32_t> out(t.hosts);
  for (const Link& l : t.links)
    if (const std::uint32_t host = std::min(l.a, l.b); host < t.hosts) ++out[host];
  return out;
}

void check_degrees(const Topology& t) {
  std::vector<std::uint32_t> links(t.nodes(), 0);
  for (const Link& l : t.links) {
    ++links[l.a];
    ++links[l.b];
  }
  for (std::uint32_t n = 0; n < t.hosts; ++n)
    if (links[n] < 1 || links[n] > kMaxHostPorts)
      throw InputError(
          fmt::format("{} has {} links to switches; valid is 1 to {}", name_of_host(t, n), links[n], kMaxHostPorts));
  for (std::uint32_t n = t.hosts; n < t.nodes(); ++n)
    if (links[n] > kMaxSwitchPorts)
      throw InputError(fmt::format("switch {} has {} ports; valid is at most {}", n, links[n], kMaxSwitchPorts));
}

void check_connected(const Topology& t) {
  const Planes planes(t);
  if (const auto apart = planes.hosts_apart())
    throw InputError(fmt::format("{} cannot reach {}; links must connect all nodes, and hosts forward nothing",
                                 name_of_host(t, apart->first), name_of_host(t, apart->second)));
  std::vector<bool> has_hosts(t.switches);
  for (std::uint32_t h = 0; h < t.hosts; ++h)
    for (const std::uint32_t plane : planes.of(h)) has_hosts[plane - t.hosts] = true;
  for (std::uint32_t n = t.hosts; n < t.nodes(); ++n)
    if (!has_hosts[planes.of_switch(n) - t.hosts])
      throw InputError(fmt::format("switch {} cannot reach host 0; links must connect all nodes", n));
}

}  // namespace

void check_link(const Topology& t, const Link& l) {
  const auto error = [&](const std::string& what) {
    return InputError(fmt::format("the link {} - {} {}", l.a, l.b, what));
  };
  if (l.a >= t.nodes() || l.b >= t.nodes())
    throw error(fmt::format("names node {}; valid is 0 to {}", std::max(l.a, l.b), t.nodes() - 1));
  if (l.a == l.b) throw error("joins a node to itself; valid are two different nodes");
  if (l.a < t.hosts && l.b < t.hosts)
    throw error(fmt::format("joins two hosts; valid is a host and a switch, {} to {}", t.hosts, t.nodes() - 1));
  if (l.rate < kMinRate || l.rate > kMaxRate)
    throw error(fmt::format("has the rate {}; valid is {} to {}", format_value(l.rate), format_value(kMinRate),
                            format_value(kMaxRate)));
  if (l.delay < Time{} || l.delay > kMaxDelay)
    throw error(fmt::format("has the delay {}; valid is 0 to {}", format_value(l.delay), format_value(kMaxDelay)));
}

void check(const Topology& t) {
  if (t.hosts < 2 || t.hosts > kMaxHosts)
    throw InputError(fmt::format("the network has {} hosts; valid is 2 to {}", t.hosts, kMaxHosts));
  if (t.switches < 1 || t.switches > kMaxSwitches)
    throw InputError(fmt::format("the network has {} switches; valid is 1 to {}", t.switches, kMaxSwitches));
  for (const Link& l : t.links) check_link(t, l);
  // before anything as large as the claimed number of nodes is allocated
  if (t.links.size() + 1 < t.nodes())
    throw InputError(fmt::format("{} links cannot connect {} nodes; at least {} are needed", t.links.size(), t.nodes(),
                                 t.nodes() - 1));
  check_servers(t);
  check_degrees(t);
  check_connected(t);
}

void check_servers(const Topology& t) {
  if (t.hosts_per_server < 1 || t.hosts % t.hosts_per_server != 0)
    throw InputError("hosts_per_server", fmt::format("{} hosts make no servers of {}; valid is a divisor of {}",
                                                     t.hosts, t.hosts_per_server, t.hosts));
}

std::string name_of_host(const Topology& t, std::uint32_t host) {
  if (t.hosts_per_server == 1) return fmt::format("host {}", host);
  return fmt::format("host {} ({}.{})", host, host / t.hosts_per_server, host % t.hosts_per_server);
}

std::vector<bool> sides(const Topology& t) {
  // Member 2 * n stands for "node n is on the side of node 0", and 2 * n + 1 for the contrary.
  Components statements(2 * std::size_t{t.nodes()});
  for (const Link& l : t.links) {
    statements.join(2 * l.a, 2 * l.b + 1);
    statements.join(2 * l.a + 1, 2 * l.b);
  }
  if (statements.root(1) == 0) return {};
  std::vector<bool> out(t.nodes());
  for (std::uint32_t n = 0; n < t.nodes(); ++n) out[n] = statements.root(2 * n) != 0;
  return out;
}

void check_one_port(const Topology& t) {
  const std::vector<std::uint32_t> ports = ports_of_hosts(t);
  const auto host = std::find_if(ports.begin(), ports.end(), [](std::uint32_t n) { return n != 1; });
  if (host != ports.end())
    throw InputError(fmt::format("host {} has {} links; a host has exactly one here", host - ports.begin(), *host));
}

std::uint32_t most_host_ports(const Topology& t) {
  const std::vector<std::uint32_t> ports = ports_of_hosts(t);
  return *std::max_element(ports.begin(), ports.end());
}

void assign_tiers(Topology& t) {
  constexpr std::uint8_t kUnknown = 255;
  t.tier.assign(t.nodes(), kUnknown);
  std::fill_n(t.tier.begin(), t.hosts, std::uint8_t{0});
  // A pass per tier: there are few. What lies above the last one is counted as the last.
  for (std::uint8_t below = 0, changed = 1; changed != 0 && below + 1 < kUnknown; ++below) {
    changed = 0;
    for (const Link& l : t.links) {
      for (const auto& [from, to] : {std::pair{l.a, l.b}, std::pair{l.b, l.a}}) {
        if (t.tier[from] != below || t.tier[to] != kUnknown) continue;
        t.tier[to] = static_cast<std::uint8_t>(below + 1);
        changed = 1;
      }
    }
  }
}

}  // namespace weir::net
