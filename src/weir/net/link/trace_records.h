// What one recorder of a traced run has recorded.
#pragma once

#include <cstddef>
#include <vector>

#include "weir/net/trace.h"

namespace weir::net {

// Packets on the wire stand by themselves, since they are larger than all other events, which most runs have alone.
// What a packet on the wire causes in the same instant comes behind it.
struct TraceRecords {
  std::vector<WireEvent> on_wire;
  std::vector<TraceEvent> events;

  std::size_t size() const { return on_wire.size() + events.size(); }
  bool empty() const { return size() == 0; }
  void clear() {
    on_wire.clear();
    events.clear();
  }
  template <class A>
  void archive(A& a) {
    a.values(on_wire);
    a.values(events);
  }
};

}  // namespace weir::net
