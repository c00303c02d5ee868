// The shape of a partition: rooms over a state that all share.
//
// A partition is one object that is composed of rooms, each the owner of some of its state and of what happens to that
// state: the links, the switches, the NICs, the sending and the receiving ends of flows. All rooms share the constant
// model, the changing network, the scheduler, the counters and the tracer (engine::PartitionState). A room reaches
// these and the other rooms through the partition, whose type it has as a template parameter. So a call from one room
// to another is resolved when it is compiled, and may be inlined; there is neither a pointer between rooms nor a
// virtual call.
#pragma once

namespace weir::sim {

// Base of the room `Self<P>` of the partition `P`, which derives from all its rooms and offers shared() and a function
// for each room.
template <template <class> class Self, class P>
class PartitionPart {
 public:
  PartitionPart(const PartitionPart&) = delete;
  PartitionPart& operator=(const PartitionPart&) = delete;

 protected:
  PartitionPart() = default;
  ~PartitionPart() = default;

  auto& shared() { return whole().shared(); }
  const auto& shared() const { return whole().shared(); }
  const auto& model() const { return shared().model; }
  auto& network() { return shared().network; }
  const auto& network() const { return shared().network; }
  auto& scheduler() { return shared().scheduler; }
  auto& counters() { return shared().counters; }
  auto& packets() { return shared().packets; }
  const auto& packets() const { return shared().packets; }
  auto& tracer() { return shared().tracer; }
  auto& decisions() { return shared().decisions; }

  auto& links() { return whole().links(); }
  const auto& links() const { return whole().links(); }
  auto& switching() { return whole().switching(); }
  const auto& switching() const { return whole().switching(); }
  auto& turns() { return whole().turns(); }
  const auto& turns() const { return whole().turns(); }
  auto& pausing() { return whole().pausing(); }
  auto& nics() { return whole().nics(); }
  auto& senders() { return whole().senders(); }
  const auto& senders() const { return whole().senders(); }
  auto& receivers() { return whole().receivers(); }
  const auto& receivers() const { return whole().receivers(); }
  auto& receive_delays() { return whole().receive_delays(); }
  auto& intake() { return whole().intake(); }
  auto& messages() { return whole().messages(); }
  auto& prefetcher() { return whole().prefetcher(); }
  const auto& prefetcher() const { return whole().prefetcher(); }

 private:
  P& whole() { return static_cast<P&>(static_cast<Self<P>&>(*this)); }
  const P& whole() const { return static_cast<const P&>(static_cast<const Self<P>&>(*this)); }
};

}  // namespace weir::sim
