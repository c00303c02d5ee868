// An algorithm that reacts to the median of its signals (median_filter.h), whichever algorithm it is: one that has
//
//   std::optional<CongestionSignal> measure(const Params&, const FlowFacts&, const Ack&);          // nothing: no
//   reaction void react(const Params&, const FlowFacts&, const Ack&, CongestionSignal, Control&);
//
// and whose on_ack is the one after the other. What it measures and how it reacts stays as it is; this stands between.
// kGrowth is what NSCC's kind has for nyquist_most: the packets in which the window grows by one, if fewer than a
// window.
#pragma once

#include <optional>

#include "weir/cc/algorithm.h"
#include "weir/cc/congestion_signal.h"
#include "weir/cc/median_filter.h"

namespace weir::cc {

template <class P, int kGrowth>
struct MedianParams {
  P algorithm;
  MedianFilter::Params median{.nyquist_most = kGrowth};
  static void describe(ParamList<MedianParams>& p) {
    p.part("", &MedianParams::algorithm);
    p.part("median_", &MedianParams::median);
  }
};

template <class A, int kGrowth = 0>
class MedianOf {
 public:
  using Params = MedianParams<typename A::Params, kGrowth>;

  MedianOf(const Params& p, const FlowFacts& facts, Control& control) : algorithm_(p.algorithm, facts, control) {}

  void on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
    std::optional<CongestionSignal> signal = algorithm_.measure(p.algorithm, facts, ack);
    if (!signal) return;
    const double packets = static_cast<double>(control.window.count) / static_cast<double>(facts.payload.count);
    signal->value = filter_.observe(p.median, signal->value, MedianFilter::history(p.median, packets));
    algorithm_.react(p.algorithm, facts, ack, *signal, control);
  }

  void on_loss(const Params& p, const FlowFacts& facts, const Loss& loss, Control& control) {
    if constexpr (hooks::Names<A, hooks::OnLoss>) algorithm_.on_loss(p.algorithm, facts, loss, control);
  }

  // For probes and tests.
  const A& algorithm() const { return algorithm_; }
  const MedianFilter& filter() const { return filter_; }

 private:
  A algorithm_;
  MedianFilter filter_;
};

}  // namespace weir::cc
