// The NICs of a partition's hosts and their schedulers: which flow sends next, timers, and when a host must be woken.
//
// A host has one pending event at most, for the earliest of: a flow that starts, a timer, a flow that may send.
//
// Where hosts have several ports, a flow whose packets take one path keeps to one of them, which the routes name by its
// entropy (net::Routing::nic), and waits in a queue of that port. A flow that sprays sends by whichever port is free,
// and waits in Host::ready; or, with load_balancing.ports = "entropy", by the port that the entropy of its next packet
// names, which is drawn when it begins to wait for that port. Ports are served round robin, and queues of ports and the
// common one alternately.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weir/host/host.h"
#include "weir/host/nic_timing.h"
#include "weir/net/link/packet.h"
#include "weir/net/port/port.h"
#include "weir/sim/partition_part.h"

namespace weir::host {

template <class P>
class Nics : public sim::PartitionPart<Nics, P> {
 public:
  template <class Model>
  explicit Nics(const Model& m);

  // Event: the host wakes.
  void on_wake(std::uint32_t h, Time now);
  // Where nodes take turns: the turn of host h begins, and ends before `until`. Until end_turn() the time of its event
  // is not scheduled, but only noted as Host::wake.
  void begin_turn(std::uint32_t h, Time until);
  void end_turn(std::uint32_t h);
  // Adds a flow that is not yet due; calls come in order of start.
  void add_flow(const traffic::Flow& flow);
  // Makes sure that the host's event is no later than `at`.
  void wake_by(std::uint32_t h, Time at);
  // Puts a flow that may have become able to send into the queue where it waits.
  void consider(Host& host, Flow& flow, Time now);
  // Makes sure that the flow's earliest deadline has an entry in the timer queue.
  void arm(Host& host, Flow& flow);
  // Sends what may be sent now, and schedules the host's event anew.
  void serve(std::uint32_t h, Time now);
  // Schedules the host's event anew, as what the host waits for may have changed.
  void update_wake(std::uint32_t h, Time now);
  // Puts flows that found their class paused back into the queues of flows that are ready.
  void unpark(std::uint32_t h, Time now);
  // Called when a port of host h is free, before it is given a packet of `wire` bytes: delays the packet until the NIC
  // is ready to begin with it.
  void make_ready(std::uint32_t h, std::uint32_t port, std::uint32_t wire, Time now) {
    if (sends_at_once_) [[likely]]
      return;
    hold_back(h, port, wire, now);
  }

  bool have_several_ports() const { return have_several_; }
  // The port by which a flow of this host leaves; the host's first one if the flow takes all ports.
  std::uint32_t port_of(const Host& host, const Flow& flow) const;
  // The rate at which a flow can leave this host: of a flow that takes all ports, that of all which lead to its
  // destination.
  Rate rate_of(const Host& host, const Flow& flow) const;
  // The same for the flow's path, of which `slowest` is the rate of the slowest link.
  Rate path_rate_of(const Host& host, const Flow& flow, Rate slowest) const;
  // Takes the entropy of the packet that a flow sends, if the entropies of its packets name their ports.
  std::uint32_t take_entropy(std::uint32_t h, const Flow& flow, Time now);
  // Notes that a packet has come to a host by this port of the host.
  void note_arrival(std::uint32_t port) { came_by_ = port; }
  // The port by which an answer to the packet that came last leaves.
  std::uint32_t port_of_answer(std::uint32_t h, const net::Packet& answer, Time now) {
    if (!answers_choose_) [[likely]]
      return came_by_;
    return choose_for_answer(h, answer.dst, answer.entropy, answer.profile, answer.traffic_class, now);
  }
  // The routes have changed: flows whose port does not lead to their destination any more move to one that does.
  void follow_routes(Time now);

  template <class A>
  void archive(A& a) {
    for (NicTiming& timing : timings_) timing.archive(a);
    a.values(takes_from_);
    for (HostPorts& host : several_) host.archive(a);
  }

