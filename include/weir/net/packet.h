// Packet: a packet of the simulated network, as hosts handle it and as trace events show it; and Descriptor, the part
// of it that switches handle.
#pragma once

#include <cstdint>
#include <limits>

#include "weir/base/random.h"
#include "weir/base/units.h"

namespace weir::net {

// What a packet is. It becomes `lost` when a link loses it, and `trimmed` when a switch that had no room for it has cut
// off its payload. A `probe` measures the round trip of its flow and comes back as an `echo`.
enum class PacketKind : std::uint8_t { data, trimmed, probe, ack, nack, cnp, or_ack, echo, lost, pause, resume };

// Traffic classes. `priority` goes ahead of all data; the data classes of a scenario follow, of which `data` is the
// first. A pause or resume frame names the class that it is about, and is in no class itself.
enum class TrafficClass : std::uint8_t { priority = 0, data = 1 };
inline constexpr unsigned kDataClasses = 7;  // the most that a scenario may have
inline constexpr unsigned kTrafficClasses = 1 + kDataClasses;
constexpr TrafficClass data_class(unsigned number) { return static_cast<TrafficClass>(1 + number); }
// A set of data classes, with one bit for each.
using ClassSet = std::uint8_t;
constexpr ClassSet class_bit(TrafficClass c) { return static_cast<ClassSet>(1u << static_cast<unsigned>(c) >> 1); }

inline constexpr std::uint8_t kMarked = 1;      // ECN: congestion experienced
inline constexpr std::uint8_t kEchoMarked = 2;  // on an acknowledgement: the data packet was marked
inline constexpr std::uint8_t kEchoCnp = 4;     // on an acknowledgement: it carries a CNP
inline constexpr std::uint8_t kLast = 4;        // on a data packet under On-Ramp: the last one of its flow
inline constexpr std::uint8_t kRetransmission = 8;
inline constexpr std::uint8_t kSack = 16;        // on an acknowledgement: a Sack comes with it
inline constexpr std::uint8_t kAdaptive = 32;    // each switch sends it by the port with the shortest queue ...
inline constexpr std::uint8_t kRoundRobin = 64;  // ... or by its equal-cost ports in turn
inline constexpr std::uint8_t kSwitchChooses = kAdaptive | kRoundRobin;
inline constexpr std::uint8_t kAskAck = 128;    // on a data packet: the receiver must acknowledge it at once
inline constexpr std::uint8_t kMarkable = 128;  // on an acknowledgement: switches mark it as they mark data

inline constexpr Time kNotScheduled = Time::max();  // departure time of a packet whose port is paused

// Descriptor::record: the number of a record of the partition's packet store, with this bit if it has telemetry, too.
// In a trace event only that bit means something.
inline constexpr std::uint32_t kHasTelemetry = std::uint32_t{1} << 31;
inline constexpr std::uint32_t kNoRecord = ~kHasTelemetry;

// What ports and switches look at, and all that they copy: rings hold descriptors. Two fill a cache line.
struct alignas(32) Descriptor {
  Time departs;               // start of transmission by the port whose ring holds it
  std::uint32_t dst = 0;      // host
  std::uint32_t entropy = 0;  // path selector
  std::uint32_t record = kNoRecord;
  std::uint32_t queue = 0;    // bytes waiting behind it in the port when it departed
  std::uint16_t wire = 0;     // bytes on the wire
  std::uint16_t ingress = 0;  // index, at the current switch, of the port by which it came in
  PacketKind kind = PacketKind::data;
  TrafficClass traffic_class = TrafficClass::data;
  std::uint8_t flags = 0;
  std::uint8_t hops = 0;  // telemetry records present

  bool is_control() const { return kind >= PacketKind::pause; }
  // Whether it goes from the flow's sender to its receiver. Not valid for lost packets, pause and resume frames.
  bool to_receiver() const { return kind <= PacketKind::probe; }
  // Whether switches mark it (ECN).
  bool is_markable() const { return kind == PacketKind::data || (kind == PacketKind::ack && (flags & kMarkable) != 0); }
  // On its way: whether it has a record. Pause and resume frames have none.
  bool has_record() const { return record != kNoRecord; }
  // Whether switches write telemetry into it, or have, and it brings that back.
  bool has_telemetry() const { return (record & kHasTelemetry) != 0; }
};
static_assert(sizeof(Descriptor) == 32);

// What the hosts of a packet alone look at.
struct PacketBody {
  std::int64_t seq = 0;          // data: first byte; acknowledgement: all bytes below are acknowledged
  Time sent;                     // data: start of transmission at the sender; echoed by acknowledgements; on an
                                 // OR-ACK: when the packet arrived, by the receiver's clock
  std::uint32_t src = 0;         // host; ACK: first byte of the data packet - seq, or with a Sack when it was made, in
                                 // microseconds, for tracers alone
  std::uint32_t slot = 0;        // the flow's slot at its sender ...
  std::uint32_t generation = 0;  // ... and which flow of that slot
  std::uint16_t profile = 0;
  std::uint16_t payload = 0;  // of the data packet, also on its acknowledgement
};
static_assert(sizeof(PacketBody) == 32);

// What an acknowledgement tells beyond "all bytes below": the packet that triggered it, and which of the 64 packets
// from first() on have arrived. Numbers of packets, not bytes.
struct Sack {
  std::int64_t trigger = 0;
  std::uint64_t arrived = 0;
  Time host_delay;            // that the acknowledgement waited in the receiving host
  std::int32_t ahead = 0;     // of first(), compared with the trigger
  std::uint32_t entropy = 0;  // of the packet that triggered it

  std::int64_t first() const { return trigger + ahead; }
};
static_assert(sizeof(Sack) == 32);

// A packet as hosts and trace events know it.
struct Packet : Descriptor, PacketBody {
  // The host that sends the flow to which it belongs. Not valid for lost packets, pause and resume frames.
  std::uint32_t sender() const { return to_receiver() ? src : dst; }
};
static_assert(sizeof(Packet) == 64);

// These copy one field after the other: what has just been written piece by piece is slow to read as a whole.
inline void copy_fields(Descriptor& to, const Descriptor& from) {
  to.departs = from.departs;
  to.dst = from.dst;
  to.entropy = from.entropy;
  to.record = from.record;
  to.queue = from.queue;
  to.wire = from.wire;
  to.ingress = from.ingress;
  to.kind = from.kind;
  to.traffic_class = from.traffic_class;
  to.flags = from.flags;
  to.hops = from.hops;
}
inline void copy_fields(Sack& to, const Sack& from) {
  to.trigger = from.trigger;
  to.arrived = from.arrived;
  to.host_delay = from.host_delay;
  to.ahead = from.ahead;
  to.entropy = from.entropy;
}
inline void copy_fields(PacketBody& to, const PacketBody& from) {
  to.seq = from.seq;
  to.sent = from.sent;
  to.src = from.src;
  to.slot = from.slot;
  to.generation = from.generation;
  to.profile = from.profile;
  to.payload = from.payload;
}

// The path selector (entropy) of a flow that does not spray. All its packets carry it, so that they share
// a path.
constexpr std::uint32_t flow_entropy(std::uint32_t src, std::uint32_t dst, std::uint16_t sport, std::uint16_t dport) {
  const std::uint32_t ports = static_cast<std::uint32_t>(sport) | static_cast<std::uint32_t>(dport) << 16;
  return mix32(mix32(mix32(src) ^ dst) ^ ports);
}
// The path selector of the packets that answer a packet with this one: they take a path of their own.
constexpr std::uint32_t answer_entropy(std::uint32_t entropy) { return mix32(entropy + 1); }

}  // namespace weir::net
