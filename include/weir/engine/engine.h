// Engine: a run as probes, the command and programs that embed Weir look at it and steer it. It is the same for Weir's
// own simulation and for the replicas of other simulators.
// No function of it is called for each packet.
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
#include "weir/engine/fast_forward_report.h"
#include "weir/engine/stall.h"
#include "weir/engine/work.h"
#include "weir/host/decisions.h"
#include "weir/host/flow.h"
#include "weir/net/trace.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {
class Program;
}

namespace weir::engine {

struct Model;

// When the events of one node of a program (a message or a computation) happened; Time::max() = not yet. The receipt of
// a message that is skipped (run.fast_forward) is known, and told, from its start on.
struct NodeTimes {
  Time started = Time::max();
  Time sent = Time::max();
  Time received = Time::max();
};

// What the last OR-ACK (On-Ramp, NSDI 2021, section 3) told a flow's sender about a packet.
struct OneWayReport {
  Time sent{-1};
  Time heard;
  Time delay;  // one-way delay, by the clocks of both hosts
  Time error;  // of `delay`: how far the receiver's clock was ahead of the sender's
};

// Pause storms that the PFC watchdog of a port has found, and the packets that were dropped in them.
struct Storms {
  std::uint32_t begun = 0;
  std::uint64_t dropped = 0;
};

// A port, the link on which it sends, and the nodes at both ends. Hosts are the first nodes; switches follow.
struct PortFacts {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Rate rate;
  Time delay;  // propagation delay
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  virtual ~Engine() = default;

  // Calls `call` for each flow that ends, in order of (finish, id). Several functions may be given; each is called. A
  // call comes up to 32 epochs after the flow's end. How many depends on the number of threads, and so does what the
  // engine tells in such a call.
  void on_finish(std::function<void(const host::FlowRecord&)> call) { on_finish_.push_back(std::move(call)); }
  // Calls `call` at now(), now() + interval, now() + 2 * interval, ..., with all events before that instant done and
  // none at it. The call comes when advance() goes on from that instant.
  virtual void every(Time interval, std::function<void(Time)> call) = 0;

  // Calls `visit` with the events that the filter takes, in order (net/trace.h), after each epoch that has any. It may
  // only be called before the first advance(), and if the scenario has a probe that asks for single events, such as
  // probes.packets, or an algorithm with Needs::decisions. Otherwise it throws std::logic_error.
  virtual void trace(net::TraceFilter filter, net::TraceVisit visit);

  // Sets the function that answers when flows ask for decisions (host/decisions.h): a Policy answers at once, a
  // BatchPolicy at the end of each epoch. Only one of the two may be set, and only when trace() may be called.
  // Otherwise it throws std::logic_error.
  virtual void decide(host::Policy policy);
  virtual void decide(host::BatchPolicy policy);

  // Calls `visit` after each epoch, or several taken as one, with what it took (engine/work.h). It may only be called
  // before the first advance(), and once; otherwise, and if this engine does not tell, it throws std::logic_error.
  virtual void watch_work(WorkVisit visit);

  // Adds a flow to those of the traffic; it starts at flow.start, which must not be before now(). Call it between calls
  // of advance(). A run whose flows have all ended then goes on. Ports that are 0 are chosen here. Returns the flow's
  // id, which is 2^31 for the first such flow, and counts up. Throws InputError if there is no such host or profile, or
  // if the size or the start is not valid; std::logic_error if this engine takes no flows.
  virtual std::uint64_t inject(traffic::Flow flow);

  // Runs until `until` or until the run ends, and returns whether it has ended: because all flows have ended and the
  // traffic has no more, because its stop time is reached, or because it cannot go on (stall()).
  virtual bool advance(Time until = Time::max()) = 0;
  // Why the run cannot go on although flows are left; null if it can, or has ended in another way.
  virtual const Stall* stall() const { return nullptr; }

  // save() writes the whole state of the run, without a header, between calls of advance(). load() reads it into an
  // engine that has just been built from the same model and the same traffic, with as many partitions(). That engine
  // then goes on as this one does, whatever its threads and its scheduler; samplers that have been added to it before
  // go on where this one's were, in the order in which they were added. load() throws InputError if the bytes do not
  // fit; the engine must not be used then. Both throw std::logic_error if the engine cannot be saved, save() also if
  // the run has stalled.
  virtual void save(Saver&) { throw std::logic_error("this engine cannot be saved"); }
  virtual void load(Loader&) { throw std::logic_error("this engine cannot be saved"); }
  // Makes the threads of the run anew. The child of a fork(2) that came between calls of advance() calls it before
  // anything else: that process is then a copy of this one, which goes on by itself at the cost of the pages that
  // either of them writes to.
  virtual void after_fork() {}
  // The number of parts into which the network is divided.
  virtual std::uint32_t partitions() const { return 1; }

