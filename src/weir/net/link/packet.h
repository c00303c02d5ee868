// Packet: a packet of the simulated network, as hosts handle it; and Descriptor, the part of it that switches handle.
// What programs and probes see of one is a PacketView.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/net/packet_view.h"

namespace weir::net {

// How a switch chooses among equal-cost ports for a packet: by a hash of its entropy, or as a policy says that knows
// more than the packet (net/switch/path_policies.h).
enum class PathPolicy : std::uint8_t { hash, adaptive, round_robin, flowlets, conga };

// What the switches of a policy write on a packet for each other, from the first one on: an object of the policy's own.
struct PathNote {
  alignas(8) std::byte bytes[16];

  template <class Note>
  Note& as() {
    static_assert(std::is_trivially_copyable_v<Note> && sizeof(Note) <= sizeof(bytes) && alignof(Note) <= 8);
    return *reinterpret_cast<Note*>(bytes);
  }
};
// Whether packets of this policy have one.
constexpr bool has_path_note(PathPolicy policy) { return policy == PathPolicy::conga; }

// A set of data classes, with one bit for each.
using ClassSet = std::uint8_t;
constexpr ClassSet class_bit(TrafficClass c) { return static_cast<ClassSet>(1u << static_cast<unsigned>(c) >> 1); }

// The bits of Descriptor::flags, each with one meaning whatever the kind. The two highest, 0xc000, are free.
inline constexpr std::uint16_t kMarked = 0x01;    // ECN: congestion experienced
inline constexpr std::uint16_t kMarkable = 0x02;  // on an acknowledgement: switches mark it as they mark data
inline constexpr std::uint16_t kRetransmission = 0x04;
inline constexpr std::uint16_t kAskAck = 0x08;         // on a data packet: the receiver must acknowledge it at once
inline constexpr std::uint16_t kLast = 0x10;           // on a data packet under On-Ramp: the last one of its flow
inline constexpr std::uint16_t kEchoMarked = 0x20;     // on an acknowledgement: the data packet was marked
inline constexpr std::uint16_t kEchoCnp = 0x40;        // on an acknowledgement: it carries a CNP
inline constexpr std::uint16_t kSack = 0x80;           // on an acknowledgement: a Sack comes with it
inline constexpr std::uint16_t kPathPolicy = 0x0f00;   // its PathPolicy
inline constexpr std::uint16_t kAsksCredit = 0x1000;   // on a data packet: more is behind it than is unsolicited. The
                                                       // size of its flow comes with it
inline constexpr std::uint16_t kEndsMessage = 0x2000;  // on a data packet of a connection: the last one of a message
constexpr std::uint16_t flags_of(PathPolicy policy) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(policy) << 8);
}

inline constexpr Time kNotScheduled = Time::max();  // departure time of a packet whose port is paused

// Descriptor::record: the number of a record of the partition's packet store, with this bit if it has telemetry, too.
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
  std::uint16_t flags = 0;

  // A pause or resume frame.
  bool is_control() const { return is_any(kind, kFrame); }
  // A pause or resume frame, or lost: its way ends where the link does.
  bool ends_with_link() const { return is_any(kind, kEndsWithLink); }
  // Whether it goes from the flow's sender to its receiver, and not back. Not valid for lost packets, pause and resume
  // frames.
  bool to_receiver() const { return !is_any(kind, kToSender); }
  // A data packet, whether or not its payload has come as far as this.
  bool is_data() const { return kind == PacketKind::data || kind == PacketKind::trimmed; }
  // An answer that tells the sender something, and acknowledges nothing.
  bool is_notice() const { return is_any(kind, kNotice); }
  // An acknowledgement, positive or negative.
  bool is_acknowledgement() const { return kind == PacketKind::ack || kind == PacketKind::nack; }
  // Whether switches mark it (ECN).
  bool is_markable() const { return kind == PacketKind::data || (kind == PacketKind::ack && (flags & kMarkable) != 0); }
  PathPolicy path_policy() const { return static_cast<PathPolicy>((flags & kPathPolicy) >> 8); }
  bool has_path_note() const { return net::has_path_note(path_policy()); }
  bool is_routed_by_hash() const { return (flags & kPathPolicy) == 0; }
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

// A packet as hosts know it.
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

// What trace events show of a packet.
inline PacketView view_of(const Packet& packet) {
  const auto has = [&](std::uint16_t flag) { return (packet.flags & flag) != 0; };
  const bool names_packet = packet.kind == PacketKind::ack && !has(kSack);
  return {.seq = packet.seq,
          .trigger_seq = names_packet ? packet.seq + static_cast<std::int32_t>(packet.src) : 0,
          .sent = packet.sent,
          .dst = packet.dst,
          .slot = packet.slot,
          .generation = packet.generation,
          .entropy = packet.entropy,
          .wire = packet.wire,
          .payload = packet.payload,
          .ingress = packet.ingress,
          .profile = packet.profile,
          .kind = packet.kind,
          .traffic_class = packet.traffic_class,
          .marks = {.ce = has(kMarked),
                    .may_be_marked = packet.is_markable(),
                    .retransmission = has(kRetransmission),
                    .asks_ack = has(kAskAck),
                    .last = has(kLast),
                    .echoes_ce = has(kEchoMarked),
                    .echoes_cnp = has(kEchoCnp),
                    .telemetry = packet.has_telemetry()}};
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
