// On-Ramp's arithmetic: the paper's equations by hand, numbers that wrap around, a second writing of the rule as an
// oracle, and what has to hold whatever happens. Times are in ticks.
#include "weir/cc/on_ramp_rule.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/cc/on_ramp_oracle.h"

namespace weir::cc::on_ramp_rule_test {
namespace {

constexpr unsigned kOne = WEIR_ON_RAMP_ONE;
constexpr long long kLast = std::numeric_limits<long long>::max();

static_assert(std::is_trivially_copyable_v<weir_on_ramp> && std::is_standard_layout_v<weir_on_ramp>);

// A flow and its parameters, T = 30 if not told otherwise.
struct Flow {
  weir_on_ramp_params params{.threshold = 30, .gain = kOne / 4};
  weir_on_ramp rule{};

  explicit Flow(const weir_on_ramp_params& p) : params(p) { start(); }
  Flow() { start(); }
  void start() { weir_on_ramp_start(&rule, &params); }
  void send(unsigned seq, long long now, unsigned length = 1'000) {
    weir_on_ramp_on_send(&rule, &params, seq, length, now);
  }
  int or_ack(unsigned seq, long long delay, long long now) {
    return weir_on_ramp_on_or_ack(&rule, &params, seq, delay, now);
  }
  // -1: unknown.
  long long sent(unsigned seq) const {
    weir_on_ramp_note note;
    return weir_on_ramp_find(&rule, seq, &note) == 0 ? -1 : note.sent;
  }
  unsigned notes() const { return rule.tail - rule.head; }
};

TEST(OnRampRule, Equation2PausesForTheExcess) {
  Flow f({.threshold = 30, .strawman = 1});
  f.send(0, 0);
  f.send(1'000, 1);
  f.send(2'000, 2);
  EXPECT_EQ(f.or_ack(0, 30, 40), 1) << "not above T";
  EXPECT_EQ(f.rule.pause_end, 0);
  EXPECT_EQ(f.or_ack(1'000, 50, 60), 2);
  EXPECT_EQ(f.rule.pause_end, 80);
  EXPECT_EQ(f.or_ack(2'000, 55, 70), 2);
  EXPECT_EQ(f.rule.pause_end, 95);
  EXPECT_EQ(weir_on_ramp_paused(&f.rule, 70), 10);
  EXPECT_EQ(weir_on_ramp_paused(&f.rule, 200), 35);
}

TEST(OnRampRule, Equation3LearnsWhatAPauseDoes) {
  Flow f;
  f.send(0, 0);
  f.or_ack(0, 70, 80);  // pause from 80 to 120
  f.send(1'000, 120);
  f.or_ack(1'000, 50, 200);  // 20 less for a pause of 40; pause from 200 to 220
  EXPECT_EQ(f.rule.beta, kOne / 8);
  f.send(2'000, 220);
  f.or_ack(2'000, 80, 300);  // more is 0; pause from 300 to 350
  EXPECT_EQ(f.rule.beta, kOne / 8 * 3 / 4);
  f.send(3'000, 350);
  f.or_ack(3'000, 10, 400);  // 70 less for 50 is 1
  EXPECT_EQ(f.rule.beta, kOne / 32 * 3 / 4 * 3 + kOne / 4);
}

TEST(OnRampRule, Equation4TakesOffItsOwnPauses) {
  Flow f({.threshold = 30, .initial_beta = kOne / 2});
  f.send(0, 0);
  f.send(1'000, 1);
  f.or_ack(0, 70, 80);
  EXPECT_EQ(f.rule.pause_end, 120);
  f.or_ack(1'000, 70, 100);  // of the pause 20 have passed
  EXPECT_EQ(f.rule.pause_end, 130);
  EXPECT_EQ(f.rule.beta, kOne / 2);
}

TEST(OnRampRule, AnEarlierFlowsDelayCounts) {
  Flow f;
  weir_on_ramp_remember(&f.rule, &f.params, 20, 100);
  EXPECT_EQ(f.rule.pause_end, 0);
  weir_on_ramp_remember(&f.rule, &f.params, 70, 100);
  EXPECT_EQ(f.rule.pause_end, 140);
}

// Each byte is answered once, and later ones before it give it up.
TEST(OnRampRule, OrAcksMustAdvance) {
  Flow f({.threshold = 30, .strawman = 1});
  for (unsigned n = 0; n < 10; ++n) f.send(n * 1'000, n);
  EXPECT_EQ(f.or_ack(4'000, 40, 50), 2);
  const weir_on_ramp before = f.rule;
  for (const unsigned seq : {0u, 1'000u, 3'999u, 4'000u, 10'000u, 20'000u, ~0u}) EXPECT_EQ(f.or_ack(seq, 1'000, 60), 0);
  EXPECT_EQ(std::memcmp(&before, &f.rule, sizeof before), 0);
  EXPECT_EQ(f.or_ack(4'001, 40, 60), 2) << "a later byte of the same packet, as of a segment";
  EXPECT_EQ(f.or_ack(5'000, 30, 60), 1);
}

TEST(OnRampRule, WhatLeavesAgainIsNotAnswered) {
  Flow f;
  for (unsigned n = 0; n < 10; ++n) f.send(n * 1'000, n);
  weir_on_ramp_on_resend(&f.rule, 2'000, 1'000);
  EXPECT_EQ(f.sent(2'999), -1);
  EXPECT_EQ(f.sent(3'000), 3);
  f.send(3'000, 100, 2'000);  // it is told as new
  EXPECT_EQ(f.sent(4'999), -1);
  EXPECT_EQ(f.sent(5'000), 5);
  f.send(9'000, 110, 2'000);  // in part it is
  EXPECT_EQ(f.sent(10'000), -1);
  f.send(11'000, 120);
  EXPECT_EQ(f.sent(11'000), 120);
}

TEST(OnRampRule, NumbersWrapAround) {
  for (const unsigned first : {0u, 1u, 0x7fff'f000u, 0x8000'0000u, 0xffff'ff00u, ~0u}) {
    Flow f({.threshold = 30, .strawman = 1});
    for (unsigned n = 0; n < 3'000; ++n) {
      f.send(first + n * 700'001, n * 100, 700'001);
      if (n < 5) continue;
      ASSERT_EQ(f.sent(first + (n - 5) * 700'001), (n - 5) * 100);
      ASSERT_EQ(f.or_ack(first + (n - 5) * 700'001, 40, n * 100), 2);
      ASSERT_EQ(f.or_ack(first + (n - 6) * 700'001, 40, n * 100), 0);
      ASSERT_EQ(f.rule.pause_end, n * 100 + 10);
    }
  }
}

// A flow of which nothing is ever answered has a note left for what comes.
TEST(OnRampRule, NotesNeverRunOut) {
  Flow f;
  for (unsigned n = 0; n < 200'000; ++n) {
    f.send(n * 1'000, n);
    ASSERT_LE(f.notes(), WEIR_ON_RAMP_NOTES);
  }
  for (const unsigned n : {0u, 10u, 100u, 1'000u}) EXPECT_EQ(f.sent(n * 1'000), n);
  f.or_ack(100'000, 40, 200'000);
  EXPECT_LT(f.notes(), WEIR_ON_RAMP_NOTES - 50);
}

// More is under way than may be: with that all is forgotten, and what follows is noted again.
TEST(OnRampRule, SoMuchIsUnderWayAndNoMore) {
  Flow f;
  unsigned n = 0;
  for (; n < 5'000; ++n) f.send(n * 100'000, n, 100'000);
  EXPECT_EQ(f.sent(2'000), 0);
  for (; n < 6'000; ++n) f.send(n * 100'000, n, 100'000);
  EXPECT_EQ(f.sent(2'000), -1);
  EXPECT_EQ(f.sent(540'000'000), 5'400);
}

TEST(OnRampRule, OldNotesAreForgotten) {
  Flow f({.threshold = 30, .max_age = 1'000});
  for (unsigned n = 0; n < 100'000; ++n) f.send(n * 1'000, n);
  EXPECT_GT(f.notes(), 1u);
  EXPECT_EQ(f.sent(99'500'000), 99'500);
  f.send(100'000'000, 200'000);
  EXPECT_EQ(f.notes(), 1u);
}

// A thousand packets are under way, at a steady pace, or with breaks up to as long as their way: of any packet it is
// known when it left to within a small part of that.
TEST(OnRampRule, EstimatesAreCloseHoweverManyAreUnderWay) {
  std::mt19937_64 random(1);
  for (const long long longest_break : {0, 1'000, 10'000, 100'000}) {
    Flow f;
    long long now = 0;
    long long worst = 0;  // share of the time that the oldest packet under way has been on its way, in thousandths
    std::vector<long long> left;
    for (unsigned n = 0; n < 20'000; ++n) {
      left.push_back(now);
      f.send(n * 1'000, now);
      for (unsigned back = 0; back < 990 && n > 3'000; back += 17) {
        const long long told = f.sent((n - back) * 1'000);
        ASSERT_GE(told, 0) << n << " " << back;
        worst = std::max(worst, 1'000 * std::abs(told - left[n - back]) / (now - left[n - 1'000]));
      }
      if (n >= 1'000) f.or_ack((n - 1'000) * 1'000, 10, now);
      now += 100;
      if (longest_break > 0 && random() % 50 == 0)
        now += static_cast<long long>(random() % static_cast<std::uint64_t>(longest_break));
    }
    EXPECT_LE(worst, longest_break == 0 ? 0 : 50) << longest_break;
  }
}

TEST(OnRampRule, NoPauseIsLongerThanItMayBe) {
  Flow f({.threshold = 30, .max_pause = 500});
  std::mt19937_64 random(2);
  long long now = 0;
  long long asserted = 0;
  for (unsigned n = 0; n < 100'000; ++n) {
    now += static_cast<long long>(random() % 300);
    f.send(n * 1'000, now);
    if (random() % 3 == 0)
      f.or_ack((n - static_cast<unsigned>(random() % 10)) * 1'000, static_cast<long long>(random() >> (random() % 64)),
               now);
    ASSERT_LE(f.rule.pause_end, now + 500);
    const long long paused = weir_on_ramp_paused(&f.rule, now);
    ASSERT_GE(paused, asserted);
    ASSERT_LE(paused, now);
    asserted = paused;
  }
  EXPECT_GT(asserted, now / 4);
}

// Numbers of every size, those at the ends of their range among them.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  long long up_to(int bits) {
    return static_cast<long long>(random_() >> (64 - bits + below(static_cast<std::uint64_t>(bits))));
  }
  long long any() {
    switch (below(6)) {
      case 0: return kLast - up_to(4);
      case 1: return std::numeric_limits<long long>::min() + up_to(4);
      case 2: return -up_to(62);
      default: return up_to(63);
    }
  }
  weir_on_ramp_params params(int time_bits) {
    const auto part = [&] { return static_cast<unsigned>(one_in(4) ? below(2) * kOne : below(kOne + 1)); };
    return {.threshold = up_to(time_bits),
            .max_pause = one_in(2) ? 0 : up_to(time_bits),
            .max_age = one_in(2) ? 0 : up_to(time_bits + 2),
            .gain = part(),
            .initial_beta = part(),
            .strawman = one_in(4)};
  }

 private:
  std::mt19937_64 random_;
};

// A flow and its oracle live through the same.
struct Pair {
  Flow flow;
  OnRampOracle oracle;
  int bits;           // of a usual difference of times
  std::uint64_t odd;  // of so many events one is odd
  long long now = 0;

  Pair(Dice& dice, int time_bits)
      : flow(dice.params(time_bits)), oracle(flow.params), bits(time_bits), odd(dice.one_in(2) ? 50 : 2'000) {}

  // Mostly packets leave one behind the other, and OR-ACKs come in their order, while `depth` packets are under way.
  void step(Dice& dice, unsigned packet, unsigned depth) {
    if (!dice.one_in(4) && now < kLast / 2) now += dice.up_to(bits) / 8;
    const unsigned end = flow.rule.end;
    const unsigned under_way = end - flow.rule.answered;
    const auto within = [&](std::uint64_t bytes) { return static_cast<unsigned>(dice.below(bytes)); };
    if (dice.one_in(odd)) {
      switch (dice.below(6)) {
        case 0: return send(end - within(under_way + 10'000u), length(dice, packet));
        case 1: return send(end + within(1 << 29), length(dice, packet));
        case 2: return resend(end - within(under_way + 1'000u), length(dice, packet));
        case 3: return more(end + 1, length(dice, packet));
        case 4: return remember(dice.up_to(bits));
        default: return or_ack(end - within(under_way + 20'000u), dice.any());
      }
    }
    if (dice.below(1'000) < (under_way / packet < depth ? 150u : 500u)) {
      const unsigned seq = dice.one_in(500) ? end - within(under_way + 1u) : flow.rule.answered + within(3u * packet);
      return or_ack(seq, flow.params.threshold + dice.up_to(bits) / 4 - dice.up_to(bits) / 4);
    }
    if (dice.one_in(10)) return more(end, length(dice, packet));
    send(end, length(dice, packet));
  }

  static unsigned length(Dice& dice, unsigned packet) {
    if (dice.one_in(2'000)) return static_cast<unsigned>(dice.up_to(32));
    return dice.one_in(4) ? static_cast<unsigned>(1 + dice.below(packet)) : packet;
  }
  void send(unsigned seq, unsigned length) {
    flow.send(seq, now, length);
    oracle.on_send(seq, length, now);
  }
  void resend(unsigned seq, unsigned length) {
    weir_on_ramp_on_resend(&flow.rule, seq, length);
    oracle.on_resend(seq, length);
  }
  void remember(long long delay) {
    weir_on_ramp_remember(&flow.rule, &flow.params, delay, now);
    oracle.remember(delay, now);
  }
  void more(unsigned seq, unsigned length) {
    weir_on_ramp_on_more(&flow.rule, seq, length);
    oracle.on_more(seq, length);
  }
  void or_ack(unsigned seq, long long delay) {
    weir_on_ramp_note note{};
    const int found = weir_on_ramp_find(&flow.rule, seq, &note);
    const auto expected = oracle.find(seq);
    ASSERT_EQ(found != 0, expected.has_value());
    const weir_on_ramp before = flow.rule;
    if (found != 0) {
      ++found_count;
      estimated += note.length == 0;
      ASSERT_TRUE(note.sent == expected->sent && note.paused == expected->paused);
    }
    const int result = flow.or_ack(seq, delay, now);
    ASSERT_EQ(result, oracle.on_or_ack(seq, delay, now));
    paused += result == 2;
    if (result != 0) {
      ASSERT_EQ(flow.or_ack(seq, delay, now), 0) << "replayed";
    } else {
      ASSERT_EQ(std::memcmp(&before, &flow.rule, sizeof before), 0);
    }
  }
  void compare() const {
    const weir_on_ramp& r = flow.rule;
    ASSERT_TRUE(r.pause_end == oracle.next() && r.beta == oracle.beta());
    ASSERT_TRUE(weir_on_ramp_paused(&r, now) == oracle.paused(now));
    ASSERT_EQ(flow.notes(), oracle.notes());
    ASSERT_EQ(r.end, oracle.end());
    ASSERT_EQ(r.answered, oracle.answered());
    ASSERT_LE(r.pause_end - r.pause_begin, flow.params.max_pause > 0 ? flow.params.max_pause : kLast);
  }

  std::int64_t found_count = 0;
  std::int64_t estimated = 0;
  std::int64_t paused = 0;
};

// A million events, in flows of 4,000, with times of hosts (ns) and of the simulator (ps) and ones near the end of
// time.
TEST(OnRampRule, EqualsItsOracleOverAMillionEvents) {
  std::int64_t found = 0;
  std::int64_t estimated = 0;
  std::int64_t paused = 0;
  for (std::uint64_t flow = 0; flow < 250; ++flow) {
    Dice dice(flow);
    Pair pair(dice, static_cast<int>(flow % 10 == 0 ? 61 : 14 + dice.below(30)));
    const auto packet = static_cast<unsigned>(1 + dice.up_to(17));
    const auto depth = static_cast<unsigned>(dice.up_to(12));
    pair.send(static_cast<unsigned>(dice.any()), packet);
    for (int n = 0; n < 4'000; ++n) {
      pair.step(dice, packet, depth);
      pair.compare();
      if (HasFatalFailure()) FAIL() << "flow " << flow << ", event " << n;
    }
    found += pair.found_count;
    estimated += pair.estimated;
    paused += pair.paused;
  }
  EXPECT_GT(found, 100'000);
  EXPECT_GT(estimated, 10'000);
  EXPECT_GT(paused, 50'000);
}

// Whatever is passed: nothing overflows, of which sanitizers would tell, and what must hold holds.
TEST(OnRampRule, TakesAnythingForAnInput) {
  Dice dice(3);
  Flow f;
  const auto number = [&] { return static_cast<unsigned>(dice.any() >> dice.below(32)); };
  for (int n = 0; n < 1'000'000; ++n) {
    if (n % 1'000 == 0) {
      f.params = dice.params(62);
      if (dice.one_in(3)) f.params = {dice.any(), dice.any(), dice.any(), number(), number(), number()};
      f.start();
    }
    const unsigned seq = dice.one_in(2) ? number() : f.rule.end - static_cast<unsigned>(dice.below(3'000));
    switch (dice.below(6)) {
      case 0: f.send(seq, dice.any(), number()); break;
      case 1: f.send(f.rule.end, dice.any(), static_cast<unsigned>(dice.below(2'000))); break;
      case 2: weir_on_ramp_on_resend(&f.rule, seq, number()); break;
      case 3: weir_on_ramp_on_more(&f.rule, f.rule.end, number()); break;
      case 4: weir_on_ramp_remember(&f.rule, &f.params, dice.any(), dice.any()); break;
      default: f.or_ack(seq, dice.any(), dice.any());
    }
    ASSERT_LE(f.notes(), WEIR_ON_RAMP_NOTES);
    ASSERT_LE(f.rule.end - f.rule.answered, WEIR_ON_RAMP_SPAN);
    ASSERT_LE(f.rule.pause_begin, f.rule.pause_end);
    ASSERT_GE(f.rule.pause_begin, 0);
    ASSERT_LE(f.rule.beta, kOne);
    ASSERT_GE(f.rule.paused_before, 0);
  }
}

}  // namespace
}  // namespace weir::cc::on_ramp_rule_test
