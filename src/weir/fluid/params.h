// What a scenario says of a run at flow level: [fidelity] with run.fidelity = "flow".
#pragma once

#include "weir/base/params.h"
#include "weir/theory/alpha_fair.h"

namespace weir::fluid {

struct FluidParams {
  double utilisation = 1;
  double alpha = 0;

  static void describe(ParamList<FluidParams>& p) {
    p.number("utilisation", &FluidParams::utilisation, 0.01, 1,
             "the share of each link's rate that data may fill, headers included; what an algorithm leaves free and "
             "what acknowledgements take are the rest",
             "docs/guides/flow-level.md");
    p.number("alpha", &FluidParams::alpha, 0, theory::kLargestAlpha,
             "how rates are fair: 1 = proportionally, 0 = infinity, which is max-min",
             "Mo and Walrand, IEEE/ACM ToN 8(5), 2000");
  }
};

}  // namespace weir::fluid
