#include "weir/probe/port_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/trim.h"

namespace weir::probe {
namespace {

std::optional<std::uint32_t> number(std::string_view s) {
  s = trim(s);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

// Where a port leads, as seen from the tier of its owner.
enum class Direction : std::uint8_t { down, across, up };
constexpr std::array kDirections{Direction::down, Direction::across, Direction::up};

std::string_view suffix(Direction d) {
  return d == Direction::down ? " down" : d == Direction::across ? " across" : " up";
}

Direction direction(const net::Topology& t, std::uint32_t owner, std::uint32_t peer) {
  return t.tier[peer] < t.tier[owner]    ? Direction::down
         : t.tier[peer] == t.tier[owner] ? Direction::across
                                         : Direction::up;
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

  // The ports at both ends of the links between two nodes, or those of the first alone.
  void link(std::string_view item, std::string_view between) {
    const auto at = item.find(between);
    const auto from = number(item.substr(0, at));
    const auto to = number(item.substr(at + between.size()));
    if (!from || !to)
      throw InputError(
          fmt::format("'{}' is no link; write the numbers of its nodes, as 320->0, or 320-0 for both "
                      "directions",
                      item));
    for (const auto node : {*from, *to})
      if (node >= topology.nodes())
        throw InputError(fmt::format("there is no node {}; nodes are 0 to {}", node, topology.nodes() - 1));
    const bool both = between == "-";
    if (mark([&](auto owner, auto peer) {
          return (owner == *from && peer == *to) || (both && owner == *to && peer == *from);
        }) > 0)
      return;
    std::string neighbours;
    for (std::uint32_t id = 0; id < topology.ports() && neighbours.size() < 60; ++id)
      if (topology.port_owner(id) == *from) neighbours += fmt::format(" {}", topology.port_peer(id));
    throw InputError(fmt::format("there is no link {}{}{}; {} is linked to{}", *from, between, *to, *from, neighbours));
  }

  // "edge", "tier 2 up", "hosts"...; false if the text is no tier.
  bool tier(std::string_view text) {
    std::optional<Direction> wanted;
    std::string_view name = text;
    for (const Direction d : kDirections)
      if (name.ends_with(suffix(d))) {
        wanted = d;
        name = trim(name.substr(0, name.size() - suffix(d).size()));
        break;
      }
    const auto top = *std::max_element(topology.tier.begin(), topology.tier.end());
    std::optional<std::uint32_t> tier;
    if (name == "hosts") tier = 0;
    if (name == "edge") tier = 1;
    if (name.starts_with("tier ")) {
      tier = number(name.substr(5));
      if (!tier || *tier > top)
        throw InputError(fmt::format("there is no tier '{}'; tiers are 0 (hosts) to {}", trim(name.substr(5)), top));
    }
    if (!tier) return false;
    const auto found = mark([&](auto owner, auto peer) {
      return topology.tier[owner] == *tier && (!wanted || direction(topology, owner, peer) == *wanted);
    });
    if (found == 0 && wanted)
      throw InputError(
          fmt::format("no port is '{}' in this network; 'down' leads to a lower tier, 'up' to a higher one, "
                      "'across' to another node of the same",
                      text));
    return true;
  }

  void item(std::string_view text) {
    if (text.find("->") != std::string_view::npos) return link(text, "->");
    if (number(text.substr(0, text.find('-'))) && text.find('-') != std::string_view::npos) return link(text, "-");
    if (tier(text)) return;
    if (text == "all") {
      mark([&](auto owner, auto) { return is_switch(owner); });
    } else if (text == "fabric") {
      mark([&](auto owner, auto peer) { return is_switch(owner) && is_switch(peer); });
    } else {
      throw InputError(fmt::format(
          "'{}' names no ports; valid: all, fabric, hosts, edge, tier N, the last two also with down, up or across "
          "behind, or links such as 320->0, or 320-0 for both directions{}",
          text, did_you_mean(text, {"all", "edge", "edge down", "edge up", "fabric", "hosts"})));
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
  using Key = std::pair<std::uint8_t, Direction>;
  const auto key = [&](std::uint32_t id) -> Key {
    const auto owner = topology.port_owner(id);
    return {topology.tier[owner], direction(topology, owner, topology.port_peer(id))};
  };
  std::map<Key, std::uint16_t> place;
  for (const auto id : ports) place.emplace(key(id), 0);
  for (auto& [k, at] : place) {
    const std::string tier = tier_name(k.first);
    if (names.empty() || names.back() != tier) names.push_back(tier);
    at = static_cast<std::uint16_t>(groups.size());
    groups.push_back({k.first == 0 ? tier : tier + std::string(suffix(k.second)), names.size() - 1});
  }
  for (std::size_t i = 0; i < ports.size(); ++i) of_port[i] = place.at(key(ports[i]));
}

std::vector<std::string> Tiers::selectable() const {
  std::vector<std::string> out = names;
  for (const Group& group : groups)
    if (group.name != names[group.tier]) out.push_back(group.name);
  return out;
}

}  // namespace weir::probe
