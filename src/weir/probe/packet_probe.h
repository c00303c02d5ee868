// What happens to single packets and flows, event by event: packets.csv.
//
// The engine records the events of the chosen ports and times (net/trace.h); this keeps those of the chosen flows. What
// it costs is told in docs/results.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/net/trace.h"
#include "weir/probe/params.h"
#include "weir/probe/results.h"

namespace weir::probe {

// Flow ids that a list such as "0, 17, 200-299" means: ranges, both ends included, ascending. Throws InputError that
// says what is valid.
struct IdRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
std::vector<IdRange> parse_ids(std::string_view list);

class PacketProbe {
 public:
  // Has the engine trace, before its first advance().
  PacketProbe(const PacketsParams&, engine::Engine&, ResultDirectory& out);

  void finish() { file_.close(); }

  template <class A>
  void archive(A& a) {
    file_.archive(a);
  }

 private:
  void write(std::span<const net::TraceEvent> events);
  void write(const net::TraceEvent& event);
  bool chosen(std::uint64_t flow) const;

  const net::Topology& topology_;
  const std::vector<IdRange> flows_;  // empty: all
  ResultFile file_;
};

}  // namespace weir::probe
