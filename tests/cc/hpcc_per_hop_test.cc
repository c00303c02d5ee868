#include "weir/cc/hpcc_per_hop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/cc/preset.h"

namespace weir::cc::hpcc_per_hop_test {
namespace {

using namespace literals;

FlowFacts facts() {
  FlowFacts f;
  f.line_rate = f.path_rate = 100_Gbps;
  f.base_rtt = 12_us;
  f.network_rtt = 13_us;  // B T = 162,500 B
  return f;
}

template <class A>
struct Flow {
  explicit Flow(const Hpcc::Params& p) : params(p), a(p, flow, control) {}

  void ack(std::int64_t seq, std::int64_t snd_nxt, const std::vector<HopTelemetry>& hops) {
    Telemetry records;
    std::copy(hops.begin(), hops.end(), records.hop.begin());
    Ack ack;
    ack.now = {hops[0].time};
    ack.hops = static_cast<std::uint8_t>(hops.size());
    ack.telemetry = &records;
    ack.seq = {seq};
    ack.snd_nxt = {snd_nxt};
    a.on_ack(params, flow, ack, control);
  }
  std::int64_t window() const { return control.window.count; }

  Hpcc::Params params;
  FlowFacts flow = facts();
  Control control;
  A a;
};

// On a path of one link there is nothing to tell them apart, whatever the form.
TEST(HpccPerHop, OfOneLinkIsHpcc) {
  std::vector<Hpcc::Params> forms;
  for (const Preset& p : Hpcc::presets()) forms.push_back(preset<Hpcc>(p.name));
  for (const auto reaction : {Hpcc::Reaction::per_ack, Hpcc::Reaction::per_rtt})
    forms.push_back({.max_stage = 0, .reaction = reaction});
  forms.push_back({.reciprocal = ReciprocalTable(0.0042)});
  forms.push_back({.signal = Hpcc::Signal::rx_rate, .ewma = false});
  for (std::size_t form = 0; form < forms.size(); ++form) {
    SCOPED_TRACE(form);
    Flow<Hpcc> whole(forms[form]);
    Flow<HpccPerHop> per_hop(forms[form]);
    std::mt19937 random(7);
    HopTelemetry link{0, 0, 0, 100'000};
    std::int64_t seq = 0;
    std::int64_t least = whole.window();
    for (int i = 0; i < 3'000; ++i) {
      const auto dt = static_cast<std::int64_t>(100'000 + random() % 2'000'000);
      link.time += dt;
      link.tx_bytes += dt / 100 * static_cast<std::int64_t>(60 + random() % 90) / 100;
      link.queue = i % 500 < 300 ? static_cast<std::int32_t>(random() % 200'000) : 0;
      seq += 1'000;
      const std::int64_t snd_nxt = seq + whole.window();
      whole.ack(seq, snd_nxt, {link});
      per_hop.ack(seq, snd_nxt, {link});
      ASSERT_EQ(per_hop.window(), whole.window()) << i;
      ASSERT_EQ(per_hop.control.rate, whole.control.rate);
      least = std::min(least, whole.window());
    }
    EXPECT_LT(least, 100'000);
    EXPECT_EQ(per_hop.a.algorithm().variable_ai().bank(), whole.a.variable_ai().bank());
  }
}

// U = 0.5 and 2, from 162,500 B: the first link's window would be 308,830 B and stays at that of line rate; the second
// asks for 162,500 * 0.95 / 2 + 80 = 77,267.5 B, which counts. Then the second link is empty (U = 0.475, its window
// 154,615 B), and the first one full (U = 1.9, 81,330 B). HPCC would go on from 77,267.5 B by 0.95 / 1.9.
TEST(HpccPerHop, EachLinkHasAReferenceAndTheLeastCounts) {
  const Hpcc::Params params{.max_stage = 0, .ewma = false};
  Flow<HpccPerHop> f(params);
  Flow<Hpcc> hpcc(params);
  const auto both = [&](std::int64_t seq, const std::vector<HopTelemetry>& hops) {
    f.ack(seq, seq, hops);
    hpcc.ack(seq, seq, hops);
  };
  both(1, {{0, 0, 0, 100'000}, {0, 0, 0, 100'000}});
  EXPECT_EQ(f.window(), 162'500);
  both(2, {{13'000'000, 81'250, 0, 100'000}, {13'000'000, 325'000, 0, 100'000}});
  EXPECT_NEAR(f.a.reference_window(0), 162'500, 1e-9);
  EXPECT_NEAR(f.a.reference_window(1), 77'267.5, 1e-9);
  EXPECT_EQ(f.window(), 77'267);
  EXPECT_EQ(hpcc.window(), 77'267);
  both(3, {{26'000'000, 390'000, 0, 100'000}, {26'000'000, 402'187, 0, 100'000}});
  EXPECT_NEAR(f.a.utilisation(0), 1.9, 1e-9);
  EXPECT_NEAR(f.a.reference_window(0), 81'330, 1e-6);
  EXPECT_NEAR(f.a.reference_window(1), 77'267.5 * 0.95 / (77'187 / 162'500.0) + 80, 1e-6);
  EXPECT_EQ(f.window(), 81'330);
  EXPECT_EQ(hpcc.window(), 38'713);  // 77,267.5 / 2 + 80
}

// Sampling Frequency: the smallest reference decreases with each second acknowledgement, within a round trip.
TEST(HpccPerHop, SamplesTheSmallestReference) {
  Hpcc::Params params{.max_stage = 0, .w_ai = 0_B, .ewma = false};
  params.reference.sf.acks = 2;
  Flow<HpccPerHop> f(params);
  std::int64_t sent = 0;
  for (std::int64_t i = 0; i <= 5; ++i) {
    // the second link carries twice its target for ever
    f.ack(1, 1'000'000, {{i * 13'000'000, sent, 0, 100'000}, {i * 13'000'000, i * 308'750, 0, 100'000}});
    sent += 81'250;
  }
  // acknowledgements 2 and 4 halve the reference, and the fifth the window alone
  EXPECT_NEAR(f.a.reference_window(1), 162'500 / 4.0, 1e-6);
  EXPECT_EQ(f.window(), 162'500 / 8);
  EXPECT_NEAR(f.a.reference_window(0), 162'500, 1e-6);
}

}  // namespace
}  // namespace weir::cc::hpcc_per_hop_test
