#include "weir/capture/frames.h"

#include <algorithm>

namespace weir::capture {
namespace {

using net::PacketKind;

constexpr std::uint32_t kLeastFrame = 60;  // IEEE 802.3, without the checksum of the frame
constexpr std::uint8_t kUdp = 17;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kTimeToLive = 64;
constexpr std::uint16_t kFirstPort = 0xc000;  // of the dynamic ports (RFC 6335)
constexpr std::uint16_t kPortMask = 0x3fff;
constexpr std::uint64_t kMac = 0x020000000000;
constexpr std::size_t kEthernetHeader = 14;  // bytes of its header
constexpr std::size_t kIpv4 = 20;
constexpr std::size_t kIpv6 = 40;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kBth = 12;
constexpr std::size_t kTelemetry = 2 + 8 * kMaxWireHops;
constexpr std::uint8_t kTrimmed = 58;  // DSCP; that of UE's trimmed packets is for an operator to choose

constexpr std::uint8_t kDscpOf(net::TrafficClass c) {
  const auto n = static_cast<unsigned>(c);
  return static_cast<std::uint8_t>(8 * (n == 0 ? 7 : n - 1));  // a class selector (RFC 2474)
}

}  // namespace

// A packet as its headers need it.
struct Frames::Shape {
  const net::WireEvent& event;
  const net::PacketView& packet;
  FlowOfPacket& flow;
  Protocol protocol;
  std::uint32_t src;
  std::uint32_t dst;
  std::uint32_t payload;  // bytes that follow the headers
  std::uint32_t after;    // the same with what follows them
  std::uint8_t next;      // protocol behind IP
  bool has_int;

