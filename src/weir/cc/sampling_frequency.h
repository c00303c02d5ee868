// Sampling Frequency (SF): a part for algorithms with a reference rate (Fast Convergence to Fairness, IV-B).
//
// Usually a reference moves once per round trip, whatever the rate. With this part it decreases once every s
// acknowledgements instead: a flow with twice the rate decreases twice as often, and rates become equal sooner. An
// increase stays once per round trip, for else fast flows would also grow faster.
#pragma once

#include <cstdint>

#include "weir/base/params.h"

namespace weir::cc {

class SamplingFrequency {
 public:
  // The paper leaves open which moves of the reference begin a new sampling period, and a new round trip.
  enum class Restart : std::uint8_t { decrease, any, separate };

  struct Params {
    std::int32_t acks = 0;
    Restart restart = Restart::decrease;
    bool every_round = false;
    static void describe(ParamList<Params>&);
  };

  void count() { ++acks_; }

  // May the reference move now? round_ended: a round trip has passed since it last did.
  bool moves(const Params& p, bool decrease, bool round_ended) const {
    if (p.acks == 0 || !decrease) return round_ended;
    return acks_ >= p.acks || (p.every_round && round_ended);
  }

  // It has moved. Does a new round trip begin with that?
  bool moved(const Params& p, bool decrease) {
    if (decrease || p.restart == Restart::any) acks_ = 0;
    return p.acks == 0 || !decrease || p.restart != Restart::separate;
  }

 private:
  std::int32_t acks_ = 0;  // since the sampling period began
};

inline void SamplingFrequency::Params::describe(ParamList<Params>& p) {
  p.integer("acks", &Params::acks, 0, 1'000'000,
            "Sampling Frequency: the reference decreases once in this many acknowledgements; 0 = once per round trip",
            "Fast Convergence IV-B, VI-A");
  p.choice("restart", &Params::restart, {"decrease", "any", "separate"},
           "what begins a new sampling period: a decrease, or any move of the reference; separate: a decrease, which "
           "then does not begin a new round trip",
           "not in the paper");
  p.flag("every_round", &Params::every_round,
         "a decrease needs no more than a round trip, for flows that have fewer packets in flight", "not in the paper");
}

}  // namespace weir::cc
