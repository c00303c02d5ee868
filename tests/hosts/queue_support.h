// Packets of TCP for tests of the queue path.
#pragma once

#include <cstdint>
#include <vector>

#include "hosts/path/address.h"

namespace weir::hosts {

struct PacketText {
  Flow flow;
  std::uint32_t seq = 1'000;
  std::uint8_t flags = 0x10;  // ACK
  std::size_t data = 0;
  std::size_t ip_options = 0;    // bytes, IPv4 only
  std::size_t tcp_options = 12;  // bytes
  bool no_length = false;        // as of packets that are too long for the field
};

// From the IP header on.
inline std::vector<std::uint8_t> write_packet(const PacketText& text) {
  const bool v6 = text.flow.source.v6;
  const std::size_t ip = v6 ? 40 : 20 + text.ip_options;
  const std::size_t tcp = 20 + text.tcp_options;
  std::vector<std::uint8_t> out(ip + tcp + text.data);
  const auto put16 = [&](std::size_t at, std::size_t value) {
    out[at] = static_cast<std::uint8_t>(value >> 8);
    out[at + 1] = static_cast<std::uint8_t>(value);
  };
  const auto put_address = [&](std::size_t at, const Address& address) {
    for (std::size_t i = 0; i != address.size(); ++i) out[at + i] = address.bytes[i];
  };
  if (v6) {
    out[0] = 0x60;
    put16(4, text.no_length ? 0 : tcp + text.data);
    out[6] = 6;
    put_address(8, text.flow.source);
    put_address(24, text.flow.destination);
  } else {
    out[0] = static_cast<std::uint8_t>(0x40 | ip / 4);
    put16(2, text.no_length ? 0 : out.size());
    out[9] = 6;
    put_address(12, text.flow.source);
    put_address(16, text.flow.destination);
  }
  put16(ip, text.flow.source_port);
  put16(ip + 2, text.flow.destination_port);
  put16(ip + 4, text.seq >> 16);
  put16(ip + 6, text.seq & 0xffff);
  out[ip + 12] = static_cast<std::uint8_t>(tcp / 4 << 4);
  out[ip + 13] = text.flags;
  return out;
}

}  // namespace weir::hosts
