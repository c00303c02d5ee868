// Addresses of hosts and the flows between them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::hosts {

// Of IPv4 in the first four bytes, the rest zero; in network order.
struct Address {
  std::array<std::uint8_t, 16> bytes{};
  bool v6 = false;

  std::size_t size() const { return v6 ? 16 : 4; }
  auto operator<=>(const Address&) const = default;
};

// "10.0.0.1", "fd77::1"; nothing if the text is no address. Names are not looked up.
std::optional<Address> parse_address(std::string_view text);
std::string to_text(const Address& address);

// A TCP connection, in the direction of its data. Ports are in host order.
struct Flow {
  Address source;
  Address destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;

  auto operator<=>(const Flow&) const = default;
};

// "10.0.0.1:40000 > 10.0.0.2:80", "[fd77::1]:40000 > [fd77::2]:80".
std::string to_text(const Flow& flow);

}  // namespace weir::hosts
