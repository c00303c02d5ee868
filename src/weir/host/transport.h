// How hosts frame, acknowledge and recover: the parameters that all algorithms share.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "weir/base/params.h"
#include "weir/cc/algorithm.h"
#include "weir/cc/on_ramp.h"
#include "weir/host/host_stack.h"
#include "weir/host/path_choice.h"
#include "weir/host/recovery.h"
#include "weir/net/link/packet.h"
#include "weir/net/model/path_facts.h"

namespace weir::host {

enum class AckClass : std::uint8_t { data, priority };
enum class IntMode : std::uint8_t { exact, wire };
enum class ConnectionKind : std::uint8_t { message, kept };
enum class IdleRule : std::uint8_t { keep, restart };

struct TransportParams {
  Bytes payload{1000};
  Bytes header{48};
  Bytes ack_header{46};
  Bytes min_frame{60};
  Bytes int_bytes{42};
  AckClass ack_class = AckClass::data;
  IntMode int_mode = IntMode::exact;
  std::int64_t int_multiplier = 1;
  Time min_rto{4'000'000'000};
  Time nack_interval{500'000'000};
  ConnectionKind connections = ConnectionKind::message;
  IdleRule idle = IdleRule::keep;

  static void describe(ParamList<TransportParams>& p) {
    using T = TransportParams;
    p.bytes("payload", &T::payload, "payload of a full packet", "HPCC public simulator", Bytes{1}, Bytes{60'000});
    p.bytes("header", &T::header, "headers of a data packet without INT", "HPCC public simulator", Bytes{0},
            Bytes{1'000});
    p.bytes("ack_header", &T::ack_header, "size of an acknowledgement without INT", "HPCC public simulator", Bytes{1},
            Bytes{1'000});
    p.bytes("min_frame", &T::min_frame, "smallest frame: shorter acknowledgements are padded to this", "IEEE 802.3",
            Bytes{1}, Bytes{1'000});
    p.bytes("int_bytes", &T::int_bytes, "INT field of data packets and acknowledgements of flows that read telemetry",
            "HPCC 4.1: 2 + 8 * 5 hops", Bytes{0}, Bytes{1'000})
        .only_with("algorithm.telemetry");
    p.choice("ack_class", &T::ack_class, {"data", "priority"},
             "acknowledgements share the data class in the network, or go first in a class that is never paused",
             "HPCC 4.2");
    p.choice("int_mode", &T::int_mode, {"exact", "wire"},
             "telemetry counters as they are, or truncated to the 42-byte wire format", "HPCC 4.1")
        .only_with("algorithm.telemetry");
    p.integer("int_multiplier", &T::int_multiplier, 1, 64,
              "wire format: multiplies the units of 128 B and 80 B (the authors use NIC Gb/s / 25)",
              "HPCC public simulator")
        .only_with("algorithm.telemetry")
        .only_with("int_mode", {"wire"});
    p.time("min_rto", &T::min_rto,
           "least retransmission timeout; the timeout is max(this, srtt + max(4 rttvar, srtt / 2)), doubled at each "
           "timeout without progress",
           "RFC 6298", Time{1'000'000}, Time{1'000'000'000'000})
        .only_with("algorithm.recovery.kind", {"go-back-n", "sack"});
    p.time("nack_interval", &T::nack_interval, "the receiver repeats a NACK for the same gap after this time",
           "HPCC public simulator", Time{1'000'000}, Time{1'000'000'000'000});
    p.choice("connections", &T::connections, {"message", "kept"},
             "message: each message of a collective or program is a flow of its own, with a first window of its own; "
             "kept: those of the same hosts, ports and profile follow each other on one connection, whose window, "
             "round-trip times and paths live on",
             "Ultra Ethernet, verbs: a queue pair outlives its messages");
    p.choice("idle", &T::idle, {"keep", "restart"},
             "what becomes of a kept connection's window and rate once nothing was sent for a retransmission timeout: "
             "they stay, or begin anew",
             "RFC 5681 4.1; net.ipv4.tcp_slow_start_after_idle")
        .only_with("connections", {"kept"});
  }
};

// One way of sending: an algorithm with its parameters, what is done about losses, perhaps On-Ramp. Flows name their
// profile by index.
struct Profile {
  std::string name;
  const cc::Algorithm* algorithm = nullptr;
  std::shared_ptr<const void> params;
  cc::ReceiverRules receiver;
  RecoveryParams recovery = {};
  std::optional<cc::OnRamp::Params> on_ramp = {};
  std::uint32_t data_class = 0;
  BalancingParams balancing = {};
  Bytes ack_every = {};  // selective recovery: so much is acknowledged at once; 0 = each packet
  std::optional<StackParams> stack = {};
  Bytes unsolicited = {};  // so much is sent before the receiver grants more (host/credits.h); 0 = all

  // The same in whole packets.
  std::int64_t unsolicited_packets(Bytes payload) const {
    return (unsolicited.count + payload.count - 1) / payload.count;
  }

  bool reads_telemetry() const { return cc::has(algorithm->about.needs, cc::Needs::telemetry); }
};

}  // namespace weir::host
