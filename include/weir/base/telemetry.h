// In-band network telemetry (INT), for algorithms that read it: what a switch writes into a packet that leaves it,
// and the 42-byte wire format that carries it (HPCC, SIGCOMM'19, section 4.1 and figure 7).
#pragma once

#include <array>
#include <cstdint>

#include "weir/base/units.h"

namespace weir {

// The most switch hops that the telemetry of a packet can hold; in the wire format there is room for kMaxWireHops.
inline constexpr int kMaxTelemetryHops = 8;
inline constexpr int kMaxWireHops = 5;

// The state of an egress port at the instant at which a packet starts to leave it. In exact form the
// units are picoseconds and bytes. In wire form the fields are the raw, truncated counters of
// IntFormat; `time` and `tx_bytes` then mean something only as differences modulo its masks.
struct HopTelemetry {
  std::int64_t time = 0;        // departure (start of transmission)
  std::int64_t tx_bytes = 0;    // bytes sent by the port before this packet
  std::int32_t queue = 0;       // bytes left in the queue behind this packet, or found there (network.int_queue)
  std::uint32_t rate_mbps = 0;  // capacity of the port in Mb/s
};

// The number that a switch XORs into the path of a packet that leaves by this port (counted in the whole network). Each
// port has a number of its own, so that paths by different ports to the same neighbour can be told apart.
constexpr std::uint64_t path_number(std::uint32_t port) { return port * 0x9e3779b97f4a7c15; }
// The pathID of the wire format: the highest 12 of 64 bits.
inline constexpr int kPathIdShift = 64 - 12;
constexpr std::uint16_t path_id(std::uint64_t path) { return static_cast<std::uint16_t>(path >> kPathIdShift); }

// The first 16 bits of the wire format: nHop in four bits, then pathID.
constexpr std::uint16_t int_head(std::uint64_t hops, std::uint16_t path_id) {
  return static_cast<std::uint16_t>(hops << 12 | path_id);
}
constexpr std::uint16_t path_id_of_head(std::uint16_t head) { return head & 0xfff; }

// The records of a packet, one for each switch that it has left, in the order of its path.
struct Telemetry {
  std::uint64_t path = 0;  // the numbers of the ports that it has left switches by, XORed
  std::uint64_t hops = 0;  // how many records there are
  std::array<HopTelemetry, kMaxTelemetryHops> hop;
};

// How an algorithm reads the counters: value = raw * unit, and differences are taken modulo mask + 1.
struct IntFormat {
  std::int64_t time_mask = -1;
  std::int64_t time_unit_ps = 1;
  std::int64_t tx_mask = -1;
  std::int64_t tx_unit = 1;
  std::int64_t queue_max = INT32_MAX;
  std::int64_t queue_unit = 1;

  static constexpr IntFormat exact() { return {}; }

  // The wire format: 24 bits of time in ns, 20 bits of txBytes in units of 128 B and 16 bits of qLen in units of 80 B.
  // The last two units are multiplied by `multiplier` (the HPCC authors' simulator uses the NIC's Gb/s / 25).
  static constexpr IntFormat wire(std::int64_t multiplier = 1) {
    return {(1 << 24) - 1, 1000, (1 << 20) - 1, 128 * multiplier, (1 << 16) - 1, 80 * multiplier};
  }

  constexpr bool is_exact() const { return time_mask == -1; }

  // The time in picoseconds, and the bytes sent, between two records of a port that are less than one wrap of the
  // counter apart.
  constexpr std::int64_t elapsed_ps(const HopTelemetry& now, const HopTelemetry& before) const {
    return ((now.time - before.time) & time_mask) * time_unit_ps;
  }
  constexpr std::int64_t sent_bytes(const HopTelemetry& now, const HopTelemetry& before) const {
    return ((now.tx_bytes - before.tx_bytes) & tx_mask) * tx_unit;
  }
  constexpr std::int64_t queue_bytes(const HopTelemetry& h) const { return h.queue * queue_unit; }
  // Identifies the path of a packet: different values mean different paths. In wire form, pathID has 12 bits, so that
  // one in 4096 of the other paths has the same value.
  constexpr std::uint64_t path(const Telemetry& t) const {
    return is_exact() ? t.path : std::uint64_t{path_id(t.path)} << kPathIdShift;
  }

  // Truncates an exact record to this format: values are divided by their units and rounded down,
  // time and bytes wrap around, and the queue is at most queue_max.
  constexpr HopTelemetry quantise(const HopTelemetry& h) const {
    if (is_exact()) return h;
    const auto q = h.queue / queue_unit;
    return {(h.time / time_unit_ps) & time_mask, (h.tx_bytes / tx_unit) & tx_mask,
            static_cast<std::int32_t>(q > queue_max ? queue_max : q), h.rate_mbps};
  }
};

}  // namespace weir
