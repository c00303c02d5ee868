#include "weir/cc/pcc_rl.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/cc/preset.h"
#include "tests/cc/snapshot.h"
#include "weir/policy/policy_file.h"

namespace weir::cc::pcc_rl_test {
namespace {

using namespace literals;

FlowFacts facts() {
  FlowFacts f;
  f.line_rate = 100_Gbps;
  f.path_rate = 100_Gbps;
  f.base_rtt = 8_us;
  f.network_rtt = 8_us;
  f.payload = 1'000_B;
  f.wire = 1'048_B;
  f.start = 1_ms;
  return f;
}

// y is the value of the leaf, whatever is observed: 0.5 makes the factor 1.1.
policy::Policy constant(float y) {
  policy::Policy p;
  p.kind = policy::Kind::tree;
  p.nodes = {{.value = y}};
  return p;
}

PccRl::Params with(const policy::Policy& p) {
  PccRl::Params out;
  out.decider = std::make_shared<const policy::Decider>(p);
  out.first_rate = 1;
  return out;
}

// Notes what it is told, and gives the factors that it is given.
struct Maker : DecisionMaker {
  std::uint32_t start(const FlowFacts&, double& rate) override {
    first = rate;
    rate = begin;
    return 42;
  }
  double decide(std::uint32_t flow, Time now, const policy::Observation& o) override {
    EXPECT_EQ(flow, 42u);
    asked.emplace_back(now, o);
    return factor;
  }
  void ask(std::uint32_t flow, Time now, const policy::Observation& o) override {
    EXPECT_EQ(flow, 42u);
    asked.emplace_back(now, o);
  }
  double answer(std::uint32_t flow, Time now) override {
    EXPECT_EQ(flow, 42u);
    answered.push_back(now);
    return factor;
  }
  double first = 0;
  double begin = 0.5;
  double factor = 0.9;
  std::vector<std::pair<Time, policy::Observation>> asked;
  std::vector<Time> answered;
};

struct Flow {
  explicit Flow(PccRl::Params p) : params(std::move(p)), flow(facts()), pcc(params, flow, control) {}

  // The acknowledgement of a packet that left at `sent`.
  void ack(Time sent, Time now, bool ecn = false) {
    Ack a;
    a.now = now;
    a.rtt = now - sent;
    a.sent_at = sent;
    a.ecn = ecn;
    pcc.on_ack(params, flow, a, control);
  }
  void send(int n) {
    for (int i = 0; i < n; ++i) pcc.on_send(params, flow, {}, control);
  }
  void lose(Time now) { pcc.on_loss(params, flow, {.now = now}, control); }
  double gbps() const { return static_cast<double>(control.rate.bits_per_second) * 1e-9; }

