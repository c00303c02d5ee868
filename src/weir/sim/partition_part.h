// The shape of a partition: parts over a state that all of them share.
//
// A partition is one object composed of parts. Each part owns some of the partition's state and handles what happens to
// it: the links, the switches, the NICs, the sending and the receiving ends of flows. All parts share the constant
// model, the changing network, the scheduler, the counters and the tracer (engine::PartitionState). A part reaches
// these and the other parts through the partition, whose type is its template parameter. So a call from one part to
// another is resolved when it is compiled, and may be inlined; no part holds a pointer to another, and no call is
// virtual.
#pragma once

namespace weir::sim {

// Base of the part `Self<P>` of the partition `P`. The partition derives from all its parts and offers shared() and a
// function for each part.
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
  auto& drivers() { return whole().drivers(); }
  auto& prefetcher() { return whole().prefetcher(); }
  const auto& prefetcher() const { return whole().prefetcher(); }

 private:
  P& whole() { return static_cast<P&>(static_cast<Self<P>&>(*this)); }
  const P& whole() const { return static_cast<const P&>(static_cast<const Self<P>&>(*this)); }
};

}  // namespace weir::sim
