#include "weir/cc/bbr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/cc/loss_driven.h"

namespace weir::cc::bbr_test {
namespace {

using namespace literals;

// A path with RTprop = 10 us. Rates are those of 1,000 B packets: 1 GB/s is a packet in a microsecond, and ten of them
// are in flight.
struct Flow : Driven<Bbr> {
  explicit Flow(const Bbr::Params& p = {}, const FlowFacts& f = loss_facts()) : Driven(p, f) {}

  struct Sample {
    Bytes acked{1'000};
    Time rtt = 10_us;
    Bytes in_flight{9'000};
    bool app_limited = false;
  };

  // An acknowledgement after so long, of a packet that was sent when the previous one came: it ends a round. The rate
  // is what it acknowledges, in that time.
  void round(Time after, const Sample& s) { hear(after, s, s.acked, after); }
  // One of a packet that was sent when the flow began: no round ends, and it tells nothing of the rate.
  void within_round(Time after, const Sample& s) { hear(after, s, una + s.acked, 1'000_s); }

  void hear(Time after, const Sample& s, Bytes delivered, Time span) {
    now += after;
    una += s.acked;
    Ack ack;
    ack.now = now;
    ack.rtt = s.rtt;
    ack.sent_at = now - s.rtt;
    ack.seq = una;
    ack.acked = s.acked;
    ack.in_flight = s.in_flight;
    ack.snd_nxt = una + s.in_flight;
    ack.delivered = delivered;
    ack.delivery_span = span;
    ack.delivery_app_limited = s.app_limited;
    a.on_ack(params, flow, ack, control);
  }

  // Startup over, with a rate of 1 GB/s and a queue.
  void fill() {
    for (int i = 0; i < 4; ++i) round(10_us, {.acked = 10'000_B, .in_flight = 40'000_B});
  }
  // And the queue gone.
  void reach_probe_bw() {
    fill();
    within_round(10_us, {.in_flight = 8'000_B});
  }
  double gbytes() const { return a.bandwidth() * 1e-9; }
  // The rate that is asked for, over 1 GB/s of payload with its headers and the margin of 1 %.
  double gain() const { return static_cast<double>(control.rate.bits_per_second) / (8e9 * 1.048 * 0.99); }

  Time now;
};

// 10 packets of 1,048 B in 10 us, times 2.885 and 0.99: 8 * 10,480 / 10e-6 * 2.85615 = 23.94596 Gb/s.
TEST(Bbr, Starts) {
  const Flow f;
  EXPECT_EQ(f.control.window, 10'000_B);
  EXPECT_NEAR(static_cast<double>(f.control.rate.bits_per_second), 23.9459616e9, 1'000);
  EXPECT_EQ(f.a.mode(), Bbr::Mode::startup);
  EXPECT_EQ(f.a.min_rtt(), 10_us);
}

TEST(Bbr, StateIsSmall) { EXPECT_LE(sizeof(Bbr), 160u); }

// The rate doubles in each round; the pacing rate is 2.885 times as much, and the window grows by what is acknowledged
// until it is 2.885 BtlBw RTprop in whole packets, three more, and even: 28.85 -> 29 + 3 = 32. From 27,500 B, which
// the first three bring, it comes to rest at 32,500 B.
TEST(Bbr, StartupDoubles) {
  Flow f;
  f.round(10_us, {.acked = 2'500_B});
  EXPECT_NEAR(f.gbytes(), 0.25, 1e-12);
  f.round(10_us, {.acked = 5'000_B});
  f.round(10_us, {.acked = 10'000_B});
  EXPECT_NEAR(f.gbytes(), 1, 1e-12);
  EXPECT_NEAR(f.gain(), 2.885, 1e-6);
  EXPECT_EQ(f.a.mode(), Bbr::Mode::startup);
  for (int i = 0; i < 40; ++i) f.within_round(1_ns, {});
  EXPECT_EQ(f.control.window, 32'500_B);
}

// Three rounds without a quarter more end startup. 1.2 is not a quarter more than 1, but 1.3 is; nor is 1.6 than 1.3.
TEST(Bbr, StartupEndsAfterThreeRoundsWithoutGrowth) {
  Flow f;
  f.round(10_us, {.acked = 10'000_B, .in_flight = 40'000_B});
  f.round(10_us, {.acked = 12'000_B, .in_flight = 40'000_B});
  f.round(10_us, {.acked = 12'000_B, .in_flight = 40'000_B});
  f.round(10_us, {.acked = 13'000_B, .in_flight = 40'000_B});
  for (int i = 0; i < 2; ++i) f.round(10_us, {.acked = 16'000_B, .in_flight = 40'000_B});
  f.within_round(10_us, {.in_flight = 40'000_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::startup);
  f.round(10_us, {.acked = 16'000_B, .in_flight = 40'000_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::drain);
  EXPECT_NEAR(f.gain(), 1.6 / 2.885, 1e-6);
}

// What an application offers does not end startup.
TEST(Bbr, AppLimitedRoundsDoNotEndStartup) {
  Flow f;
  for (int i = 0; i < 20; ++i) f.round(10_us, {.acked = 10'000_B, .in_flight = 40'000_B, .app_limited = true});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::startup);
  f.fill();
  EXPECT_EQ(f.a.mode(), Bbr::Mode::drain);
}

// Drain lasts until BtlBw RTprop = 10 packets, and three more, made even, are in flight.
TEST(Bbr, DrainsToTheProduct) {
  Flow f;
  f.fill();
  ASSERT_EQ(f.a.mode(), Bbr::Mode::drain);
  f.within_round(1_us, {.in_flight = 14'001_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::drain);
  f.within_round(1_us, {.in_flight = 14'000_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_bw);
}

// Probe bw starts in any phase but that of 3/4, as the flow's random numbers say.
TEST(Bbr, PhasesStartAtRandom) {
  std::set<int> seen;
  for (std::uint32_t id = 0; id < 100; ++id) {
    auto facts = loss_facts();
    facts.random = RandomStream(1, id, Purpose::algorithm);
    Flow f({}, facts);
    f.reach_probe_bw();
    ASSERT_EQ(f.a.mode(), Bbr::Mode::probe_bw);
    seen.insert(f.a.phase());
  }
  EXPECT_EQ(seen, (std::set<int>{0, 2, 3, 4, 5, 6, 7}));
}

// Each phase lasts a little more than RTprop. In flight is just what keeps the phase of 5/4 no longer than that.
TEST(Bbr, GainCycle) {
  Flow f;
  f.reach_probe_bw();
  const auto step = [&] { f.within_round(10_us + 1_ns, {.acked = 1'000_B, .in_flight = 17'000_B}); };
  for (int i = 0; f.a.phase() != 7 && i < 8; ++i) step();
  ASSERT_EQ(f.a.phase(), 7);
  EXPECT_NEAR(f.gain(), 1, 1e-6);
  f.within_round(10_us, {.in_flight = 13'000_B});
  EXPECT_EQ(f.a.phase(), 7);
  f.within_round(1_ns, {.in_flight = 13'000_B});
  EXPECT_EQ(f.a.phase(), 0);
  EXPECT_NEAR(f.gain(), 1.25, 1e-6);
  // 5/4 of 10 packets, 13 + 3 = 16, and two more in this phase: 18 before the acknowledgement, one less after it.
  f.within_round(20_us, {.in_flight = 16'999_B});
  EXPECT_EQ(f.a.phase(), 0);
  f.within_round(1_ns, {.in_flight = 17'000_B});
  EXPECT_EQ(f.a.phase(), 1);
  EXPECT_NEAR(f.gain(), 0.75, 1e-6);
  // 3/4 ends as soon as no more than 10 + 3, made even, are in flight.
  f.within_round(1_ns, {.in_flight = 13'001_B});
  EXPECT_EQ(f.a.phase(), 1);
  f.within_round(1_ns, {.in_flight = 13'000_B});
  EXPECT_EQ(f.a.phase(), 2);
  for (int phase = 2; phase < 8; ++phase) {
    EXPECT_EQ(f.a.phase(), phase);
    EXPECT_NEAR(f.gain(), 1, 1e-6);
    step();
  }
  EXPECT_EQ(f.a.phase(), 0);
  // A loss ends the phase of 5/4, after RTprop.
  f.lose(f.now, 5'000_B);
  f.within_round(9_us, {.in_flight = 1'000_B});
  EXPECT_EQ(f.a.phase(), 0);
  f.lose(f.now, 5'000_B);
  f.within_round(2_us, {.in_flight = 1'000_B});
  EXPECT_EQ(f.a.phase(), 1);
  // And the other one when it has lasted RTprop, full or not.
  f.within_round(10_us, {.in_flight = 30'000_B});
  EXPECT_EQ(f.a.phase(), 1);
  f.within_round(1_ns, {.in_flight = 30'000_B});
  EXPECT_EQ(f.a.phase(), 2);
}

// Two BtlBw RTprop, 20 packets, and three more, made even: 24; in the phase of 5/4 two more.
TEST(Bbr, WindowOfProbeBw) {
  Flow f;
  f.reach_probe_bw();
  for (int i = 0; i < 30; ++i) f.within_round(1_ns, {.in_flight = 20'000_B});
  EXPECT_EQ(f.control.window, f.a.phase() == 0 ? 26'000_B : 24'000_B);
}

// Rates are remembered for ten rounds.
TEST(Bbr, BandwidthIsThatOfTenRounds) {
  Flow f;
  f.reach_probe_bw();
  for (int i = 1; i <= 10; ++i) {
    f.round(10_us, {.acked = 5'000_B});
    EXPECT_NEAR(f.gbytes(), 1, 1e-12) << i;
  }
  f.round(10_us, {.acked = 5'000_B});
  EXPECT_NEAR(f.gbytes(), 0.5, 1e-12);
  // What the application limits counts only if it is more.
  f.round(10_us, {.acked = 8'000_B, .app_limited = true});
  EXPECT_NEAR(f.gbytes(), 0.8, 1e-12);
  f.round(10_us, {.acked = 3'000_B, .app_limited = true});
  EXPECT_NEAR(f.gbytes(), 0.8, 1e-12);
}

// RTprop not seen again for 100 us: four packets for 20 us and a round, then as before.
TEST(Bbr, ProbesTheRoundTrip) {
  Flow f({.min_rtt_window = 100_us, .probe_rtt_duration = 20_us});
  f.reach_probe_bw();  // at 50 us, RTprop of 10 us seen at the start and never below
  const Bytes window = f.control.window;
  f.within_round(50_us, {.rtt = 14_us});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_bw);
  f.within_round(1_us, {.rtt = 14_us});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_rtt);
  EXPECT_EQ(f.a.min_rtt(), 14_us);
  EXPECT_EQ(f.control.window, 4'000_B);
  EXPECT_NEAR(f.gain(), 1, 1e-6);
  // The time starts when no more than four packets are in flight: at 103 us.
  f.within_round(1_us, {.rtt = 14_us, .in_flight = 4'001_B});
  f.within_round(1_us, {.rtt = 12_us, .in_flight = 4'000_B});
  EXPECT_EQ(f.a.min_rtt(), 12_us);
  f.round(10_us, {.acked = 4'000_B, .rtt = 10_us, .in_flight = 3'000_B});
  f.within_round(10_us, {.rtt = 10_us, .in_flight = 3'000_B});  // 123 us: not yet more than 20 us
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_rtt);
  EXPECT_EQ(f.control.window, 4'000_B);
  f.within_round(1_us, {.rtt = 10_us, .in_flight = 3'000_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_bw);
  EXPECT_EQ(f.a.min_rtt(), 10_us);
  EXPECT_GE(f.control.window, window);
}

// Rates of this time, 0.4 GB/s for more than ten rounds, are not the path's.
TEST(Bbr, ProbeRttIsNoMeasureOfBandwidth) {
  Flow f({.min_rtt_window = 100_us});
  f.reach_probe_bw();
  f.within_round(51_us, {.in_flight = 4'000_B});
  ASSERT_EQ(f.a.mode(), Bbr::Mode::probe_rtt);
  for (int i = 0; i < 12; ++i) f.round(10_us, {.acked = 4'000_B, .in_flight = 3'000_B});
  EXPECT_NEAR(f.gbytes(), 1, 1e-12);
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_rtt);
}

// A round must pass too, however long the four packets take.
TEST(Bbr, ProbeRttLastsARound) {
  Flow f({.min_rtt_window = 100_us, .probe_rtt_duration = 0_us});
  f.reach_probe_bw();
  f.within_round(51_us, {.in_flight = 4'000_B});
  ASSERT_EQ(f.a.mode(), Bbr::Mode::probe_rtt);
  f.within_round(40_us, {.in_flight = 3'000_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_rtt);
  f.round(1_us, {.in_flight = 3'000_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::probe_bw);
}

// From startup probe rtt goes back to startup.
TEST(Bbr, ProbeRttInStartup) {
  Flow f({.min_rtt_window = 100_us, .probe_rtt_duration = 0_us});
  f.round(101_us, {.acked = 10'000_B, .in_flight = 4'000_B});
  ASSERT_EQ(f.a.mode(), Bbr::Mode::probe_rtt);
  f.round(10_us, {.in_flight = 3'000_B});
  EXPECT_EQ(f.a.mode(), Bbr::Mode::startup);
}

// Go-back-N loses all: one packet, and then what is delivered may be sent; after a round slow start to the target, and
// at the end the window that was.
TEST(Bbr, ConservesPacketsForARound) {
  Flow f;
  f.reach_probe_bw();
  for (int i = 0; i < 30; ++i) f.within_round(1_ns, {.in_flight = 20'000_B});
  const Bytes before = f.control.window;
  const Rate rate = f.control.rate;
  const Bytes recover = f.una + 20'000_B;
  f.lose(f.now, 20'000_B);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_EQ(f.control.rate, rate);
  EXPECT_TRUE(f.a.conserving());
  f.within_round(1_us, {.acked = 1'000_B, .in_flight = 1'000_B});
  EXPECT_EQ(f.control.window, 2'000_B);
  f.within_round(1_us, {.acked = 1'000_B, .in_flight = 0_B});
  EXPECT_EQ(f.control.window, 2'000_B);
  f.round(10_us, {.acked = 1'000_B, .in_flight = 1'000_B});
  EXPECT_FALSE(f.a.conserving());
  EXPECT_EQ(f.control.window, 4'000_B);  // 3,000, but the least is four packets
  f.within_round(1_us, {.acked = 3'000_B, .in_flight = 1'000_B});
  EXPECT_EQ(f.control.window, 7'000_B);
  f.within_round(1_us, {.acked = recover - f.una - 1_B, .in_flight = 1'000_B});
  EXPECT_LT(f.control.window, before);
  f.within_round(1_us, {.acked = 1_B, .in_flight = 1'000_B});
  EXPECT_GE(f.control.window, before);
}

// Where only some packets are lost the others still count as in flight.
TEST(Bbr, ConservesWhatIsNotLost) {
  Flow f;
  f.reach_probe_bw();
  for (int i = 0; i < 30; ++i) f.within_round(1_ns, {.in_flight = 20'000_B});
  f.a.on_loss(f.params, f.flow,
              {.kind = Loss::Kind::sack_hole,
               .now = f.now,
               .seq = f.una,
               .lost = 2'000_B,
               .snd_nxt = f.una + 20'000_B,
               .in_flight = 20'000_B},
              f.control);
  EXPECT_EQ(f.control.window, 18'000_B);
}

// One packet, slow start at once, and at the end the window that was.
TEST(Bbr, Timeouts) {
  Flow f;
  f.reach_probe_bw();
  for (int i = 0; i < 30; ++i) f.within_round(1_ns, {.in_flight = 20'000_B});
  const Bytes before = f.control.window;
  f.lose(f.now, 20'000_B, Loss::Kind::timeout);
  f.lose(f.now + 1_us, 1'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_FALSE(f.a.conserving());
  f.within_round(2_us, {.acked = 1'000_B, .in_flight = 0_B});
  EXPECT_EQ(f.control.window, 4'000_B);
  f.within_round(2_us, {.acked = 19'000_B, .in_flight = 0_B});
  EXPECT_GE(f.control.window, before);
}

// Duplicates move nothing.
TEST(Bbr, DuplicatesMoveNothing) {
  Flow f;
  f.reach_probe_bw();
  const Control before = f.control;
  f.hear(1_ns, {.acked = 0_B, .rtt = 11_us, .in_flight = 13'500_B}, 0_B, 0_us);
  EXPECT_EQ(f.control.window, before.window);
  EXPECT_EQ(f.control.rate, before.rate);
}

TEST(Bbr, Snapshot) {
  expect_snapshot("bbr", answers_to_losses<Bbr>({}));
  expect_snapshot("bbr_probe_rtt",
                  answers_to_losses<Bbr>({.min_rtt_window = 100_us, .probe_rtt_duration = 10_us, .send_quantum = 2}));
}

}  // namespace
}  // namespace weir::cc::bbr_test
