// Events for the rule of On-Ramp, and the rule applied to them.
#pragma once

#include <random>

#include "tests/hosts/bpf_tested.h"

namespace weir::hosts::lab {

// Events of a flow as they happen, with pauses that are kept to or not, losses, repetitions, clocks that are wrong, and
// now and then something that cannot happen.
class Events {
 public:
  // Without `nonsense`, only what can happen.
  explicit Events(unsigned seed, bool nonsense = true) : random_(seed), nonsense_(nonsense) {}

  rule_event next(const weir_on_ramp& flow) {
    if (one_in(5'000)) return start();
    if (nonsense_ && one_in(3'000)) return nonsense();
    now_ += static_cast<long long>(below(one_in(100) ? 5'000'000 : 20'000));
    if (one_in(2)) return answer(flow);
    rule_event out{.kind = RULE_SEND, .seq = end_, .length = 1 + below(65'536), .now = now_};
    if (one_in(8)) out.now = flow.pause_end > now_ ? flow.pause_end : now_;
    if (one_in(30)) out.seq = flow.answered + below(end_ - flow.answered + 1);  // again
    if (one_in(200)) out.seq += below(100'000);                                 // some went another way
    if (static_cast<int>(out.seq + out.length - end_) > 0) end_ = out.seq + out.length;
    return out;
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }
  std::uint32_t below(std::uint32_t n) { return n == 0 ? 0 : static_cast<std::uint32_t>(random_() % n); }

  rule_event start() {
    end_ = static_cast<std::uint32_t>(random_());
    return {.kind = RULE_START, .now = now_};
  }
  rule_event answer(const weir_on_ramp& flow) {
    const std::uint32_t out = end_ - flow.answered;
    // mostly one of the oldest
    const std::uint32_t seq = flow.answered + below(one_in(4) ? out + 1'000 : out / 16 + 1);
    return {.kind = RULE_OR_ACK,
            .seq = one_in(8) ? flow.answered - below(100'000) : seq,
            .delay = static_cast<long long>(below(one_in(8) ? 3'000'000 : 600'000)) - (one_in(20) ? 1'000'000 : 0),
            .now = now_};
  }
  rule_event nonsense() {
    return {.kind = 1 + below(2),
            .seq = static_cast<std::uint32_t>(random_()),
            .length = static_cast<std::uint32_t>(random_()),
            .delay = static_cast<long long>(random_()) >> below(64),
            .now = static_cast<long long>(random_()) >> (1 + below(63))};
  }

  std::mt19937_64 random_;
  bool nonsense_;
  std::uint32_t end_ = 0;
  long long now_ = 1'000'000'000;
};

inline void apply(weir_on_ramp& flow, const weir_on_ramp_params& params, rule_event& e) {
  if (e.kind == RULE_START) weir_on_ramp_start(&flow, &params);
  if (e.kind == RULE_SEND) weir_on_ramp_on_send(&flow, &params, e.seq, e.length, e.now);
  if (e.kind == RULE_OR_ACK)
    e.result = static_cast<unsigned>(weir_on_ramp_on_or_ack(&flow, &params, e.seq, e.delay, e.now));
  e.pause_end = flow.pause_end;
  e.beta = flow.beta;
}

}  // namespace weir::hosts::lab
