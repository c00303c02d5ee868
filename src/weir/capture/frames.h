// The bytes of simulated packets: Ethernet, IP, and the headers of RoCEv2, UET or TCP, or a frame of PFC.
//
// Payloads are zeros. What Weir does not simulate has a constant value, which docs/pcap.md tells, and hosts and flows
// have addresses and ports that follow from their numbers:
//   node n             MAC 02:00:nn:nn:nn:nn
//   host n             10.0.0.0 + n + 1, or fd00::n+1
//   flow f (RoCEv2)    UDP ports 49152 + the entropy's last 14 bits -> 4791, queue pair 2 + f mod (2^24 - 2)
//   flow f (UET)       UDP ports as above -> 4793, PDC id f mod 2^16 at both ends
//   flow f (TCP)       ports 49152 + f mod 2^14 -> 49152 + f / 2^14 mod 2^14
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/capture/header_bytes.h"
#include "weir/capture/protocols.h"
#include "weir/engine/model.h"
#include "weir/net/trace.h"

namespace weir::capture {

// The flow of a packet.
struct FlowOfPacket {
  std::uint32_t generation = 0;
  std::uint32_t dst = 0;
  std::uint64_t id = 0;
  std::int64_t size = 0;      // bytes
  std::uint32_t echo_us = 0;  // the last TCP time stamp of its acknowledgements that was seen
};

struct Frame {
  std::span<const std::uint8_t> head;  // up to the payload, valid until the next frame is made
  std::uint32_t length = 0;            // with the payload, the padding and what follows them
};

// The datagrams that Weir makes up for what has no standard: OR-ACKs, probes, and CNPs of others than RoCEv2.
inline constexpr std::uint16_t kWeirPort = 62111;
// The largest head of all.
inline constexpr std::uint32_t kMostHead = 14 + 40 + 8 + 12 + 4 + 16 + 42;

class Frames {
 public:
  // The model must outlive this.
  Frames(const engine::Model& model, bool ipv6);

  // The frame of a packet on a link between two nodes. `flow` is only null for pause and resume frames.
  Frame make(const net::TraceEvent&, std::uint32_t from, std::uint32_t to, FlowOfPacket* flow);
  Protocol protocol(std::uint16_t profile) const { return protocols_[profile]; }

 private:
  struct Shape;

  Frame pfc(const net::Packet&, std::uint32_t from);
  void ethernet(std::uint32_t from, std::uint32_t to);
  void ip(const Shape&, std::uint8_t next);
  void udp(const Shape&, std::uint16_t port);
  void finish_ip(const Shape&, std::size_t transport);
  void rocev2(const Shape&);
  void uet(const Shape&);
  void tcp(const Shape&);
  void sack_blocks(const Shape&);
  void weir(const Shape&, std::uint8_t kind);
  void telemetry(const Shape&);
  std::int64_t packets(std::int64_t bytes) const { return (bytes + payload_ - 1) / payload_; }

  const engine::Model& model_;
  const bool ipv6_;
  const std::int64_t payload_;
  std::vector<Protocol> protocols_;  // by profile
  HeaderBytes out_;
  std::uint32_t after_ = 0;  // bytes behind the head
};

}  // namespace weir::capture
