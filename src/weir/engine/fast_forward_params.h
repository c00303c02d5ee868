// What a scenario says of messages that are skipped: [run.fast_forward].
#pragma once

#include <cstdint>

#include "weir/base/params.h"

namespace weir::engine {

struct FastForwardParams {
  static constexpr double kLargestTheta = 0.2;

  double theta = 0.05;
  std::uint32_t rounds = 2;
  double check = 0.02;

  bool is_on() const { return theta > 0; }

  static void describe(ParamList<FastForwardParams>& p) {
    p.number(
        "theta", &FastForwardParams::theta, 0, kLargestTheta,
        "how far durations of the same message may be apart, as a share of them, for it to be skipped; 0 = nothing "
        "is skipped, and the results are those without this table",
        "docs/fidelity.md");
    p.integer("rounds", &FastForwardParams::rounds, 2, 100,
              "so many durations in a row must agree; skipped messages take their mean");
    p.number("check", &FastForwardParams::check, 0, 1,
             "this share of messages that could be skipped is simulated and compared, in rounds drawn at random");
  }
};

}  // namespace weir::engine
