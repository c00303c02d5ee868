// The receiving ends of the flows towards a partition's hosts.
//
// With go-back-N a receiver takes packets in order only, reports a gap with a NACK, and acknowledges every packet that
// it takes and every duplicate. With selective recovery it keeps packets that come out of order, and acknowledges every
// packet with what it has.
//
// A receiver also sends OR-ACKs and credits. Whether it does is decided in on_data(), which is told of the data of
// flows with On-Ramp or credits, and at a timer of its host.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/host/credits.h"
#include "weir/host/flow.h"
#include "weir/host/reassembly.h"
#include "weir/host/transport.h"
#include "weir/net/link/packet.h"
#include "weir/sim/partition_part.h"

namespace weir::host {

// What all acknowledgements of a profile have in common.
struct AckFrame {
  std::uint16_t wire = 0;
  std::uint16_t flags = 0;
};

template <class P>
class Receivers : public sim::PartitionPart<Receivers, P> {
 public:
  // Reads the profiles of the model.
  template <class Model>
  Receivers(const Model& m, bool sparse);

  // Handles a packet that has arrived at host h.
  void receive(std::uint32_t h, const net::Packet& packet, Time now);
  // Handles a timer of host h (kReceiverSlot) that is due.
  [[gnu::noinline]] void on_timer(std::uint32_t h, Time now);
  // Notes that the flow in this slot of a sender carries a message that ends before byte `end` (Drivers).
  void expect_end(std::uint32_t src, std::uint32_t slot, std::int64_t end) { receiver(src, slot).end = end; }
  // Begins a new flow in this slot of a sender.
  [[gnu::noinline]] Receiver& begin_flow(std::uint32_t src, std::uint32_t slot, std::uint32_t generation,
                                         std::uint16_t profile);

  template <class A>
  void archive(A& a) {
    a.each(known_, [&](Sender& sender) {
      a.value(sender.host);
      a.values(sender.receivers);
      a.each(sender.reassemblies, [&](Reassembly& r) { r.archive(a); });
    });
    for (Credits& credits : credits_) credits.archive(a);
    if constexpr (A::kLoads)
      for (std::size_t i = 0; i < known_.size(); ++i) places_[known_[i].host] = static_cast<std::uint32_t>(i + 1);
  }

  // Prefetches the lists of this sender's flows; the next two functions go on from there, in this order.
  void prefetch_lists(std::uint32_t src) const {
    if (const std::uint32_t place = places_[src]; place != 0) prefetch_line(&known_[place - 1]);
  }
  // Prefetches a flow's entries in these lists.
  void prefetch_entries(std::uint32_t src, std::uint32_t slot) const {
    const std::uint32_t place = places_[src];
    if (place == 0) return;
    const Sender& sender = known_[place - 1];
    if (slot < sender.receivers.size()) prefetch_object(&sender.receivers[slot]);
    if (slot < sender.reassemblies.size()) prefetch_object(&sender.reassemblies[slot]);
  }
  // Prefetches the bitmap of the flow's reassembly.
  void prefetch_bitmap(std::uint32_t src, std::uint32_t slot) const {
    const std::uint32_t place = places_[src];
    if (place == 0) return;
    const Sender& sender = known_[place - 1];
    if (slot < sender.reassemblies.size()) sender.reassemblies[slot].prefetch();
  }

 private:
  using Packet = net::Packet;
  using Base = sim::PartitionPart<Receivers, P>;
  using Base::counters;
  using Base::drivers;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::packets;
  using Base::receive_delays;
  using Base::senders;
  using Base::shared;
  using Base::switching;

  template <class List>
  [[gnu::cold]] static void grow(List& list, std::size_t size) {
    list.resize(size);
  }
  // A host that has sent to one of the partition's hosts, with the receiving ends of its flows by slot.
  struct alignas(64) Sender {
    LargePageVector<Receiver> receivers;
    LargePageVector<Reassembly> reassemblies;  // of selective flows
    std::uint32_t host = 0;
  };

  Sender& sender(std::uint32_t src);
  [[gnu::cold]] void know(std::uint32_t src);
  Receiver& receiver(std::uint32_t src, std::uint32_t slot);
  Reassembly& reassembly(std::uint32_t src, std::uint32_t slot);
  // What became of the bytes of a data packet.
  struct Arrival {
    bool taken = false;
    bool gap = false;     // bytes in front of it are missing, or its own are; go-back-N drops it
    bool silent = false;  // ... and the gap has been reported just now
    bool known = false;   // trimmed, and nothing is missing
  };
  struct Answer {
    std::int64_t seq = 0;
    std::uint16_t flags = 0;
    bool is_nack = false;
    bool has_sack = false;
  };
  void receive_data(std::uint32_t h, const Packet& packet, Time now);
  [[gnu::always_inline]] Arrival take(Receiver& r, const Packet& packet, bool stale, std::int64_t span, Time now);
  [[gnu::always_inline]] bool notify(std::uint32_t h, Receiver& r, const Packet& packet, Time now);
  [[gnu::always_inline]] void send_ack(std::uint32_t h, const Packet& packet, Answer what, Time now);
  [[gnu::cold]] void return_probe(std::uint32_t h, const Packet& probe, Time now);
  [[gnu::noinline]] void on_data(std::uint32_t h, Receiver& r, const Packet& packet, bool taken, Time now);
  void report_arrival(std::uint32_t h, Receiver& r, const Packet& packet, Time now);
  void set_timer(std::uint32_t h, Time at);
  void grant_credits(std::uint32_t h, Time now);
  net::TrafficClass ack_class(net::TrafficClass of_data) const {
    return model().transport.ack_class == AckClass::priority ? net::TrafficClass::priority : of_data;
  }

  ZeroedArray<std::uint32_t> places_;  // by host: 1 + index into known_, or 0
  LargePageVector<Sender> known_;
  std::vector<AckFrame> ack_frames_;  // by profile
  std::vector<Credits> credits_;      // by host; empty if no profile has them
};

}  // namespace weir::host
