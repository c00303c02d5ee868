// HPCC for flows that spray: their packets take many paths, and differences between the counters of different ports
// mean nothing. The HPCC paper has flows on one path only; this is ours.
//
// The sender keeps the records of several paths at a time, by pathID, and compares those of an acknowledgement with the
// previous ones of the same path. Each comparison gives U of the fullest link of its path, and all of them move one
// U of the flow: the mean over the paths, weighted by the time between two comparisons instead of the time between two
// records, which is as many times longer as there are paths. As in HPCC it reaches back for a round trip.
//
// A flow may have more paths than there are places for records. A place then goes on to another path as soon as its own
// has been seen twice, so that all paths are measured in turn, with fewer comparisons per round trip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "weir/cc/hpcc.h"

namespace weir::cc {

class HpccSprayed {
 public:
  using Params = Hpcc::Params;
  static constexpr About about = Hpcc::about;
  static constexpr std::size_t kPaths = 8;

  HpccSprayed(const Params& p, const FlowFacts& facts, Control& control) : hpcc_(p, facts, control) {}
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);

  // As in Hpcc; no signal from a path of which there are no records.
  std::optional<CongestionSignal> measure(const Params&, const FlowFacts&, const Ack&);
  void react(const Params& p, const FlowFacts& facts, const Ack& ack, CongestionSignal signal, Control& control) {
    hpcc_.react(p, facts, ack, signal, control);
  }

  // For probes and tests.
  const Hpcc& algorithm() const { return hpcc_; }

 private:
  // After so many acknowledgements without a comparison, paths that have gone may hold all places.
  static constexpr std::uint32_t kPatience = 1024;
  struct Place {
    HpccLinks links;
    std::uint32_t used = 0;   // acknowledgements until it was written
    bool is_compared = true;  // its path has been seen twice, or there is none yet
  };

  Place* place_of(const IntFormat&, const Ack&);
  Place* free_place();

  Hpcc hpcc_;
  Time compared_at_;  // the last time
  std::uint32_t acks_ = 0;
  std::uint32_t compared_ = 0;  // acknowledgements until then
  std::array<Place, kPaths> places_;
};

}  // namespace weir::cc
