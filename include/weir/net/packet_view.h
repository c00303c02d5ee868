// PacketView: what trace events show of a packet. How the simulator keeps packets is its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "weir/base/units.h"

namespace weir::net {

// Properties that several kinds of packets have: bits of their values, so that a test costs one instruction. Packets of
// a kind with none of these bits go from a flow's sender to its receiver.
inline constexpr std::uint8_t kToSender = 0x10;      // from a flow's receiver to its sender
inline constexpr std::uint8_t kEndsWithLink = 0x20;  // no node forwards or receives it as a packet of a flow
inline constexpr std::uint8_t kFrame = 0x40;         // of flow control: for the switch or host at the end of the link
inline constexpr std::uint8_t kNotice = 0x80;        // tells a flow's sender something, and acknowledges nothing

// What a packet is. It becomes `lost` when a link loses it, and `trimmed` when a switch that had no room for it has cut
// off its payload. A `probe` measures the round trip of its flow and comes back as an `echo`. A `credit` allows its
// flow to send more. The low four bits tell kinds apart; their order means nothing.
enum class PacketKind : std::uint8_t {
  data = 0,
  trimmed = 1,
  probe = 2,
  ack = 3 | kToSender,
  nack = 4 | kToSender,
  cnp = 5 | kToSender | kNotice,
  or_ack = 6 | kToSender | kNotice,
  echo = 7 | kToSender | kNotice,
  lost = 8 | kEndsWithLink,
  pause = 9 | kEndsWithLink | kFrame,
  resume = 10 | kEndsWithLink | kFrame,
  credit = 11 | kToSender | kNotice
};
constexpr bool is_any(PacketKind kind, std::uint8_t of) { return (static_cast<std::uint8_t>(kind) & of) != 0; }
// The name of a kind, as packets.csv has it: "data", "or-ack", ...
std::string_view name_of(PacketKind);

// Traffic classes. `priority` goes ahead of all data; the data classes of a scenario follow, of which `data` is the
// first. A pause or resume frame names the class that it is about, and is in no class itself.
enum class TrafficClass : std::uint8_t { priority = 0, data = 1 };
inline constexpr unsigned kDataClasses = 7;  // the most that a scenario may have
inline constexpr unsigned kTrafficClasses = 1 + kDataClasses;
constexpr TrafficClass data_class(unsigned number) { return static_cast<TrafficClass>(1 + number); }

// The flags of a packet.
struct PacketMarks {
  bool ce = false;             // ECN: congestion experienced
  bool may_be_marked = false;  // switches mark it: data with its payload, and some acknowledgements
  bool retransmission = false;
  bool asks_ack = false;    // a data packet that the receiver must acknowledge at once
  bool last = false;        // under On-Ramp: the last data packet of its flow
  bool echoes_ce = false;   // an acknowledgement of a packet that was marked
  bool echoes_cnp = false;  // an acknowledgement that carries a CNP
  bool telemetry = false;   // INT: switches write it into data packets, and acknowledgements bring it back
  friend bool operator==(const PacketMarks&, const PacketMarks&) = default;
};

// A packet as it is at an event. Pause and resume frames have a kind and a class alone.
struct PacketView {
  std::int64_t seq = 0;          // data: its first byte; acknowledgement: all bytes below are acknowledged
  std::int64_t trigger_seq = 0;  // acknowledgement without a selective part: first byte of the packet that triggered it
  Time sent;                     // data: start of transmission at the sender; echoed by acknowledgements; on an OR-ACK:
                                 // when the packet arrived, by the receiver's clock
  std::uint32_t dst = 0;         // the host that it goes to
  // The flow's slot at its sender, and which of the flows of that slot it is (host::FlowView).
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t entropy = 0;  // path selector: switches hash it
  std::uint32_t wire = 0;     // bytes on the wire
  std::uint32_t payload = 0;  // bytes of payload; on an acknowledgement, those of the packet that triggered it
  std::uint32_t ingress = 0;  // index, at the switch whose port this is, of the port by which it came in
  std::uint16_t profile = 0;  // the flow's algorithm
  PacketKind kind = PacketKind::data;
  TrafficClass traffic_class = TrafficClass::data;
  PacketMarks marks;

  // A pause or resume frame.
  bool is_control() const { return is_any(kind, kFrame); }
  // Whether it goes from the flow's sender to its receiver, and not back. It means nothing for lost packets, pause and
  // resume frames.
  bool to_receiver() const { return !is_any(kind, kToSender); }
  // A data packet, whether or not a switch has cut off its payload.
  bool is_data() const { return kind == PacketKind::data || kind == PacketKind::trimmed; }
  // An acknowledgement, positive or negative.
  bool is_acknowledgement() const { return kind == PacketKind::ack || kind == PacketKind::nack; }
};
// No padding, so that checkpoints have the same bytes.
static_assert(std::has_unique_object_representations_v<PacketView>);

}  // namespace weir::net
