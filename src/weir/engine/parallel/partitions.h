// The partitions of a run, or of a rank of it, and the threads that advance them, one epoch at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "weir/engine/parallel/exchange.h"
#include "weir/engine/parallel/phase_log.h"
#include "weir/engine/parallel/run_options.h"
#include "weir/engine/partition/partition.h"
#include "weir/engine/regime.h"
#include "weir/engine/trace/trace_order.h"

namespace weir::engine {

// What a Simulation needs of its partitions, whatever their scheduler.
//
// Of several ranks (RunOptions::ranks) each has one, with the partitions of its share. A call about a node, a port or a
// flow of another rank does nothing; figures are of this rank's partitions, unless a call says "of all ranks". Such a
// call is collective.
class Partitions {
 public:
  virtual ~Partitions() = default;
  virtual std::uint32_t threads() const = 0;     // of all ranks together
  virtual std::uint32_t partitions() const = 0;  // as many as were asked for
  // Whether nodes have longer turns in long epochs (NodeScheduler).
  virtual bool has_long_turns() const = 0;
  // How they take their events; all else is the simulation's to tell.
  virtual Regime regime() const = 0;
  // In the child of a fork(2) that came between epochs: threads of its own.
  virtual void after_fork() = 0;
  // Before the first epoch (Partition::add_driver).
  virtual void add_driver(traffic::Driver& driver, bool tells_others, Time lag) = 0;
  // Sums over the partitions of all ranks; collective unless nothing has happened since the last call or epoch.
  virtual const Totals& totals() = 0;
  virtual void add_flow(const traffic::Flow& flow) = 0;
  // Of all ranks. What a partition throws is thrown here, once all have stopped, with several ranks as a RankFailure;
  // they are then of no more use.
  virtual void run_epoch(Time end) = 0;
  // Of all ranks; collective as totals() is: nothing is pending, or nothing has happened since the last call, so that
  // it is worth while to ask for earliest().
  virtual bool is_quiet() = 0;
  // Between epochs, of all ranks; collective: nothing happens before unless it comes from outside. Time::max(): nothing
  // will.
  virtual Time earliest() = 0;
  // Only while no event is pending: nothing will happen before t.
  virtual void skip_to(Time t) = 0;
  // Moves the records of finished flows of all ranks to `out`.
  virtual void collect(std::vector<host::FlowRecord>& out) = 0;
  // Between epochs, before all else at `now` (Partition).
  virtual void take_down(std::uint32_t port, Time now) = 0;
  virtual void stall(std::uint32_t host, Time until, Time now) = 0;
  virtual void watch(Time now) = 0;
  virtual void route_by(const net::Routing& routing, Time now) = 0;
  virtual void settle_before(std::uint32_t port, Time end) = 0;
  // Whether this rank has the partition of the node, and which one has.
  virtual bool has(std::uint32_t node) const = 0;
  virtual std::uint32_t rank_of(std::uint32_t node) const = 0;
  // What has been exchanged with other ranks.
  virtual ExchangeCounts exchanged() const = 0;
  // By host and then by slot, however hosts are dealt out to partitions: probes write in this order.
  virtual void for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const = 0;
  // Of a connection of this rank: its messages that are not acknowledged, in order.
  virtual std::span<const host::QueuedMessage> messages_of(std::uint32_t src, const host::Flow& flow) const = 0;
  // Between epochs: packets by the port that they have not reached the far end of.
  virtual void for_each_packet(const net::PacketVisit& visit) const = 0;
  // The same of this rank: whether a slow host has packets that it has not taken yet.
  virtual bool has_untaken() const = 0;
  // The same for those that wait at a port, but for pause and resume frames.
  virtual void for_each_waiting(std::uint32_t port, const net::PacketVisit& visit) const = 0;
  // The same of this rank: whether a driver will do something, or be told something, even if no packet arrives any
  // more; and behind the message of a flow that its receiver waits for, if it waits for one.
  virtual bool drivers_go_on() const = 0;
  virtual std::optional<std::int64_t> expected_end(std::uint32_t src, const host::Flow& flow) const = 0;
  // Whether so many events, or more, have been recorded since the last call of take_trace(). Among several ranks it is
  // always so, since they take the trace together.
  virtual bool has_recorded(std::size_t events) const = 0;
  // What has been recorded since the last call, by partition of this rank, and then by other rank; all of what comes
  // before `end` is among it. Takes the vectors of `out` to record into. Nothing if they are not traced.
  virtual void take_trace(Time end, std::vector<net::TraceRecords>& out) = 0;
  // Between epochs: what the partitions of all ranks hold (Partition::save, load). One takes what one of the same
  // number of partitions has saved, whatever the ranks. With several, rank 0 saves all, or with `everywhere` each; what
  // the others have saved is of no use.
  virtual void save(Saver& a, bool everywhere) = 0;
  virtual void load(Loader& a, Time now) = 0;
  // Records these from now on; only if they are traced.
  virtual void record(const net::TraceFilter& filter) = 0;
  // From now on, notes how long each partition takes; the log must outlive this.
  virtual void log_phases_to(PhaseLog& log) = 0;
  // Who answers at once; only if they are traced.
  virtual void decide_by(const host::Policy& policy) = 0;
  // Between epochs: moves the questions that nobody has answered to `out`, and takes an answer, before all else at
  // `now`.
  virtual void collect(std::vector<host::Question>& out) = 0;
  virtual void answer(const host::Question& question, const cc::Control& control, Time now) = 0;
};

std::unique_ptr<Partitions> make_partitions(const Model& model, Network& network, const RunOptions& options);

}  // namespace weir::engine
