// The tracks of a run: a group for each host and switch, in it one for each port and for each of the flows that a host
// sends at once, and under these their counters. A track is described in the file when something first happens on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weir/net/model/topology.h"
#include "weir/net/packet_view.h"
#include "weir/perfetto/packets.h"

namespace weir::perfetto {

class Tracks {
 public:
  // Both must outlive this.
  Tracks(const net::Topology& topology, Sequence& out);

  // What happens to packets at a port, the bytes that wait there, and the pauses of one class of traffic.
  TrackId port(std::uint32_t port);
  TrackId queue(std::uint32_t port);
  TrackId pauses(std::uint32_t port, net::TrafficClass of);

  // Of what a host sends at once, the number `lane`, and two counters of the flow that is there.
  TrackId flows(std::uint32_t host, std::uint32_t lane);
  TrackId window(std::uint32_t host, std::uint32_t lane);
  TrackId rate(std::uint32_t host, std::uint32_t lane);

 private:
  struct Port {
    TrackId itself = 0;
    TrackId queue = 0;
    std::array<TrackId, net::kTrafficClasses> pauses{};
  };
  struct Lane {
    TrackId itself = 0;
    TrackId window = 0;
    TrackId rate = 0;
  };

  TrackId make(TrackId parent, std::string_view name, std::int32_t rank);
  TrackId make_counter(TrackId parent, std::string_view name, Unit unit);
  TrackId node(std::uint32_t node);
  Lane& lane_of(std::uint32_t host, std::uint32_t lane);
  std::string name_of(std::uint32_t port) const;

  const net::Topology& topology_;
  Sequence& out_;
  TrackId last_ = 0;
  TrackId hosts_ = 0;
  TrackId switches_ = 0;
  std::vector<TrackId> nodes_;
  std::vector<Port> ports_;
  std::vector<std::vector<Lane>> lanes_;  // by host
};

}  // namespace weir::perfetto
