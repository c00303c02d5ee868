// A part of the network with its own events: what one thread runs.
//
// A partition runs from one epoch's end to the next without looking outside. Links to other
// partitions are cut: at the end of an epoch the packets that have begun to leave by them are
// handed over, with the time of their arrival. No epoch is longer than the shortest cut link, so
// nothing arrives in the past. Events are ordered by (time, entity) alone, hence the results do
// not depend on the number of partitions.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/telemetry.h"
#include "weir/engine/counters.h"
#include "weir/engine/model.h"
#include "weir/engine/network.h"
#include "weir/host/reassembly.h"
#include "weir/host/scoreboard.h"
#include "weir/sim/heap_scheduler.h"
#include "weir/sim/wheel_scheduler.h"

namespace weir::engine {

// A packet that crosses into another partition; its records are named by their places in the mailbox.
struct HandedOver {
  net::Packet packet;  // departs = its arrival
  std::uint32_t port = 0;
};
// Of a program: a message has started, its flow in this slot of its sender.
struct Expected {
  std::uint32_t node = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};
// An event that the node waits for takes effect then.
struct Signal {
  std::uint32_t node = 0;
  Time at;
};
struct News {
  std::vector<Expected> expected;
  std::vector<Signal> signals;

  void clear() {
    expected.clear();
    signals.clear();
  }
};
struct Mailbox {
  std::vector<HandedOver> packets;
  std::vector<Telemetry> telemetry;
  std::vector<host::Sack> sacks;
  News news;

  bool empty() const { return packets.empty() && news.expected.empty() && news.signals.empty(); }
  void clear() {
    packets.clear();
    telemetry.clear();
    sacks.clear();
    news.clear();
  }
};

// Records that packets name by index, reused.
template <class Record>
class Pool {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      records_.emplace_back();
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t i = free_.back();
    free_.pop_back();
    return i;
  }
  void give(std::uint32_t i) { free_.push_back(i); }
  Record& operator[](std::uint32_t i) { return records_[i]; }

 private:
  LargePageVector<Record> records_;
  std::vector<std::uint32_t> free_;
};

// Blocks for flows and their algorithms' states, one size per profile, reused.
class FlowPool {
 public:
  host::Flow* take(std::uint16_t profile, std::size_t state_size);
  void give(std::uint16_t profile, host::Flow* flow) { free_[profile].push_back(flow); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::vector<std::vector<host::Flow*>> free_;
  std::vector<LargePageVector<Line>> chunks_;
};

template <sim::Scheduler S>
class Partition {
 public:
  // `of_node` gives the partition of every node; this one is number `index` of `count`.
  Partition(const Model& model, Network& network, const std::vector<std::uint16_t>& of_node, std::uint16_t index,
            std::uint16_t count);

  // Before the first event: messages that start by themselves. What concerns another host takes effect `lag` later, at
  // least the longest epoch if there are several partitions. The program must outlive this.
  void load(const traffic::Program& program, Time lag);
  // Its nodes of this partition that have ended.
  std::uint64_t nodes_done() const { return nodes_done_; }
  // A flow of a host of this partition, not yet due; calls come in order of start.
  void add_flow(const traffic::Flow& flow);
  // All events before `end`.
  void run_until(Time end);
  // Moves what has begun to leave before `end` by cut links into the mailboxes, by partition.
  void hand_over(Time end, std::vector<Mailbox>& outboxes);
  void take_over(const Mailbox& inbox);
  // Between epochs, before all else at `now`: the link of this port of the partition has gone down.
  void take_down(std::uint32_t port, Time now);
  // The same: no packet of this host begins to leave before `until`.
  void stall(std::uint32_t h, Time until, Time now);
  // The same: the PFC watchdog of this partition's switches looks at their ports. Only if the model has one.
  void watch(Time now);
  // Packets find their way by this from now on; it must outlive its use.
  void route_by(const net::Routing& routing) { routing_ = &routing; }
  bool owns_port(std::uint32_t port) const { return mine(network_.ports[port].owner); }
  // Brings a port's counters up to date with all departures before `end`.
  void settle_before(std::uint32_t port, Time end) { settle(network_.ports[port], {end.ps - 1}); }

