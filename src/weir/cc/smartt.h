// SMaRTT, or FASTFLOW (Bonato et al., arXiv 2404.01630): the algorithm that REPS came with, and NSCC came from.
//
// Each acknowledgement moves the window by its mark and its round-trip time r, against a target above the unloaded one:
//
//               r < target                                r >= target
//   no mark     proportional and fair increase            fair increase
//   mark        fair decrease                             multiplicative and fair decrease
//
// The proportional increase is mi (target - r) / r packets per window, the fair one fi packets per window; the
// multiplicative decrease is md (r - target) / r of the acknowledged bytes, the fair one fd of window / BDP of them.
// Besides: no decrease while only few packets are marked, for then the load balancer may find a better path (wait to
// decrease); growth with each acknowledgement where there is no queue (fast increase); and after losses the window
// becomes what arrives (quick adapt). Forms and constants are those of Congestion Control for Spraying with Congested
// Paths, appendix A, where it has them.
#pragma once

#include <cstdint>

#include "weir/cc/algorithm.h"

namespace weir::cc {

class Smartt {
 public:
  enum class Decrease : std::uint8_t { each, sum };

  struct Params {
    double target_rtt = 1.5;
    double mi = 2;
    double fi = 0.25;
    double md = 2;
    double fd = 0.8;
    Decrease decrease_limit = Decrease::each;
    bool wait_to_decrease = true;
    double wtd_threshold = 0.25;
    double wtd_gain = 0.125;
    double fast_increase = 2;
    Time fast_delay;
    bool quick_adapt = true;
    double max_window = 1.25;
    double initial_window = 1.25;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{.name = "smartt",
                               .title = "SMaRTT",
                               .source =
                                   "Bonato et al., FASTFLOW: Flexible Adaptive Congestion Control for "
                                   "High-Performance Datacenters, 2024",
                               .needs = Needs::ecn};
  static std::span<const Preset> presets();

  Smartt(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);

  // For probes and tests. Bytes.
  double window() const { return window_; }
  double marked() const { return marked_; }

 private:
  bool fast_increase(const Params&, const Ack&);
  void increase(const Params&, const FlowFacts&, const Ack&);
  void decrease(const Params&, const Ack&);
  bool adapt(const FlowFacts&, Time now, Bytes in_flight);
  void bound(const FlowFacts&);

  double window_;
  double bdp_;
  double max_window_;
  Time target_;
  Time fast_limit_;    // round trips below are without queue
  double marked_ = 0;  // part of acknowledgements with a mark, smoothed
  double good_ = 0;    // bytes without mark and queue in a row
  // Quick adapt: what arrived in this period, and what is not to be listened to.
  Time period_end_;
  std::int64_t achieved_ = 0;
  std::int64_t to_ignore_ = 0;
  bool lost_ = false;
};

}  // namespace weir::cc
