// Bounds of what can be simulated that several layers share.
#pragma once

#include <cstdint>

namespace weir {

// Hosts of a network. Host numbers divide by multiplication up to here (net/routing.h).
inline constexpr std::uint32_t kMaxHosts = 1u << 21;

}  // namespace weir
