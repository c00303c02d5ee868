// Why flows took as long as they did: each flow's completion time, divided into parts that add up to it exactly.
//
// Of each flow the critical path is followed, from its start to its end. The end is the arrival of an acknowledgement,
// of a packet that was sent at some time; that packet could be sent because an acknowledgement had opened the window,
// or because the packet before it had left, or because a loss had been found, and so on back to the start. So the path
// is a chain of spans without gaps, and each span is divided by what the trace of the run says (net/trace.h).
// docs/guides/view.md has the definition.
//
// The walk goes forward with the run: a packet that is sent carries the parts of the time up to then. It holds
// sizeof(PacketNote) bytes for each packet that is under way or not acknowledged, and sizeof(FlowWalk) for each active
// flow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weir/anatomy/flow_slots.h"
#include "weir/anatomy/packets.h"
#include "weir/anatomy/pauses.h"
#include "weir/engine/model/model.h"
#include "weir/net/trace.h"

namespace weir::anatomy {

// What a flow's next packet waits for, since then.
struct Waiting {
  Time since;
  Time not_before;  // pacing and On-Ramp: it ends then at the latest
  net::Cause cause = net::Cause::none;
};

// The parts of the time up to `at`.
struct Reached {
  Time at{-1};
  Parts parts;
};

// A flow on its way.
struct FlowWalk {
  std::uint64_t id = 0;
  std::uint32_t generation = 0;
  std::uint32_t dst = 0;
  std::uint16_t profile = 0;
  bool has_sent = false;
  bool timed_out = false;    // the last loss was found by a timeout
  bool knows_heard = false;  // `heard` is that of the last acknowledgement
  Rate slowest;              // link of its path
  Bytes size;
  Time start;
  Time last_end;               // its last packet has left the NIC
  Time heard_at{-1};           // when the last acknowledgement arrived
  Time timeout_at{-1};         // the last timeout
  std::int64_t work = 0;       // what it has put on the wire for the first time, in picoseconds of its slowest link
  std::int64_t snd_max = 0;    // first byte never sent
  std::int64_t acked = 0;      // all bytes below are acknowledged
  Reached last;                // its last packet was sent
  Reached opened;              // the window was opened, by an acknowledgement or otherwise
  PacketNote heard;            // the packet of the last acknowledgement
  std::vector<Waiting> waits;  // since the last packet was sent, and what it waited for then
  PacketNotes packets;

  template <class A>
  void archive(A& a) {
    a.value(id);
    for (std::uint32_t* n : {&generation, &dst}) a.value(*n);
    a.value(profile);
    for (bool* flag : {&has_sent, &timed_out, &knows_heard}) a.value(*flag);
    a.value(slowest);
    a.value(size);
    for (Time* time : {&start, &last_end, &heard_at, &timeout_at}) a.value(*time);
    for (std::int64_t* n : {&work, &snd_max, &acked}) a.value(*n);
    for (Reached* reached : {&last, &opened}) a.value(*reached);
    a.value(heard);
    a.values(waits);
    packets.archive(a);
  }
};

// The parts of a flow that has ended.
struct Result {
  std::uint64_t flow = 0;
  Parts parts;
};

class Walk {
 public:
  // The kinds of events that it needs, of all ports and times.
  static constexpr net::EventKinds kKinds =
      net::kind_bit(net::EventKind::arrived) | net::kind_bit(net::EventKind::lost) |
      net::kind_bit(net::EventKind::accepted) | net::kind_bit(net::EventKind::left) |
      net::kind_bit(net::EventKind::dropped) | net::kind_bit(net::EventKind::paused) |
      net::kind_bit(net::EventKind::resumed) | net::kind_bit(net::EventKind::started) |
      net::kind_bit(net::EventKind::ended) | net::kind_bit(net::EventKind::told_loss) |
      net::kind_bit(net::EventKind::waiting);

  // The model must outlive this.
  explicit Walk(const engine::Model& model);

  void add(net::TraceEvents events);
  // The parts of a flow that has ended, once; nothing if it had started before this saw the run.
  std::optional<Parts> take(std::uint64_t flow);

  template <class A>
  void archive(A& a) {
    pauses_.archive(a);
    a.values(ended_);
    flows_.archive(a);
  }

 private:
  void add(const net::TraceEvent& event);
  // Of an event that is about to be added.
  void prefetch(const net::TraceEvent& event);

  void start(const net::TraceEvent& event);
  void wait(FlowWalk& flow, const net::TraceEvent& event);
  void accept(FlowWalk& flow, const net::TraceEvent& event);
  void leave(FlowWalk& flow, const net::TraceEvent& event);
  void arrive(FlowWalk& flow, const net::TraceEvent& event);
  void drop(FlowWalk& flow, const net::TraceEvent& event);
  void end(FlowWalk& flow, const net::TraceEvent& event);

  // Roughly the number of a packet in its flow, or of the last one before what an answer tells.
  std::int64_t number_of(const net::PacketView&) const;
  // Of a packet that waits or is under way, or of what it answers; null if there is none.
  PacketNote* note_of(FlowWalk& flow, const net::PacketView&) const;
  // A data packet is given to the sender's NIC.
  void send(FlowWalk& flow, const net::TraceEvent& event);
  // The parts of the time until then, of which the last span ends now.
  Parts until_sent(FlowWalk& flow, const net::TraceEvent& event);
  // When its last packet had left, or the last acknowledgement had arrived, whichever was later.
  Reached before_opening(const FlowWalk& flow) const;
  Parts until_heard(const FlowWalk& flow) const;
  Parts until_end(const FlowWalk& flow, Time end) const;
  // Divides [from, until) by what the flow waited for.
  void divide(const FlowWalk& flow, Time from, Time until, std::uint32_t host, std::uint32_t nic, Parts& out) const;
  Time held_within(std::uint32_t host, Time from, Time until) const;

  const engine::Model& model_;
  const double packets_per_byte_;  // of full packets
  FlowSlots<FlowWalk> flows_;
  Pauses pauses_;
  std::vector<Result> ended_;
};

// Makes the parts of a whole out of those of its critical path: `alone` and `telemetry` become what they are by
// definition, the least that the flow takes, and the others are what is left.
void settle(Parts& parts, std::int64_t alone, std::int64_t telemetry);

}  // namespace weir::anatomy
