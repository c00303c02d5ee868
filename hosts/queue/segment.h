// What the path reads in the headers of a TCP segment, which may be a super-packet of segmentation offload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hosts/path/address.h"

namespace weir::hosts {

// So much of a packet holds all headers that are read: IPv4 and TCP with all options, IPv6 and TCP likewise.
inline constexpr std::size_t kHeaderBytes = 128;

struct Segment {
  Flow flow;
  std::uint32_t seq = 0;      // of the first byte of data; of a SYN: of the SYN
  std::uint32_t length = 0;   // bytes of data
  std::uint32_t packets = 1;  // of the network, which receive offload has gathered
  bool syn = false;
  bool ends = false;  // FIN or RST
};

// The segment in an IPv4 or IPv6 packet, of which `copied` bytes from its IP header on are at `at`, and which has
// `whole` bytes, for kernels that write 0 into the length of what is too long for it. Nothing if it is not TCP, is a
// later fragment, or its headers are not all there; TCP behind extension headers of IPv6 is not looked for, but for the
// one of super-packets that are larger than 64 KB.
std::optional<Segment> read_segment(const std::uint8_t* at, std::size_t copied, std::size_t whole);

}  // namespace weir::hosts