 private:
  using Base = sim::PartitionPart<Nics, P>;
  using Base::drivers;
  using Base::model;
  using Base::network;
  using Base::pausing;
  using Base::prefetcher;
  using Base::receivers;
  using Base::scheduler;
  using Base::senders;
  using Base::shared;
  using Base::switching;

  // A port of a host that has several.
  struct OwnPort {
    std::uint32_t port = 0;
    SlotQueue ready;
    std::vector<SlotQueue::Entry> parked;  // as Host::parked
    std::optional<NicTiming> timing;       // none if NICs are ideal
    bool skips_common = false;             // no flow that waits in Host::ready may send by this port

    template <class A>
    void archive(A& a) {
      ready.archive(a);
      a.values(parked);
      if (timing) timing->archive(a);
    }
  };
  // The entropy of a flow's next packet.
  struct Drawn {
    std::uint32_t generation = 0;  // of the flow
    std::uint32_t entropy = 0;
    bool is_there = false;
  };
  struct HostPorts {
    std::vector<OwnPort> ports;
    std::vector<Drawn> drawn;     // by slot
    std::uint32_t last = 0;       // index of the port that has sent last
    bool common_is_next = false;  // Host::ready, before the queue of a port

    template <class A>
    void archive(A& a) {
      for (OwnPort& own : ports) own.archive(a);
      a.each(drawn, [&](Drawn& d) {
        a.value(d.generation);
        a.value(d.entropy);
        a.value(d.is_there);
      });
      a.value(last);
      a.value(common_is_next);
    }
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  template <class Model>
  void find_ports(const Model& m);
  std::uint32_t number_of(const Host& host) const;
  OwnPort& own_port(std::uint32_t h, std::uint32_t port);
  std::uint32_t next_entropy(std::uint32_t h, const Flow& flow, Time now);
  std::uint32_t port_of_next(std::uint32_t h, const Flow& flow, Time now);
  [[gnu::noinline]] void make_ready_of_several(Host& host, Flow& flow, Time now);
  [[gnu::noinline]] void serve_several(std::uint32_t h, Time now);
  bool is_paused(const net::Port& port, const Flow& flow) const;
  bool take_turn(std::uint32_t h, Flow& flow, std::uint32_t port, Time now);
  bool send_own(std::uint32_t h, OwnPort& own, Time now);
  bool send_common(std::uint32_t h, OwnPort& own, Time now);
  [[gnu::noinline]] Time wake_of_several(std::uint32_t h, Time now) const;
  // Takes the fields of the answer one by one, so that callers need not put a packet together.
  [[gnu::noinline]] std::uint32_t choose_for_answer(std::uint32_t h, std::uint32_t dst, std::uint32_t entropy,
                                                    std::uint16_t profile, net::TrafficClass c, Time now);
  std::uint32_t idle_port(std::uint32_t h, std::uint32_t dst, net::TrafficClass c, Time now);
  void send_by(std::uint32_t h, const net::Port& nic, Time now);
  Time wake_of_one(const Host& host, const net::Port& nic, Time now) const;
  void wake_at(std::uint32_t h, Time sends);
  void schedule_wake(std::uint32_t h, Time at);
  void run_timers(std::uint32_t h, Time now);
  [[gnu::noinline]] void hold_back(std::uint32_t h, std::uint32_t port, std::uint32_t wire, Time now);

  const net::ClassSet all_classes_;
  const bool is_ideal_;
  const bool sends_at_once_;        // NICs are ideal, and as fast as their ports
  std::vector<NicTiming> timings_;  // by host; empty if all NICs are ideal, or hosts have several ports
  std::vector<Time> takes_from_;    // by host: when its NIC takes the next packet; empty without host.nic_rate
  std::vector<HostPorts> several_;  // by host; empty if all hosts have one port
  const bool have_several_;         // `several_` is not empty
  const bool answers_choose_;       // some answers do not leave by the port by which their data came
  std::uint32_t came_by_ = 0;       // the port of a host at which a packet has just arrived
  std::uint32_t in_turn_ = kNone;   // the host whose turn it is
  Time scheduled_;                  // the time of that host's event; max = it has none
};

}  // namespace weir::host