  bool idle() const { return scheduler_.empty(); }
  // Only while idle: nothing will happen before t.
  void skip_to(Time t) { scheduler_.skip_to(t); }
  const Counters& counters() const { return counters_; }
  // Flows that ended since the last call of clear(), in order of their end.
  std::vector<host::FlowRecord>& finished() { return finished_; }
  // Calls visit(port, packet) for each packet that has been put on a port of this partition, or handed over to it, and
  // has not reached the port's far end.
  template <class Visit>
  void for_each_packet(Visit&& visit) const {
    const auto all = [&](std::uint32_t port, const net::PacketRing& ring) {
      for (std::uint32_t at = ring.head; at != ring.tail; ++at) visit(port, ring[at]);
    };
    for (std::uint32_t id = 0; id < ports_; ++id) {
      if (!inbound_.empty() && inbound_[id] != ~std::uint32_t{0}) all(id, wires_[inbound_[id]]);
      const net::Port& p = network_.ports[id];
      if (!mine(p.owner)) continue;
      all(id, p.ring);
      if (p.kind == net::PortKind::fifo) continue;
      const net::ClassQueues& queues = network_.queues[p.queues];
      all(id, queues.control);
      for (const net::PacketRing& waiting : queues.waiting) all(id, waiting);
    }
  }
  // Calls visit(src, flow) for each active flow of this partition's hosts, by host and slot.
  template <class Visit>
  void for_each_active(Visit&& visit) const {
    for (std::uint32_t h = 0; h < network_.hosts.size(); ++h)
      if (mine(h))
        for (const host::Flow* f : network_.hosts[h].flows)
          if (f != nullptr) visit(h, *f);
  }

 private:
  using Packet = net::Packet;
  using Port = net::Port;

  bool mine(std::uint32_t node) const { return of_node_[node] == index_; }
  // Null if nothing watches this port.
  net::PauseWatch* watch_of(const Port& p) const {
    if (network_.watches.empty() || !p.at_switch) return nullptr;
    return &network_.watches[static_cast<std::size_t>(&p - network_.ports.data())];
  }

  // Entities in the order in which they act at one instant: departures, arrivals, hosts.
  sim::Entity departure_of_port(std::uint32_t port) const { return port; }
  sim::Entity departures_of_switch(std::uint32_t s) const { return ports_ + s; }
  sim::Entity arrival(std::uint32_t port) const { return ports_ + switches_ + port; }
  sim::Entity wake(std::uint32_t h) const { return 2 * ports_ + switches_ + h; }

  void prefetch();
  void prefetch_node(std::uint32_t port) const;
  void prefetch_behind(std::uint32_t port) const;
  void prefetch_selective(std::uint32_t port) const;
  void prefetch_senders() const;
  std::uint32_t departs_by(std::uint32_t port) const;

  // network (partition_net.h)
  void on_arrival(std::uint32_t port, Time now);
  void on_departure(std::uint32_t port, Time now);
  void on_departures(std::uint32_t s, Time now);
  void leave(Port& p, std::uint32_t port, Packet& packet);
  void lose(Port& p, std::uint32_t port, Packet& packet);
  void deliver(std::uint32_t port, std::uint32_t node, std::uint32_t ingress, Packet& packet, Time now);
  void deliver_apart(std::uint32_t port, const Packet& packet, Time now);
  void forward(std::uint32_t s, std::uint32_t ingress, Packet& packet, Time now);
  std::uint16_t next_in_turn(std::uint32_t s, std::uint16_t n);
  void begin_round(std::uint32_t s);
  std::uint32_t choose(std::uint32_t s, const Packet& packet, Time now);
  std::uint32_t load(std::uint32_t port, Time now);
  bool trim(std::uint32_t s, Port& out, Packet& packet);
  bool admit(std::uint32_t s, std::uint32_t ingress, Port& out, Packet& packet, Time now);
  void settle(Port& p, Time now);
  void release(std::uint32_t s, const Packet& packet, Time now);
  void after_accept(std::uint32_t s, Port& out, const Packet& placed, Time now);
  void schedule_departures(std::uint32_t s);
  void start_next(Port& p, std::uint32_t port, Time now);
  void send_control(std::uint32_t port, net::PacketKind kind, net::TrafficClass of, Time now);
  void set_paused(std::uint32_t port, net::TrafficClass of, bool paused, Time now);
  std::uint32_t queued_for(const Port& p, net::TrafficClass c, bool alone) const;
  void unpark(std::uint32_t h, Time now);
  void restart(Port& p, std::uint32_t port, Time now);
  void refresh_first(Port& p, std::uint32_t port);
  void begin_storm(std::uint32_t port, net::TrafficClass c, Time now);
  void drop_in_storm(net::PauseWatch& watch, const Packet& packet);
  void send(std::uint32_t port, const Packet& packet, Time now);
  void discard(const Packet& packet);

