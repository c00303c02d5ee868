// What probes and programs see of flows: of one that is active, and the record of one that has ended.
#pragma once

#include <cstdint>

#include "weir/base/units.h"

namespace weir::host {

// The record of a flow, made when it ends, or when the run ends before it.
struct FlowRecord {
  std::uint64_t id = 0;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  Bytes size;
  Time start;
  Time finish;  // arrival of the last acknowledgement; Time::max() = not finished
  std::uint32_t retransmitted = 0;
  std::uint32_t entropy = 0;  // path selector of its packets, unless it sprays them
  std::uint16_t profile = 0;
  std::uint16_t tag = 0;
};

// An active flow at its sender, as it is between epochs. Bytes are of payload.
struct FlowView {
  std::uint64_t id = 0;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  // Packets name their flow by its sender, this slot, and the generation, which tells it from flows before it in the
  // slot.
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t entropy = 0;        // path selector of its packets, unless it sprays them
  std::uint32_t retransmitted = 0;  // packets
  std::uint16_t profile = 0;
  std::uint16_t tag = 0;

  Bytes size;
  Time start;
  Bytes sent;          // all bytes below have been sent at least once
  Bytes next;          // the byte that is next in sequence to be sent; below `sent` while go-back-N sends again
  Bytes in_order;      // acknowledged: all bytes below
  Bytes acknowledged;  // in order or not
  Bytes in_flight;

  Bytes window;  // cc::kNoWindow = none
  Rate rate;     // pacing rate of bytes on the wire; 0 = not paced
  Time srtt;     // smoothed round-trip time; 0 before the first acknowledgement

  // Facts of the flow's path (cc::FlowFacts).
  Rate line_rate;  // of the sending NIC
  Time base_rtt;   // unloaded round trip of a full packet and its acknowledgement
  Bytes payload;   // of a full packet
  Bytes wire;      // of a full packet, with all headers
};

inline FlowRecord record_of(const FlowView& flow, Time finish) {
  return {.id = flow.id,
          .src = flow.src,
          .dst = flow.dst,
          .size = flow.size,
          .start = flow.start,
          .finish = finish,
          .retransmitted = flow.retransmitted,
          .entropy = flow.entropy,
          .profile = flow.profile,
          .tag = flow.tag};
}

}  // namespace weir::host
