// The rule as the kernel runs it and as user space does, both running free over the same events, whatever these are.
// rule_test.cc compares it with what the data path in user space and the simulator make of it.
#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/hosts/bpf_lab.h"
#include "tests/hosts/rule_events.h"

namespace weir::hosts::lab {
namespace {

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
