// Where nodes take turns (sim/node_scheduler.h): all that happens at a switch, or at a host, within one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/net/link/packet.h"
#include "weir/net/port/port.h"
#include "weir/sim/partition_part.h"

namespace weir::net {

// A host of a partition.
struct OwnHost {
  std::uint32_t number;
  std::uint32_t port;  // its NIC's
};

template <class P>
class Turns : public sim::PartitionPart<Turns, P> {
 public:
  Turns();

  // The hosts of this partition, by node.
  std::span<const OwnHost> own_hosts() const { return own_hosts_; }
  // May this node, by its number in the partition, take its turn at once?
  bool takes_turn(std::uint32_t node) const;
  // The turn of such a node: all that happens there from `begun` on, before `until`. By the links of these ports
  // something arrives; that may be none at a host, which then wakes.
  [[gnu::noinline]] void take_turn(std::uint32_t node, std::span<const std::uint32_t> arriving, Time begun, Time until);

 private:
  using Base = sim::PartitionPart<Turns, P>;
  using Base::counters;
  using Base::links;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::prefetcher;
  using Base::scheduler;
  using Base::shared;
  using Base::switching;

  // A packet that arrives at a switch during its turn.
  struct BatchedPacket {
    std::uint64_t key;  // time since the turn began << kIngressBits | ingress
    Descriptor* packet;
    friend bool operator<(const BatchedPacket& a, const BatchedPacket& b) { return a.key < b.key; }
  };
  static constexpr int kIngressBits = 16;
  static constexpr std::uint64_t kIngressMask = (std::uint64_t{1} << kIngressBits) - 1;
  static Time time_of(const BatchedPacket& c, Time begun) {
    return {begun.ps + static_cast<std::int64_t>(c.key >> kIngressBits)};
  }
  static std::uint32_t ingress_of(const BatchedPacket& c) { return static_cast<std::uint32_t>(c.key & kIngressMask); }
  struct OwnSwitch {
    std::uint32_t number;
    std::int64_t most_in_turn;  // bytes that can arrive during a turn, at most
  };
  static constexpr std::size_t kFewToSort = 128;  // more packets of a port are sorted by std::sort
  static constexpr std::size_t kWorthBooks = 3;   // for fewer packets at a port, its books are not copied
  // What has arrived in a turn, for the counters.
  struct Tally {
    std::uint64_t events = 0;
    std::uint64_t packets = 0;
    std::uint64_t data = 0;
  };
  void prepare();
  // No class is paused there, and no pause or resume frame waits: port_batch.h serves it.
  static bool is_unpaused(const Port& p) { return p.paused == 0 && p.pending_control == 0; }
  [[gnu::noinline]] void take_turn_of_host(const OwnHost& own, bool some_arrive, Time until);
  void wake_until(std::uint32_t h, Time until);
  template <class Wire>
  void serve_host(std::uint32_t h, std::uint32_t port, Wire wire, Time until);
  template <class Take>
  [[gnu::always_inline]] void with_wire(std::uint32_t port, Take&& take);
  template <class Wire>
  void drain_link(std::uint32_t s, std::uint32_t port, std::uint32_t ingress, Wire wire, Time begun, Time until,
                  Tally& tally);
  template <class Wire>
  void finish_link(const Wire& wire, std::uint32_t port, Time next);
  [[gnu::always_inline]] void collect_arrival(std::uint32_t s, std::uint32_t port, std::uint32_t ingress,
                                              Descriptor& packet, Time begun, Time at, Tally& tally);
  std::uint32_t egress_index(std::uint32_t s, std::uint32_t ingress, const Descriptor& packet, Time now);
  void count(const Tally& tally);
  void forward_batch(std::uint32_t s, std::uint32_t port, std::vector<BatchedPacket>& coming, Time begun, Time until);
  [[gnu::noinline]] void forward_batch_sorted(std::uint32_t s, std::uint32_t port, std::vector<BatchedPacket>& coming,
                                              Time begun, Time until);
  void forward_batch_singly(std::uint32_t s, std::uint32_t port, std::span<const BatchedPacket> coming, Time begun,
                            Time until);
  template <class Books, bool kShared>
  [[gnu::noinline]] void forward_batch_in_registers(std::uint32_t s, std::uint32_t port,
                                                    std::span<const BatchedPacket> coming, Time begun, Time until);
  std::span<const BatchedPacket> sorted_by_arrival(std::vector<BatchedPacket>& coming, BatchedPacket* few) const;

  std::vector<OwnHost> own_hosts_;                     // of this partition, in order ...
  bool hosts_take_turns_ = false;                      // ... and whether they take their turns at once
  std::vector<OwnSwitch> own_switches_;                // its switches that may take their turns at once, in order
  ZeroedArray<std::uint16_t> local_;                   // Port::local, by port, without the rest of the port
  std::vector<std::vector<BatchedPacket>> by_egress_;  // during a turn, by the index of the port that they leave by
  std::vector<std::uint64_t> egresses_with_packets_;   // a bit for each of those: some are coming
  std::uint8_t share_shift_ = 0;   // a key of BatchedPacket shifted by it: which of at most 64 equal parts of a turn
  std::uint8_t ingress_bits_ = 0;  // bits of the largest ingress
  bool keys_are_short_ = false;    // a time within a turn and an ingress fit into 31 bits
  bool frames_come_ = false;       // during a turn: a pause or resume frame has arrived
};

}  // namespace weir::net
