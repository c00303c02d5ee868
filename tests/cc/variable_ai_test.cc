#include "weir/cc/variable_ai.h"

#include <gtest/gtest.h>

namespace weir::cc::variable_ai_test {
namespace {

using namespace literals;

// HPCC's form with the constants of Fast Convergence VI-A: a token for each KB, from 50 KB on; Bank_Cap 1000, AI_Cap
// 100, Dampener_Constant 8.
struct Tokens {
  // One round trip with this longest queue. `congested`: C >= 1 at some time.
  void round(double queue, bool congested = true) {
    vai.observe(queue / 2, false);
    vai.observe(queue, congested);
    vai.observe(queue / 3, false);
    vai.generate(params, 50'000, vai.measured_congestion() / 1'000);
    EXPECT_EQ(vai.measured_congestion(), 0);
  }

  VariableAi::Params params;
  VariableAi vai;
};

constexpr double kFloat = 1e-6;  // the dampener has single precision

TEST(VariableAi, WithoutTokensTheStepIsTheBaseStep) {
  Tokens t;
  EXPECT_EQ(t.vai.multiplier(t.params), 1);
  t.vai.spend(t.params);
  EXPECT_EQ(t.vai.bank(), 0);
  t.round(50'000);  // not more than the threshold
  EXPECT_EQ(t.vai.bank(), 0);
  EXPECT_EQ(t.vai.dampener(), 0);
}

// B4. M = 120 KB: 120 tokens, dampener 120 / 50 = 2.4, divisor 2.4 / 8 + 1 = 1.3. Of the tokens 100 count, as 100 / 1.3
// = 76.923 steps; the bank pays 100 for them. The 20 that are left make 20 / 1.3 = 15.385.
TEST(VariableAi, MintsAndSpends) {
  Tokens t;
  t.round(120'000);
  EXPECT_EQ(t.vai.bank(), 120);
  EXPECT_NEAR(t.vai.dampener(), 2.4, kFloat);
  EXPECT_NEAR(t.vai.multiplier(t.params), 76.923077, 1e-5);
  EXPECT_NEAR(t.vai.multiplier(t.params), 76.923077, 1e-5);  // looking does not spend
  t.vai.spend(t.params);
  EXPECT_EQ(t.vai.bank(), 20);
  EXPECT_NEAR(t.vai.multiplier(t.params), 15.384615, 1e-5);
  t.vai.spend(t.params);
  EXPECT_EQ(t.vai.bank(), 0);
  EXPECT_EQ(t.vai.multiplier(t.params), 1);
}

TEST(VariableAi, TokensOfRoundsAddUpToTheCap) {
  Tokens t;
  t.round(620'500);
  EXPECT_EQ(t.vai.bank(), 620.5);
  t.round(379'000);
  EXPECT_EQ(t.vai.bank(), 999.5);
  t.round(51'000);
  EXPECT_EQ(t.vai.bank(), 1'000);
}

// B4. With an empty bank the dampener falls by one in a round with some congestion, and to zero in one
// without. 2.4, 1.4, 0.4, 0; then 60 KB: 1.2; 60 tokens make 60 / 1.15 = 52.174 steps.
TEST(VariableAi, DampenerFadesWhenTheBankIsEmpty) {
  Tokens t;
  t.round(120'000);
  t.vai.spend(t.params);
  t.vai.spend(t.params);
  t.round(40'000);
  EXPECT_NEAR(t.vai.dampener(), 1.4, kFloat);
  t.round(50'000);  // exactly the threshold: algorithm 1 has no line for it
  EXPECT_NEAR(t.vai.dampener(), 1.4, kFloat);
  t.round(10'000);
  EXPECT_NEAR(t.vai.dampener(), 0.4, kFloat);
  t.round(10'000);
  EXPECT_EQ(t.vai.dampener(), 0);
  t.round(60'000);
  EXPECT_NEAR(t.vai.multiplier(t.params), 52.173913, 1e-5);
  t.vai.spend(t.params);
  t.round(0, false);
  EXPECT_EQ(t.vai.dampener(), 0);
}

// B4. While there are tokens, nothing changes the dampener but more congestion (algorithm 1, line 7).
TEST(VariableAi, DampenerStaysWhileThereAreTokens) {
  Tokens t;
  t.round(150'000);
  t.vai.spend(t.params);
  t.round(0, false);
  t.round(20'000);
  EXPECT_EQ(t.vai.bank(), 50);
  EXPECT_NEAR(t.vai.dampener(), 3, kFloat);
  EXPECT_NEAR(t.vai.multiplier(t.params), 50 / 1.375, 1e-5);
  t.round(100'000);
  EXPECT_EQ(t.vai.bank(), 150);
  EXPECT_NEAR(t.vai.dampener(), 5, kFloat);
}

// A dampened increase is at least the base step.
TEST(VariableAi, DampenerLeavesTheBaseStep) {
  Tokens t;
  t.round(50'500);                                // 50.5 tokens, dampener 1.01
  for (int i = 0; i < 100; ++i) t.round(50'500);  // dampener 102.01, divisor 13.75
  EXPECT_NEAR(t.vai.multiplier(t.params), 100 / 13.75125, 1e-3);
  t.params.ai_cap = 10;
  EXPECT_EQ(t.vai.multiplier(t.params), 1);
  t.vai.spend(t.params);
  EXPECT_EQ(t.vai.bank(), 990);
}

TEST(VariableAi, RoundsEndWithPacketsSentAfterThePreviousOne) {
  VariableAi vai;
  const auto ends = [&](std::int64_t seq, std::int64_t snd_nxt) {
    Ack ack;
    ack.seq = {seq};
    ack.snd_nxt = {snd_nxt};
    return vai.round_ended(ack);
  };
  EXPECT_FALSE(ends(1'000, 50'000));  // the first one begins a round
  EXPECT_FALSE(ends(2'000, 51'000));
  EXPECT_FALSE(ends(50'000, 90'000));
  EXPECT_TRUE(ends(51'000, 95'000));
  EXPECT_FALSE(ends(95'000, 96'000));
  EXPECT_TRUE(ends(96'000, 40'000));   // go-back-N took snd_nxt back
  EXPECT_TRUE(ends(96'001, 120'000));  // the mark stays at what it was
}

}  // namespace
}  // namespace weir::cc::variable_ai_test
