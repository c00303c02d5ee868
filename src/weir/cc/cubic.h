// CUBIC: the default congestion control of Linux and others (RFC 9438), driven by losses.
//
// After a loss the window first returns quickly, then slowly, to where it was lost, W_max, stays around it, and then
// probes beyond it ever faster: W_cubic(t) = C (t - K)^3 + W_max, with t the time since the reduction. Since that curve
// knows seconds and no round trips, it is slow where round trips are short. There, as in a datacenter, the window is
// W_est, which grows like Reno's (section 4.3).
#pragma once

#include <cstdint>
#include <span>

#include "weir/cc/algorithm.h"
#include "weir/cc/congestion_events.h"
#include "weir/cc/hystart.h"

namespace weir::cc {

class Cubic {
 public:
  struct Params {
    double c = 0.4;
    double beta = 0.7;
    bool fast_convergence = true;
    bool reno_friendly = true;
    std::int64_t initial_window = 10;
    std::int64_t abc_limit = 1;
    bool ecn = false;
    std::int64_t min_window = 1;
    bool hystart = false;
    double initial_growth = 0;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{
      .name = "cubic", .title = "CUBIC", .source = "RFC 9438; Ha et al., SIGOPS Operating Systems Review 42(5), 2008"};

  Cubic(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);
  static std::span<const Preset> presets();

  // For probes and tests; windows in packets, K in seconds.
  double window() const { return cwnd_; }
  double threshold() const { return ssthresh_; }
  double w_max() const { return w_max_; }
  double k() const { return k_; }
  double w_est() const { return w_est_; }

 private:
  void look_for_end(const FlowFacts&, const Ack&);
  void grow(const Params&, const FlowFacts&, const Ack&, bool in_use);
  void avoid_congestion(const Params&, double acked, Time now);
  void start_epoch(const Params&, Time now);
  void reduce(const Params&, double flight, double least);
  void answer(const FlowFacts&, Control&) const;

  // Windows are counted in packets, as in the RFC.
  double cwnd_;
  double ssthresh_;
  double w_max_ = 0;       // 0: none known, the curve starts flat where the epoch starts
  double cwnd_prior_ = 0;  // before the last reduction
  double k_ = 0;           // K, seconds
  double w_est_ = 0;
  Time epoch_ = kNoTimer;  // t_epoch; kNoTimer: congestion avoidance has not begun
  Time last_ack_;
  Time srtt_;
  CongestionEvents events_;
  HyStart hystart_;
};

}  // namespace weir::cc
