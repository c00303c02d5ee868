// The throughput of one flow that sprays its packets over n paths, one of which is always congested: the models of
// Gerstein, Silberstein, Keslassy: Congestion Control for Spraying with Congested Paths, table I and appendix A.
//
// A part q = 1 / n of the packets takes t_l to come back, all others t_s. Paths are taken in turn, nothing is lost, the
// window is never waited for, and neither are its bounds reached. An algorithm that reacts to each packet of the long
// path, because that is overtaken, late or marked, has a window that goes up and down once in n packets, and whose
// largest value W, in packets, goes with 1 / sqrt(q). Throughputs are in bit/s of packets of mss bytes.
#pragma once

#include "weir/base/params.h"

namespace weir::theory {

struct SprayingModel {
  double q = 0.01;       // in (0, 1)
  Time t_s{6'250'000};   // > 0
  Time t_l{20'000'000};  // > t_s
  Bytes mss{4'096};
  // Swift
  double ai = 1;
  double max_mdf = 0.5;
  double beta = 0.8;
  Time target{7'250'000};  // of the delay, for large windows; t_s < target < t_l
  Time fs_range{0};
  double fs_min_cwnd = 0.1;
  double fs_max_cwnd = 100;
  // SMaRTT, with mi = md = 2, a target of 1.5 base_rtt, and t_l of at least twice that
  Time base_rtt{5'000'000};  // t_s / 1.5 < base_rtt < t_s
  double bdp = 152;          // in packets
  double fi = 0.25;
  double fd = 0.8;
  static void describe(ParamList<SprayingModel>&);

  Time t_avg() const;  // of all packets

  // Theorem 1, sqrt(3/2) = 1.22; theorem 2 is that DCTCP has as much, or, if the long path marks, at most as much.
  double tcp() const;
  // Theorem 3: a hole in what is acknowledged decreases the window by max_mdf. Needs t_l < 2 t_s.
  double swift() const;
  // Theorem 4.
  double smartt() const;
  double smartt_increase() const;    // A: packets by which the window grows in one
  double smartt_max_window() const;  // W
  // Theorem 5: Swift that knows no reordering, only the delay. The paper only outlines the proof, these formulae are
  // derived after it. To order 0 the target is that of an infinite window; order 1 has the first effect of flow-based
  // scaling, where max_mdf does not bound the decrease.
  double resilient_swift() const;
  double resilient_swift_order_1() const;
  // The pair of W and target that the two approximate, found by iteration.
  double resilient_swift_exact() const;

 private:
  double sawtooth(Time rtt, double decrease) const;
  double decrease(double target) const;
  double max_window(double decrease) const;
  double fs_alpha() const;
};

// Theorem 6: the median of h acknowledgements, with one in n congested and n - 1 others always between two, is never a
// congested one. (The lower median of an even h.) It holds for each h >= 3 if q = 1 / n < 1/3.
bool median_avoids_collapse(int n, int h);

}  // namespace weir::theory
