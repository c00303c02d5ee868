// A part of the network with its own events: what one thread runs.
//
// A partition runs from one epoch's end to the next without looking outside. Links to other
// partitions are cut: at the end of an epoch the packets that have begun to leave by them are
// handed over, with the time of their arrival. No epoch is longer than the shortest cut link, so
// nothing arrives in the past. Events of a node are ordered by (time, entity) alone, hence the results do
// not depend on the number of partitions.
//
// What happens at an event is the business of its parts (sim/partition_part.h); the partition takes events from the
// scheduler and lets those of other partitions see it (parallel/partitions.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weir/base/archive.h"
#include "weir/engine/model/epochs.h"
#include "weir/engine/partition/drivers.h"
#include "weir/engine/partition/mailbox.h"
#include "weir/engine/partition/partition_state.h"
#include "weir/engine/prefetch/prefetcher.h"
#include "weir/host/intake.h"
#include "weir/host/nics.h"
#include "weir/host/receive_delays.h"
#include "weir/host/receivers.h"
#include "weir/host/senders.h"
#include "weir/net/link/packet_visit.h"
#include "weir/net/link/recorder.h"
#include "weir/net/switch/links.h"
#include "weir/net/switch/pausing.h"
#include "weir/net/switch/switching.h"
#include "weir/net/switch/turns.h"
#include "weir/sim/heap_scheduler.h"
#include "weir/sim/node_scheduler.h"
#include "weir/sim/wheel_scheduler.h"

