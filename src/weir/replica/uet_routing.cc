// How switches choose among equal paths (fat_tree_switch.cpp of uet-htsim).
#include <algorithm>
#include <array>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

constexpr std::uint32_t kShortForAdaptive = 100;    // bytes; shorter packets are hashed
constexpr std::uint32_t kShortForRoundRobin = 128;  // bytes
constexpr std::uint32_t kRoundsOfEdges = 5;         // in one order
constexpr std::int64_t kLookEvery = 100'000;        // ps

constexpr std::uint32_t kOwnNumbers = 1'000'000'000;  // what the simulator's own numbers of flows begin with

// Jenkins' mix of three words ("Algorithm Alley", Dr. Dobb's Journal, September 1997), as FreeBSD's bridge uses it.
std::uint32_t jenkins(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  constexpr std::uint32_t kGolden = 0x9e3779b9;
  a += kGolden;
  b += kGolden;
  for (const auto& [first, second, third] : {std::array{13, 8, 13}, {12, 16, 5}, {3, 10, 15}}) {
    a = (a - b - c) ^ (c >> first);
    b = (b - c - a) ^ (a << second);
    c = (c - a - b) ^ (b >> third);
  }
  return c;
}

}  // namespace

std::uint32_t Network::choose(Switch& s, const Packet& packet, std::vector<std::uint32_t>& hops) {
  using Routing = UetParams::Routing;
  if (hops.size() == 1) return hops.front();
  if (params_.routing != Routing::ecmp && !flows_[packet.flow].connection.one_path) {
    switch (params_.routing) {
      case Routing::adaptive:
        if (packet.size < kShortForAdaptive) break;
        return hops[params_.flowlets ? flowlet_hop(s, packet.flow, hops) : least_loaded(hops)];
      case Routing::round_robin:
        if (packet.size < kShortForRoundRobin) break;
        return next_in_turn(s, hops, 1);
      case Routing::edge_round_robin:
        if (!s.edge) break;
        return next_in_turn(s, hops, kRoundsOfEdges);
      case Routing::host_adaptive: return hops[instead_of_worst(hashed_hop(s, packet, hops), hops)];
      case Routing::ecmp: break;
    }
  }
  return hops[hashed_hop(s, packet, hops)];
}

std::size_t Network::hashed_hop(const Switch& s, const Packet& packet, const std::vector<std::uint32_t>& hops) const {
  // Flows without a number get one at either end.
  const std::uint32_t number = flows_[packet.flow].connection.number;
  const std::uint32_t hashed = !to_receiver(packet.kind) && number >= kOwnNumbers ? number + 1 : number;
  return jenkins(hashed, s.salt, packet.entropy) % hops.size();
}

// After so many rounds in another order.
std::uint32_t Network::next_in_turn(Switch& s, std::vector<std::uint32_t>& hops, std::uint32_t rounds) {
  if (s.next_hop >= rounds * hops.size()) {
    s.next_hop = 0;
    permute(hops);
  }
  return hops[s.next_hop++ % hops.size()];
}

// Puts the hops with the least level into least_. Tells the greatest level.
std::uint8_t Network::compare_loads(const std::vector<std::uint32_t>& hops) {
  least_.clear();
  std::uint8_t least = 0;
  std::uint8_t greatest = 0;
  for (std::uint32_t hop = 0; hop < hops.size(); ++hop) {
    const std::uint8_t level = level_of(ports_[hops[hop]]);
    if (least_.empty() || level < least) {
      least = level;
      least_.clear();
    }
    if (level == least) least_.push_back(hop);
    greatest = std::max(greatest, level);
  }
  return greatest;
}

std::uint32_t Network::any_of_least() { return least_[random_.below(static_cast<std::uint32_t>(least_.size()))]; }

std::uint32_t Network::least_loaded(const std::vector<std::uint32_t>& hops) {
  compare_loads(hops);
  return any_of_least();
}

// All packets of a flow take one hop, until none has come for a while: then it may be another one.
std::uint32_t Network::flowlet_hop(Switch& s, std::uint32_t flow, const std::vector<std::uint32_t>& hops) {
  const auto [known, is_new] = s.flowlets.try_emplace(flow);
  Flowlet& f = known->second;
  if (is_new) {
    f.hop = least_loaded(hops);
  } else if (now() - f.last > params_.flowlet_gap.ps && random_.below(2) == 0) {
    const std::uint32_t other = least_loaded(hops);
    if (level_of(ports_[hops[other]]) < level_of(ports_[hops[f.hop]])) f.hop = other;
  }
  f.last = now();
  return f.hop;
}

// Half of the packets that are hashed to a hop of the greatest level take one of the least.
std::size_t Network::instead_of_worst(std::size_t hashed, const std::vector<std::uint32_t>& hops) {
  if (random_.below(100) >= 50) return hashed;
  const std::uint8_t greatest = compare_loads(hops);
  return level_of(ports_[hops[hashed]]) == greatest ? any_of_least() : hashed;
}

// The program never records how much of a link is used: by this, all are alike.
std::uint8_t Network::level_of(Port& port) const {
  return params_.load == UetParams::Load::bandwidth ? 0 : queue_level(port);
}

// Below 5, 10 and 20 % of the buffer, or above; looked at once in a while.
std::uint8_t Network::queue_level(Port& port) const {
  if (now() - port.looked_at <= kLookEvery) return port.level;
  port.looked_at = now();
  const auto bytes = static_cast<double>(port.data_bytes + port.header_bytes);
  const auto buffer = static_cast<double>(port.buffer);
  port.level = bytes < buffer * 0.05 ? 0 : bytes < buffer * 0.1 ? 1 : bytes < buffer * 0.2 ? 2 : 3;
  return port.level;
}

void Network::permute(std::vector<std::uint32_t>& hops) {
  for (auto left = static_cast<std::uint32_t>(hops.size()); left > 0; --left)
    std::swap(hops[random_.below(left)], hops[left - 1]);
}

// Found when the first packet asks. What is above an edge switch is the same list for all hosts, further up every host
// has its own, in an order of its own.
std::vector<std::uint32_t>& Network::hops_to(std::uint32_t s, std::uint32_t host) {
  Switch& sw = switches_[s];
  std::uint32_t& known = sw.hops_to[host];
  if (known != kNone) return hops_[known];
  std::vector<std::uint32_t> down;
  for (const std::uint32_t p : sw.down)
    if (covers(ports_[p].peer, host)) down.push_back(p);
  if (down.empty() && sw.edge && sw.all_up != kNone) {
    known = sw.all_up;
    return hops_[known];
  }
  known = static_cast<std::uint32_t>(hops_.size());
  const bool up = down.empty();
  hops_.push_back(up ? sw.up : std::move(down));
  if (up) permute(hops_.back());
  if (up && sw.edge) sw.all_up = known;
  return hops_.back();
}

bool Network::covers(std::uint32_t node, std::uint32_t host) const {
  if (node < topology_.hosts) return node == host;
  const Switch& s = switches_[node - topology_.hosts];
  return std::any_of(s.down.begin(), s.down.end(), [&](std::uint32_t p) { return covers(ports_[p].peer, host); });
}

}  // namespace weir::replica::uet
