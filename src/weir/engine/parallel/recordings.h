// What the partitions of all ranks have recorded, in one order.
#pragma once

#include <vector>

#include "weir/engine/parallel/exchange.h"
#include "weir/engine/trace/trace_order.h"

namespace weir::engine {

class Recordings {
 public:
  // `exchange` is null if there is one rank.
  explicit Recordings(Exchange* exchange) : exchange_(exchange) {}

  // From now on these are the recorders of this rank's partitions.
  void record(std::vector<net::Recorder*> own);
  // Collective: what all have recorded since the last call and before `end` (TraceOrder::collect).
  net::TraceEvents collect(Time end);
  // A flow of host src that has started before anything was recorded.
  void know(std::uint32_t src, const host::Flow& flow) { order_.know(src, flow); }

  template <class A>
  void archive(A& a) {
    order_.archive(a);
  }

 private:
  void receive();

  Exchange* exchange_;
  TraceOrder order_;
  std::vector<net::Recorder*> own_;
  std::vector<net::Recorder> others_;      // of the other ranks, by rank
  std::vector<net::Recorder*> recorders_;  // all of them
};

}  // namespace weir::engine
