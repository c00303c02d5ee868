// Coded probes (Huygens, section 4.1): two packets sent one shortly after the other. If they arrive as far apart as
// they left, almost always neither has met a queue; otherwise at least one has, and neither is believed.
#pragma once

#include <cstdint>

namespace weir::hosts::clock {

// The intervals between the two packets in ns, each by its own host's clock. Over some microseconds clocks run alike.
constexpr bool is_pure(std::int64_t sent_apart, std::int64_t heard_apart, std::int64_t epsilon) {
  const std::int64_t difference = heard_apart - sent_apart;
  return difference <= epsilon && difference >= -epsilon;
}

}  // namespace weir::hosts::clock
