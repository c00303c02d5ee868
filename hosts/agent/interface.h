// What the kernel says of a network interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hosts/agent/config.h"
#include "hosts/agent/peers.h"

namespace weir::hosts {

struct InterfaceFacts {
  unsigned index = 0;
  std::uint32_t mtu = 0;
  std::uint32_t gso_max_size = 0;
  std::int64_t rate = 0;             // bit/s; 0 = it does not say
  bool hardware_timestamps = false;  // of packets that leave and of all that come
};

// Nothing: there is no such interface here.
std::optional<InterfaceFacts> interface_facts(const std::string& name);

// Of the configuration's interfaces, and the rate that it gives.
LinkFacts link_facts(const Config& config);

}  // namespace weir::hosts
