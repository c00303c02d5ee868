// One arithmetic: the kernel's path, the path in user space and the simulator run free over the same million events,
// and are equal to the bit.
#include "weir/cc/on_ramp_rule.h"

#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hosts/queue/sending.h"
#include "tests/hosts/bpf_lab.h"
#include "tests/hosts/rule_events.h"
#include "weir/cc/on_ramp.h"

namespace weir::hosts::lab {
namespace {

// All three have these; a host's notes are forgotten after 2 s, which no packet here takes.
struct Kind {
  std::int64_t threshold;
  double gain;
  double initial_beta;
  bool strawman;
};

std::uint32_t fixed(double fraction) { return static_cast<std::uint32_t>(fraction * WEIR_ON_RAMP_ONE); }

weir_on_ramp_params params_of(const Kind& kind) {
  return {.threshold = kind.threshold,
          .max_pause = 0,
          .max_age = Sending::kLongestWait,
          .gain = fixed(kind.gain),
          .initial_beta = fixed(kind.initial_beta),
          .strawman = kind.strawman ? 1u : 0u};
}

// The sending side of the path in user space; packets leave as soon as they come.
class InUserSpace {
 public:
  explicit InUserSpace(const Kind& kind) : sending_(settings_of(kind), ShownClock{}) {
    Peer peer{.address = flow_.destination, .held = true, .threshold = kind.threshold};
    peer.clock.sigma = std::int64_t{1} << 60;  // any time is possible
    sending_.set_peer(peer);
    sending_.allow(false);
  }

  void start(std::int64_t now) { leave({.flow = flow_, .syn = true}, now); }
  void send(const rule_event& e) { leave({.flow = flow_, .seq = e.seq, .length = e.length}, e.now); }
  unsigned or_ack(const rule_event& e, std::int64_t sent) {
    const auto heard = sending_.hear({flow_, e.seq, sent + e.delay}, e.now);
    return heard == Sending::Heard::paused ? 2 : heard == Sending::Heard::heard ? 1 : 0;
  }
  // Nothing before there is data.
  std::vector<FlowView> view(std::int64_t now) const { return sending_.flows(now); }

 private:
  static PathSettings settings_of(const Kind& kind) {
    PathSettings out;
    out.hold = true;
    out.rule = {
        .max_pause = 0, .gain = fixed(kind.gain), .initial_beta = fixed(kind.initial_beta), .strawman = kind.strawman};
    return out;
  }
  void leave(const hosts::Segment& segment, std::int64_t now) {
    sending_.arrive(1, segment, now);
    gone_.clear();
    sending_.release(now, gone_);
    ASSERT_EQ(gone_.size(), 1u);
  }

  const Flow flow_{address("10.77.0.1"), address("10.77.0.2"), 40'000, 80};
  Sending sending_;
  std::vector<std::uint32_t> gone_;
};

// That of the simulator, whose picoseconds are our ticks.
class Simulated {
 public:
  explicit Simulated(const Kind& kind) : threshold_(kind.threshold) {
    params_.rule = kind.strawman ? cc::OnRamp::Rule::strawman : cc::OnRamp::Rule::final;
    params_.gain = kind.gain;
    params_.initial_beta = kind.initial_beta;
    start();
  }
  void start() { shim_.start(params_, Time{threshold_}, Bytes{1'448}); }
  void send(const rule_event& e) { shim_.on_send(e.seq, weir::Bytes{e.length}, Time{e.now}); }
  bool or_ack(const rule_event& e) {
    const auto green = shim_.departure(e.seq);
    if (green) shim_.on_or_ack(green, Time{e.delay}, Time{e.now});
    return static_cast<bool>(green);
  }
  const cc::OnRamp& shim() const { return shim_; }

 private:
  using Bytes = weir::Bytes;
  std::int64_t threshold_;
  cc::OnRamp::Params params_;
  cc::OnRamp shim_;
};

class OneRule : public ProgramTest {
 protected:
  OneRule() : ProgramTest({"run_rule"}) {}

  // The events so far, as the kernel sees them.
  void compare_with_kernel(const rule_batch& mine, rule_batch& theirs) {
    const unsigned zero = 0;
    const int batches = program_->map("batch");
    ASSERT_EQ(bpf_map_update_elem(batches, &zero, &theirs, BPF_ANY), 0);
    run(program_->program("run_rule"), lab::Bytes(64));
    ASSERT_EQ(bpf_map_lookup_elem(batches, &zero, &theirs), 0);
    const auto bytes = [](const rule_batch& of) { return std::string(reinterpret_cast<const char*>(&of), sizeof of); };
    ASSERT_TRUE(bytes(mine) == bytes(theirs)) << "the kernel's";
  }
};

TEST_F(OneRule, InTheKernelInUserSpaceAndInTheSimulator) {
  const Kind kinds[] = {{300'000, 1.0 / 16, 0, false}, {100'000, 0.5, 1, false}, {500'000, 1.0 / 16, 0, true}};
  constexpr int kBatches = 1'000'000 / RULE_EVENTS / 3 + 1;
  std::uint64_t results[3] = {};
  std::uint64_t events = 0;
  for (const Kind& kind : kinds) {
    Events source(static_cast<unsigned>(kind.threshold), false);
    InUserSpace user(kind);
    Simulated simulated(kind);
    rule_batch mine{};
    mine.params = params_of(kind);
    rule_batch theirs = mine;
    weir_on_ramp_start(&mine.rule, &mine.params);
    theirs.rule = mine.rule;
    for (int batch = 0; batch < kBatches; ++batch) {
      for (rule_event& e : mine.events) {
        e = source.next(mine.rule);
        theirs.events[&e - mine.events] = e;
        weir_on_ramp_note green{};
        const bool known = e.kind == RULE_OR_ACK && weir_on_ramp_find(&mine.rule, e.seq, &green) != 0;
        apply(mine.rule, mine.params, e);
        ++events;
        if (e.kind == RULE_START) {
          user.start(e.now);
          simulated.start();
        } else if (e.kind == RULE_SEND) {
          user.send(e);
          simulated.send(e);
        } else {
          ++results[e.result];
          ASSERT_EQ(user.or_ack(e, green.sent), e.result);
          ASSERT_EQ(simulated.or_ack(e), known);
        }
        ASSERT_EQ(simulated.shim().next_packet(0).ps, mine.rule.pause_end);
        ASSERT_EQ(simulated.shim().beta() * WEIR_ON_RAMP_ONE, mine.rule.beta);
        ASSERT_EQ(simulated.shim().paused(Time{e.now}).ps, weir_on_ramp_paused(&mine.rule, e.now));
        for (const FlowView& view : user.view(e.now)) {
          ASSERT_EQ(view.pause_end, mine.rule.pause_end);
          ASSERT_EQ(view.beta * WEIR_ON_RAMP_ONE, mine.rule.beta);
        }
      }
      compare_with_kernel(mine, theirs);
      if (HasFatalFailure()) FAIL() << "T = " << kind.threshold << ", batch " << batch;
    }
  }
  EXPECT_GE(events, 1'000'000u);
  for (const std::uint64_t count : results) EXPECT_GT(count, 50'000u);
}

}  // namespace
}  // namespace weir::hosts::lab
