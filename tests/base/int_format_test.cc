#include <gtest/gtest.h>

#include "weir/base/telemetry.h"

namespace weir {
namespace {

TEST(IntFormat, ExactKeepsEverything) {
  constexpr IntFormat format = IntFormat::exact();
  static_assert(format.is_exact());
  const HopTelemetry h{
      .time = 123'456'789'012'345, .tx_bytes = 1'000'000'000'001, .queue = 2'000'000'001, .rate_mbps = 9};
  const auto q = format.quantise(h);
  EXPECT_EQ(q.time, h.time);
  EXPECT_EQ(q.tx_bytes, h.tx_bytes);
  EXPECT_EQ(q.queue, h.queue);
  EXPECT_EQ(q.rate_mbps, h.rate_mbps);
  const HopTelemetry later{.time = h.time + 5, .tx_bytes = h.tx_bytes + 7};
  EXPECT_EQ(format.elapsed_ps(later, h), 5);
  EXPECT_EQ(format.sent_bytes(later, h), 7);
  EXPECT_EQ(format.queue_bytes(h), h.queue);
}

struct Raw {
  HopTelemetry exact;
  std::int64_t time, tx_bytes;
  std::int32_t queue;
};

// HPCC figure 7: 24 bits of nanoseconds, 20 bits of 128 bytes, 16 bits of 80 bytes.
TEST(IntFormat, WireTruncatesWrapsAndSaturates) {
  constexpr IntFormat format = IntFormat::wire();
  static_assert(!format.is_exact());
  const std::vector<Raw> cases{
      {{0, 0, 0, 100'000}, 0, 0, 0},
      {{999, 127, 79, 100'000}, 0, 0, 0},
      {{1000, 128, 80, 100'000}, 1, 1, 1},
      {{16'777'215'999, 134'217'727, 5'242'799, 1}, (1 << 24) - 1, (1 << 20) - 1, 65'534},
      {{16'777'216'000, 134'217'728, 5'242'800, 1}, 0, 0, 65'535},
      {{16'777'217'000, 134'217'856, 5'242'880, 1}, 1, 1, 65'535},
      {{0, 0, INT32_MAX, 1}, 0, 0, 65'535},
  };
  for (const auto& c : cases) {
    const auto q = format.quantise(c.exact);
    EXPECT_EQ(q.time, c.time);
    EXPECT_EQ(q.tx_bytes, c.tx_bytes);
    EXPECT_EQ(q.queue, c.queue);
    EXPECT_EQ(q.rate_mbps, c.exact.rate_mbps);
  }
}

TEST(IntFormat, DifferencesSurviveWrapAround) {
  constexpr IntFormat format = IntFormat::wire();
  const HopTelemetry before{.time = 16'777'000'000, .tx_bytes = 134'217'600};
  const HopTelemetry after{.time = before.time + 4'000'000, .tx_bytes = before.tx_bytes + 50'048};
  EXPECT_EQ(format.elapsed_ps(format.quantise(after), format.quantise(before)), 4'000'000);
  EXPECT_EQ(format.sent_bytes(format.quantise(after), format.quantise(before)), 50'048);
}

TEST(IntFormat, MultiplierScalesTheByteUnits) {
  constexpr IntFormat format = IntFormat::wire(4);  // a 100 Gb/s NIC in the authors' simulator
  static_assert(format.tx_unit == 512 && format.queue_unit == 320 && format.time_unit_ps == 1000);
  const auto q = format.quantise({.time = 0, .tx_bytes = 1024, .queue = 1000, .rate_mbps = 0});
  EXPECT_EQ(q.tx_bytes, 2);
  EXPECT_EQ(format.queue_bytes(q), 960);
}

}  // namespace
}  // namespace weir
