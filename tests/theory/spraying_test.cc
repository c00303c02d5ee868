#include "weir/theory/spraying.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/cc/preset.h"
#include "tests/cc/sprayed_paths.h"
#include "weir/cc/smartt.h"
#include "weir/cc/swift.h"

namespace weir::theory {
namespace {

using namespace literals;

constexpr double kGbps = 1e9;

// 4,096 B in 6.25 us are 5.24288 Gb/s; times sqrt(1.5 / q).
TEST(Spraying, TcpIsMathis) {
  for (const auto& [q, gbps] : {std::pair{0.005, 90.8}, {0.01, 64.2}, {0.02, 45.4}, {0.05, 28.7}, {0.1, 20.3}})
    EXPECT_NEAR(SprayingModel{.q = q}.tcp() / kGbps, gbps, 0.05) << q;
}

// With max_mdf = 1/2 and ai = 1 Swift has TCP's sawtooth. With 1/5 and 2: sqrt(4.5 * 2) = 3 for sqrt(1.5).
TEST(Spraying, Swift) {
  EXPECT_NEAR(SprayingModel{}.swift() / SprayingModel{}.tcp(), 1, 1e-12);
  const SprayingModel other{.ai = 2, .max_mdf = 0.2};
  EXPECT_NEAR(other.swift() / kGbps, 5.24288 * 3 * 10, 1e-9);
}

// The mean packets per round trip, T_avg: A / (q (Gamma + (1 - Gamma) W)), with a base round trip of 5 us, alpha =
// 1.25, A = (12 - 7 * 1.25) / 5 = 0.65, and 152 packets.
TEST(Spraying, Smartt) {
  EXPECT_NEAR(SprayingModel{}.smartt_increase(), 0.65, 1e-12);
  for (const auto& [q, packets] : {std::pair{0.1, 6.3},
                                   {0.05, 12.2},
                                   {0.02, 28.3},
                                   {0.01, 51.3},
                                   {0.005, 88.7},
                                   {1e-3, 269},
                                   {1e-4, 1019},
                                   {1e-5, 3416}}) {
    const SprayingModel m{.q = q};
    const double per_rtt = m.smartt() * m.t_avg().seconds() / (8 * 4096);
    EXPECT_NEAR(per_rtt / packets, 1, 0.005) << q;
  }
  // The cycle that W stands for: it ends where it began, and has 1 / q packets.
  const SprayingModel m;
  const double w = m.smartt_max_window();
  const double low = (w - 1) * (1 - 0.8 / 152);
  EXPECT_NEAR((w - low) / 0.65 * (w + low) / 2, 100, 1e-9);
}

// t_l = 20 us, target 7.25 us: 0.8 * 12.75 / 20 = 0.51 is bounded to 0.5. T_avg = 0.99 * 6.25 + 0.01 * 20 = 6.3875 us.
TEST(Spraying, ResilientSwift) {
  EXPECT_EQ(SprayingModel{}.t_avg(), 6'387'500_ps);
  EXPECT_NEAR(SprayingModel{}.resilient_swift() / SprayingModel{}.tcp(), 6.25 / 6.3875, 1e-12);
  // A target of 12 us: 0.8 * 8 / 20 = 0.32; sqrt(1 / 0.32 - 1 / 2) = 1.62019.
  const SprayingModel m{.target = 12_us};
  EXPECT_NEAR(m.resilient_swift() / kGbps, 32'768 / 6'387.5 * 1.6201852 * 10, 1e-4);
  EXPECT_NEAR(m.resilient_swift_exact() / m.resilient_swift(), 1, 1e-12);
}

// Flow-based scaling, a = 1 us / (1 / sqrt(0.1) - 0.1) = 0.32655 us: order 1 is nearer to the solution than order 0,
// and nearer the smaller q is.
TEST(Spraying, ResilientSwiftByPerturbation) {
  double before = 1;
  for (const double q : {0.1, 0.01, 0.001, 1e-4, 1e-6}) {
    const SprayingModel m{.q = q, .target = 12_us, .fs_range = 1_us};
    const double zero = m.resilient_swift() / m.resilient_swift_exact() - 1;
    const double one = m.resilient_swift_order_1() / m.resilient_swift_exact() - 1;
    EXPECT_LT(std::abs(one), 0.02 * std::abs(zero)) << q;
    EXPECT_LT(std::abs(zero), before);
    before = std::abs(zero);
  }
}

// Theorem 6. With q = 1/3 it still holds; with 1/2 it fails for each odd h.
TEST(Spraying, Median) {
  for (int h = 1; h <= 256; ++h) {
    EXPECT_EQ(median_avoids_collapse(2, h), h % 2 == 0 && h > 1) << h;
    for (int n = 3; n <= 200; ++n) EXPECT_EQ(median_avoids_collapse(n, h), h > 1) << n << " " << h;
  }
}

// The algorithms themselves on such paths, packet by packet, without a network.
cc::FlowFacts facts(Time base_rtt, Rate line) {
  cc::FlowFacts f;
  f.line_rate = f.path_rate = line;
  f.base_rtt = f.network_rtt = base_rtt;
  f.payload = f.wire = 4'096_B;
  f.switch_hops = 5;
  return f;
}

double lswift(const cc::Swift::Params& params, std::int64_t n) {
  const SprayingModel m{.q = 1.0 / static_cast<double>(n), .target = 7'252_ns};
  const double got = cc::throughput<cc::Swift>({.n = n}, params, facts(6'250_ns, 800_Gbps), 100 * n, 400 * n);
  return got / m.resilient_swift();
}

// With 20 paths decreases are due every 25 us, too close to the 20 us of the slow round trip: where a decrease waits
// for that, some are left out, which the model does not know ("n / W is large enough").
TEST(Spraying, LswiftFollowsTheorem5) {
  auto params = cc::preset<cc::Swift>("lswift");
  params.fs_range = {};
  for (const std::int64_t n : {20, 50, 100, 200, 400}) EXPECT_NEAR(lswift(params, n), 1, 0.05) << n;
  params.decrease_guard = cc::Swift::Guard::rtt;
  EXPECT_GT(lswift(params, 20), 1.3);
}

// 996.1472 Gb/s have 152 packets in 5 us. With fewer late packets than one in 200 the window would meet its bound.
TEST(Spraying, SmarttFollowsTheorem4) {
  const auto params = cc::preset<cc::Smartt>("model");
  for (const std::int64_t n : {20, 50, 100, 200}) {
    const SprayingModel m{.q = 1.0 / static_cast<double>(n)};
    const double got =
        cc::throughput<cc::Smartt>({.n = n, .marks = true}, params, facts(5_us, 996'147'200_Kbps), 300 * n, 300 * n);
    EXPECT_NEAR(got / m.smartt(), 1, 0.15) << n;
  }
}

}  // namespace
}  // namespace weir::theory
