#include "weir/perfetto/tracks.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::perfetto {
namespace {

// Within a group: first flows, then ports.
constexpr std::int32_t kFirstPort = 1'000'000;

}  // namespace

Tracks::Tracks(const net::Topology& topology, Sequence& out)
    : topology_(topology), out_(out), nodes_(topology.nodes()), ports_(topology.ports()), lanes_(topology.hosts) {}

TrackId Tracks::make(TrackId parent, std::string_view name, std::int32_t rank) {
  out_.describe(++last_, parent, name, rank);
  return last_;
}

TrackId Tracks::make_counter(TrackId parent, std::string_view name, Unit unit) {
  out_.describe_counter(++last_, parent, name, unit);
  return last_;
}

TrackId Tracks::node(std::uint32_t node) {
  TrackId& track = nodes_[node];
  if (track != 0) return track;
  const bool is_host = node < topology_.hosts;
  TrackId& group = is_host ? hosts_ : switches_;
  if (group == 0) group = make(0, is_host ? "hosts" : "switches", is_host ? 0 : 1);
  track = make(group, fmt::format("{} {}", is_host ? "host" : "switch", node), static_cast<std::int32_t>(node));
  return track;
}

// "320->0", as --trace-at takes it; of several links between two switches also the number of the port.
std::string Tracks::name_of(std::uint32_t port) const {
  const std::uint32_t from = topology_.port_owner(port);
  const std::uint32_t to = topology_.port_peer(port);
  const auto is_like = [&](const net::Link& link) {
    return (link.a == from && link.b == to) || (link.a == to && link.b == from);
  };
  std::string name = fmt::format("{}->{}", from, to);
  if (std::count_if(topology_.links.begin(), topology_.links.end(), is_like) > 1) name += fmt::format(" port {}", port);
  return name;
}

TrackId Tracks::port(std::uint32_t port) {
  TrackId& track = ports_[port].itself;
  if (track == 0)
    track = make(node(topology_.port_owner(port)), name_of(port), kFirstPort + static_cast<std::int32_t>(port));
  return track;
}

TrackId Tracks::queue(std::uint32_t port) {
  TrackId& track = ports_[port].queue;
  if (track == 0) track = make_counter(this->port(port), "queue " + name_of(port), Unit::bytes);
  return track;
}

TrackId Tracks::pauses(std::uint32_t port, net::TrafficClass of) {
  const auto number = static_cast<std::size_t>(of);
  TrackId& track = ports_[port].pauses[number];
  if (track == 0)
    track = make(this->port(port), fmt::format("pauses {} of class {}", name_of(port), number - 1),
                 static_cast<std::int32_t>(number));
  return track;
}

Tracks::Lane& Tracks::lane_of(std::uint32_t host, std::uint32_t lane) {
  auto& lanes = lanes_[host];
  if (lane >= lanes.size()) lanes.resize(lane + std::size_t{1});
  if (lanes[lane].itself == 0)
    lanes[lane].itself = make(node(host), fmt::format("flows {}.{}", host, lane), static_cast<std::int32_t>(lane));
  return lanes[lane];
}

TrackId Tracks::flows(std::uint32_t host, std::uint32_t lane) { return lane_of(host, lane).itself; }

TrackId Tracks::window(std::uint32_t host, std::uint32_t lane) {
  Lane& of = lane_of(host, lane);
  if (of.window == 0) of.window = make_counter(of.itself, fmt::format("window {}.{}", host, lane), Unit::bytes);
  return of.window;
}

TrackId Tracks::rate(std::uint32_t host, std::uint32_t lane) {
  Lane& of = lane_of(host, lane);
  if (of.rate == 0) of.rate = make_counter(of.itself, fmt::format("rate {}.{}", host, lane), Unit::megabits_per_second);
  return of.rate;
}

}  // namespace weir::perfetto
