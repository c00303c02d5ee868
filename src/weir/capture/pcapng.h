// The blocks of a pcapng file (draft-ietf-opsawg-pcapng) that captures consist of, in little-endian byte order:
//
//   section header, one interface description, then an enhanced packet block for each packet
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/units.h"

namespace weir::capture {

enum class Direction : std::uint8_t { inbound = 1, outbound = 2 };  // as in the option epb_flags

struct Interface {
  std::string name;
  std::string description;
  Rate rate;
  std::uint32_t snaplen = 0;  // bytes; 0 = no limit
};

// The section header and the description of the only interface. Its times are in picoseconds: if_tsresol is 12.
std::string file_header(std::string_view application, const Interface&);

// Appends the block of a packet of `length` bytes, of which `head` and then zeros up to `kept` bytes are in the file.
// The comment is no longer than kMaxComment bytes.
void append_packet(std::string& out, Time time, Direction, std::span<const std::uint8_t> head, std::uint32_t kept,
                   std::uint32_t length, std::string_view comment);
inline constexpr std::size_t kMaxComment = 1024;

// What append_packet() adds, in bytes.
constexpr std::uint64_t packet_block_bytes(std::uint64_t kept, std::uint64_t comment) {
  return 28 + (kept + 3) / 4 * 4 + 8 + 4 + (comment + 3) / 4 * 4 + 4 + 4;
}

}  // namespace weir::capture
