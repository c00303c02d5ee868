// The blocks of a pcapng file (draft-ietf-opsawg-pcapng) that captures consist of, in little-endian byte order:
//
//   section header, a description of each interface, then an enhanced packet block for each packet
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

// The section header and the descriptions of the interfaces. Times are in picoseconds: if_tsresol is 12.
std::string file_header(std::string_view application, std::span<const Interface> interfaces);

// The size of a packet's block, of which `kept` bytes are in the file.
constexpr std::uint64_t packet_block_bytes(std::uint64_t kept, std::uint64_t comment) {
  return 28 + (kept + 3) / 4 * 4 + 8 + 4 + (comment + 3) / 4 * 4 + 4 + 4;
}

// The block of a packet, written where it will stand, from front to back:
//
//   PacketBlock block(room);                         // memory for all of it
//   ... the head of the packet is written at block.packet()
//   char* comment = block.keep(interface, time, direction, head, kept, length);
//   ... a comment of n bytes is written there
//   block.end(n);                                    // the size of the block
class PacketBlock {
 public:
  explicit PacketBlock(char* at) : begin_(at) {}

  std::uint8_t* packet() const { return reinterpret_cast<std::uint8_t*>(begin_) + kBefore; }
  // Of the packet of `length` bytes, seen at the interface of this number, the file has `kept`: the `head` bytes that
  // were written, or some of them, and zeros.
  char* keep(std::uint32_t interface, Time time, Direction direction, std::uint32_t head, std::uint32_t kept,
             std::uint32_t length);
  std::size_t end(std::size_t comment);

 private:
  static constexpr std::size_t kBefore = 28;
  char* begin_;
  char* comment_ = nullptr;
};

}  // namespace weir::capture
