// Delays of packets, as the OR-ACKs of On-Ramp tell them, and what their senders knew when they left (On-Ramp, section
// 3.3 and figure 6): delays.csv.
//
// Flows are looked at at regular instants; of the OR-ACKs in between the last one counts.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/probe/params.h"
#include "weir/probe/results.h"

namespace weir::probe {

class DelayProbe {
 public:
  DelayProbe(const DelaysParams&, engine::Engine&, ResultDirectory* out);

  void on_finish(const host::FlowRecord& r) { flows_.erase(r.id); }
  void sample(Time now);
  void finish();

  template <class A>
  void archive(A& a) {
    std::vector<std::pair<std::uint64_t, Flow>> flows(flows_.begin(), flows_.end());
    a.each(flows, [&](auto& flow) {
      a.value(flow.first);
      a.value(flow.second);
    });
    if constexpr (A::kLoads) flows_ = {flows.begin(), flows.end()};
    if (file_) file_->archive(a);
  }

 private:
  // Of a flow: its last OR-ACK, and what it told the sender that no packet has left with yet.
  struct Flow {
    engine::OneWayReport last;
    engine::OneWayReport known;
    Time since;          // when the sender knew it
    bool waits = false;  // for a packet that leaves later
  };

  const DelaysParams params_;
  engine::Engine& simulation_;
  std::optional<ResultFile> file_;
  std::unordered_map<std::uint64_t, Flow> flows_;  // by id
};

}  // namespace weir::probe
