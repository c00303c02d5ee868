#include "weir/engine/endings/deadlock.h"

#include <algorithm>
#include <cstddef>

namespace weir::engine {
namespace {

bool before(const BlockedPort& a, const BlockedPort& b) {
  return a.port != b.port ? a.port < b.port : a.data_class < b.data_class;
}

}  // namespace

// Collects all ports of switches that are paused at both ends.
void DeadlockSearch::take_paused() {
  members_.clear();
  held_.clear();
  const net::Topology& t = model_.topology;
  for (std::uint32_t s = 0; s < t.switches; ++s) {
    const net::SwitchBuffer& buffer = network_.switches[s].buffer;
    if (!buffer.needs_departure_events()) continue;
    const auto ports = model_.routing.ports(s);
    for (std::uint32_t ingress = 0; ingress < ports.size(); ++ingress) {
      const std::uint32_t id = net::Topology::reverse(ports[ingress]);
      const net::Port& p = network_.ports[id];
      for (unsigned c = 0; p.at_switch && c < model_.data_classes(); ++c)
        if ((p.paused >> c & 1) != 0 && buffer.pool(ingress, net::data_class(c)).paused)
          members_.push_back({{id, t.port_owner(id), t.port_peer(id), c}, s, ingress});
    }
  }
  std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return before(a.port, b.port); });
  for (Member& m : members_) take_waiting(m);
}

void DeadlockSearch::take_waiting(Member& m) {
  const net::Port& p = network_.ports[m.port.port];
  m.first = m.end = static_cast<std::uint32_t>(held_.size());
  const auto add = [&](const net::PacketRing& ring, std::uint32_t first) {
    for (std::uint32_t i = first; i != ring.tail; ++i)
      if (!ring[i].is_control() && ring[i].traffic_class == net::data_class(m.port.data_class))
        add_to(held_, m.first, ring[i].ingress, ring[i].wire);
  };
  if (p.kind != net::PortKind::queued) {
    add(p.ring, p.ring.cursor);
  } else {
    const net::PacketRing& ring = network_.queues[p.queues].waiting[1 + m.port.data_class];
    add(ring, ring.head);
  }
  m.end = static_cast<std::uint32_t>(held_.size());
}

// Counts bytes for an ingress in the part of the list that begins at `first`.
void DeadlockSearch::add_to(std::vector<Held>& list, std::size_t first, std::uint32_t ingress, std::int64_t bytes) {
  const auto known = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(first), list.end(),
                                  [&](const Held& h) { return h.ingress == ingress; });
  if (known != list.end())
    known->bytes += bytes;
  else
    list.push_back({ingress, bytes});
}

void DeadlockSearch::strike_resumable() {
  for (bool struck = true; struck;) {
    struck = false;
    for (Member& m : members_)
      if (!m.struck && may_resume(m)) m.struck = struck = true;
  }
}

bool DeadlockSearch::is_empty() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member& m) { return m.struck; });
}

const DeadlockSearch::Member* DeadlockSearch::find(std::uint32_t port, unsigned data_class) const {
  const BlockedPort wanted{.port = port, .data_class = data_class};
  const auto at = std::lower_bound(members_.begin(), members_.end(), wanted,
                                   [](const Member& m, const BlockedPort& p) { return before(m.port, p); });
  const bool known = at != members_.end() && at->port.port == port && at->port.data_class == data_class && !at->struck;
  return known ? &*at : nullptr;
}

// Whether the ingress at the port's far end could be resumed if that switch had only those packets left that wait in
// ports which have not been struck out.
bool DeadlockSearch::may_resume(const Member& m) {
  const net::SwitchBuffer& buffer = network_.switches[m.at].buffer;
  std::int64_t free = buffer.shared_capacity();
  std::int64_t own = 0;
  for (unsigned c = 0; c < model_.data_classes(); ++c) {
    kept_.clear();
    for (const std::uint32_t port : model_.routing.ports(m.at))
      if (const Member* other = find(port, c); other != nullptr)
        for (std::uint32_t i = other->first; i < other->end; ++i) add_to(kept_, 0, held_[i].ingress, held_[i].bytes);
    for (const Held& h : kept_) {
      free -= buffer.share_kept(h.ingress, net::data_class(c), h.bytes);
      if (c == m.port.data_class && h.ingress == m.ingress) own = h.bytes;
    }
  }
  return buffer.may_resume(m.ingress, net::data_class(m.port.data_class), own, std::max<std::int64_t>(0, free));
}

// The first port that this one waits for.
const DeadlockSearch::Member& DeadlockSearch::next(const Member& m) const {
  for (const std::uint32_t port : model_.routing.ports(m.at))
    if (const Member* other = find(port, m.port.data_class); other != nullptr)
      for (std::uint32_t i = other->first; i < other->end; ++i)
        if (held_[i].ingress == m.ingress) return *other;
  return m;  // not possible, since the port could then be resumed
}

std::vector<BlockedPort> DeadlockSearch::cycle(Time& since) const {
  std::vector<const Member*> way;
  const Member* at = &*std::find_if(members_.begin(), members_.end(), [](const Member& m) { return !m.struck; });
  for (; std::find(way.begin(), way.end(), at) == way.end(); at = &next(*at)) way.push_back(at);
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
  std::vector<BlockedPort> out;
  for (const Member* m : way) {
    out.push_back(m->port);
    since = std::max(since, network_.ports[m->port.port].paused_since);
  }
  return out;
}

Deadlock DeadlockSearch::look(const std::function<void(const net::PacketVisit&)>& each_packet) {
  take_paused();
  strike_resumable();
  if (is_empty()) return {};
  each_packet([this](std::uint32_t port, const net::Packet& packet) {
    if (!packet.is_control()) return;
    const unsigned data_class = static_cast<unsigned>(packet.traffic_class) - 1;
    for (Member& m : members_)
      if (m.port.port == net::Topology::reverse(port) && m.port.data_class == data_class) m.struck = true;
  });
  strike_resumable();
  if (is_empty()) return {};
  Deadlock out;
  for (const Member& m : members_)
    if (!m.struck) out.ports.push_back(m.port);
  out.cycle = cycle(out.since);
  return out;
}

}  // namespace weir::engine
