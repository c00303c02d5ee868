// As which protocol the packets of a profile are shown in captures.
#pragma once

#include <cstdint>
#include <string_view>

#include "weir/engine/model/model.h"

namespace weir::capture {

enum class Protocol : std::uint8_t { rocev2, uet, tcp };

// "RoCEv2", "UET", "TCP".
std::string_view name_of(Protocol);

// What the algorithm runs over where it comes from: the one table. Algorithms that are not in it are shown as RoCEv2.
Protocol protocol_of(std::string_view algorithm);
// The same, but for profiles that spray their packets and for networks that trim them: both are UET's.
Protocol protocol_of(const engine::Model&, const host::Profile&);

}  // namespace weir::capture
