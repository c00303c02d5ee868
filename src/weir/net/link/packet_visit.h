// How packets of a network are looked at one by one, between two epochs.
#pragma once

#include <cstdint>
#include <functional>

#include "weir/net/link/packet.h"

namespace weir::net {

// `port` is the one whose far end the packet has not reached.
using PacketVisit = std::function<void(std::uint32_t port, const Packet&)>;

}  // namespace weir::net
