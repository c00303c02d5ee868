// How hosts frame, acknowledge and recover: the parameters that all algorithms share.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
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
enum class CreditOrder : std::uint8_t { fair, srpt };

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
  Time first_rto;
  Time timer_tick;
  Time timer_slack;
  bool rack = false;
  bool tail_probe = false;
  bool delayed_acks = false;
  Time nack_interval{500'000'000};
  ConnectionKind connections = ConnectionKind::message;
  IdleRule idle = IdleRule::keep;
  CreditOrder credit_order = CreditOrder::fair;
  std::int64_t overcommitment = 2;

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
    p.time("first_rto", &T::first_rto,
           "retransmission timeout of a flow that has had no acknowledgement; 0 = as if the round trip of the empty "
           "network had been measured, which a handshake does",
           "RFC 6298 2.1 (1 s)", Time{0}, Time{1'000'000'000'000})
        .only_with("algorithm.recovery.kind", {"sack"});
    p.time("timer_tick", &T::timer_tick,
           "distance of the ticks of a host at which its timers of transport run out: at the first one that is later "
           "than the next one by the timer's time in whole ticks; 0 = timers run out exactly",
           "Linux CONFIG_HZ = 250 (4 ms), usecs_to_jiffies and the rounding of its timer wheel", Time{0},
           Time{1'000'000'000'000})
        .only_with("algorithm.recovery.kind", {"sack"});
    p.time("timer_slack", &T::timer_slack, "what timers of tail_probe and rack take beyond the round trips",
           "Linux TCP_TIMEOUT_MIN: two ticks to 6.6, 2 ms from 6.7 on", Time{0}, Time{1'000'000'000'000})
        .only_with("algorithm.recovery.kind", {"sack"});
    p.flag("rack", &T::rack,
           "a packet is lost when one sent later has arrived and a round trip and a quarter of the least one have gone "
           "by since it was sent, or, without reordering so far, three packets behind it have arrived; instead of "
           "counting alone; not of profiles with recovery.reordering",
           "RACK, RFC 8985 6.2, without DSACK")
        .only_with("algorithm.recovery.kind", {"sack"})
        .only_with("algorithm.recovery.reordering", {"0 ps"});
    p.flag("tail_probe", &T::tail_probe,
           "a flow that has heard nothing for two round trips and timer_slack, with one packet out for two round trips "
           "and min_rto, sends a packet, beyond its window too: a new one, or else its last one again",
           "TLP, RFC 8985 7; Linux tcp_schedule_loss_probe")
        .only_with("algorithm.recovery.kind", {"sack"});
    p.flag("delayed_acks", &T::delayed_acks,
           "receivers acknowledge each second full packet, and at once what comes out of order or fills a gap, is "
           "marked, ends a flow or is sent again; where ack_every says nothing else",
           "RFC 5681 4.2, but for its timer: a sender asks for what it waits for; Linux between requests and answers")
        .only_with("algorithm.recovery.kind", {"sack"});
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
    p.choice(
         "credit_order", &T::credit_order, {"fair", "srpt"},
         "to whom a receiver grants its next credit: to each flow in turn that has asked; or to the one of which the "
         "fewest bytes have still to arrive",
         "fair: NDP, SIGCOMM 2017; srpt: pHost, CoNEXT 2015, and Homa 3.3, SIGCOMM 2018")
        .not_with("algorithm.unsolicited", {"0 B"});
    p.integer("overcommitment", &T::overcommitment, 1, 1'024,
              "flows of a receiver that get credits at a time: those with the fewest bytes left that are not granted "
              "whole; the others wait, even if these do not ask",
              "Homa 3.5")
        .only_with("credit_order", {"srpt"});
  }

  static std::span<const cc::Preset> presets() {
    static constexpr cc::PresetValue linux_values[] = {{"min_rto", "200 ms"},   {"timer_tick", "4 ms"},
                                                       {"timer_slack", "8 ms"}, {"rack", "true"},
                                                       {"tail_probe", "true"},  {"delayed_acks", "true"}};
    static constexpr cc::Preset list[] = {
        {"linux",
         "recovery with SACK of Linux 4.15 to 6.6: TCP_RTO_MIN, HZ = 250 as in Debian and Ubuntu, tcp_recovery = 1, "
         "tcp_early_retrans = 3; a flow begins after its handshake",
         linux_values}};
    return list;
  }

  // Whether flows with SACK have a timer that can mean more than a timeout, or that does not run out exactly.
  bool has_tcp_timers() const { return first_rto + timer_tick + timer_slack > Time{} || rack || tail_probe; }
};

// One way of sending: an algorithm with its parameters, loss recovery, load balancing, and perhaps On-Ramp or a Linux
// stack. Flows name their profile by index.
struct Profile {
  std::string name;
  const cc::Algorithm* algorithm = nullptr;
  std::shared_ptr<const void> params;
  cc::ReceiverRules receiver;
  RecoveryParams recovery = {};
  std::optional<cc::OnRamp::Params> on_ramp = {};
  std::uint32_t data_class = 0;
  BalancingParams balancing = {};
  Bytes ack_every = {};  // selective recovery: what one acknowledgement stands for; 0 = one packet
  std::optional<StackParams> stack = {};
  Bytes unsolicited = {};     // what is sent before the receiver grants more (host/credits.h); 0 = all
  bool delayed_acks = false;  // as in TCP, a packet out of order is acknowledged at once, and the first one is not

  // `unsolicited`, in whole packets.
  std::int64_t unsolicited_packets(Bytes payload) const {
    return (unsolicited.count + payload.count - 1) / payload.count;
  }

  bool reads_telemetry() const { return cc::has(algorithm->about.needs, cc::Needs::telemetry); }
};

}  // namespace weir::host
