#include "weir/theory/sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weir/theory/random_network.h"

namespace weir::theory {
namespace {

using namespace weir::literals;

// The solutions of the two equations.
double per_rtt(double c, double beta, double rtt_ns, double t_ns) { return c * std::exp(-beta * t_ns / rtt_ns); }
double sampled(double c, double beta, double bytes, double t_ns) { return c / (1 + beta * c * t_ns / bytes); }

// The first interval of the faster flow is 30,000 B / 12.5 B/ns = 2400 ns. After it
// S_1 = 12.5 / (1 + 0.5) = 8.3333 and S_0 = 6.25 / (1 + 0.5 * 6.25 * 2400 / 30,000) = 6.25 / 1.25 = 5,
// R_1 = 12.5 e^(-0.5 * 0.08) = 12.0099 and R_0 is half of it: F = 6.00493 - 3.33333.
TEST(Sampling, OneInterval) {
  const auto states = integrate({}, 2400_ns, 2400_ns);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].gain(), 0);
  EXPECT_EQ(states[0].sampled, (std::array{6.25, 12.5}));
  EXPECT_NEAR(states[1].sampled[1], 8.333333, 1e-6);
  EXPECT_NEAR(states[1].sampled[0], 5, 1e-6);
  EXPECT_NEAR(states[1].per_rtt[1], 12.009868, 1e-6);
  EXPECT_NEAR(states[1].gain(), 6.004934 - 3.333333, 2e-6);
}

TEST(Sampling, FollowsTheClosedForms) {
  for (std::uint32_t number = 0; number < 50; ++number) {
    Draws draw(number);
    SamplingModel m;
    m.rtt = Time{static_cast<std::int64_t>(draw.between(2e6, 200e6))};
    m.acks_per_drop = 1 + draw.below(100);
    m.mtu = {500 + draw.below(4000)};
    m.beta = draw.between(0.05, 1);
    m.slow = Rate{static_cast<std::int64_t>(draw.between(1e9, 50e9))};
    m.fast = Rate{static_cast<std::int64_t>(draw.between(50e9, 400e9))};
    const double rtt = static_cast<double>(m.rtt.ps) * 1e-3;
    const auto bytes = static_cast<double>(m.acks_per_drop * m.mtu.count);
    const double c[] = {m.slow.bytes_per_second() * 1e-9, m.fast.bytes_per_second() * 1e-9};
    for (const auto& s : integrate(m, 7_us, 140_us)) {
      const double t = static_cast<double>(s.time.ps) * 1e-3;
      for (const int i : {0, 1}) {
        ASSERT_NEAR(s.per_rtt[i], per_rtt(c[i], m.beta, rtt, t), 1e-9 * c[i]) << number;
        ASSERT_NEAR(s.sampled[i], sampled(c[i], m.beta, bytes, t), 1e-9 * c[i]) << number;
      }
    }
  }
}

TEST(Sampling, TheStepOfTheTableDoesNotMatter) {
  const auto coarse = integrate({}, 100_us, 100_us).back();
  const auto fine = integrate({}, Time{100'000}, 100_us).back();
  EXPECT_EQ(fine.time, coarse.time);
  EXPECT_NEAR(fine.gain(), coarse.gain(), 1e-9);
}

// From the closed forms, with k = 0.5 / 30,000 per B: the gap of S is down to 5 % when
// 12.5 / (1 + 12.5 k t) - 6.25 / (1 + 6.25 k t) = 0.3125; that of R after 60 us * ln 20 = 179.744 us.
// Jain's index of S is 0.95 at a ratio S_1 / S_0 = x with (1 + x)^2 = 1.9 (1 + x^2), x = (1 + sqrt(0.19)) / 0.9 =
// 1.595432; S_1 / S_0 = (1 + 6.25 k t) 2 / (1 + 12.5 k t) gives k t = (2 - x) / (12.5 (x - 1)) = 0.054355, t = 3261.3
// ns.
TEST(Sampling, TimesToFairness) {
  const SamplingTimes t = sampling_times({});
  EXPECT_NEAR(t.per_rtt_gap.value(), 60'000 * std::log(20.0), 1);
  const double at = t.sampled_gap.value();
  EXPECT_NEAR(sampled(12.5, 0.5, 30'000, at) - sampled(6.25, 0.5, 30'000, at), 0.3125, 1e-5);
  EXPECT_FALSE(t.per_rtt_jain.has_value());
  const double x = (1 + std::sqrt(0.19)) / 0.9;
  EXPECT_NEAR(t.sampled_jain.value(), (2 - x) / (12.5 * (x - 1)) * 60'000, 1);
}

TEST(Sampling, AFairStartIsFairAtOnce) {
  const SamplingTimes t = sampling_times({.slow = 90_Gbps});
  EXPECT_EQ(t.per_rtt_jain, 0);  // (100 + 90)^2 / (2 (100^2 + 90^2)) = 0.997
  EXPECT_EQ(t.sampled_jain, 0);
}

// The gain is positive up to some instant and negative from then on: in the end e^-t is below 1 / t^2.
TEST(Sampling, TheGainEnds) {
  const auto gain = [](double t) {
    return per_rtt(12.5, 0.5, 30'000, t) - per_rtt(6.25, 0.5, 30'000, t) - sampled(12.5, 0.5, 30'000, t) +
           sampled(6.25, 0.5, 30'000, t);
  };
  const double end = sampling_times({}).end_of_gain.value();
  EXPECT_GT(gain(end * 0.9999), 0);
  EXPECT_LT(gain(end * 1.0001), 0);
  const auto states = integrate({}, 1_us, 522_us);
  for (std::size_t i = 1; i < states.size(); ++i) EXPECT_GT(states[i].gain(), 0) << i << " us";
  EXPECT_LT(integrate({}, 600_us, 600_us).back().gain(), 0);
}

// s MTU = r (C_1 + C_0): 562,500 B = 30,000 ns * 18.75 B/ns. At and above it there is no gain.
TEST(Sampling, NoGainBeyondTheCondition) {
  SamplingModel m;
  m.mtu = Bytes{1};
  m.acks_per_drop = 562'499;
  EXPECT_TRUE(m.gains());
  m.acks_per_drop = 562'500;
  EXPECT_FALSE(m.gains());
  const SamplingTimes t = sampling_times(m);
  EXPECT_FALSE(t.peak.has_value());
  EXPECT_FALSE(t.end_of_gain.has_value());
  for (const auto& s : integrate(m, 1_us, 300_us)) EXPECT_LE(s.gain(), 0);
}

}  // namespace
}  // namespace weir::theory
