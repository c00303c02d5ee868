// HPCC with a register for each link of the path (HPCC, appendix A.3).
//
// Where HPCC follows the fullest link, here every link i has a window W_i of its own, moved by that link's U_i alone as
// HPCC moves its window. The source's window is made of all of them,
//
//   W = (sum of W_i^-alpha)^(-1/alpha)                                                  (equation 7)
//
// which gives alpha-fair rates: alpha = 1 is proportional fairness, a large alpha approaches max-min fairness (the
// smallest W_i counts: "inf"), a small one the largest sum of rates. alpha is a power of two, so that W needs products
// and square roots only, which are the same on every machine.
//
// As in HPCC, each acknowledgement computes W anew from the registers, which move once per round trip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "weir/cc/algorithm.h"
#include "weir/cc/hpcc_links.h"

namespace weir::cc {

class HpccAlphaFair {
 public:
  // In the order of their exponents of two, from -3.
  enum class Alpha : std::uint8_t { eighth, quarter, half, one, two, four, eight, infinite };

  struct Params {
    Alpha alpha = Alpha::one;
    double eta = 0.95;
    std::int32_t max_stage = 0;
    Bytes w_ai{80};
    Time base_rtt;
    Rate r_min{100'000'000};
    bool min_queue = true;
    bool ewma = true;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{.name = "hpcc-alpha-fair",
                               .title = "HPCC, alpha-fair",
                               .source = "Li et al., HPCC: High Precision Congestion Control, SIGCOMM'19, appendix A.3",
                               .needs = Needs::telemetry | Needs::one_path};

  HpccAlphaFair(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);

  // For probes and tests.
  double reference(std::size_t hop) const { return at_[hop].w_c; }  // in bytes
  double utilisation(std::size_t hop) const { return at_[hop].u; }

  // Equation 7 for n windows.
  static double combine(Alpha, const double* w, std::size_t n);

 private:
  struct Register {
    double w_c = 0;  // W_i as of the last round trip
    float u = 1;     // U_i, smoothed
    std::int32_t inc_stage = 0;
  };

  void start_over(const Params&, const Ack&, Bytes window);
  double update(const Params&, const IntFormat&, const Ack&, bool sync);
  void answer(double w, Control&) const;

  double t_;  // T, in picoseconds
  double per_t_;
  double w_min_;
  double w_init_;
  double most_ = 0;  // no register grows beyond this
  std::int64_t last_update_seq_ = 0;
  std::array<Register, kMaxTelemetryHops> at_;
  HpccLinks links_;
};

}  // namespace weir::cc
