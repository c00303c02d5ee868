// A run as probes and the command see it, whatever simulates it: Simulation, or a replica of another simulator.
//
// Nothing here is called for a packet.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "weir/base/archive.h"
#include "weir/engine/counters.h"
#include "weir/engine/stall.h"
#include "weir/host/decisions.h"
#include "weir/host/flow.h"
#include "weir/net/trace.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {
class Program;
}

namespace weir::engine {

struct Model;

// When the events of a program's node happened; Time::max() = not yet.
struct NodeTimes {
  Time started = Time::max();
  Time sent = Time::max();
  Time received = Time::max();
};

// What the last OR-ACK told a flow of a packet.
struct OneWayReport {
  Time sent{-1};
  Time heard;
  Time delay;  // from end to end, by the clocks of both hosts
  Time error;  // of it: how far the receiver's clock is ahead of the sender's
};

struct Storms {
  std::uint32_t begun = 0;
  std::uint64_t dropped = 0;
};

// A port, the link that it sends by, and the node at the far end. Hosts are the first nodes, switches follow.
struct PortFacts {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Rate rate;
  Time delay;  // of propagation
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  virtual ~Engine() = default;

  // Called for each flow that ends, in order of (finish, id). Each of several is called.
  void on_finish(std::function<void(const host::FlowRecord&)> call) { on_finish_.push_back(std::move(call)); }
  // Called at 0, interval, 2 * interval, ... with all events before that time done.
  virtual void every(Time interval, std::function<void(Time)> call) = 0;

  // Calls visit for the events that the filter takes, between epochs and in order (net/trace.h); in one call come the
  // events of one epoch at most. Only before the first advance(), and only of an engine that was made for it
  // (RunOptions::traced); throws logic_error else.
  virtual void trace(net::TraceFilter filter, net::TraceVisit visit);

  // Who answers when flows ask for decisions (host/decisions.h): at once, or at the end of each epoch. One of the two,
  // and only before the first advance() of an engine that was made for it (RunOptions::traced); throws logic_error
  // else.
  virtual void decide(host::Policy policy);
  virtual void decide(host::BatchPolicy policy);

  // A flow that starts at flow.start, not before now(), in addition to the traffic; between calls of advance(), also
  // after the run has ended, which then goes on. Its ports are chosen here if they are 0, and its id is: traffic::
  // kFirstInjected for the first one, and so on. Returns the id. Throws InputError if there is no such host or profile,
  // or the size or the start is not valid; logic_error if this engine takes none.
  virtual std::uint64_t inject(traffic::Flow flow);

  // Runs until `until`, or until all flows have ended and the traffic has run dry, or the stop
  // time, or until it is found that the run cannot go on (stall). Returns true when the run has ended.
  virtual bool advance(Time until = Time::max()) = 0;
  // Why the run ended without having done what it was to do; null if it did, or has not ended.
  virtual const Stall* stall() const { return nullptr; }

  // Between calls of advance(), unless the run has stalled: all that this run holds, as bytes without a header. An
  // engine that has just been built from the same model and the same traffic, with as many partitions() and the same
  // calls of every() (or none) and trace(), goes on from there as this one does, whatever its threads and its
  // scheduler. load() throws InputError if the bytes do not fit; the engine is of no more use then. Both throw
  // logic_error of an engine that cannot be saved.
  virtual void save(Saver&) { throw std::logic_error("this engine cannot be saved"); }
  virtual void load(Loader&) { throw std::logic_error("this engine cannot be saved"); }
  // The parts that the network is cut into.
  virtual std::uint32_t partitions() const { return 1; }

  virtual Time now() const = 0;
  // Epochs end at its multiples: calls of advance() up to one of them change nothing.
  virtual Time epoch() const = 0;
  virtual std::uint32_t threads() const = 0;
  virtual Counters counters() const = 0;
  virtual const Model& model() const = 0;
  std::uint32_t hosts() const;
  std::uint32_t switches() const;
  std::uint32_t ports() const;
  PortFacts port_facts(std::uint32_t port) const;

  // Between epochs, of a port with all departures before now() settled:
  // bytes that have been accepted and not begun to leave,
  virtual std::uint32_t queued_bytes(std::uint32_t port) = 0;
  // the packets of them, each with its flow and the flow's sender (null: the flow has ended), in no order that means
  // anything; false if this engine does not tell,
  using VisitQueued = std::function<void(const host::Flow* flow, std::uint32_t src, std::uint32_t bytes)>;
  virtual bool for_each_queued(std::uint32_t /*port*/, const VisitQueued& /*visit*/) { return false; }
  // bytes that have begun to leave,
  virtual std::uint64_t sent_bytes(std::uint32_t port) = 0;
  // packets marked as they left,
  virtual std::uint64_t marked(std::uint32_t port) = 0;
  // packets that its link has lost,
  virtual std::uint64_t lost(std::uint32_t port) = 0;
  // pause frames received, and how long the data class has been paused so far.
  virtual std::uint32_t pauses(std::uint32_t port) = 0;
  virtual Time paused_time(std::uint32_t port) = 0;

  // Of a switch's port: storms that its PFC watchdog has seen begin, and packets dropped in them.
  virtual Storms storms(std::uint32_t) const { return {}; }

  // Of a switch, counted from 0: packets dropped, and pause frames sent.
  virtual std::uint64_t dropped(std::uint32_t s) const = 0;
  virtual std::uint64_t pauses_sent(std::uint32_t s) const = 0;

  // The ports that the flow's packets leave by while no link is down, from its host's to the last switch's; empty if
  // the flow has no fixed path, as its packets are sprayed, or if this engine does not tell.
  virtual std::vector<std::uint32_t> path(const host::FlowRecord&) const { return {}; }

  // Active flows by host and slot.
  virtual void for_each_active(const std::function<void(std::uint32_t src, const host::Flow&)>& visit) const = 0;

  // Between epochs: payload bytes of an active flow of host src that its sender knows to have arrived, in order or not.
  virtual std::int64_t acknowledged(std::uint32_t /*src*/, const host::Flow& flow) const { return flow.snd_una; }

  // Between epochs; nothing if the flow has no On-Ramp, or has heard of no packet yet.
  virtual std::optional<OneWayReport> one_way_report(std::uint32_t, const host::Flow&) const { return std::nullopt; }

  // The messages that wait for each other, and what has become of them by node; none if it knows no such traffic.
  virtual const traffic::Program& program() const;
  virtual std::span<const NodeTimes> node_times() const { return {}; }

  // A hash of the final state of all ports and counters; equal for equal runs.
  std::uint64_t state_digest();

 protected:
  void tell_finished(std::span<const host::FlowRecord> records) const {
    for (const auto& record : records)
      for (const auto& call : on_finish_) call(record);
  }

 private:
  std::vector<std::function<void(const host::FlowRecord&)>> on_finish_;
};

// advance() for those who have no use for part of a run: throws runtime_error with to_text(stall) if there is one.
bool advance_unstalled(Engine&, Time until = Time::max());

}  // namespace weir::engine
