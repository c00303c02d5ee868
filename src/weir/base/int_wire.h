// The bytes that carry in-band telemetry in a packet (HPCC, SIGCOMM'19, section 4.1 and figure 7):
//
//   nHop 4 | pathID 12 | for each of up to 5 hops: B 4 | TS 24 | txBytes 20 | qLen 16      (bits, big-endian)
//
// The simulator never builds these bytes: IntFormat::quantise gives the same raw counters. They are for what leaves
// it (captures, real hosts) and for the proof that the simulated counters are those of the wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "weir/base/telemetry.h"

namespace weir {

inline constexpr std::size_t kIntWireBytes = 2 + 8 * kMaxWireHops;
static_assert(kIntWireBytes == 42);

using IntWire = std::array<std::uint8_t, kIntWireBytes>;

struct IntStack {
  std::uint8_t hops = 0;                       // nHop: a sender writes 0, every switch adds 1
  std::uint16_t path_id = 0;                   // pathID: a sender writes 0, every switch XORs a 12-bit number
  std::array<HopTelemetry, kMaxWireHops> hop;  // raw counters, as IntFormat::wire().quantise leaves them
};

// The 8 bytes of one hop as a number, most significant byte first; 15 stands for a speed without a code.
std::uint64_t int_hop_word(const HopTelemetry&);

// Unused hops are zero. Throws InputError if a port's speed has no code.
IntWire encode_int(const IntStack&);
// Throws InputError if the bytes are not such a stack.
IntStack decode_int(std::span<const std::uint8_t, kIntWireBytes>);

// The enumeration behind B. The paper leaves it open; codes 0 to 4 are those of its authors' simulator (25, 50, 100,
// 200, 400 Gb/s), 5 to 8 are ours (10, 40, 800, 1 Gb/s), 15 is any other speed in captures, the rest is unassigned.
std::optional<std::uint8_t> int_speed_code(std::uint32_t rate_mbps);
std::optional<std::uint32_t> int_speed_mbps(std::uint8_t code);

}  // namespace weir
