// Sizes on the wire of the packets that flows send, to compare with the largest packets that switches can hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "weir/engine/model/model.h"

namespace weir::engine {

// A packet as a switch's buffer sees it.
struct Sized {
  std::int64_t wire = 0;  // bytes
  net::TrafficClass traffic_class = net::TrafficClass::data;
};

class PacketSizes {
 public:
  // The model must outlive this.
  explicit PacketSizes(const Model& model) : model_(model) {}

  // The next packet of a flow of this profile that has `left` bytes to send, at least 1. No later packet of the flow is
  // larger.
  Sized data(std::uint16_t profile, Bytes left) const {
    const host::Profile& p = model_.profiles[profile];
    const Bytes header = model_.data_wire(p) - model_.transport.payload;
    return {(header + std::min(model_.transport.payload, left)).count, net::data_class(p.data_class)};
  }
  Sized ack(std::uint16_t profile) const {
    const host::Profile& p = model_.profiles[profile];
    const bool ahead = model_.transport.ack_class == host::AckClass::priority;
    return {model_.ack_wire(p).count, ahead ? net::TrafficClass::priority : net::data_class(p.data_class)};
  }

  // Whether some switch can never hold a full packet or an acknowledgement of some profile.
  bool matter_to(std::span<const net::SwitchBuffer> buffers) const {
    for (std::size_t i = 0; i < model_.profiles.size(); ++i) {
      const auto p = static_cast<std::uint16_t>(i);
      for (const Sized& packet : {data(p, model_.transport.payload), ack(p)})
        for (const net::SwitchBuffer& buffer : buffers)
          if (packet.wire > buffer.largest(packet.traffic_class)) return true;
    }
    return false;
  }

 private:
  const Model& model_;
};

}  // namespace weir::engine
