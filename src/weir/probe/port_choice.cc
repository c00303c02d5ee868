#include "weir/probe/port_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>

#include "weir/base/error.h"
#include "weir/base/params.h"

namespace weir::probe {
namespace {

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

std::optional<std::uint32_t> number(std::string_view s) {
  s = trim(s);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

struct Chooser {
  const net::Topology& topology;
  std::vector<bool>& chosen;

  bool is_switch(std::uint32_t node) const { return node >= topology.hosts; }

  // Marks the ports for which wanted(owner, peer) holds; returns how many there are.
  template <class Wanted>
  std::uint32_t mark(Wanted&& wanted) {
    std::uint32_t count = 0;
    for (std::uint32_t id = 0; id < topology.ports(); ++id)
      if (wanted(topology.port_owner(id), topology.port_peer(id))) {
        chosen[id] = true;
        ++count;
      }
    return count;
  }

  void link(std::string_view item, std::string_view from_text, std::string_view to_text) {
    const auto from = number(from_text);
    const auto to = number(to_text);
    if (!from || !to) throw InputError(fmt::format("'{}' is no link; write the numbers of its nodes, as 320->0", item));
    for (const auto node : {*from, *to})
      if (node >= topology.nodes())
        throw InputError(fmt::format("there is no node {}; nodes are 0 to {}", node, topology.nodes() - 1));
    if (mark([&](auto owner, auto peer) { return owner == *from && peer == *to; }) > 0) return;
    std::string neighbours;
    for (std::uint32_t id = 0; id < topology.ports() && neighbours.size() < 60; ++id)
      if (topology.port_owner(id) == *from) neighbours += fmt::format(" {}", topology.port_peer(id));
    throw InputError(fmt::format("there is no link {}->{}; {} is linked to{}", *from, *to, *from, neighbours));
  }

  void tier(std::string_view text) {
    const auto wanted = number(text);
    const auto top = *std::max_element(topology.tier.begin(), topology.tier.end());
    if (!wanted || *wanted > top)
      throw InputError(fmt::format("there is no tier '{}'; tiers are 0 (hosts) to {}", trim(text), top));
    mark([&](auto owner, auto) { return topology.tier[owner] == *wanted; });
  }

  void item(std::string_view text) {
    if (const auto arrow = text.find("->"); arrow != std::string_view::npos)
      return link(text, text.substr(0, arrow), text.substr(arrow + 2));
    if (text.starts_with("tier ")) return tier(text.substr(5));
    if (text == "all") {
      mark([&](auto owner, auto) { return is_switch(owner); });
    } else if (text == "edge") {
      mark([&](auto owner, auto peer) { return is_switch(owner) && !is_switch(peer); });
    } else if (text == "fabric") {
      mark([&](auto owner, auto peer) { return is_switch(owner) && is_switch(peer); });
    } else if (text == "hosts") {
      mark([&](auto owner, auto) { return !is_switch(owner); });
    } else {
      const std::string near = nearest(text, {"all", "edge", "fabric", "hosts"});
      throw InputError(
          fmt::format("'{}' names no ports; valid: all, edge, fabric, hosts, tier N, or links such as 320->0{}", text,
                      near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
    }
  }
};

}  // namespace

std::vector<std::uint32_t> choose_ports(const net::Topology& topology, std::string_view list) {
  std::vector<bool> chosen(topology.ports());
  Chooser chooser{topology, chosen};
  for (;;) {
    const auto comma = list.find(',');
    chooser.item(trim(list.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  std::vector<std::uint32_t> ports;
  for (std::uint32_t id = 0; id < topology.ports(); ++id)
    if (chosen[id]) ports.push_back(id);
  if (ports.empty()) throw InputError("this network has no such ports");
  return ports;
}

std::string tier_name(std::uint8_t tier) {
  if (tier == 0) return "hosts";
  if (tier == 1) return "edge";
  return fmt::format("tier {}", tier);
}

Tiers::Tiers(const net::Topology& topology, const std::vector<std::uint32_t>& ports) : of_port(ports.size()) {
  std::array<bool, 256> present{};
  for (const auto id : ports) present[topology.tier[topology.port_owner(id)]] = true;
  std::array<std::uint8_t, 256> place{};
  for (std::size_t tier = 0; tier < present.size(); ++tier)
    if (present[tier]) {
      place[tier] = static_cast<std::uint8_t>(names.size());
      names.push_back(tier_name(static_cast<std::uint8_t>(tier)));
    }
  for (std::size_t i = 0; i < ports.size(); ++i) of_port[i] = place[topology.tier[topology.port_owner(ports[i])]];
}

}  // namespace weir::probe
