#include "weir/net/model/planes.h"

#include <algorithm>
#include <map>

#include "weir/net/model/components.h"

namespace weir::net {

Planes::Planes(const Topology& t, const std::vector<bool>& without)
    : hosts_(t.hosts), plane_(t.switches), of_host_(t.hosts) {
  const auto is_there = [&](std::size_t link) { return without.empty() || !without[link]; };
  Components parts(t.switches);
  for (std::size_t l = 0; l < t.links.size(); ++l)
    if (const auto& [a, b] = std::pair(t.links[l].a, t.links[l].b); is_there(l) && std::min(a, b) >= hosts_)
      parts.join(a - hosts_, b - hosts_);
  for (std::uint32_t s = 0; s < t.switches; ++s) plane_[s] = hosts_ + parts.root(s);
  for (std::size_t l = 0; l < t.links.size(); ++l) {
    const auto [host, node] = std::minmax(t.links[l].a, t.links[l].b);
    if (is_there(l) && host < hosts_) of_host_[host].push_back(of_switch(node));
  }
  for (auto& mine : of_host_) {
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }
}

bool Planes::join(std::uint32_t a, std::uint32_t b) const {
  const auto& others = of_host_[b];
  return std::any_of(of_host_[a].begin(), of_host_[a].end(),
                     [&](std::uint32_t plane) { return std::binary_search(others.begin(), others.end(), plane); });
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> Planes::hosts_apart() const {
  std::map<std::vector<std::uint32_t>, std::uint32_t> kinds;  // planes of a host; the first such host
  for (std::uint32_t h = 0; h < hosts_; ++h) {
    if (of_host_[h].empty()) return std::pair(std::max(h, 1u), h == 0 ? 0 : h - 1);
    if (!kinds.try_emplace(of_host_[h], h).second) continue;
    for (const auto& [planes, other] : kinds)
      if (!join(other, h)) return std::pair(h, other);
  }
  return std::nullopt;
}

}  // namespace weir::net
