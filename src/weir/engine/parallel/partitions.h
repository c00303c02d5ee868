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
// Each of several ranks (RunOptions::ranks) has one, with the partitions of its share. A call about a node, a port or a
// flow of another rank does nothing; figures are of this rank's partitions, unless a call says "of all ranks". Such a
// call is collective.
class Partitions {
 public:
  virtual ~Partitions() = default;
  virtual std::uint32_t threads() const = 0;     // of all ranks together
  virtual std::uint32_t partitions() const = 0;  // as many as were asked for
  // Whether nodes have longer turns in long epochs (NodeScheduler).
  virtual bool has_long_turns() const = 0;
  // How partitions take their events; the simulation fills in the rest.
  virtual Regime regime() const = 0;
  // Starts threads anew, in the child of a fork(2) that came between epochs.
  virtual void after_fork() = 0;
  // Called before the first epoch (Partition::add_driver).
  virtual void add_driver(traffic::Driver& driver, bool tells_others, Time lag) = 0;
  // Sums over the partitions of all ranks; collective unless nothing has happened since the last call or epoch.
  virtual const Totals& totals() = 0;
  virtual void add_flow(const traffic::Flow& flow) = 0;
  // Takes an epoch, of all ranks. An exception of a partition is thrown here, once all partitions have stopped; with
  // several ranks it is a RankFailure. The partitions must not be used then.
  virtual void run_epoch(Time end) = 0;
  // Whether nothing is pending, or nothing has happened since the last call, of all ranks, so that it is worth while to
  // ask for earliest(). Collective as totals() is.
  virtual bool is_quiet() = 0;
  // Between epochs, of all ranks: the earliest instant at which something happens that does not come from outside;
  // Time::max() = nothing will. Collective.
  virtual Time earliest() = 0;
  // Goes on to t, before which nothing will happen. Only while no event is pending.
  virtual void skip_to(Time t) = 0;
  // Moves the records of finished flows of all ranks to `out`.
  virtual void collect(std::vector<host::FlowRecord>& out) = 0;
  // These are called between epochs, before all else at `now` (Partition).
  virtual void take_down(std::uint32_t port, Time now) = 0;
  virtual void stall(std::uint32_t host, Time until, Time now) = 0;
  virtual void watch(Time now) = 0;
  virtual void route_by(const net::Routing& routing, Time now) = 0;
  virtual void settle_before(std::uint32_t port, Time end) = 0;
  // Whether this rank has the partition of the node, and which rank has it.
  virtual bool has(std::uint32_t node) const = 0;
  virtual std::uint32_t rank_of(std::uint32_t node) const = 0;
  // The amounts that this rank has exchanged with the others.
  virtual ExchangeCounts exchanged() const = 0;
  // Calls `visit` for each active flow, in order of host and then of slot, however hosts are dealt out to partitions:
  // probes write in this order.
  virtual void for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const = 0;
  // The messages of a connection of this rank that are not acknowledged, in order.
  virtual std::span<const host::QueuedMessage> messages_of(std::uint32_t src, const host::Flow& flow) const = 0;
  // The functions up to expected_end() are called between epochs.

  // Calls visit(port, packet) for each packet that has been put on a port and has not reached the port's far end.
  virtual void for_each_packet(const net::PacketVisit& visit) const = 0;
  // Whether a slow host of this rank has packets that it has not taken yet.
  virtual bool has_untaken() const = 0;
  // Calls visit(port, packet) for each packet that waits at the port, but for pause and resume frames.
  virtual void for_each_waiting(std::uint32_t port, const net::PacketVisit& visit) const = 0;
  // Whether a driver of this rank's hosts will do something, or be told something, even if no packet arrives any more.
  virtual bool drivers_go_on() const = 0;
  // The end of the message of the flow that its receiver, a host of this rank, waits for; nothing if it waits for none.
  virtual std::optional<std::int64_t> expected_end(std::uint32_t src, const host::Flow& flow) const = 0;

  // Whether so many events, or more, have been recorded since the last call of take_trace(). With several ranks it is
  // always true, since they take the trace together.
  virtual bool has_recorded(std::size_t events) const = 0;
  // Moves to `out` what has been recorded since the last call, by partition of this rank, and then by other rank; all
  // events before `end` are among it. Recorders go on with the vectors that were in `out`. Does nothing if partitions
  // are not traced.
  virtual void take_trace(Time end, std::vector<net::TraceRecords>& out) = 0;
  // Between epochs: save and load what the partitions of all ranks hold (Partition::save, load). What has been saved
  // can be loaded with the same number of partitions and any number of ranks. With several ranks, rank 0 saves all, or,
  // with `everywhere`, each does; without it, what the other ranks have saved is of no use.
  virtual void save(Saver& a, bool everywhere) = 0;
  virtual void load(Loader& a, Time now) = 0;
  // Records the events that the filter takes, from now on; only if partitions are traced.
  virtual void record(const net::TraceFilter& filter) = 0;
  // From now on, notes how long each partition takes; the log must outlive this.
  virtual void log_phases_to(PhaseLog& log) = 0;
  // Lets the policy answer questions at once; only if partitions are traced.
  virtual void decide_by(const host::Policy& policy) = 0;
  // Between epochs: collect() moves the questions that nobody has answered to `out`; answer() takes an answer, before
  // all else at `now`.
  virtual void collect(std::vector<host::Question>& out) = 0;
  virtual void answer(const host::Question& question, const cc::Control& control, Time now) = 0;
};

std::unique_ptr<Partitions> make_partitions(const Model& model, Network& network, const RunOptions& options);

}  // namespace weir::engine
