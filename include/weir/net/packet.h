// A packet: one cache line, moved by value from ring to ring.
#pragma once

#include <cstdint>
#include <limits>

#include "weir/base/random.h"
#include "weir/base/units.h"

namespace weir::net {

// A packet is `lost` from when it reaches the end of a link that has lost it, and `trimmed` from when a switch that had
// no room for it cut off its payload.
enum class PacketKind : std::uint8_t { data, ack, nack, cnp, or_ack, trimmed, lost, pause, resume };

// Traffic classes: acknowledgements that go ahead of all data, then the data classes of a scenario, the first of which
// is `data`. A pause or resume frame names the class that it is about and is itself in none.
enum class TrafficClass : std::uint8_t { priority = 0, data = 1 };
inline constexpr unsigned kDataClasses = 7;  // at most
inline constexpr unsigned kTrafficClasses = 1 + kDataClasses;
constexpr TrafficClass data_class(unsigned number) { return static_cast<TrafficClass>(1 + number); }
// Sets of data classes, one bit each.
using ClassSet = std::uint8_t;
constexpr ClassSet class_bit(TrafficClass c) { return static_cast<ClassSet>(1u << static_cast<unsigned>(c) >> 1); }

inline constexpr std::uint8_t kMarked = 1;      // congestion experienced
inline constexpr std::uint8_t kEchoMarked = 2;  // on an acknowledgement: the data packet was marked
inline constexpr std::uint8_t kEchoCnp = 4;     // on an acknowledgement: it carries a CNP
inline constexpr std::uint8_t kRetransmission = 8;
inline constexpr std::uint8_t kSack = 16;        // on an acknowledgement: `src` is the index of a selective one
inline constexpr std::uint8_t kAdaptive = 32;    // switches choose the shortest of its queues ...
inline constexpr std::uint8_t kRoundRobin = 64;  // ... or take their ports in turn
inline constexpr std::uint8_t kAskAck = 128;     // the receiver shall acknowledge it at once

inline constexpr std::uint32_t kNoTelemetry = ~std::uint32_t{0};
inline constexpr Time kHeld = Time::max();  // departure of a packet whose port is paused

struct alignas(64) Packet {
  Time departs;                  // start of transmission by the port whose ring holds it
  std::int64_t seq = 0;          // data: first byte; acknowledgement: all bytes below are acknowledged
  Time sent;                     // data: start of transmission at the sender; echoed by acknowledgements; on an
                                 // OR-ACK: when the packet arrived, by the receiver's clock
  std::uint32_t src = 0;         // host; of an acknowledgement: trigger_offset
  std::uint32_t dst = 0;         // host
  std::uint32_t entropy = 0;     // path selector
  std::uint32_t slot = 0;        // the flow's slot at its sender ...
  std::uint32_t generation = 0;  // ... and which flow of that slot
  std::uint32_t telemetry = kNoTelemetry;
  std::uint32_t queue = 0;  // bytes left behind it in the port when it departed
  std::uint16_t profile = 0;
  std::uint16_t wire = 0;     // bytes on the wire
  std::uint16_t payload = 0;  // of the data packet, also on its acknowledgement
  std::uint16_t ingress = 0;  // local index of the port it entered the current switch by
  PacketKind kind = PacketKind::data;
  TrafficClass traffic_class = TrafficClass::data;
  std::uint8_t flags = 0;
  std::uint8_t hops = 0;  // telemetry records

  bool is_control() const { return kind >= PacketKind::pause; }
  // On its way from the flow's sender to its receiver; while it is neither lost nor a pause frame.
  bool to_receiver() const { return kind == PacketKind::data || kind == PacketKind::trimmed; }
  // The host whose flow it belongs to; on the same condition.
  std::uint32_t sender() const { return to_receiver() ? src : dst; }
};
static_assert(sizeof(Packet) == 64);

// The path selector of a flow: all its packets carry it, so that they share a path. Its
// acknowledgements carry mix32(entropy + 1).
constexpr std::uint32_t flow_entropy(std::uint32_t src, std::uint32_t dst, std::uint16_t sport, std::uint16_t dport) {
  const std::uint32_t ports = static_cast<std::uint32_t>(sport) | static_cast<std::uint32_t>(dport) << 16;
  return mix32(mix32(mix32(src) ^ dst) ^ ports);
}

}  // namespace weir::net
