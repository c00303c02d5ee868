// The bytes of simulated packets: Ethernet, IP, and the headers of RoCEv2, UET or TCP, or a frame of PFC.
//
// Payloads are zeros. What Weir does not simulate has a constant value, which docs/guides/pcap.md tells, and hosts and
// flows have addresses and ports that follow from their numbers:
//   node n             MAC 02:00:nn:nn:nn:nn
//   host n             10.0.0.0 + n + 1, or fd00::n+1
//   flow f (RoCEv2)    UDP ports 49152 + the entropy's last 14 bits -> 4791, queue pair 2 + f mod (2^24 - 2)
//   flow f (UET)       UDP ports as above -> 4793, PDC id f mod 2^16 at both ends
//   flow f (TCP)       ports 49152 + f mod 2^14 -> 49152 + f / 2^14 mod 2^14
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "weir/capture/header_bytes.h"
#include "weir/capture/protocols.h"
#include "weir/engine/model/model.h"
#include "weir/net/trace.h"

namespace weir::capture {

// The flow of a packet.
struct FlowOfPacket {
  std::uint32_t generation = 0;
  std::uint32_t dst = 0;
  std::uint64_t id = 0;
  std::uint64_t connection = 0;  // whose headers it has: the id of the first message, or of the flow itself
  std::int64_t begin = 0;        // its first byte on the connection, and behind its last one
  std::int64_t end = 0;
  std::uint32_t before = 0;   // messages of the connection before it
  std::uint32_t echo_us = 0;  // the last TCP time stamp of its acknowledgements that was seen
};

struct Frame {
  std::uint32_t head = 0;    // bytes up to the payload
  std::uint32_t length = 0;  // with the payload, the padding and what follows them
};

// The datagrams that Weir makes up for what has no standard: OR-ACKs, probes, and CNPs of others than RoCEv2.
inline constexpr std::uint16_t kWeirPort = 62111;
// The largest head of all.
inline constexpr std::uint32_t kMostHead = 14 + 40 + 8 + 12 + 4 + 16 + 42;

class Frames {
 public:
  // The model must outlive this.
  Frames(const engine::Model& model, bool ipv6);

  // Writes the head of the frame of a packet on a link between two nodes into kMostHead bytes. `flow` is only null for
  // pause and resume frames.
  Frame make(const net::WireEvent&, std::uint32_t from, std::uint32_t to, FlowOfPacket* flow, std::uint8_t* head);
  Protocol protocol(std::uint16_t profile) const { return protocols_[profile]; }

 private:
  struct Shape;
  // All that the head of a RoCEv2 packet over IPv4 follows from, but for what number() writes.
  struct Likeness {
    std::uint64_t flow = ~std::uint64_t{0};
    std::uint64_t link = 0;
    std::uint64_t packet = 0;
    net::PacketMarks marks;
    friend bool operator==(const Likeness&, const Likeness&) = default;
  };
  struct Kept {
    Likeness of;
    Frame frame;
    std::array<std::uint8_t, kMostHead> head{};
  };

  bool is_own(const net::PacketView&) const;
  Frame whole(const net::WireEvent&, std::uint32_t from, std::uint32_t to, FlowOfPacket& flow,
              std::uint8_t* head) const;
  static Frame pfc(const net::PacketView&, std::uint32_t from, std::uint8_t* head);
  void ip(const Shape&, std::uint8_t* ip, HeaderBytes end) const;
  // What follows the header of IP. They return the end of what they have written.
  static HeaderBytes udp(const Shape&, std::uint16_t port, HeaderBytes out);
  HeaderBytes rocev2(Shape&, HeaderBytes out) const;
  void number(const net::WireEvent&, const FlowOfPacket& flow, std::uint8_t* bth, std::uint8_t* end) const;
  HeaderBytes uet(const Shape&, HeaderBytes out) const;
  HeaderBytes tcp(const Shape&, HeaderBytes out) const;
  HeaderBytes sack_blocks(const Shape&, HeaderBytes out) const;
  static HeaderBytes weir(const Shape&, std::uint8_t kind, HeaderBytes out);
  static HeaderBytes telemetry(const net::WireEvent&, HeaderBytes out);
  // How many packets of full size these bytes fill. Processors divide 32 bits in a fraction of the time of 64.
  std::int64_t full_packets(std::int64_t bytes) const {
    if (bytes >> 32 == 0) return static_cast<std::uint32_t>(bytes) / static_cast<std::uint32_t>(payload_);
    return bytes / payload_;
  }
  std::int64_t packets(std::int64_t bytes) const { return full_packets(bytes + payload_ - 1); }

  const engine::Model& model_;
  const bool ipv6_;
  const std::int64_t payload_;
  std::vector<Protocol> protocols_;  // by profile
  std::vector<Kept> kept_ = std::vector<Kept>(256);
};

}  // namespace weir::capture
