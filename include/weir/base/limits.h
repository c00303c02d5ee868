// Limits on what can be simulated that several parts of Weir share.
#pragma once

#include <cstdint>

namespace weir {

// The most hosts that a network may have. Up to this number, net/model/routing.h divides host numbers by
// multiplication.
inline constexpr std::uint32_t kMaxHosts = 1u << 21;

}  // namespace weir
