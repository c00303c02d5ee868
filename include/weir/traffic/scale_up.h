// Scale-up: the links that join the GPUs of a server beside the network, such as NVLink with its switch; for authors of
// drivers. They are not simulated in packets (Desk::move).
#pragma once

#include <cstdint>

#include "weir/base/units.h"

namespace weir::traffic {

struct ScaleUp {
  std::uint32_t group = 1;       // number of hosts in a server; 1 = no scale-up. Host h is of server h / group
  Rate rate{3'600'000'000'000};  // of each host's link to the switch, and of that from it; NVLink 4: 450 GB/s
  Time latency{500'000};         // of a message, beside its transmission

  bool operator==(const ScaleUp&) const = default;
  bool is_there() const { return group > 1; }
  // Whether both hosts are of one server.
  bool joins(std::uint32_t a, std::uint32_t b) const { return a / group == b / group; }
  // The first host of a host's server.
  std::uint32_t first_of(std::uint32_t host) const { return host - host % group; }
};

}  // namespace weir::traffic
