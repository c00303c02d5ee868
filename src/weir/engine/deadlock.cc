#include "weir/engine/deadlock.h"

#include <algorithm>
#include <map>

namespace weir::engine {
namespace {

// Of one class of one egress port: bytes that wait, by the ingress they came in by.
using Waiting = std::map<std::uint32_t, std::int64_t>;

class Search {
 public:
  Search(const Model& model, const Network& network) : model_(model), network_(network) {}

  // All ports of switches that are paused at both ends.
  void take_paused() {
    const net::Topology& t = model_.topology;
    for (std::uint32_t s = 0; s < t.switches; ++s) {
      const net::SwitchBuffer& buffer = network_.switches[s].buffer;
      if (!buffer.eager()) continue;
      const auto ports = model_.routing.ports(s);
      for (std::uint32_t ingress = 0; ingress < ports.size(); ++ingress) {
        const net::Port& p = network_.ports[net::Topology::reverse(ports[ingress])];
        for (unsigned c = 0; p.at_switch && c < model_.data_classes(); ++c)
          if ((p.paused >> c & 1) != 0 && buffer.pool(ingress, net::data_class(c)).paused)
            blocked_[{net::Topology::reverse(ports[ingress]), c}] = {s, ingress, {}};
      }
    }
    for (auto& [at, member] : blocked_) member.waiting = waiting_at(at.first, at.second);
  }

  bool empty() const { return blocked_.empty(); }
  void strike(std::uint32_t port, unsigned data_class) { blocked_.erase({port, data_class}); }

  void strike_resumable() {
    for (bool struck = true; struck;) {
      struck = false;
      for (auto at = blocked_.begin(); at != blocked_.end();) {
        const bool resumable = may_resume(at->second, at->first.second);
        at = resumable ? blocked_.erase(at) : std::next(at);
        struck = struck || resumable;
      }
    }
  }

  std::vector<BlockedPort> ports() const {
    std::vector<BlockedPort> out;
    for (const auto& [at, member] : blocked_) out.push_back(named(at));
    return out;
  }

  std::vector<BlockedPort> cycle(Time& since) const {
    std::vector<Key> way;
    Key at = blocked_.begin()->first;
    for (; std::find(way.begin(), way.end(), at) == way.end(); at = next(at)) way.push_back(at);
    way.erase(way.begin(), std::find(way.begin(), way.end(), at));
    std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
    std::vector<BlockedPort> out;
    for (const Key& key : way) {
      out.push_back(named(key));
      since = std::max(since, network_.ports[key.first].paused_since);
    }
    return out;
  }

 private:
  using Key = std::pair<std::uint32_t, unsigned>;  // port, data class
  struct Member {
    std::uint32_t at = 0;       // the switch that has paused it ...
    std::uint32_t ingress = 0;  // ... and its ingress there
    Waiting waiting;
  };

  Waiting waiting_at(std::uint32_t port, unsigned c) const {
    const net::Port& p = network_.ports[port];
    Waiting out;
    const auto add = [&](const net::PacketRing& ring, std::uint32_t first) {
      for (std::uint32_t i = first; i != ring.tail; ++i)
        if (!ring[i].is_control() && ring[i].traffic_class == net::data_class(c)) out[ring[i].ingress] += ring[i].wire;
    };
    if (p.kind == net::PortKind::fifo) {
      add(p.ring, p.cursor);
    } else {
      const net::PacketRing& ring = network_.queues[p.queues].waiting[1 + c];
      add(ring, ring.head);
    }
    return out;
  }

  // What never leaves the switch again, of each of its ingresses, in a class.
  Waiting kept(std::uint32_t s, unsigned c) const {
    Waiting out;
    for (const std::uint32_t port : model_.routing.ports(s))
      if (const auto member = blocked_.find({port, c}); member != blocked_.end())
        for (const auto& [ingress, bytes] : member->second.waiting) out[ingress] += bytes;
    return out;
  }

  bool may_resume(const Member& member, unsigned data_class) const {
    const net::SwitchBuffer& buffer = network_.switches[member.at].buffer;
    std::int64_t free = buffer.shared_capacity();
    std::int64_t own = 0;
    for (unsigned c = 0; c < model_.data_classes(); ++c)
      for (const auto& [ingress, bytes] : kept(member.at, c)) {
        free -= buffer.share_kept(ingress, net::data_class(c), bytes);
        if (c == data_class && ingress == member.ingress) own = bytes;
      }
    return buffer.may_resume(member.ingress, net::data_class(data_class), own, std::max<std::int64_t>(0, free));
  }

  // The first port that this one waits for.
  Key next(const Key& at) const {
    const Member& member = blocked_.at(at);
    for (const std::uint32_t port : model_.routing.ports(member.at))
      if (const auto other = blocked_.find({port, at.second});
          other != blocked_.end() && other->second.waiting.contains(member.ingress))
        return other->first;
    return at;  // not possible: it could be resumed
  }

  BlockedPort named(const Key& at) const {
    return {.port = at.first,
            .from = model_.topology.port_owner(at.first),
            .to = model_.topology.port_peer(at.first),
            .data_class = at.second};
  }

  const Model& model_;
  const Network& network_;
  std::map<Key, Member> blocked_;
};

}  // namespace

Deadlock find_deadlock(const Model& model, const Network& network,
                       const std::function<void(const PacketVisit&)>& each_packet) {
  Search search(model, network);
  search.take_paused();
  search.strike_resumable();
  if (search.empty()) return {};
  each_packet([&](std::uint32_t port, const net::Packet& packet) {
    if (packet.is_control())
      search.strike(net::Topology::reverse(port), static_cast<unsigned>(packet.traffic_class) - 1);
  });
  search.strike_resumable();
  if (search.empty()) return {};
  Deadlock out;
  out.ports = search.ports();
  out.cycle = search.cycle(out.since);
  return out;
}

}  // namespace weir::engine
