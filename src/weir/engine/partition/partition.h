// Partition: a part of the network with its own events, which one thread advances.
//
// A partition runs from one epoch's end to the next without looking outside. Links to other
// partitions are cut: at the end of an epoch the packets that have begun to leave by them are
// handed over, with the time of their arrival. No epoch is longer than the delay of the shortest cut link, so
// nothing arrives in the past. Events of a node are ordered by (time, entity) alone, hence the results do
// not depend on the number of partitions.
//
// Its parts (sim/partition_part.h) handle events; the partition takes events from the scheduler, and shows its state
// between epochs (parallel/partitions.h).
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

  // Called before the first event (Drivers::add). `tells_others` is true if the driver tells other hosts something
  // without packets: by Desk::post() or Desk::move(), or because messages are skipped.
  void add_driver(traffic::Driver& driver, bool tells_others, Time lag);
  // Adds a flow of a host of this partition, which is not yet due; calls come in order of start.
  void add_flow(const traffic::Flow& flow);
  // Takes all events before `end`, or those of one pass (take_passes_singly()).
  void run_until(Time end);
  // Called between calls of run_until(): whether each call takes a single pass, over the nodes of one side
  // (sim/node_scheduler.h). All partitions do the same, and hand over mail after each pass, until all have reached the
  // end (is_at()).
  void take_passes_singly([[maybe_unused]] bool singly) {
    if constexpr (kOrdersWithinNode) shared().scheduler.take_passes_singly(singly);
  }
  bool is_at([[maybe_unused]] Time end) const {
    if constexpr (kOrdersWithinNode) return shared().scheduler.is_at(end);
    return true;
  }
  // Called between passes: nothing happens in any partition before t.
  void pass_over([[maybe_unused]] Time t) {
    if constexpr (kOrdersWithinNode) shared().scheduler.pass_over(t);
  }
  // Moves what other partitions have to get into the mailboxes, by partition: packets that have begun to leave by cut
  // links, before `end` or as far as passes have come, and what their hosts have to know of messages.
  void hand_over(Time end, std::vector<Mailbox>& outboxes);
  void take_over(const Mailbox& inbox);
  // Whether nodes have longer turns if run_until() has a long way to go.
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

  // Called when the link of this port of the partition has gone down.
  void take_down(std::uint32_t port, Time now);
  // From now until `until`, no packet of this host begins to leave.
  void stall(std::uint32_t h, Time until, Time now);
  // Takes a decision for a flow of this partition, if the flow is still active.
  void take_decision(const host::Question& question, const cc::Control& control, Time now);
  // The questions to the program that embeds the run; only if the tracer is on.
  host::Decisions& decisions() { return shared().decisions; }
  // Lets the PFC watchdog look at the ports of this partition's switches. Only if the model has a watchdog.
  void watch(Time now);
  // Routes packets by `routing` from now on; it must outlive its use.
  void route_by(const net::Routing& routing, Time now) {
    switching().route_by(routing);
    nics().follow_routes(now);
  }

  bool owns_port(std::uint32_t port) const { return shared().mine(shared().network.ports[port].owner); }
  // Brings a port's counters up to date with all departures before `end`.
  void settle_before(std::uint32_t port, Time end);
  const Counters& counters() const { return shared().counters; }
  T& tracer() { return shared().tracer; }
  // Save and load the state of this partition, its ports, switches and hosts included, between epochs. The state is
  // loaded into a partition that has just been built from the same model, with the same number of partitions; `now` is
  // the end of the last epoch.
  void save(Saver& a);
  void load(Loader& a, Time now);
  // How many of the drivers' tasks this partition's hosts have done.
  std::uint64_t tasks_done() const { return drivers().tasks_done(); }
  // The messages of a connection of this partition's host that are not acknowledged.
  std::span<const host::QueuedMessage> messages_of(std::uint32_t src, const host::Flow& flow) const;
  // The end of the message of the flow that its receiver, a host of this partition, waits for; nothing if it waits for
  // none.
  std::optional<std::int64_t> expected_end(std::uint32_t src, const host::Flow& flow) const;
  // Flows that have ended since the vector was last cleared, those of one host in order of their end.
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

  // Handles what the scheduler tells: which events are due soon, and the turns of nodes whose events are taken at once.
  struct TurnHandler {
    Partition& self;
    void operator()(sim::Entity e, sim::Horizon due) const { self.prefetcher().on_ready(e, due); }
    void comes(std::uint32_t node, std::uint32_t by) const { self.prefetcher().on_coming(node, by); }
    bool takes(std::uint32_t node) const { return self.turns().takes_turn(node); }
    void take(sim::Entity e) const {
      // any other entity is a host that wakes, and the host itself knows when
      if (const std::uint32_t port = e - self.shared().first_arrival; port < self.shared().ports)
        self.links_.push_back(port);
    }
    void end(std::uint32_t node, Time begun, Time until) const {
      self.turns().take_turn(node, self.links_, begun, until);
      self.links_.clear();
    }
  };

  // The number of records that are in use by the partition's packets.
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

  std::vector<std::uint32_t> links_;  // on which there are arrivals in the present turn
};

extern template class Partition<sim::WheelScheduler, net::NoTracer>;
extern template class Partition<sim::WheelScheduler, net::Recorder>;
extern template class Partition<sim::NodeScheduler, net::NoTracer>;
extern template class Partition<sim::NodeScheduler, net::Recorder>;
extern template class Partition<sim::HeapScheduler, net::NoTracer>;
extern template class Partition<sim::HeapScheduler, net::Recorder>;

}  // namespace weir::engine
