// NewReno: the standard congestion control of TCP (RFC 5681, RFC 6582), driven by losses.
#pragma once

#include <cstdint>

#include "weir/cc/algorithm.h"
#include "weir/cc/reno_window.h"

namespace weir::cc {

class NewReno {
 public:
  struct Params {
    std::int64_t initial_window = 10;
    std::int64_t abc_limit = 1;
    bool ecn = false;
    std::int64_t min_window = 1;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{
      .name = "newreno", .title = "NewReno", .source = "RFC 5681, RFC 6582; byte counting as in RFC 3465"};

  NewReno(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);

  // For probes and tests.
  Bytes threshold() const { return window_.threshold(); }

 private:
  RenoWindow window_;
};

}  // namespace weir::cc
