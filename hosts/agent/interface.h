// What the kernel says of a network interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weir::hosts {

struct InterfaceFacts {
  unsigned index = 0;
  std::uint32_t mtu = 0;
  std::int64_t rate = 0;             // bit/s; 0 = it does not say
  bool hardware_timestamps = false;  // of packets that leave and of all that come
};

// Nothing: there is no such interface here.
std::optional<InterfaceFacts> interface_facts(const std::string& name);

}  // namespace weir::hosts
