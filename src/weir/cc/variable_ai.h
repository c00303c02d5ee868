// Variable Additive Increase (VAI): a part for algorithms that increase additively (Fast Convergence to Fairness,
// IV-A).
//
// Flows start at line rate, so a new one finds too much bandwidth and makes a queue: much congestion means that rates
// are probably unfair. Congestion therefore mints tokens, once per round trip, and the additive increase, which is what
// makes rates equal, has a base step for each token spent. So that it does not feed itself with the congestion that it
// causes, a dampener grows as long as congestion lasts, and divides what tokens are worth.
//
// The algorithm that has this part says what congestion is (a queue, a delay), from what on it mints tokens, and how
// many; it multiplies its step by multiplier(), and calls spend() when its reference rate moves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/cc/algorithm.h"

namespace weir::cc {

class VariableAi {
 public:
  struct Params {
    bool enabled = false;
    double bank_cap = 1000;
    double ai_cap = 100;
    double dampener_constant = 8;
    static void describe(ParamList<Params>&);
  };

  // One acknowledgement's view: Measured Congestion is the largest of a round trip.
  void observe(double congestion, bool congested) {
    measured_ = std::max(measured_, congestion);
    congested_ |= congested;
  }

  // Has a round trip ended? Yes for the first packet that was sent after the end of the previous one; the first
  // acknowledgement of a flow ends none.
  bool round_ended(const Ack& ack) {
    const bool first = round_end_ < 0;
    if (ack.seq.count <= round_end_) return false;
    round_end_ = std::max(round_end_, ack.snd_nxt.count);
    return !first;
  }

  // Algorithm 1, at the end of a round trip: Token_Thresh, and what Measured Congestion / AI_DIV would mint.
  void generate(const Params& p, double token_thresh, double tokens) {
    if (measured_ > token_thresh) {
      ai_bank_ = std::min(ai_bank_ + tokens, p.bank_cap);
      dampener_ += static_cast<float>(measured_ / token_thresh);
    } else if (ai_bank_ == 0) {
      if (!congested_) {
        dampener_ = 0;
      } else if (measured_ < token_thresh) {
        dampener_ = std::max(dampener_ - 1, 0.0f);
      }
    }
    measured_ = 0;
    congested_ = false;
  }

  // Algorithm 2: how many base steps the additive increase has. (Its first line, tokens = 1, has no effect.)
  double multiplier(const Params& p) const {
    const double divisor = dampener() / p.dampener_constant + 1;
    return std::max(tokens(p) / divisor, 1.0);
  }

  // Algorithm 2, lines 3 to 5: a rate adjustment takes the tokens from the bank, dampened or not.
  void spend(const Params& p) { ai_bank_ -= tokens(p); }

  double measured_congestion() const { return measured_; }
  double bank() const { return ai_bank_; }
  double dampener() const { return static_cast<double>(dampener_); }

 private:
  double tokens(const Params& p) const { return std::min(p.ai_cap, ai_bank_); }

  double ai_bank_ = 0;
  double measured_ = 0;
  std::int64_t round_end_ = -1;  // the round trip lasts until more than this is acknowledged
  float dampener_ = 0;
  bool congested_ = false;  // some acknowledgement of this round trip has seen congestion
};

}  // namespace weir::cc
