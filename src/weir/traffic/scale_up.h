// Scale-up: what joins the GPUs of a server beside the network, such as NVLink with its switch. It is not simulated in
// packets: its switch does not block, and each GPU has a way out of a fixed rate, by which its messages leave one after
// the other. The way in is not shared, which is exact as long as no two messages come to a GPU at once: in rings, trees
// and pairwise exchange.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/units.h"
#include "weir/traffic/driver.h"

namespace weir::traffic {

struct ScaleUp {
  std::uint32_t group = 1;
  Rate rate{3'600'000'000'000};
  Time latency{500'000};

  bool is_there() const { return group > 1; }
  // Whether both hosts are of one server.
  bool joins(std::uint32_t a, std::uint32_t b) const { return a / group == b / group; }
  // A message of this desk's host leaves as soon as `free`, when the last one has left, and moves that on. Returns when
  // it is there. No message takes less than Desk::lag().
  Time carry(const Desk& desk, Bytes size, Time& free) const {
    free = std::max(free, desk.now()) + transmission_time(size, rate);
    return std::max(free + latency, desk.now() + desk.lag());
  }
};

}  // namespace weir::traffic
