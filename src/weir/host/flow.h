// A flow's state at its sender and at its receiver.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "weir/cc/algorithm.h"
#include "weir/host/flow_view.h"
#include "weir/host/path_choice.h"
#include "weir/net/link/packet.h"
#include "weir/traffic/flow.h"

namespace weir::host {

// What a flow's timer is for.
enum class TimerKind : std::uint8_t {
  timeout,     // all that is out is lost
  probe,       // a tail probe goes out (TransportParams::tail_probe)
  reordering,  // the reordering window of a packet is over (TransportParams::rack)
};

// The sender's state of an active flow. The state of its algorithm follows in the same block of memory.
struct alignas(64) Flow {
  // These members are touched by every acknowledgement and every packet that is sent.
  std::int64_t snd_una = 0;        // all bytes below are acknowledged
  std::int64_t snd_nxt = 0;        // next byte to send
  std::int64_t send_limit = 0;     // first byte that may not be sent yet
  std::int64_t not_in_flight = 0;  // bytes of [snd_una, snd_nxt) that are not in flight: arrived, lost, or in gaps
  cc::Control control;
  Time next_send;                   // pacing: nothing is sent before this
  Time on_ramp_until;               // On-Ramp: nothing is sent before this
  Time pacing_entry = Time::max();  // time of its valid entry in the pacing queue; max = none
  std::int64_t snd_max = 0;         // first byte never sent

  std::uint32_t dst = 0;
  std::uint32_t entropy = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t last_wire = 0;  // bytes on the wire of its last burst
  std::uint16_t profile = 0;
  bool ready = false;      // in the ready queue
  bool selective = false;  // selective recovery (IRN, SACK); else go-back-N
  bool resend = false;     // selective: some packet is lost and not sent again yet
  bool on_ramp = false;
  bool sprayed = false;                                 // each packet has an entropy of its own
  net::PathPolicy path_policy = net::PathPolicy::hash;  // of all its packets
  std::uint8_t backoff = 0;                             // consecutive timeouts
  bool stacked = false;                                 // segments wait below the socket (host/host_stack.h)
  bool has_log = false;                                 // stacked, or its algorithm wants the delivery rate
  std::uint8_t burst_left = 0;                          // packets left of the burst that it is sending
  Time last_sent;                                       // when the first packet of its last burst left
  Time srtt;
  Time rttvar;
  Time rto_at = Time::max();       // when its timer is due; max = it is not set
  Time timer_entry = Time::max();  // time of its valid entry in the timer queue

  std::uint64_t id = 0;
  std::uint32_t retransmitted = 0;  // packets
  std::uint16_t tag = 0;
  bool has_messages : 1 = false;   // it carries a driver's message, or as a connection several
  bool is_connection : 1 = false;  // it carries all messages of its hosts, ports and profile, and never ends
  bool tcp_timers : 1 = false;     // TransportParams::has_tcp_timers()
  bool measured : 1 = false;       // with tcp_timers: an acknowledgement has come
  bool probing : 1 = false;        // with tcp_timers: a tail probe is out (FlowExtras::tail_probe)
  TimerKind timer : 2 = TimerKind::timeout;
  PortChoice ports = PortChoice::hash;  // hash, free or entropy; hash if its host has one port
  cc::FlowFacts facts;

  std::int64_t size() const { return facts.size.count; }
  std::int64_t in_flight() const { return snd_nxt - snd_una - not_in_flight; }
  bool sendable() const { return (snd_nxt < send_limit || resend) && in_flight() < control.window.count; }
  // Whether its packets leave by any port of its host that leads to its destination.
  bool takes_all_ports() const { return ports != PortChoice::hash; }
  // Whether all of the flow has been sent, and nothing is known to be lost.
  bool exhausted() const { return snd_nxt >= size() && !resend; }
  // Whether a connection has nothing to send and nothing under way.
  bool rests() const { return is_connection && snd_una >= size(); }
  // When its next packet may leave; within a burst it does not wait for pacing.
  Time due() const { return burst_left == 0 ? std::max(next_send, on_ramp_until) : on_ramp_until; }
  void* state() { return this + 1; }
  const void* state() const { return this + 1; }
};

// The receiver's state of a flow, kept for each slot of each sender.
struct Receiver {
  std::int64_t expected = 0;           // all bytes below have arrived
  std::int64_t end = kNoEnd;           // end of the first message that is not complete (Drivers)
  std::int64_t ack_at_once_below = 0;  // the sender waits for acknowledgements of all bytes below
  std::int64_t last_nacked = -1;       // first byte of the gap that the last NACK reported
  Time last_nack;
  Time next_cnp;  // no CNP is sent before this
  std::uint32_t generation = 0;
  std::uint32_t unacknowledged = 0;  // bytes received since the last acknowledgement
  std::uint32_t data_at = 0;         // when the last packet came, in units of kDataTick (On-Ramp)
  std::uint16_t since_or_ack = 0;    // packets received since the last OR-ACK (On-Ramp)
  bool used = false;

  static constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
  // The unit of data_at, which wraps after 281 s.
  static constexpr std::int64_t kDataTick = 65'536;  // ps
};

inline FlowRecord record_of(std::uint32_t src, const Flow& flow, Time finish) {
  return {.id = flow.id,
          .src = src,
          .dst = flow.dst,
          .size = flow.facts.size,
          .start = flow.facts.start,
          .finish = finish,
          .retransmitted = flow.retransmitted,
          .entropy = flow.entropy,
          .profile = flow.profile,
          .tag = flow.tag};
}

// `acknowledged`: bytes, in order or not (Host::acknowledged).
inline FlowView view_of(std::uint32_t src, const Flow& flow, std::int64_t acknowledged) {
  return {.id = flow.id,
          .src = src,
          .dst = flow.dst,
          .slot = flow.slot,
          .generation = flow.generation,
          .entropy = flow.entropy,
          .retransmitted = flow.retransmitted,
          .profile = flow.profile,
          .tag = flow.tag,
          .size = flow.facts.size,
          .start = flow.facts.start,
          .sent = Bytes{flow.snd_max},
          .next = Bytes{flow.snd_nxt},
          .in_order = Bytes{flow.snd_una},
          .acknowledged = Bytes{acknowledged},
          .in_flight = Bytes{flow.in_flight()},
          .window = flow.control.window,
          .rate = flow.control.rate,
          .srtt = flow.srtt,
          .line_rate = flow.facts.line_rate,
          .base_rtt = flow.facts.base_rtt,
          .payload = flow.facts.payload,
          .wire = flow.facts.wire};
}

}  // namespace weir::host
