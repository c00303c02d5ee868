// One arithmetic: the rule as the kernel runs it and as user space does, both running free over the same events.
#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/hosts/bpf_lab.h"
#include "tests/hosts/bpf_tested.h"

namespace weir::hosts::lab {
namespace {

// Events of a flow as they happen, with pauses that are kept to or not, losses, repetitions, clocks that are wrong, and
// now and then something that cannot happen.
class Events {
 public:
  explicit Events(unsigned seed) : random_(seed) {}

  rule_event next(const weir_on_ramp& flow) {
    if (one_in(5'000)) return start();
    if (one_in(3'000)) return nonsense();
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
  std::uint32_t end_ = 0;
  long long now_ = 1'000'000'000;
};

void apply(weir_on_ramp& flow, const weir_on_ramp_params& params, rule_event& e) {
  if (e.kind == RULE_START) weir_on_ramp_start(&flow, &params);
  if (e.kind == RULE_SEND) weir_on_ramp_on_send(&flow, &params, e.seq, e.length, e.now);
  if (e.kind == RULE_OR_ACK)
    e.result = static_cast<unsigned>(weir_on_ramp_on_or_ack(&flow, &params, e.seq, e.delay, e.now));
  e.pause_end = flow.pause_end;
  e.beta = flow.beta;
}

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class BpfRule : public ProgramTest {
 protected:
  BpfRule() : ProgramTest({"run_rule"}) {}
};

TEST_F(BpfRule, IsThatOfUserSpaceToTheBit) {
  const weir_on_ramp_params kinds[] = {
      {.threshold = 300'000, .max_pause = 10'000'000, .max_age = 2'000'000'000, .gain = WEIR_ON_RAMP_ONE / 16},
      {.threshold = 100'000,
       .max_pause = 0,
       .max_age = 0,
       .gain = WEIR_ON_RAMP_ONE / 2,
       .initial_beta = WEIR_ON_RAMP_ONE},
      {.threshold = 500'000, .max_pause = 1'000'000, .max_age = 50'000'000, .gain = WEIR_ON_RAMP_ONE, .strawman = 1},
      {.threshold = 0, .max_pause = 200'000, .max_age = 1'000'000, .gain = 1, .initial_beta = 77}};
  constexpr int kBatches = 1'000'000 / RULE_EVENTS / 4 + 1;
  const int batches = program_->map("batch");
  const int program = program_->program("run_rule");
  const Bytes any(64);
  const unsigned zero = 0;
  std::uint64_t events = 0;
  std::uint64_t results[3] = {};
  for (unsigned kind = 0; kind < std::size(kinds); ++kind) {
    Events source(kind + 1);
    rule_batch mine{};
    mine.params = kinds[kind];
    rule_batch theirs = mine;
    for (int i = 0; i < kBatches; ++i) {
      for (rule_event& e : mine.events) {
        e = source.next(mine.rule);
        theirs.events[&e - mine.events] = e;
        apply(mine.rule, mine.params, e);
        if (e.kind == RULE_OR_ACK) ++results[e.result];
        ++events;
      }
      ASSERT_EQ(bpf_map_update_elem(batches, &zero, &theirs, BPF_ANY), 0);
      run(program, any);
      ASSERT_EQ(bpf_map_lookup_elem(batches, &zero, &theirs), 0);
      if (bytes_of(mine) == bytes_of(theirs)) continue;
      for (const rule_event& e : mine.events)
        ASSERT_TRUE(bytes_of(e) == bytes_of(theirs.events[&e - mine.events]))
            << "parameters " << kind << ", batch " << i << ", event " << &e - mine.events;
      FAIL() << "the states differ: parameters " << kind << ", batch " << i;
    }
  }
  EXPECT_GE(events, 1'000'000u);
  std::cout << results[0] << " ignored, " << results[1] << " heard, " << results[2] << " paused\n";
  for (const std::uint64_t count : results) EXPECT_GT(count, 50'000u);
}

}  // namespace
}  // namespace weir::hosts::lab
