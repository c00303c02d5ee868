// Delays of packets, as the OR-ACKs of On-Ramp tell them, and what their senders knew when they left (On-Ramp, section
// 3.3 and figure 6): delays.csv.
//
// Flows are looked at at regular instants; of the OR-ACKs in between the last one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"

namespace weir::probe {

struct DelaysParams {
  Time interval{1'000'000};
  Time start;
  Time stop;

  static void describe(ParamList<DelaysParams>& p) {
    p.time("interval", &DelaysParams::interval,
           "time between looks; of the OR-ACKs of a flow in between the last one counts", "", kMinInterval);
    p.time("start", &DelaysParams::start, "no look before this time");
    p.time("stop", &DelaysParams::stop, "no look from this time on; 0 = to the end of the run");
  }
};

class DelayProbe : public ArchivedProbe<DelayProbe> {
 public:
  using Params = DelaysParams;
  static constexpr std::string_view kName = "delays";
  static constexpr std::string_view kMeaning = "delays of packets under On-Ramp, as its OR-ACKs tell them";
  static constexpr bool kNeedsPackets = true;

  static void check(const Params&, const Checks&);
  static Time interval(const Params& params) { return params.interval; }
  DelayProbe(const Params&, const Context&);

  void on_finish(const host::FlowRecord& r) override { flows_.erase(r.id); }
  void finish(Summary&) override;

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
  void sample(Time now);

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
