// The partitions of a run and the threads that advance them, one epoch at a time.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "weir/engine/partition.h"
#include "weir/engine/simulation.h"
#include "weir/engine/trace_order.h"
#include "weir/engine/work_log.h"

namespace weir::engine {

// All threads wait here for each other. Spins first, since an epoch's work is short and equal;
// but not where a thread that spins keeps another from its processor.
class Barrier {
 public:
  explicit Barrier(std::uint32_t threads)
      : threads_(threads), spins_(threads <= std::thread::hardware_concurrency() ? 1'000 : 0) {}
  void arrive_and_wait();
  // Only while no thread waits.
  void forget_arrivals() { arrived_.store(0, std::memory_order_relaxed); }

 private:
  const std::uint32_t threads_;
  const int spins_;
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> round_{0};
};

// What a Simulation needs of its partitions, whatever their scheduler.
class Simulation::Crew {
 public:
  virtual ~Crew() = default;
  virtual std::uint32_t threads() const = 0;
  virtual std::uint32_t partitions() const = 0;  // as many as were asked for
  // In the child of a fork(2) that came between epochs: threads of its own.
  virtual void after_fork() = 0;
  virtual void load(const traffic::Program& program, Time lag) = 0;
  // Nodes of the program that have ended.
  virtual std::uint64_t nodes_done() const = 0;
  virtual void add_flow(const traffic::Flow& flow) = 0;
  // What a partition throws is thrown here, once all have stopped; the crew is then of no more use.
  virtual void run_epoch(Time end) = 0;
  // No event is pending anywhere.
  virtual bool idle() const = 0;
  // Only while idle: nothing will happen before t.
  virtual void skip_to(Time t) = 0;
  virtual Counters counters() const = 0;
  // Moves the records of finished flows to `out`.
  virtual void collect(std::vector<host::FlowRecord>& out) = 0;
  // Between epochs, before all else at `now` (Partition).
  virtual void take_down(std::uint32_t port, Time now) = 0;
  virtual void stall(std::uint32_t host, Time until, Time now) = 0;
  virtual void watch(Time now) = 0;
  virtual void route_by(const net::Routing& routing, Time since) = 0;
  virtual void settle_before(std::uint32_t port, Time end) = 0;
  virtual void for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const = 0;
  // Between epochs: packets by the port that they have not reached the far end of, and signals to nodes of the program
  // that are under way from one partition to another.
  virtual void for_each_packet(const net::PacketVisit& visit) const = 0;
  virtual void for_each_signal(const std::function<void(std::uint32_t node)>& visit) const = 0;
  // What has happened since the last call and before `end`; nothing if the crew is not traced.
  virtual std::span<const net::TraceEvent> trace(Time end) = 0;
  // Between epochs: what all partitions hold (Partition::save, load). A crew takes what one of the same number of
  // partitions has saved.
  virtual void save(Saver& a) = 0;
  virtual void load(Loader& a, Time now) = 0;
  // Records these from now on; only if the crew is traced.
  virtual void record(const net::TraceFilter& filter) = 0;
  // From now on, notes how long each partition takes; the log must outlive this.
  virtual void note_work(WorkLog& log) = 0;
  // Who answers at once; only if the crew is traced.
  virtual void decide_by(const host::Policy& policy) = 0;
  // Between epochs: moves the questions that nobody has answered to `out`, and takes an answer, before all else at
  // `now`.
  virtual void collect(std::vector<host::Question>& out) = 0;
  virtual void answer(const host::Question& question, const cc::Control& control, Time now) = 0;
};

std::unique_ptr<Simulation::Crew> make_crew(const Model& model, Network& network, const RunOptions& options);

}  // namespace weir::engine
