#include "weir/net/model/path_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weir::net {
namespace {

WideTime time_on(const Link& link, Bytes wire) {
  return link.delay.ps + WideTime{transmission_time(wire, link.rate).ps};
}

}  // namespace

PathGraph::PathGraph(const Routing& routing, std::uint32_t src, std::uint32_t dst) {
  constexpr auto kUnseen = std::numeric_limits<std::uint32_t>::max();
  const Topology& t = routing.topology();
  const std::uint32_t up = routing.nic(src);
  stages_.push_back({{&t.links[up / 2], 0, 0}});
  nodes_.push_back(1);
  std::vector<std::uint32_t> here{t.port_peer(up)};
  std::vector<std::uint32_t> there;
  std::vector<std::uint32_t> number(t.hosts + t.switches, kUnseen);  // of the nodes behind this stage
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
