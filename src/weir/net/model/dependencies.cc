#include "weir/net/model/dependencies.h"

#include <algorithm>
#include <set>

namespace weir::net {
namespace {

using Graph = std::vector<std::set<std::uint32_t>>;  // by port: those it waits for

// Of packets from any host to those of one attachment, of which `dst` is one.
void add_towards(const Routing& routing, std::uint32_t dst, Graph& graph) {
  const Topology& t = routing.topology();
  const auto roots = routing.switches_of(routing.attachment(dst));
  const auto is_last = [&](std::uint32_t s) { return std::find(roots.begin(), roots.end(), s) != roots.end(); };
  std::vector<bool> seen(t.switches);
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t s) {
    if (seen[s] || is_last(s)) return;
    seen[s] = true;
    open.push_back(s);
  };
  for (std::uint32_t h = 0; h < t.hosts; ++h)
    for (const std::uint32_t port : routing.ports_of(h))
      if (routing.leads(port, dst)) reach(t.port_peer(port) - t.hosts);
  while (!open.empty()) {
    const std::uint32_t s = open.back();
    open.pop_back();
    for (const std::uint32_t port : routing.next_hops(s, dst)) {
      const std::uint32_t next = t.port_peer(port) - t.hosts;
      reach(next);
      if (is_last(next)) continue;
      const auto hops = routing.next_hops(next, dst);
      graph[port].insert(hops.begin(), hops.end());
    }
  }
}

enum class Mark : std::uint8_t { unseen, on_way, done };

struct Step {
  std::uint32_t port;
  std::set<std::uint32_t>::const_iterator next;
};

}  // namespace

std::vector<std::uint32_t> dependency_cycle(const Routing& routing) {
  if (routing.by_arithmetic()) return {};  // up and then down
  const Topology& t = routing.topology();
  Graph graph(t.ports());
  std::set<std::uint32_t> attachments;
  for (std::uint32_t h = 0; h < t.hosts; ++h)
    if (attachments.insert(routing.attachment(h)).second) add_towards(routing, h, graph);

  std::vector<Mark> marks(t.ports());
  for (std::uint32_t first = 0; first < t.ports(); ++first) {
    if (marks[first] != Mark::unseen) continue;
    std::vector<Step> way{{first, graph[first].begin()}};
    marks[first] = Mark::on_way;
    while (!way.empty()) {
      Step& at = way.back();
      if (at.next == graph[at.port].end()) {
        marks[at.port] = Mark::done;
        way.pop_back();
        continue;
      }
      const std::uint32_t next = *at.next++;
      if (marks[next] == Mark::on_way) {
        std::vector<std::uint32_t> cycle;
        const auto begin = std::find_if(way.begin(), way.end(), [&](const Step& step) { return step.port == next; });
        std::transform(begin, way.end(), std::back_inserter(cycle), [](const Step& step) { return step.port; });
        return cycle;
      }
      if (marks[next] != Mark::unseen) continue;
      marks[next] = Mark::on_way;
      way.push_back({next, graph[next].begin()});
    }
  }
  return {};
}

}  // namespace weir::net
