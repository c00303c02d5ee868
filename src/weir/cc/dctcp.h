// DCTCP: Data Center TCP (Alizadeh et al., SIGCOMM'10; RFC 8257).
//
// Switches mark every packet behind a queue longer than K. The sender counts which part F of its bytes comes back
// marked, smooths it over windows, alpha = (1 - g) alpha + g F, and cuts its window by alpha / 2: by half where the
// queue is always too long, hardly at all where it only touches K. Growth, and the answer to losses, are Reno's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "weir/cc/algorithm.h"
#include "weir/cc/congestion_signal.h"
#include "weir/cc/reno_window.h"

namespace weir::cc {

class DctcpVaiSf;

class Dctcp {
 public:
  enum class Start : std::uint8_t { slow_start, line_rate };

  struct Params {
    double g = 1.0 / 16;
    double initial_alpha = 1;
    Start start = Start::slow_start;
    std::int64_t initial_window = 10;
    std::int64_t min_window = 2;
    std::int64_t abc_limit = 1;
    Time base_rtt;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{.name = "dctcp",
                               .title = "DCTCP",
                               .source = "Alizadeh et al., Data Center TCP, SIGCOMM'10; RFC 8257",
                               .needs = Needs::ecn};
  static std::span<const Preset> presets();

  Dctcp(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);

  // on_ack in two steps (congestion_signal.h). The signal is the mark, 0 or 1.
  std::optional<CongestionSignal> measure(const Params&, const FlowFacts&, const Ack&);
  void react(const Params&, const FlowFacts&, const Ack&, CongestionSignal, Control&);

  // For probes and tests.
  double alpha() const { return alpha_; }
  Bytes threshold() const { return window_.threshold(); }

 private:
  friend class DctcpVaiSf;

  void observe(const Params&, const Ack&, bool marked);
  void reduce(const Params&, const FlowFacts&, const Ack&, const Control&);
  void answer(Control& control) const {
    window_.answer(control);
    control.window = std::min(control.window, largest_);
  }

  RenoWindow window_;
  Bytes largest_;  // no growth beyond
  double alpha_;
  // Of the observation window, about one round trip (RFC 8257, section 3.3):
  Bytes window_end_;
  Bytes acked_;
  Bytes marked_;
};

}  // namespace weir::cc
