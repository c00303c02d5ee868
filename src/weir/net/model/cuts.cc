#include "weir/net/model/cuts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "weir/net/model/components.h"

namespace weir::net {
namespace {

bool is_of_host(const Topology& t, const Link& l) { return std::min(l.a, l.b) < t.hosts; }

struct Divided {
  Division division;
  bool is_narrow = false;
};

Divided divided_by(const Topology& t, Components& nodes) {
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  Division out{std::vector<std::uint32_t>(t.hosts), {}};
  std::vector<Rate> of_hosts;
  std::vector<std::uint32_t> number(t.nodes(), kNone);
  for (const Link& l : t.links) {
    if (!is_of_host(t, l)) continue;
    const std::uint32_t host = std::min(l.a, l.b);
    std::uint32_t& group = number[nodes.root(host)];
    if (group == kNone) {
      group = static_cast<std::uint32_t>(of_hosts.size());
      of_hosts.emplace_back();
    }
    out.group[host] = group;
    of_hosts[group] = of_hosts[group] + l.rate;
  }
  out.capacity.resize(of_hosts.size());
  for (const Link& l : t.links)
    for (const auto& [from, to] : {std::pair{l.a, l.b}, std::pair{l.b, l.a}})
      if (const std::uint32_t group = number[nodes.root(from)]; group != kNone && nodes.root(from) != nodes.root(to))
        out.capacity[group] = out.capacity[group] + l.rate;
  bool is_narrow = false;
  for (std::size_t g = 0; g < of_hosts.size(); ++g) is_narrow |= of_hosts.size() > 1 && out.capacity[g] < of_hosts[g];
  return {std::move(out), is_narrow};
}

}  // namespace

std::vector<Division> narrow_divisions(const Topology& t) {
  std::vector<Division> out;
  if (t.tier.empty()) return out;
  Components nodes(t.nodes());
  const std::uint8_t top = *std::max_element(t.tier.begin(), t.tier.end());
  for (unsigned tier = 0; tier < top; ++tier) {
    for (const Link& l : t.links)
      if (is_of_host(t, l) || std::max(t.tier[l.a], t.tier[l.b]) <= tier) nodes.join(l.a, l.b);
    Divided d = divided_by(t, nodes);
    if (d.is_narrow && (out.empty() || out.back().group != d.division.group)) out.push_back(std::move(d.division));
  }
  return out;
}

}  // namespace weir::net
