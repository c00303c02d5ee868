// What a scenario says of a run at flow level: [fidelity] with run.fidelity = "flow".
#pragma once

#include "weir/base/params.h"

namespace weir::fluid {

struct FluidParams {
  double utilisation = 1;

  static void describe(ParamList<FluidParams>& p) {
    p.number("utilisation", &FluidParams::utilisation, 0.01, 1,
             "the share of each link's rate that data may fill, headers included; what an algorithm leaves free and "
             "what acknowledgements take are the rest",
             "docs/fidelity.md");
  }
};

}  // namespace weir::fluid