  PccRl::Params params;
  FlowFacts flow;
  Control control;
  PccRl pcc;
};

TEST(PccRl, StartsAtItsFirstRateWithoutAWindow) {
  auto p = with(constant(0));
  p.first_rate = PccRl::Params{}.first_rate;
  EXPECT_EQ(Flow(p).control.rate, 10_Gbps);
  p.first_rate = 0.25;
  const Flow f(p);
  EXPECT_EQ(f.control.rate, 25_Gbps);
  EXPECT_EQ(f.control.window, kNoWindow);
  EXPECT_EQ(f.control.timer, kNoTimer);
  EXPECT_TRUE(f.control.repace);
  EXPECT_THROW(Flow(PccRl::Params{}), std::logic_error);
}

TEST(PccRl, DecidesOncePerProbe) {
  auto p = with(constant(-0.5f));  // divides by 1.1
  Flow f(p);
  f.ack(1_ms, 1_ms + 8_us);  // the first acknowledgement
  EXPECT_DOUBLE_EQ(f.gbps(), 90.909090909);
  f.ack(1_ms + 1_us, 1_ms + 9_us);  // left before the decision
  f.ack(1_ms + 7_us, 1_ms + 15_us);
  EXPECT_DOUBLE_EQ(f.gbps(), 90.909090909);
  f.ack(1_ms + 8_us, 1_ms + 20_us);  // the probe
  EXPECT_NEAR(f.gbps(), 100 / 1.21, 1e-8);
  f.ack(1_ms + 9_us, 1_ms + 21_us);
  EXPECT_NEAR(f.gbps(), 100 / 1.21, 1e-8);
  // The probe is lost, and one that left later is acknowledged.
  f.lose(1_ms + 40_us);
  f.ack(1_ms + 41_us, 1_ms + 50_us);
  EXPECT_NEAR(f.gbps(), 100 / 1.331, 1e-8);
}

TEST(PccRl, KeepsToItsBounds) {
  auto down = with(constant(-1));
  down.min_rate = 1_Gbps;
  Flow slow(down);
  for (int i = 0; i < 100; ++i) slow.ack(1_ms + 10_us * i, 1_ms + 10_us * (i + 1));
  EXPECT_EQ(slow.control.rate, 1_Gbps);
  Flow fast(with(constant(1)));
  for (int i = 0; i < 100; ++i) fast.ack(1_ms + 10_us * i, 1_ms + 10_us * (i + 1));
  EXPECT_EQ(fast.control.rate, 100_Gbps);
}

// The preset `public` with a policy, and the parameters of a NIC as in the authors' simulator.
PccRl::Params public_setting(const policy::Policy& p) {
  PccRl::Params out = preset<PccRl>("public");
  out.decider = std::make_shared<const policy::Decider>(p);
  return out;
}

TEST(PccRl, HasTheSettingOfThePublicSimulator) {
  Flow f(public_setting(constant(-1)));
  EXPECT_EQ(f.control.rate, 100_Gbps);
  EXPECT_EQ(f.control.window, Bytes{640 * 1024});
  EXPECT_TRUE(f.control.probe);
  EXPECT_EQ(f.control.burst, 16);
  // 64 of 2^20 of the line rate: 4,096 B leave each 5,288.6 us there, with 64 B of headers for each 1,024
  for (int i = 1; i < 100; ++i) {
    f.pcc.on_echo(f.params, f.flow, {.now = 1_ms + 10_us * i, .rtt = 8_us, .sent_at = 1_ms + 10_us * i}, f.control);
    EXPECT_GE(f.control.burst, 4);
  }
  EXPECT_EQ(f.control.rate, Rate{6'103'516});
  EXPECT_EQ(f.control.burst, 4);
  EXPECT_FALSE(PccRl::receiver(f.params).cnp);
}

// A burst is what the rate sends in burst_time, between the bounds, whichever are given.
TEST(PccRl, SendsLongerBurstsAtHigherRates) {
  struct Case {
    double rate;
    int packets;
  };
  for (const auto& [rate, packets] :
       std::vector<Case>{{1, 12}, {0.75, 9}, {0.5, 6}, {0.25, 3}, {0.125, 2}, {0.01, 2}}) {
    auto p = with(constant(0));
    p.burst = 2;
    p.max_burst = 255;
    p.burst_time = Time{12 * 1'048 * 80};  // 12 packets of 1,048 B at 100 Gb/s
    p.first_rate = rate;
    EXPECT_EQ(Flow(p).control.burst, packets) << rate;
    p.max_burst = 8;
    EXPECT_EQ(Flow(p).control.burst, std::min(packets, 8)) << rate;
    p.burst_time = {};
    EXPECT_EQ(Flow(p).control.burst, 2) << rate;
  }
}

TEST(PccRl, TakesTheLargerOfTheLeastRates) {
  auto p = with(constant(0));
  p.first_rate = 1e-6;
  p.min_rate = 10_Mbps;
  EXPECT_EQ(Flow(p).control.rate, 10_Mbps);
  p.min_rate_share = 0.001;
  EXPECT_EQ(Flow(p).control.rate, 100_Mbps);
  p.min_rate = 1_Gbps;
  EXPECT_EQ(Flow(p).control.rate, 1_Gbps);
}

// Rates are rounded down, factors to the nearest step: a rate of 64 steps does not rise by 1 %.
TEST(PccRl, KeepsRatesAndFactorsInWholeNumbers) {
  const auto after = [](double factor, double first, int rate_bits, int factor_bits) {
    Maker maker;
    maker.begin = first;
    maker.factor = factor;
    PccRl::Params p;
    p.maker = &maker;
    p.min_rate = 1_Kbps;
    p.rate_bits = rate_bits;
    p.factor_bits = factor_bits;
    Flow f(p);
    f.ack(1_ms, 1_ms + 8_us);
    return f.pcc.rate();
  };
  const double step = 1.0 / (1 << 20);
  EXPECT_EQ(after(1.01, 64 * step, 20, 16), 64 * step);
  EXPECT_EQ(after(1.02, 64 * step, 20, 16), 65 * step);
  EXPECT_NEAR(after(1.01, 64 * step, 0, 0), 64.64 * step, 1e-12);
  EXPECT_EQ(after(1 + 0.49 / 16, 0.25, 0, 4), 0.25);
  EXPECT_EQ(after(1 + 0.51 / 16, 0.25, 0, 4), 0.25 * 17 / 16);
}

TEST(PccRl, TellsTheMakerWhatItObserved) {
  Maker maker;
  PccRl::Params p;
  p.maker = &maker;
  p.first_rate = 0.75;
  Flow f(p);
  EXPECT_EQ(maker.first, 0.75);
  EXPECT_EQ(f.control.rate, 50_Gbps);
  f.send(5);
  f.ack(1_ms, 1_ms + 8_us);
  f.send(7);
  f.ack(1_ms + 1_us, 1_ms + 10_us, true);
  f.lose(1_ms + 11_us);
  f.lose(1_ms + 12_us);
  f.ack(1_ms + 9_us, 1_ms + 20_us, true);
  ASSERT_EQ(maker.asked.size(), 2u);
  const auto& [then, first] = maker.asked[0];
  EXPECT_EQ(then, 1_ms + 8_us);
  EXPECT_EQ(first.rtt, 8_us);
  EXPECT_EQ(first.base_rtt, 8_us);
  EXPECT_EQ(first.rate, 0.5);
  EXPECT_EQ(first.packet, transmission_time(1'048_B, 100_Gbps));
  EXPECT_EQ(first.sent, 5u);
  EXPECT_EQ(first.cnps, 0u);
  const auto& second = maker.asked[1].second;
  EXPECT_EQ(second.rtt, 11_us);
  EXPECT_DOUBLE_EQ(second.rate, 0.45);
  EXPECT_EQ(second.sent, 7u);
  EXPECT_EQ(second.cnps, 2u);
  EXPECT_EQ(second.nacks, 2u);
  EXPECT_NEAR(f.gbps(), 40.5, 1e-8);
}

TEST(PccRl, WaitsForALateDecision) {
  Maker maker;
  PccRl::Params outside;
  outside.maker = &maker;
  outside.decision_latency = 3_us;
  auto inside = with(constant(-0.5f));
  inside.decision_latency = 3_us;
  inside.first_rate = 0.5;
  maker.factor = 1 / 1.1;
  Flow a(outside);
  Flow b(inside);
  for (Flow* f : {&a, &b}) {
    f->ack(1_ms, 1_ms + 8_us);
    EXPECT_EQ(f->control.rate, 50_Gbps);
    EXPECT_EQ(f->control.timer, 1_ms + 11_us);
    f->ack(1_ms + 8_us, 1_ms + 9_us);  // asks nothing
    f->pcc.on_timer(f->params, f->flow, 1_ms + 11_us, f->control);
    EXPECT_EQ(f->control.timer, kNoTimer);
    f->ack(1_ms + 10_us, 1_ms + 20_us);  // left before the rate changed
    f->ack(1_ms + 11_us, 1_ms + 21_us);
    EXPECT_EQ(f->control.timer, 1_ms + 24_us);
  }
  EXPECT_EQ(a.control.rate, b.control.rate);
  EXPECT_NEAR(a.gbps(), 50 / 1.1, 1e-8);
  EXPECT_EQ(maker.asked.size(), 2u);
  EXPECT_EQ(maker.answered, (std::vector<Time>{1_ms + 11_us}));
}

TEST(PccRl, HearsALossOncePerRoundTrip) {
  auto p = with(constant(0));
  p.loss_factor = 2;
  Flow f(p);
  f.ack(1_ms, 1_ms + 10_us);
  f.lose(1_ms + 11_us);
  EXPECT_EQ(f.control.rate, 50_Gbps);
  f.lose(1_ms + 20_us);
  EXPECT_EQ(f.control.rate, 50_Gbps);
  f.lose(1_ms + 21_us);
  EXPECT_EQ(f.control.rate, 25_Gbps);
  p.loss_factor = 1;
  Flow deaf(p);
  deaf.lose(1_ms + 11_us);
  EXPECT_EQ(deaf.control.rate, 100_Gbps);
}

// Policies on the paper's inputs see CNPs, and others no marks but those of acknowledgements.
TEST(PccRl, AsksForCnpsWhereThePolicyReadsThem) {
  auto p = with(constant(0));
  EXPECT_FALSE(PccRl::receiver(p).cnp);
  policy::Policy paper;
  paper.inputs = policy::Inputs::paper;
  paper.history = 1;
  paper.layers.push_back({.inputs = 4, .outputs = 1, .weights = {0, 0, -1, 0}});
  p = with(paper);
  EXPECT_TRUE(PccRl::receiver(p).cnp);
  Flow f(p);
  f.send(1);
  f.ack(1_ms, 1_ms + 8_us, true);  // a mark on an acknowledgement is not a CNP
  EXPECT_EQ(f.control.rate, 100_Gbps);
  f.send(1);
  f.pcc.on_cnp(f.params, f.flow, 1_ms + 9_us, f.control);
  f.ack(1_ms + 8_us, 1_ms + 16_us);
  EXPECT_LT(f.gbps(), 87);  // y = -tanh(1)
}

TEST(PccRl, LoadsItsPolicy) {
  const Algorithm& a = *find_algorithm("pcc_rl");
  const auto text = policy::policy_text(constant(0.5f));
  const auto loaded = [&](PccRl::Params p, const DataFiles& files) {
    return std::static_pointer_cast<const PccRl::Params>(a.load(std::make_shared<PccRl::Params>(std::move(p)), files));
  };
  EXPECT_EQ(loaded({}, {})->decider->policy().layers.size(), 3u);
  EXPECT_EQ(loaded({.policy = "x.toml"}, {{"policy", {"x.toml", text}}})->decider->policy().nodes.size(), 1u);
  Maker maker;
  EXPECT_EQ(loaded({.policy = "no such", .maker = &maker}, {})->decider, nullptr);
  const auto mine = std::make_shared<const policy::Decider>(constant(0));
  EXPECT_EQ(loaded({.policy = "no such", .decider = mine}, {})->decider, mine);
  try {
    loaded({.policy = "standart"}, {});
    ADD_FAILURE() << "loaded";
  } catch (const InputError& error) {
    EXPECT_EQ(error.key(), "policy");
    EXPECT_NE(error.reason().find("did you mean 'standard'?"), std::string::npos) << error.reason();
  }
  try {
    loaded({.policy = "x.toml"}, {{"policy", {"dir/x.toml", "format = 7\n"}}});
    ADD_FAILURE() << "loaded";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "dir/x.toml:1: key 'format': version 7 is not known here; valid is 1");
  }
}

// A small LSTM over a stream of round trips: what it answers is the same for ever.
TEST(PccRl, AnswersAsBefore) {
  policy::Policy p;
  p.kind = policy::Kind::lstm;
  policy::Layer lstm{.lstm = true, .inputs = 4, .outputs = 2};
  for (int i = 0; i < 8 * 6; ++i) lstm.weights.push_back(static_cast<float>((i * 29 % 17) - 8) / 8);
  p.layers.push_back(lstm);
  p.layers.push_back({.inputs = 2, .outputs = 1, .weights = {-1, 0.75f}});
  Flow f(with(p));
  f.params.loss_factor = 1.5;
  std::string answers = "now_ns,rtt_ns,rate_bps\n";
  Time now = 1_ms;
  for (int i = 0; i < 200; ++i) {
    const Time rtt = Time{8'000'000 + (i * 7919 % 30) * 1'000'000};
    f.send(1 + i % 5);
    f.ack(now, now + rtt);
    now = now + rtt;
    if (i % 37 == 36) f.lose(now);
    answers += fmt::format("{},{},{}\n", now.ps / 1000, rtt.ps / 1000, f.control.rate.bits_per_second);
  }
  expect_snapshot("pcc_rl", answers);
}

TEST(PccRl, IsSmall) { EXPECT_LE(sizeof(PccRl), 64 + policy::Decider::kMaxMemory); }

}  // namespace
}  // namespace weir::cc::pcc_rl_test
