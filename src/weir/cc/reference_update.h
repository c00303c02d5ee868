// When a reference window or rate moves: a part for algorithms that compute a new one with every acknowledgement.
//
// Once per round trip, HPCC and Swift would say. Fast Convergence to Fairness finds that this makes fast and slow flows
// decrease alike, and has two other ways: a decrease each s acknowledgements (sampling_frequency.h), and probabilistic
// feedback (section III-D), which takes a decrease with probability window / largest window, as if the network marked
// packets at random. Neither touches increases.
#pragma once

#include <cstdint>

#include "weir/base/params.h"
#include "weir/base/random.h"
#include "weir/cc/sampling_frequency.h"

namespace weir::cc {

class ReferenceUpdate {
 public:
  // A decrease that is not taken gives way to an additive increase, or to nothing until a round trip has passed, or is
  // due again with the next acknowledgement.
  enum class Probabilistic : std::uint8_t { off, increase, keep, retry };

  struct Params {
    SamplingFrequency::Params sf;
    Probabilistic probabilistic = Probabilistic::off;
    static void describe(ParamList<Params>&);
    bool per_round() const { return sf.acks == 0 && probabilistic == Probabilistic::off; }
  };

  struct Verdict {
    bool ignore = false;     // the decrease is not taken; with `move`, there is an additive increase instead
    bool move = false;       // the reference moves
    bool new_round = false;  // a round trip begins
  };

  // The next acknowledgement has arrived.
  void count() { sf_.count(); }

  // What it does. round_ended: a round trip has passed since the last one began.
  Verdict judge(const Params& p, const RandomStream& random, bool decrease, bool round_ended, double window,
                double largest) {
    if (!sf_.moves(p.sf, decrease, round_ended)) return {};
    const bool ignore = decrease && p.probabilistic != Probabilistic::off && feedback_ignored(random, window, largest);
    if (ignore && p.probabilistic == Probabilistic::retry) return {.ignore = true};
    const bool move = !ignore || p.probabilistic == Probabilistic::increase;
    return {.ignore = ignore, .move = move, .new_round = sf_.moved(p.sf, decrease)};
  }

 private:
  // Current Window < rand() % Max Window.
  bool feedback_ignored(const RandomStream& random, double window, double largest) {
    return window < random.uniform(draws_++) * largest;
  }

  SamplingFrequency sf_;
  std::uint32_t draws_ = 0;
};

inline void ReferenceUpdate::Params::describe(ParamList<Params>& p) {
  p.part("sf_", &Params::sf);
  p.choice("probabilistic", &Params::probabilistic, {"off", "increase", "keep", "retry"},
           "probabilistic feedback: take a decrease of the reference only with probability window / largest window. "
           "Otherwise: increase additively, as if there were no congestion; or keep the reference until a round trip "
           "has passed; or until the next acknowledgement",
           "Fast Convergence III-D");
}

}  // namespace weir::cc