  virtual Time now() const = 0;
  // The length of an epoch. Epochs end at its multiples, so a call of advance() that stops at one changes nothing.
  // Several may be taken as one.
  virtual Time epoch() const = 0;
  virtual std::uint32_t threads() const = 0;
  virtual Counters counters() const = 0;
  virtual const Model& model() const = 0;
  std::uint32_t hosts() const;
  std::uint32_t switches() const;
  std::uint32_t ports() const;
  PortFacts port_facts(std::uint32_t port) const;
  // Throws std::out_of_range unless there is such a port; so do the calls that take one.
  void check_port(std::uint32_t port) const;

  // Figures of a port, between epochs, with all departures before now() done.
  // Bytes that it has accepted and that have not begun to leave.
  virtual std::uint32_t queued_bytes(std::uint32_t port) = 0;
  // Visits the packets of these bytes, each with its flow (null: the flow has ended) and the flow's sender, in no
  // particular order. Returns false if this engine cannot tell.
  using VisitQueued = std::function<void(const host::Flow* flow, std::uint32_t src, std::uint32_t bytes)>;
  virtual bool for_each_queued(std::uint32_t /*port*/, const VisitQueued& /*visit*/) { return false; }
  // Bytes that have begun to leave.
  virtual std::uint64_t sent_bytes(std::uint32_t port) = 0;
  // Packets that were marked (ECN) as they left.
  virtual std::uint64_t marked(std::uint32_t port) = 0;
  // Packets that its link has lost.
  virtual std::uint64_t lost(std::uint32_t port) = 0;
  // Pause frames received.
  virtual std::uint32_t pauses(std::uint32_t port) = 0;
  // Time in which at least one data class was paused.
  virtual Time paused_time(std::uint32_t port) = 0;

  // The storms that the PFC watchdog has found at a switch's port, and the packets dropped in them.
  virtual Storms storms(std::uint32_t) const { return {}; }

  // The packets that switch `s`, counted from 0, has dropped for lack of room, and the pause frames that it has sent.
  virtual std::uint64_t dropped(std::uint32_t s) const = 0;
  virtual std::uint64_t pauses_sent(std::uint32_t s) const = 0;

  // The ports by which the flow's packets leave while no link is down, from its host's port to that of the last switch.
  // It is empty if the flow's packets may take several paths, or if this engine cannot tell.
  virtual std::vector<std::uint32_t> path(const host::FlowRecord&) const { return {}; }

  // Calls `visit` for each active flow, by host and then by slot; then for messages that are skipped, by id.
  virtual void for_each_active(const std::function<void(std::uint32_t src, const host::Flow&)>& visit) const = 0;

  // Between epochs: the payload bytes of host src's active flow that its sender knows to have arrived, in order or not.
  virtual std::int64_t acknowledged(std::uint32_t /*src*/, const host::Flow& flow) const { return flow.snd_una; }

  // Between epochs: the flow's last OR-ACK; nothing if the flow has no On-Ramp or has received no OR-ACK yet.
  virtual std::optional<OneWayReport> one_way_report(std::uint32_t, const host::Flow&) const { return std::nullopt; }

  // The messages that wait for each other, and when their events happened, by node; empty without such traffic.
  virtual const traffic::Program& program() const;
  virtual std::span<const NodeTimes> node_times() const { return {}; }
  // What has been skipped; nothing if the scenario does not ask for that.
  virtual std::optional<FastForwardReport> fast_forward() const { return std::nullopt; }

  // A hash of the state of all ports and of the switches' counters; equal runs have equal ones.
  std::uint64_t state_digest();

 protected:
  void tell_finished(std::span<const host::FlowRecord> records) const {
    for (const auto& record : records)
      for (const auto& call : on_finish_) call(record);
  }
  // Why a call is refused: throw std::logic_error.
  [[noreturn]] static void refuse_trace();
  [[noreturn]] static void refuse_watch_work();
  [[noreturn]] static void refuse_decide();
  // A stall that has been found now, with the flows that are left.
  Stall stall_of(Stall::Kind kind) const;

 private:
  std::vector<std::function<void(const host::FlowRecord&)>> on_finish_;
};

// Calls advance(), and throws std::runtime_error with to_text(stall) if the run has stalled.
bool advance_unstalled(Engine&, Time until = Time::max());

}  // namespace weir::engine
