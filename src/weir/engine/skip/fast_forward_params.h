// The parameters of [run.fast_forward], by which messages and spans of time are skipped.
#pragma once

#include <cstdint>

#include "weir/base/params.h"

namespace weir::engine {

struct FastForwardParams {
  static constexpr double kLargestTheta = 0.2;

  double theta = 0.05;
  std::uint32_t settle = 16;
  std::uint32_t rounds = 2;
  double check = 0.02;

  bool is_on() const { return theta > 0; }

  static void describe(ParamList<FastForwardParams>& p) {
    p.number(
        "theta", &FastForwardParams::theta, 0, kLargestTheta,
        "how far durations of the same message may be apart, or a flow's bytes in equal times, as a share of them, for "
        "it to be skipped; 0 = nothing is skipped, and the results are those without this table",
        "docs/guides/fast-forward.md");
    p.integer("settle", &FastForwardParams::settle, 0, 1'000'000,
              "rounds that are simulated before durations count, since queues and phases take a while to become what "
              "they are in the long run; for flows a round is two round trips")
        .not_with("theta", {"0"});
    p.integer("rounds", &FastForwardParams::rounds, 2, 100,
              "number of durations in a row that must agree; skipped messages take their mean. For flows, the number "
              "of parts of the span that was looked at")
        .not_with("theta", {"0"});
    p.number("check", &FastForwardParams::check, 0, 1,
             "this share of messages and spans that could be skipped is simulated and compared, drawn at random")
        .not_with("theta", {"0"});
  }
};

}  // namespace weir::engine
