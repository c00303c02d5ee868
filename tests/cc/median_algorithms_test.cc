#include "weir/cc/median_algorithms.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/cc/loss_driven.h"
#include "tests/cc/preset.h"
#include "tests/cc/sprayed_paths.h"

namespace weir::cc::median_algorithms_test {
namespace {

using namespace literals;

// Frames of 4 KB at 800 Gb/s, 6.25 us across five switches: 152 packets in flight.
FlowFacts sprayed_facts() {
  FlowFacts f;
  f.line_rate = f.path_rate = 800_Gbps;
  f.base_rtt = f.network_rtt = 6'250_ns;
  f.payload = 4'096_B;
  f.wire = 4'160_B;
  f.switch_hops = 5;
  return f;
}

double line() { return 800e9 * 4'096 / 4'160; }

// With H = 1 the median is the signal itself, and nothing else differs.
TEST(MedianAlgorithms, OfOneSignalAreThePlainOnes) {
  const auto of_one = [](auto params) {
    params.median.history = 1;
    return params;
  };
  EXPECT_EQ(answers_to_losses<MSwift>(of_one(MSwift::Params{})), answers_to_losses<Swift>({}));
  EXPECT_EQ(answers_to_losses<MNscc>(of_one(MNscc::Params{})), answers_to_losses<Nscc>({}));
  EXPECT_EQ(answers_to_losses<MDctcp>(of_one(MDctcp::Params{})), answers_to_losses<Dctcp>({}));
  EXPECT_NE(answers_to_losses<MSwift>({}), answers_to_losses<Swift>({}));
  EXPECT_NE(answers_to_losses<MNscc>({}), answers_to_losses<Nscc>({}));
  EXPECT_NE(answers_to_losses<MDctcp>({}), answers_to_losses<Dctcp>({}));
}

// Equations 8 and 9 as the parameters have them: half of 152 packets, and at most 4.
TEST(MedianAlgorithms, History) {
  Driven<MSwift> swift(preset<MSwift>("mswift"), sprayed_facts());
  Driven<MNscc> nscc(preset<MNscc>("mnscc"), sprayed_facts());
  for (int i = 0; i < 300; ++i) {
    swift.ack(1_ms, {.acked = {0}, .rtt = 6'250_ns});
    nscc.ack(1_ms, {.acked = {0}, .rtt = 6'250_ns});
  }
  EXPECT_EQ(swift.control.window, 150 * 4'096_B);  // of 4,160 B: 625,000 / 4,160 = 150.24
  EXPECT_EQ(swift.a.filter().size(), 75u);
  EXPECT_EQ(nscc.a.filter().size(), 4u);
}

// The median decides and sets the size of the decrease: target 25 us, delays 20, 20, 50, 100, 50: the first two let the
// window grow, and so does the third, whose median is 20; the medians of the fourth and fifth are 50, a decrease to
// 0.6. Plain Swift decreases at the third.
TEST(MSwift, ReactsToTheMedian) {
  MSwift::Params params{.algorithm = {.base_target = 25_us, .hop_target = {}, .fs_range = {}, .initial_cwnd = 16},
                        .median = {}};
  params.median.history = 3;
  Driven<MSwift> f(params);
  std::vector<double> windows;
  for (const Time rtt : {20_us, 20_us, 50_us, 100_us}) {
    f.ack(1_ms, {.rtt = rtt});
    windows.push_back(f.a.algorithm().cwnd());
  }
  EXPECT_NEAR(windows[0], 16 + 1.0 / 16, 1e-9);
  EXPECT_NEAR(windows[2], windows[1] + 1 / windows[1], 1e-9);
  EXPECT_NEAR(windows[3], windows[2] * 0.6, 1e-9);
}

// "Once per round trip" goes by the packet's own: a decrease, and the next one 50 us later though the median is 60 us.
TEST(MSwift, KeepsTheRoundTripOfThePacket) {
  MSwift::Params params{.algorithm = {.base_target = 25_us, .hop_target = {}, .fs_range = {}, .initial_cwnd = 16},
                        .median = {}};
  params.median.history = 3;
  Driven<MSwift> f(params);
  f.ack(1'000_us, {.rtt = 60_us});
  const double once = f.a.algorithm().cwnd();
  f.ack(1'010_us, {.rtt = 60_us});
  EXPECT_EQ(f.a.algorithm().cwnd(), once);
  f.ack(1'050_us, {.rtt = 50_us});
  EXPECT_LT(f.a.algorithm().cwnd(), once);
}

// Theorem 6 beside theorem 5: with one of n paths late, MSwift keeps the line busy, for n from 4 on. With two
// paths it collapses. Swift without reordering follows its slow path.
TEST(MSwift, DoesNotCollapse) {
  const auto f = sprayed_facts();
  const auto lswift = preset<Swift>("lswift");
  const auto mswift = preset<MSwift>("mswift");
  for (const std::int64_t n : {4, 5, 10, 50, 200}) {
    EXPECT_GT(throughput<MSwift>({.n = n}, mswift, f, 20'000, 100'000), 0.95 * line()) << n;
    EXPECT_LT(throughput<Swift>({.n = n}, lswift, f, 20'000, 100'000), 0.2 * line()) << n;
  }
  EXPECT_LT(throughput<MSwift>({.n = 2}, mswift, f, 2'000, 5'000), 0.1 * line());
  EXPECT_LT(throughput<MSwift>({.n = 5}, preset<MSwift>("mswift-p90"), f, 20'000, 50'000), 0.2 * line());
  EXPECT_GT(throughput<MSwift>({.n = 5}, preset<MSwift>("mswift-p10"), f, 20'000, 50'000), 0.95 * line());
  EXPECT_GT(throughput<MSwift>({.n = 10}, preset<MSwift>("mswift-tree"), f, 20'000, 50'000), 0.95 * line());
}

// The queueing delay is the median's, the mark is the packet's: one late and marked packet in ten takes nothing off
// MNSCC's window, and NSCC's much.
TEST(MNscc, DecreasesOnlyByTheMedian) {
  const auto window = []<class A>(const typename A::Params& params) {
    Driven<A> f(params, sprayed_facts());
    for (int i = 0; i < 1'000; ++i) {
      const bool late = i % 10 == 0;
      f.ack(1_ms + i * 42_ns, {.acked = 4'096_B, .ecn = late, .rtt = late ? 200_us : 7_us});
    }
    return f.control.window;
  };
  auto nscc = preset<Nscc>("spraying");
  auto mnscc = preset<MNscc>("mnscc");
  nscc.quick_adapt = mnscc.algorithm.quick_adapt = false;
  EXPECT_EQ(mnscc.median.nyquist_most, 8);
  EXPECT_LT(window.operator()<Nscc>(nscc), 500'000_B);
  EXPECT_GT(window.operator()<MNscc>(mnscc), 625'000_B);
}

// Marks of one packet in three are no mark, of two in three they are.
TEST(MDctcp, FollowsMostMarks) {
  const auto window = [](int marked) {
    MDctcp::Params params;
    params.algorithm = preset<Dctcp>("hpcc");
    Driven<MDctcp> f(params);
    for (int i = 0; i < 900; ++i) f.ack(i * 100_ns, {.ecn = i % 3 >= 3 - marked});
    return f.control.window;
  };
  EXPECT_EQ(window(1), 162'500_B);
  EXPECT_LT(window(2), 50'000_B);
}

// One record: a port of 100 Gb/s, 93 % busy, and behind every fifth packet a long queue. MHPCC's windows are those of
// HPCC without the queue.
TEST(MHpcc, FollowsTheMedianLink) {
  const auto least = []<class A>(const typename A::Params& params, std::int32_t queue) {
    FlowFacts facts = loss_facts();
    facts.telemetry = IntFormat::exact();
    Control control;
    A a(params, facts, control);
    Bytes out = control.window;
    Telemetry telemetry;
    for (std::int64_t i = 0; i < 500; ++i) {
      telemetry.hop[0] = {83'840 * i, 975 * i, i % 5 == 0 ? queue : 0, 100'000u};
      Ack ack;
      ack.now = {83'840 * i};
      ack.seq = {1'000 * i};
      ack.snd_nxt = {1'000 * i + 100'000};
      ack.acked = 1'000_B;
      ack.rtt = 13_us;
      ack.hops = 1;
      ack.telemetry = &telemetry;
      a.on_ack(params, facts, ack, control);
      out = std::min(out, control.window);
    }
    return out;
  };
  Hpcc::Params params;
  params.min_queue = false;
  const Bytes undisturbed = least.operator()<Hpcc>(params, 0);
  EXPECT_GT(undisturbed, 150'000_B);
  EXPECT_LT(least.operator()<Hpcc>(params, 300'000), 120'000_B);
  EXPECT_NEAR(static_cast<double>(least.operator()<MHpcc>({.algorithm = params, .median = {}}, 300'000).count),
              static_cast<double>(undisturbed.count), 10);
}

}  // namespace
}  // namespace weir::cc::median_algorithms_test
