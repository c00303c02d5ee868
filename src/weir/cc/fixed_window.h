// A window that never changes: the yardstick for other algorithms, and the cheapest load for benchmarks.
#pragma once

#include "weir/cc/algorithm.h"

namespace weir::cc {

class FixedWindow {
 public:
  struct Params {
    Bytes window;
    Rate rate;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{
      .name = "fixed-window", .title = "Fixed window", .source = "yardstick; not from a paper"};

  FixedWindow(const Params& p, const FlowFacts& facts, Control& control) {
    control.window = p.window.count > 0 ? p.window : bytes_in(facts.base_rtt, facts.path_rate);
    control.rate = p.rate;
  }

  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&) {}
};

}  // namespace weir::cc