namespace weir::engine {

// Holds the state that all parts share. As the first base it is built before the parts, whose constructors look at it.
template <sim::Scheduler S, class T>
struct StateHolder {
  PartitionState<S, T> state;
};

template <sim::Scheduler S, class T>
class Partition final : private StateHolder<S, T>,
                        private net::Links<Partition<S, T>>,
                        private net::Switching<Partition<S, T>>,
                        private net::Turns<Partition<S, T>>,
                        private net::Pausing<Partition<S, T>>,
                        private host::Nics<Partition<S, T>>,
                        private host::Senders<Partition<S, T>>,
                        private host::Receivers<Partition<S, T>>,
                        private host::ReceiveDelays<Partition<S, T>>,
                        private host::Intake<Partition<S, T>>,
                        private Drivers<Partition<S, T>>,
                        private Prefetcher<Partition<S, T>> {
 public:
  using Tracer = T;  // net::NoTracer or net::Recorder
  static constexpr bool kOrdersWithinNode = S::kOrdersWithinNode;

  // `of_node` gives the partition of every node; this one is number `index` of `count`.
  Partition(const Model& model, Network& network, const std::vector<std::uint16_t>& of_node, std::uint16_t index,
            std::uint16_t count);

  // Called before the first event (Drivers::add). A driver that `tells_others` does so by Desk::post(), or by messages
  // that are skipped.
  void add_driver(traffic::Driver& driver, bool tells_others, Time lag);
  // Adds a flow of a host of this partition, which is not yet due; calls come in order of start.
  void add_flow(const traffic::Flow& flow);
  // Takes all events before `end`, or those of one pass (take_passes_singly()).
  void run_until(Time end);
  // Between calls of run_until(): whether each goes over the nodes of one side only (sim/node_scheduler.h). All
  // partitions do it alike, and hand over what they have for each other in between, until all are at an end.
  void take_passes_singly([[maybe_unused]] bool singly) {
    if constexpr (kOrdersWithinNode) shared().scheduler.take_passes_singly(singly);
  }
  bool is_at([[maybe_unused]] Time end) const {
    if constexpr (kOrdersWithinNode) return shared().scheduler.is_at(end);
    return true;
  }
  // Between passes: nothing happens in any partition before t.
  void pass_over([[maybe_unused]] Time t) {
    if constexpr (kOrdersWithinNode) shared().scheduler.pass_over(t);
  }
  // Moves what other partitions have to get into the mailboxes, by partition: what has begun to leave by cut links,
  // before `end` or as far as passes have come, and what their hosts have to know of messages.
  void hand_over(Time end, std::vector<Mailbox>& outboxes);
  void take_over(const Mailbox& inbox);
  // Whether the turns of nodes are longer if run_until() has a long way to go.
  bool has_long_turns() const {
    if constexpr (kOrdersWithinNode)
      return shared().scheduler.longest_turn() > turn_length(shared().model.topology, shared().network.soonest_news);
    return false;
  }
  std::uint32_t sides() const {
    if constexpr (kOrdersWithinNode) return static_cast<std::uint32_t>(shared().scheduler.sides());
    return 1;
  }
  // Whether no event is pending.
  bool idle() const { return shared().scheduler.empty(); }
  // Between epochs: the earliest instant at which something can happen in the partition or begin to leave it;
  // Time::max() = nothing will.
  Time earliest() const;
  // Tells the scheduler that nothing will happen before t. Only while idle().
  void skip_to(Time t) { shared().scheduler.skip_to(t); }

  // The functions up to watch() are called between epochs, before all else at `now`.

  // The link of this port of the partition has gone down.
  void take_down(std::uint32_t port, Time now);
  // No packet of this host begins to leave before `until`.
  void stall(std::uint32_t h, Time until, Time now);
  // A decision has come for a flow of this partition, if the flow is still there.
  void take_decision(const host::Question& question, const cc::Control& control, Time now);
  // The questions to whoever embeds the run; only if the tracer is on.
  host::Decisions& decisions() { return shared().decisions; }
  // The PFC watchdog of this partition's switches looks at their ports. Only if the model has one.
  void watch(Time now);
  // Routes packets by this from now on; it must outlive its use.
  void route_by(const net::Routing& routing, Time now) {
    switching().route_by(routing);
    nics().follow_routes(now);
  }

  bool owns_port(std::uint32_t port) const { return shared().mine(shared().network.ports[port].owner); }
  // Brings a port's counters up to date with all departures before `end`.
  void settle_before(std::uint32_t port, Time end);
  const Counters& counters() const { return shared().counters; }
  T& tracer() { return shared().tracer; }
  // Save and load what this partition holds, its ports, switches and hosts included, between epochs. It is loaded into
  // a partition that has just been built from the same model, of as many partitions; `now` is the end of the last
  // epoch.
  void save(Saver& a);
  void load(Loader& a, Time now);
  // How many of the drivers' tasks this partition's hosts have done.
  std::uint64_t tasks_done() const { return drivers().tasks_done(); }
  // The messages of a connection of this partition's host that are not acknowledged.
  std::span<const host::QueuedMessage> messages_of(std::uint32_t src, const host::Flow& flow) const;
  // Behind the message of the flow that its receiver waits for, a host of this partition, if it waits for one.
  std::optional<std::int64_t> expected_end(std::uint32_t src, const host::Flow& flow) const;
  // Flows that ended since the last call of clear(), those of one host in order of their end.
  std::vector<host::FlowRecord>& finished() { return senders().finished(); }
  // Calls visit(port, packet) for each packet that has been put on a port of this partition, or handed over to it, and
  // has not reached the port's far end.
  void for_each_packet(const net::PacketVisit& visit) const;
  // Whether a slow host of this partition has packets that it has not taken yet.
  bool has_untaken() const { return intake().holds_any(); }
  // Calls visit(port, packet) for each packet that waits at a port of this partition, but for pause and resume frames.
  void for_each_waiting(std::uint32_t port, const net::PacketVisit& visit) const;

 private:
  template <template <class> class Self, class P>
  friend class sim::PartitionPart;

  // Handles what the scheduler tells: which events are due soon, and the turns of nodes that take them at once.
  struct TurnHandler {
    Partition& self;
    void operator()(sim::Entity e, sim::Horizon due) const { self.prefetcher().on_ready(e, due); }
    void comes(std::uint32_t node, std::uint32_t by) const { self.prefetcher().on_coming(node, by); }
    bool takes(std::uint32_t node) const { return self.turns().takes_turn(node); }
    void take(sim::Entity e) const {
      // else a host wakes, which knows when
      if (const std::uint32_t port = e - self.shared().first_arrival; port < self.shared().ports)
        self.links_.push_back(port);
    }
    void end(std::uint32_t node, Time begun, Time until) const {
      self.turns().take_turn(node, self.links_, begun, until);
      self.links_.clear();
    }
  };

  // The number of records that the partition's packets must have.
  std::uint32_t bodies_on_their_way() const;
  // An event that is neither an arrival nor a host that wakes.
  [[gnu::noinline]] void on_rare(const sim::Event& event);
  template <class A>
  void archive(A& a, Time now);
  template <class A>
  void archive_events(A& a, Time now);

  PartitionState<S, T>& shared() { return StateHolder<S, T>::state; }
  const PartitionState<S, T>& shared() const { return StateHolder<S, T>::state; }
  net::Links<Partition>& links() { return *this; }
  const net::Links<Partition>& links() const { return *this; }
  net::Switching<Partition>& switching() { return *this; }
  const net::Switching<Partition>& switching() const { return *this; }
  net::Turns<Partition>& turns() { return *this; }
  const net::Turns<Partition>& turns() const { return *this; }
  net::Pausing<Partition>& pausing() { return *this; }
  host::Nics<Partition>& nics() { return *this; }
  host::Senders<Partition>& senders() { return *this; }
  const host::Senders<Partition>& senders() const { return *this; }
  host::Receivers<Partition>& receivers() { return *this; }
  const host::Receivers<Partition>& receivers() const { return *this; }
  host::ReceiveDelays<Partition>& receive_delays() { return *this; }
  const host::ReceiveDelays<Partition>& receive_delays() const { return *this; }
  host::Intake<Partition>& intake() { return *this; }
  const host::Intake<Partition>& intake() const { return *this; }
  Drivers<Partition>& drivers() { return *this; }
  const Drivers<Partition>& drivers() const { return *this; }
  Prefetcher<Partition>& prefetcher() { return *this; }
  const Prefetcher<Partition>& prefetcher() const { return *this; }

  std::vector<std::uint32_t> links_;  // of a turn
};

extern template class Partition<sim::WheelScheduler, net::NoTracer>;
extern template class Partition<sim::WheelScheduler, net::Recorder>;
extern template class Partition<sim::NodeScheduler, net::NoTracer>;
extern template class Partition<sim::NodeScheduler, net::Recorder>;
extern template class Partition<sim::HeapScheduler, net::NoTracer>;
extern template class Partition<sim::HeapScheduler, net::Recorder>;

}  // namespace weir::engine
