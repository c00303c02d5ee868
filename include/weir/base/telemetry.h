// In-band network telemetry (INT): what a switch writes into a packet as it leaves, and the
// 42-byte wire format that carries it (HPCC, SIGCOMM'19, section 4.1 and figure 7).
#pragma once

#include <array>
#include <cstdint>

#include "weir/base/units.h"

namespace weir {

// Most switch hops a telemetry record can hold. The wire format has room for kMaxWireHops.
inline constexpr int kMaxTelemetryHops = 8;
inline constexpr int kMaxWireHops = 5;

// One egress port's state at the instant a packet starts to leave it. In exact form the
// fields are picoseconds and bytes; in wire form they are the raw, truncated counters of
// IntFormat, and only differences modulo its masks mean anything.
struct HopTelemetry {
  std::int64_t time = 0;        // departure (start of transmission)
  std::int64_t tx_bytes = 0;    // bytes sent by the port before this packet
  std::int32_t queue = 0;       // bytes left in the queue behind this packet
  std::uint32_t rate_mbps = 0;  // capacity of the port
};

struct Telemetry {
  std::array<HopTelemetry, kMaxTelemetryHops> hop;
};

// How to read the counters: value = raw * unit; differences are taken modulo mask + 1.
struct IntFormat {
  std::int64_t time_mask = -1;
  std::int64_t time_unit_ps = 1;
  std::int64_t tx_mask = -1;
  std::int64_t tx_unit = 1;
  std::int64_t queue_max = INT32_MAX;
  std::int64_t queue_unit = 1;

  static constexpr IntFormat exact() { return {}; }

  // 24-bit time in ns, 20-bit txBytes in 128 B, 16-bit qLen in 80 B, the last two times
  // `multiplier` (the authors' simulator uses NIC Gb/s / 25).
  static constexpr IntFormat wire(std::int64_t multiplier = 1) {
    return {(1 << 24) - 1, 1000, (1 << 20) - 1, 128 * multiplier, (1 << 16) - 1, 80 * multiplier};
  }

  constexpr bool is_exact() const { return time_mask == -1; }

  // Elapsed picoseconds and bytes sent between two records of the same port.
  constexpr std::int64_t elapsed_ps(const HopTelemetry& now, const HopTelemetry& before) const {
    return ((now.time - before.time) & time_mask) * time_unit_ps;
  }
  constexpr std::int64_t sent_bytes(const HopTelemetry& now, const HopTelemetry& before) const {
    return ((now.tx_bytes - before.tx_bytes) & tx_mask) * tx_unit;
  }
  constexpr std::int64_t queue_bytes(const HopTelemetry& h) const { return h.queue * queue_unit; }

  // An exact record truncated to this format: floor division, wrap-around of time and bytes,
  // saturation of the queue.
  constexpr HopTelemetry quantise(const HopTelemetry& h) const {
    if (is_exact()) return h;
    const auto q = h.queue / queue_unit;
    return {(h.time / time_unit_ps) & time_mask, (h.tx_bytes / tx_unit) & tx_mask,
            static_cast<std::int32_t>(q > queue_max ? queue_max : q), h.rate_mbps};
  }
};

}  // namespace weir