  bool has_sack() const { return event.sack.trigger >= 0; }
  const net::PacketMarks& marks() const { return packet.marks; }
};

Frames::Frames(const engine::Model& model, bool ipv6)
    : model_(model), ipv6_(ipv6), payload_(model.transport.payload.count) {
  for (const host::Profile& profile : model.profiles) protocols_.push_back(protocol_of(model, profile));
}

// Most packets of a flow have a head that differs in a few bytes from that of the last one. Over IPv6 a checksum
// follows from those bytes.
Frame Frames::make(const net::WireEvent& event, std::uint32_t from, std::uint32_t to, FlowOfPacket* flow,
                   std::uint8_t* head) {
  const net::PacketView& packet = event.packet;
  if (packet.is_control()) return pfc(packet, from, head);
  if (ipv6_ || protocols_[packet.profile] != Protocol::rocev2 || is_own(packet))
    return whole(event, from, to, *flow, head);
  const bool has_sack = event.sack.trigger >= 0;
  const Likeness likeness{.flow = flow->id,
                          .link = std::uint64_t{from} << 32 | to,
                          .packet = std::uint64_t{packet.entropy} << 32 | packet.payload << 16 |
                                    static_cast<unsigned>(packet.kind) << 8 | (has_sack ? 0x80u : 0) |
                                    static_cast<unsigned>(packet.traffic_class),
                          .marks = packet.marks};
  const std::uint64_t place = 2 * flow->id + (packet.to_receiver() ? 1 : 0) + 31 * std::uint64_t{event.port};
  Kept& kept = kept_[place % kept_.size()];
  if (kept.of != likeness) {
    kept.frame = whole(event, from, to, *flow, kept.head.data());
    kept.of = likeness;
  }
  std::memcpy(head, kept.head.data(), kept.head.size());  // of a size that is known when this is compiled
  number(event, *flow, head + kEthernetHeader + kIpv4 + kUdpHeader, head + kept.frame.head);
  return kept.frame;
}

// Whether its form is Weir's own, whatever the protocol.
bool Frames::is_own(const net::PacketView& packet) const {
  return packet.kind == PacketKind::or_ack || packet.kind == PacketKind::probe || packet.kind == PacketKind::echo ||
         packet.kind == PacketKind::credit ||
         (packet.kind == PacketKind::cnp && protocols_[packet.profile] != Protocol::rocev2);
}

Frame Frames::whole(const net::WireEvent& event, std::uint32_t from, std::uint32_t to, FlowOfPacket& flow,
                    std::uint8_t* head) const {
  const net::PacketView& packet = event.packet;
  const bool forth = packet.to_receiver();
  const std::uint32_t payload = packet.kind == PacketKind::data ? packet.payload : 0u;
  const Protocol protocol = protocols_[packet.profile];
  const bool own = is_own(packet);
  Shape shape{.event = event,
              .packet = packet,
              .flow = flow,
              .src = forth ? event.src : flow.dst,
              .dst = forth ? flow.dst : event.src,
              .payload = payload,
              .after = payload,
              .next = !own && protocol == Protocol::tcp ? kTcp : kUdp,
              .has_int = packet.marks.telemetry};
  HeaderBytes out(head);
  out.big<6>(kMac | to);
  out.big<6>(kMac | from);
  out.big<2>(ipv6_ ? 0x86dd : 0x0800);
  std::uint8_t* const ip_at = out.at();
  HeaderBytes end(ip_at + (ipv6_ ? kIpv6 : kIpv4));
  if (own)
    end = weir(shape,
               packet.kind == PacketKind::or_ack   ? 1
               : packet.kind == PacketKind::probe  ? 2
               : packet.kind == PacketKind::echo   ? 3
               : packet.kind == PacketKind::credit ? 5
                                                   : 4,
               end);
  else if (protocol == Protocol::rocev2)
    end = rocev2(shape, end);
  else if (protocol == Protocol::uet)
    end = uet(shape, end);
  else
    end = tcp(shape, end);
  ip(shape, ip_at, end);
  const auto size = static_cast<std::uint32_t>(end.size_since(head));
  return {size, std::max(kLeastFrame, size + shape.after)};
}

// IEEE 802.1Qbb. A pause of Weir lasts until the resume frame: its time is the longest possible.
Frame Frames::pfc(const net::PacketView& packet, std::uint32_t from, std::uint8_t* head) {
  const unsigned priority = static_cast<unsigned>(packet.traffic_class) - 1;
  HeaderBytes out(head);
  out.big<6>(0x0180c2000001);
  out.big<6>(kMac | from);
  out.big<2>(0x8808);  // MAC control
  out.big<2>(0x0101);  // priority-based flow control
  out.big<2>(1u << priority);
  for (unsigned p = 0; p < 8; ++p) out.big<2>(p == priority && packet.kind == PacketKind::pause ? 0xffff : 0);
  out.zeros(kLeastFrame - out.size_since(head));
  return {kLeastFrame, kLeastFrame};
}

// The header of IP, in front of what ends at `end`, and the length and the checksum behind it. All bytes that follow
// are zeros, and change no checksum.
void Frames::ip(const Shape& s, std::uint8_t* ip, HeaderBytes end) const {
  const net::PacketView& p = s.packet;
  const bool capable = model_.ecn.enabled && (p.is_data() || p.marks.may_be_marked);
  const unsigned ecn = s.marks().ce ? 3 : capable ? 2 : 0;
  const unsigned dscp = p.kind == PacketKind::trimmed ? kTrimmed : kDscpOf(p.traffic_class);
  const unsigned byte = dscp << 2 | ecn;
  std::uint8_t* const transport = ip + (ipv6_ ? kIpv6 : kIpv4);
  const std::size_t bytes = end.size_since(transport);
  const std::size_t length = bytes + s.after;
  if (s.next == kUdp) HeaderBytes::put<2>(transport + 4, length);
  HeaderBytes out(ip);
  if (ipv6_) {
    out.big<4>(std::uint64_t{6} << 28 | std::uint64_t{byte} << 20 | (p.entropy & 0xfffff));  // flow label
    out.big<2>(length);
    out.big<1>(s.next);
    out.big<1>(kTimeToLive);
    for (const std::uint32_t host : {s.src, s.dst}) {
      out.big<8>(std::uint64_t{0xfd} << 56);
      out.big<8>(std::uint64_t{host} + 1);
    }
  } else {
    constexpr std::uint32_t kVersion = 0x4500;
    constexpr std::uint32_t kNotFragmented = 0x4000;
    const std::uint32_t life = std::uint32_t{kTimeToLive} << 8 | s.next;
    const std::uint32_t src = 0x0a000000 + s.src + 1;
    const std::uint32_t dst = 0x0a000000 + s.dst + 1;
    const std::size_t all = kIpv4 + length;
    const std::uint32_t sum = kVersion + byte + static_cast<std::uint32_t>(all) + kNotFragmented + life + (src >> 16) +
                              (src & 0xffff) + (dst >> 16) + (dst & 0xffff);
    out.big<2>(kVersion | byte);
    out.big<2>(all);
    out.big<4>(kNotFragmented);  // identification 0
    out.big<2>(life);
    out.big<2>(checksum(sum));
    out.big<4>(src);
    out.big<4>(dst);
    if (s.next == kUdp) return;  // UDP over IPv4 has none
  }
  const std::size_t addresses = ipv6_ ? 32 : 8;
  const std::uint32_t sum =
      sum_of_words(transport - addresses, addresses + bytes) + static_cast<std::uint32_t>(length) + s.next;
  const std::uint16_t check = checksum(sum);
  HeaderBytes::put<2>(transport + (s.next == kTcp ? 16 : 6), check == 0 && s.next == kUdp ? 0xffff : check);
}

HeaderBytes Frames::udp(const Shape& s, std::uint16_t port, HeaderBytes out) {
  out.big<2>(kFirstPort | (s.packet.entropy & kPortMask));
  out.big<2>(port);
  out.big<4>(0);  // length and checksum
  return out;
}

// nHop, pathID, and five hops of 8 bytes (base/int_wire.h).
HeaderBytes Frames::telemetry(const net::WireEvent& event, HeaderBytes out) {
  out.big<2>(event.int_head);
  for (const std::uint64_t hop : event.int_hop) out.big<8>(hop);
  return out;
}

// InfiniBand Architecture 1.4, 9.2 (BTH) and 9.3.5.4 (AETH); annex A17 for RoCEv2, A17.9.3 for its CNP. The last bits
// of BTH's second reserved field tell what of HPCC and IRN follows.
HeaderBytes Frames::rocev2(Shape& s, HeaderBytes out) const {
  constexpr unsigned kHasInt = 1;
  constexpr unsigned kHasSack = 2;
  constexpr std::uint32_t kIcrc = 4;
  const net::PacketView& p = s.packet;
  const bool acks = p.is_acknowledgement();
  const bool sacks = acks && s.has_sack() && model_.profiles[p.profile].recovery.selective();
  const std::uint32_t padding = (4 - s.payload % 4) % 4;
  const bool forward_mark = acks && s.marks().echoes_ce;
  const bool backward_mark = p.kind == PacketKind::cnp || (acks && s.marks().echoes_cnp);
  const bool asks = s.packet.is_data() && (model_.profiles[p.profile].ack_every.count == 0 || s.marks().asks_ack);
  out = udp(s, 4791, out);
  std::uint8_t* const bth = out.at();
  out.big<1>(p.kind == PacketKind::cnp ? 0x81 : 0x11);  // or acknowledge
  out.big<1>(padding << 4);
  out.big<2>(0xffff);  // the default partition
  out.big<1>((forward_mark ? 0x80u : 0) | (backward_mark ? 0x40u : 0) | (s.has_int ? kHasInt : 0) |
             (sacks ? kHasSack : 0));
  out.big<3>(2 + s.flow.connection % 0xfffffe);
  out.big<1>(asks ? 0x80 : 0);
  out.zeros(3);  // PSN
  if (acks) {
    out.big<1>(p.kind == PacketKind::nack ? 0x60 : 0x1f);  // PSN sequence error, or without credits
    out.zeros(3);
  }
  if (sacks || p.kind == PacketKind::cnp) out.zeros(16);
  if (s.has_int) out.zeros(kTelemetry);
  number(s.event, s.flow, bth, out.at());
  s.after += padding + kIcrc;
  return out;
}

// What differs between the packets of a flow: which part of the message it is, its number, what it acknowledges, and
// its telemetry. `end` is that of the head.
void Frames::number(const net::WireEvent& event, const FlowOfPacket& flow, std::uint8_t* bth, std::uint8_t* end) const {
  const net::PacketView& p = event.packet;
  std::uint8_t* const psn = bth + 9;
  if (p.marks.telemetry) telemetry(event, HeaderBytes(end - kTelemetry));
  if (p.is_data()) {
    const bool is_first = p.seq == flow.begin;
    const bool is_last = p.seq + payload_ >= flow.end;
    // send: only, first, last, middle
    HeaderBytes::put<1>(bth, is_first ? (is_last ? 0x04 : 0x00) : (is_last ? 0x02 : 0x01));
    HeaderBytes::put<3>(psn, static_cast<std::uint64_t>(full_packets(p.seq)));
    return;
  }
  if (p.kind == PacketKind::cnp) return;
  const std::int64_t number = p.kind == PacketKind::nack ? full_packets(p.seq) : packets(p.seq) - 1;
  HeaderBytes::put<3>(psn, static_cast<std::uint64_t>(number));
  HeaderBytes::put<3>(bth + kBth + 1, flow.before + (p.seq >= flow.end ? 1 : 0));  // messages completed
  if (event.sack.trigger < 0 || !model_.profiles[p.profile].recovery.selective()) return;
  HeaderBytes out(bth + kBth + 4);
  out.big<4>(static_cast<std::uint64_t>(event.sack.trigger));
  out.big<4>(static_cast<std::uint64_t>(event.sack.first));
  out.big<8>(event.sack.arrived);
}

// Ultra Ethernet Specification 1.0, 3.5.10: requests (table 3-33), acknowledgements with and without selective ones
// (3-36, 3-35) and negative ones. There is no header of the semantic sublayer. The first reserved flag tells that INT
// follows.
HeaderBytes Frames::uet(const Shape& s, HeaderBytes out) const {
  constexpr unsigned kHasInt = 0x40;
  constexpr unsigned kRequest = 2;
  constexpr unsigned kAck = 7;
  constexpr unsigned kAckCc = 8;
  constexpr unsigned kNack = 10;
  const net::PacketView& p = s.packet;
  const auto prologue = [&](unsigned type, unsigned flags) {
    out.big<2>(type << 11 | flags | (s.has_int ? kHasInt : 0));
  };
  const unsigned marked = s.marks().echoes_ce ? 0x20 : 0;
  out = udp(s, 4793, out);
  if (s.packet.is_data()) {
    const bool asks = model_.profiles[p.profile].ack_every.count == 0 || s.marks().asks_ack;
    prologue(kRequest, (s.marks().retransmission ? 0x10 : 0) | (asks ? 0x08 : 0));
    out.big<2>(0);  // clear_psn_offset
    out.big<4>(static_cast<std::uint64_t>(full_packets(p.seq)));
  } else if (p.kind == PacketKind::nack) {
    const bool trimmed = model_.profiles[p.profile].recovery.selective();
    prologue(kNack, marked);
    out.big<1>(trimmed ? 0x01 : 0x0d);  // UET_TRIMMED, UET_ROD_OOO
    out.big<1>(0);
    out.big<4>(static_cast<std::uint64_t>(full_packets(p.seq)));
  } else {
    const std::int64_t cumulative = packets(p.seq) - 1;
    const std::int64_t trigger = s.has_sack() ? s.event.sack.trigger : full_packets(p.trigger_seq);
    const std::int64_t from_cumulative = std::clamp<std::int64_t>(trigger - cumulative, INT16_MIN, INT16_MAX);
    prologue(s.has_sack() ? kAckCc : kAck, marked);
    out.big<2>(static_cast<std::uint64_t>(from_cumulative));  // ack_psn_offset
    out.big<4>(static_cast<std::uint64_t>(cumulative));
  }
  out.big<2>(s.flow.connection);  // spdcid
  out.big<2>(s.flow.connection);  // dpdcid
  if (p.kind == PacketKind::nack) {
    out.big<4>(0);  // payload
  } else if (!s.packet.is_data() && s.has_sack()) {
    const std::int64_t base = s.event.sack.first - (packets(p.seq) - 1);
    out.big<2>(0);  // cc_type NSCC, cc_flags, mpr
    out.big<2>(static_cast<std::uint64_t>(std::clamp<std::int64_t>(base, INT16_MIN, INT16_MAX)));
    out.big<8>(s.event.sack.arrived);
    out.big<8>(0);  // ack_cc_state
  }
  if (s.has_int) out = telemetry(s.event, out);
  return out;
}

// RFC 9293, with time stamps in microseconds (RFC 7323) and selective acknowledgements (RFC 2018). Bytes count from 1
// on in both directions; there are no SYN and no FIN, since flows of Weir begin with their first byte.
HeaderBytes Frames::tcp(const Shape& s, HeaderBytes out) const {
  const net::PacketView& p = s.packet;
  const auto sent_us = static_cast<std::uint32_t>(p.sent.ps / 1'000'000);
  const auto low = static_cast<std::uint16_t>(kFirstPort | (s.flow.connection & kPortMask));
  const auto high = static_cast<std::uint16_t>(kFirstPort | (s.flow.connection >> 14 & kPortMask));
  const bool forth = s.packet.is_data();
  std::uint8_t* const begin = out.at();
  std::uint32_t made_us = sent_us;
  if (!forth && s.event.sack.made_us != 0) made_us = s.event.sack.made_us;
  out.big<2>(forth ? low : high);
  out.big<2>(forth ? high : low);
  out.big<4>(forth ? static_cast<std::uint64_t>(p.seq) + 1 : 1);
  out.big<4>(forth ? 1 : static_cast<std::uint64_t>(p.seq) + 1);
  out.big<1>(0);  // data offset
  const bool ends = forth && p.seq + p.payload >= s.flow.end;
  out.big<1>(0x10u | (ends ? 0x08u : 0) | (!forth && s.marks().echoes_ce ? 0x40u : 0));  // ACK, PSH, ECE
  out.big<2>(0xffff);                                                                    // window
  out.big<4>(0);                                                                         // checksum, urgent
  out.big<4>(0x0101080a);                                                                // time stamps
  out.big<4>(made_us);
  out.big<4>(forth ? s.flow.echo_us : sent_us);
  if (!forth) s.flow.echo_us = made_us;
  if (!forth && s.has_sack()) out = sack_blocks(s, out);
  HeaderBytes::put<1>(begin + 12, out.size_since(begin) / 4 << 4);
  return out;
}

// The run of packets that has just grown comes first (RFC 2018, section 4), then those with the highest numbers.
HeaderBytes Frames::sack_blocks(const Shape& s, HeaderBytes out) const {
  struct Run {
    std::int64_t begin;
    std::int64_t end;
  };
  std::array<Run, 32> runs;
  std::size_t n = 0;
  const net::SackFacts& sack = s.event.sack;
  const std::int64_t missing = full_packets(s.packet.seq);
  for (int bit = 63; bit >= 0; --bit) {
    const std::int64_t number = sack.first + bit;
    if ((sack.arrived >> bit & 1) == 0 || number < missing) continue;
    if (n > 0 && runs[n - 1].begin == number + 1)
      runs[n - 1].begin = number;
    else
      runs[n++] = {number, number + 1};
  }
  if (n == 0) return out;
  const auto grown = std::find_if(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(n),
                                  [&](const Run& run) { return run.begin <= sack.trigger && sack.trigger < run.end; });
  if (grown != runs.begin() + static_cast<std::ptrdiff_t>(n)) std::rotate(runs.begin(), grown, grown + 1);
  constexpr std::size_t kMost = 3;  // beside time stamps
  const std::size_t blocks = std::min(n, kMost);
  out.big<4>(0x01010500 | (2 + 8 * blocks));
  for (std::size_t i = 0; i < blocks; ++i) {
    out.big<4>(static_cast<std::uint64_t>(runs[i].begin * payload_ + 1));
    out.big<4>(static_cast<std::uint64_t>(std::min(runs[i].end * payload_, s.flow.end) + 1));
  }
  return out;
}

// Version 1, kind, class, 0, flow, first byte, time in picoseconds.
HeaderBytes Frames::weir(const Shape& s, std::uint8_t kind, HeaderBytes out) {
  out = udp(s, kWeirPort, out);
  out.big<1>(1);
  out.big<1>(kind);
  out.big<1>(static_cast<unsigned>(s.packet.traffic_class));
  out.big<1>(0);
  out.big<4>(s.flow.connection);
  out.big<8>(static_cast<std::uint64_t>(s.packet.seq));
  out.big<8>(static_cast<std::uint64_t>(s.packet.sent.ps));
  return out;
}

}  // namespace weir::capture