  // hosts (partition_host.h, partition_sender.h, partition_receiver.h)
  void on_wake(std::uint32_t h, Time now);
  host::Flow& start_flow(std::uint32_t h, const traffic::Flow& flow, Time now);
  std::uint32_t connect(host::Host& host, const traffic::Flow& flow);
  void board_on_ramp(host::Host& host, host::Flow& flow, const cc::OnRamp::Params& params);
  void finish_flow(std::uint32_t h, host::Flow& flow, Time now);
  void receive(std::uint32_t h, Packet& packet, Time now);
  void receive_data(std::uint32_t h, Packet& packet, Time now);
  void report_arrival(std::uint32_t h, host::Receiver& r, const Packet& packet, Time now);
  void receive_feedback(std::uint32_t h, Packet& packet, Time now);
  void receive_trim_notice(host::Host& host, host::Flow& flow, const Packet& packet, Time now);
  void receive_or_ack(host::Host& host, host::Flow& flow, const Packet& packet, Time now);
  void notify_congestion(host::Flow& flow, Time now);
  void acknowledge(host::Host& host, host::Flow& flow, const Packet& packet, Time now);
  void note_scoreboard(host::Host& host, host::Flow& flow, const host::Scoreboard& board);
  void find_losses(host::Host& host, host::Flow& flow, const host::Scoreboard::News& news, Time now);
  void hold(host::Host& host, host::Flow& flow) const;
  void note_delivery(host::Host& host, const host::Flow& flow, const Packet& packet, Time now);
  void sample_delivery(host::Host& host, const host::Flow& flow, const Packet& packet, cc::Ack& ack);
  void report_loss(host::Flow& flow, cc::Loss::Kind kind, Bytes first, Bytes lost, Bytes in_flight, Time now,
                   Bytes in_a_row = {});
  void go_back(host::Host& host, host::Flow& flow, cc::Loss::Kind kind, Time now);
  void time_out(host::Host& host, host::Flow& flow, Time now);
  void transmit(std::uint32_t h, host::Flow& flow, Time now);
  void consider(host::Host& host, host::Flow& flow, Time now);
  void serve(std::uint32_t h, Time now);
  void run_timers(std::uint32_t h, Time now);
  void arm(host::Host& host, host::Flow& flow);
  void update_wake(std::uint32_t h, Time now);
  void repace(host::Flow& flow);
  Time timeout(const host::Flow& flow) const;
  bool asks(const host::Flow& flow, const Packet& packet) const;
  void watch_for_timeout(host::Flow& flow, std::int64_t payload, Time now) const;
  std::int64_t few_bytes(const host::RecoveryParams& recovery) const {
    return recovery.rto_low_packets * model_.transport.payload.count;
  }
  net::TrafficClass ack_class(net::TrafficClass of_data) const {
    return model_.transport.ack_class == host::AckClass::priority ? net::TrafficClass::priority : of_data;
  }
  host::Receiver& receiver(std::uint32_t src, std::uint32_t slot);
  host::Receiver& begin_flow(std::uint32_t src, std::uint32_t slot, std::uint32_t generation, std::uint16_t profile);
  host::Reassembly& reassembly(std::uint32_t src, std::uint32_t slot);

  // programs (partition_program.h)
  bool is_message(std::uint64_t flow_id) const { return program_ != nullptr && flow_id < program_->size(); }
  void make_due(std::uint32_t node, Time ready);
  void run_node(std::uint32_t node, Time now);
  void end_node(std::uint32_t node, Time now);
  void expect(const Expected& message);
  void finish_message(std::uint32_t src, std::uint32_t slot, Time now);
  void happened(std::uint32_t node, traffic::Event event, std::uint32_t where, Time now);
  void note(std::uint32_t node, Time at);
  void hand_over_news(std::vector<Mailbox>& outboxes);
  void take_over_news(const News& news);

  const Model& model_;
  Network& network_;
  const std::vector<std::uint16_t>& of_node_;
  const std::uint16_t index_;
  const std::uint32_t hosts_;
  const std::uint32_t ports_;
  const std::uint32_t switches_;
  const sim::Entity first_arrival_;
  const net::ClassRules class_rules_;
  const net::ClassSet all_classes_;
  const bool prefetch_;
  const bool deep_prefetch_;
  const net::Routing* routing_;
  Time now_;
  S scheduler_;
  Pool<Telemetry> telemetry_;
  Pool<host::Sack> sacks_;
  IntFormat int_format_;
  bool exact_telemetry_;
  FlowPool flows_;
  std::vector<LargePageVector<host::Receiver>> receivers_;       // by sender, then slot
  std::vector<LargePageVector<host::Reassembly>> reassemblies_;  // the same, of selective flows
  std::vector<std::uint32_t> cut_ports_;                         // of this partition, towards others
  std::vector<std::uint32_t> inbound_;                           // by port: index into wires_, or ~0; empty if alone
  std::vector<net::PacketRing> wires_;                           // handed over, not yet arrived
  std::vector<host::FlowRecord> finished_;
  Counters counters_;
  std::vector<std::uint16_t> data_header_;  // by profile: wire bytes beyond the payload
  std::vector<std::uint16_t> ack_wire_;     // by profile
  std::vector<std::uint32_t> tied_;         // of choose()
  std::vector<Time> thresholds_;            // by profile: T of On-Ramp
  const traffic::Program* program_ = nullptr;
  Time lag_;
  std::vector<std::vector<std::uint32_t>> messages_;  // by sender, then slot: the node that a receiver here expects
  News news_;                                         // for other partitions
  std::uint64_t nodes_done_ = 0;
  bool departing_ = false;  // inside on_departures: ports not yet reached have not departed
};

extern template class Partition<sim::WheelScheduler>;
extern template class Partition<sim::HeapScheduler>;

}  // namespace weir::engine
