#include "weir/net/model/path_graph.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace weir::net {
namespace {

WideTime time_on(const Link& link, Bytes wire) {
  return link.delay.ps + WideTime{transmission_time(wire, link.rate).ps};
}

// The ports of src from which fewest links lead to dst.
std::vector<std::uint32_t> nearest_ports(const Routing& routing, std::uint32_t src, std::uint32_t dst) {
  std::vector<std::uint32_t> out = routing.ports_to(src, dst);
  if (out.size() == 1) return out;
  const Topology& t = routing.topology();
  const auto links_from = [&](std::uint32_t port) {
    std::uint32_t links = 1;
    for (; t.port_peer(port) != dst; ++links) port = routing.next_hops(t.port_peer(port) - t.hosts, dst).front();
    return links;
  };
  std::vector<std::uint32_t> links;
  std::transform(out.begin(), out.end(), std::back_inserter(links), links_from);
  const std::uint32_t least = *std::min_element(links.begin(), links.end());
  std::size_t next = 0;
  std::erase_if(out, [&](std::uint32_t) { return links[next++] != least; });
  return out;
}

}  // namespace

PathGraph::PathGraph(const Routing& routing, std::uint32_t src, std::uint32_t dst) {
  constexpr auto kUnseen = std::numeric_limits<std::uint32_t>::max();
  const Topology& t = routing.topology();
  std::vector<std::uint32_t> here;
  std::vector<std::uint32_t> there;
  std::vector<std::uint32_t> number(t.hosts + t.switches, kUnseen);  // of the nodes behind this stage
  Stage first;
  for (const std::uint32_t up : nearest_ports(routing, src, dst)) {
    const std::uint32_t peer = t.port_peer(up);
    if (number[peer] == kUnseen) {
      number[peer] = static_cast<std::uint32_t>(here.size());
      here.push_back(peer);
    }
    first.push_back({&t.links[up / 2], 0, number[peer]});
  }
  stages_.push_back(std::move(first));
  nodes_.push_back(static_cast<std::uint32_t>(here.size()));
  while (here.front() != dst) {
    Stage stage;
    there.clear();
    for (std::uint32_t from = 0; from < here.size(); ++from)
      for (const std::uint32_t port : routing.next_hops(here[from] - t.hosts, dst)) {
        const std::uint32_t peer = t.port_peer(port);
        if (number[peer] == kUnseen) {
          number[peer] = static_cast<std::uint32_t>(there.size());
          there.push_back(peer);
        }
        stage.push_back({&t.links[port / 2], from, number[peer]});
      }
    nodes_.push_back(static_cast<std::uint32_t>(there.size()));
    stages_.push_back(std::move(stage));
    std::swap(here, there);
  }
}

std::vector<WideTime> PathGraph::least_until(Bytes wire) const {
  std::vector<WideTime> out{0};
  std::vector<WideTime> here{0};
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    std::vector<WideTime> there(nodes_[k], kNever);
    for (const Hop& hop : stages_[k])
      there[hop.to] = std::min(there[hop.to], here[hop.from] + time_on(*hop.link, wire));
    here = std::move(there);
    out.push_back(*std::min_element(here.begin(), here.end()));
  }
  return out;
}

std::vector<WideTime> PathGraph::least_from(Bytes wire) const {
  std::vector<WideTime> out(stages_.size() + 1, 0);
  std::vector<WideTime> there{0};
  for (std::size_t k = stages_.size(); k-- > 0;) {
    std::vector<WideTime> here(k == 0 ? 1 : nodes_[k - 1], kNever);
    for (const Hop& hop : stages_[k])
      here[hop.from] = std::min(here[hop.from], there[hop.to] + time_on(*hop.link, wire));
    there = std::move(here);
    out[k] = *std::min_element(there.begin(), there.end());
  }
  return out;
}

}  // namespace weir::net
