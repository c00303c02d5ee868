// The sending and the receiving end of a flow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "weir/cc/algorithm.h"
#include "weir/traffic/flow.h"

namespace weir::host {

// The sender's state; the algorithm's own state follows it in the same block.
struct alignas(64) Flow {
  // what every acknowledgement and every send touch
  std::int64_t snd_una = 0;        // all bytes below are acknowledged
  std::int64_t snd_nxt = 0;        // next byte to send
  std::int64_t limit = 0;          // first byte that may not be sent yet
  std::int64_t not_in_flight = 0;  // bytes of [snd_una, snd_nxt): arrived out of order, or lost
  cc::Control control;
  Time next_send;               // pacing: not before this
  Time held;                    // On-Ramp: not before this
  Time paced_at = Time::max();  // the entry of the pacing queue that counts; max = none
  std::int64_t snd_max = 0;     // first byte never sent

  std::uint32_t dst = 0;
  std::uint32_t entropy = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t last_wire = 0;  // of the last packet sent
  std::uint16_t profile = 0;
  bool ready = false;      // in the ready queue
  bool selective = false;  // only what is missing is sent again; else go-back-N
  bool resend = false;     // selective: something is lost
  bool on_ramp = false;
  bool sprayed = false;           // each packet has an entropy of its own
  std::uint8_t packet_flags = 0;  // that all its packets carry
  std::uint8_t backoff = 0;       // consecutive timeouts
  Time last_sent;
  Time srtt;
  Time rttvar;
  Time rto_at = Time::max();  // retransmission timeout; max = nothing outstanding
  Time armed = Time::max();   // the entry of the timer queue that counts

  std::uint64_t id = 0;
  std::uint32_t retransmitted = 0;  // packets
  std::uint16_t tag = 0;
  cc::FlowFacts facts;

  std::int64_t size() const { return facts.size.count; }
  std::int64_t in_flight() const { return snd_nxt - snd_una - not_in_flight; }
  bool sendable() const { return (snd_nxt < limit || resend) && in_flight() < control.window.count; }
  // Nothing is left to be sent, but for what may still be lost.
  bool exhausted() const { return snd_nxt >= size() && !resend; }
  Time due() const { return std::max(next_send, held); }
  void* state() { return this + 1; }
};

// The receiver's state of the flow in one slot of one sender.
struct Receiver {
  std::int64_t expected = 0;  // next byte in order
  std::int64_t end = -1;      // of a message of a program, its size
  std::int64_t asked = 0;     // the sender waits for acknowledgements of all that is before
  std::int64_t nacked = -1;   // the gap that the last NACK reported
  Time last_nack;
  Time next_cnp;  // no CNP before this
  std::uint32_t generation = 0;
  std::uint32_t unacknowledged = 0;  // bytes since the last acknowledgement
  std::uint16_t unreported = 0;      // packets since the last OR-ACK
  bool used = false;
};

// What is known of a flow when it ends, or when the run ends before it.
struct FlowRecord {
  std::uint64_t id = 0;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  Bytes size;
  Time start;
  Time finish;  // Time::max(): not finished
  std::uint32_t retransmitted = 0;
  std::uint32_t entropy = 0;  // its packets' path selector, unless it sprays
  std::uint16_t profile = 0;
  std::uint16_t tag = 0;
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

}  // namespace weir::host
