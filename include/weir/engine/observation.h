// Observation: what can be seen of ports, switches and flows between the epochs of a run. All departures before that
// instant have been accounted for. No function of it is called for each packet.
//
// The engine has three observations: of one process, of a run whose flows' steady phases are left out, and of several
// ranks (src/weir/engine/time/local_observation.h, gathered_observation.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "weir/base/units.h"
#include "weir/host/flow_view.h"
#include "weir/net/trace.h"

namespace weir::engine {

// What the last OR-ACK (On-Ramp, NSDI 2021, section 3) told a flow's sender about a packet.
struct OneWayReport {
  Time sent{-1};
  Time heard;
  Time delay;  // one-way delay, by the clocks of both hosts
  Time error;  // of `delay`: how far the receiver's clock was ahead of the sender's
};

// What a port has counted since the run began.
struct PortFigures {
  std::uint64_t sent_bytes = 0;     // bytes of packets that have begun to leave
  std::uint64_t marked = 0;         // packets that were marked (ECN) as they left
  std::uint64_t lost = 0;           // packets that its link has lost
  std::uint32_t pauses = 0;         // pause frames that it has received
  std::uint32_t storms = 0;         // pause storms that its PFC watchdog has found
  std::uint64_t storm_dropped = 0;  // packets that were dropped in these storms
  Time paused;                      // time in which at least one data class was paused
};

// What a switch has counted since the run began.
struct SwitchFigures {
  std::uint64_t dropped = 0;      // packets, for lack of room
  std::uint64_t pauses_sent = 0;  // pause frames
};

// A packet that a port has accepted and that has not begun to leave.
struct QueuedPacket {
  std::uint64_t flow = net::kNoFlow;  // id; kNoFlow = the flow has ended, and `dst` and `tag` are not known; for a
                                      // connection, the id of the first message that has not ended
  std::uint32_t src = 0;              // the flow's sender
  std::uint32_t dst = 0;
  std::uint16_t tag = 0;
  std::uint32_t bytes = 0;
};

// Functions that take a port throw std::out_of_range if there is no such port; so do those that take a switch (switches
// are counted from 0).
class Observation {
 public:
  Observation() = default;
  Observation(const Observation&) = delete;
  virtual ~Observation() = default;

  // Bytes that the port has accepted and that have not begun to leave.
  virtual std::uint32_t queued_bytes(std::uint32_t port) = 0;
  // Visits the packets that these bytes belong to, in no particular order. Returns false if this engine cannot tell.
  using VisitQueued = std::function<void(const QueuedPacket&)>;
  virtual bool for_each_queued(std::uint32_t /*port*/, const VisitQueued& /*visit*/) { return false; }
  virtual PortFigures port_figures(std::uint32_t port) = 0;
  virtual SwitchFigures switch_figures(std::uint32_t s) const = 0;

  // Calls `visit` for each active flow, in order of host and then of slot; then for messages that are skipped, in order
  // of id. Messages of a connection are visited as flows with the same slot, in the order in which they are sent.
  virtual void for_each_active(const std::function<void(const host::FlowView&)>& visit) const = 0;
  // The last OR-ACK of an active flow; nothing if the flow has no On-Ramp or has received no OR-ACK yet.
  virtual std::optional<OneWayReport> one_way_report(const host::FlowView&) const { return std::nullopt; }
};

}  // namespace weir::engine
