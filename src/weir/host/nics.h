// The NICs of a partition's hosts and their schedulers: which flow sends next, timers, and when a host must be woken.
//
// A host has one pending event at most, for the earliest of: a flow that starts, a timer, a flow that may send.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/host/host.h"
#include "weir/host/nic_timing.h"
#include "weir/net/link/packet.h"
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
  // Puts a flow that may have become able to send where its turn will come.
  void consider(Host& host, Flow& flow, Time now);
  // Makes sure that the flow's earliest deadline has an entry in the timer queue.
  void arm(Host& host, Flow& flow);
  // Sends what may be sent now: at most one packet, since the link is busy afterwards.
  void serve(std::uint32_t h, Time now);
  // Schedules the host's event anew, as what the host waits for may have changed.
  void update_wake(std::uint32_t h, Time now);
  // Gives flows that found their class paused their turn again.
  void unpark(std::uint32_t h, Time now);
  // Called when the NIC of host h is free, before it is given a packet of so many bytes: the NIC begins with the packet
  // when it is ready.
  void make_ready(std::uint32_t h, std::uint32_t wire, Time now) {
    if (!timings_.empty()) [[unlikely]]
      hold_back(h, wire, now);
  }

  template <class A>
  void archive(A& a) {
    for (NicTiming& timing : timings_) timing.archive(a);
  }

 private:
  using Base = sim::PartitionPart<Nics, P>;
  using Base::messages;
  using Base::model;
  using Base::network;
  using Base::pausing;
  using Base::prefetcher;
  using Base::receivers;
  using Base::scheduler;
  using Base::senders;
  using Base::shared;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  void schedule_wake(std::uint32_t h, Time at);
  void run_timers(std::uint32_t h, Time now);
  [[gnu::noinline]] void hold_back(std::uint32_t h, std::uint32_t wire, Time now);

  const net::ClassSet all_classes_;
  std::vector<NicTiming> timings_;  // by host; empty if all NICs are ideal
  std::uint32_t in_turn_ = kNone;   // the host whose turn it is ...
  Time scheduled_;                  // ... and the time of its event; max = it has none
};

}  // namespace weir::host
