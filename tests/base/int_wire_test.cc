#include "weir/base/int_wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "weir/base/error.h"

namespace weir {
namespace {

constexpr std::array<std::uint32_t, 9> kSpeeds{25'000, 50'000, 100'000, 200'000, 400'000,
                                               10'000, 40'000, 800'000, 1'000};

bool same(const HopTelemetry& a, const HopTelemetry& b) {
  return a.time == b.time && a.tx_bytes == b.tx_bytes && a.queue == b.queue && a.rate_mbps == b.rate_mbps;
}

HopTelemetry random_hop(std::mt19937_64& random) {
  return {static_cast<std::int64_t>(random() >> 1), static_cast<std::int64_t>(random() >> 1),
          static_cast<std::int32_t>(random() >> 33 >> (random() % 20)), kSpeeds[random() % kSpeeds.size()]};
}

// HPCC section 4.1: 2 + 5 * 8 = 42 bytes, 4.2 % of a packet of 1 KB.
TEST(IntWire, TakesFortyTwoBytesForFiveHops) {
  EXPECT_EQ(kIntWireBytes, 42u);
  EXPECT_EQ(kMaxWireHops, 5);
  EXPECT_DOUBLE_EQ(static_cast<double>(kIntWireBytes) / 1000, 0.042);
}

TEST(IntWire, LaysItsFieldsOutAsInFigure7) {
  // nHop 2, pathID 0xabc -> 2a bc.
  // Hop 0: 100 Gb/s is code 2, TS 0x123456, txBytes 0x789ab, qLen 0xcdef -> 2 123456 789ab cdef.
  // Hop 1: 25 Gb/s is code 0, TS 1, txBytes 2, qLen 3                    -> 0 000001 00002 0003.
  IntStack stack;
  stack.hops = 2;
  stack.path_id = 0xabc;
  stack.hop[0] = {0x123456, 0x789ab, 0xcdef, 100'000};
  stack.hop[1] = {1, 2, 3, 25'000};
  const auto bytes = encode_int(stack);
  const std::array<std::uint8_t, 18> used{0x2a, 0xbc, 0x21, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
                                          0xef, 0x00, 0x00, 0x00, 0x10, 0x00, 0x02, 0x00, 0x03};
  EXPECT_TRUE(std::equal(used.begin(), used.end(), bytes.begin()));
  EXPECT_TRUE(std::all_of(bytes.begin() + used.size(), bytes.end(), [](auto b) { return b == 0; }));
}

TEST(IntWire, EnumeratesSpeeds) {
  // The codes of the authors' simulator stay where they are.
  EXPECT_EQ(int_speed_code(25'000), 0);
  EXPECT_EQ(int_speed_code(50'000), 1);
  EXPECT_EQ(int_speed_code(100'000), 2);
  EXPECT_EQ(int_speed_code(200'000), 3);
  EXPECT_EQ(int_speed_code(400'000), 4);
  for (const auto speed : kSpeeds) {
    const auto code = int_speed_code(speed);
    ASSERT_TRUE(code);
    EXPECT_LT(*code, 16);
    EXPECT_EQ(int_speed_mbps(*code), speed);
  }
  EXPECT_FALSE(int_speed_code(5'000));
  EXPECT_FALSE(int_speed_mbps(9));
  EXPECT_FALSE(int_speed_mbps(15));
}

// The simulator truncates counters with IntFormat and builds no bytes: both must be the same.
TEST(IntWire, CarriesWhatQuantiseLeaves) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto format = IntFormat::wire(1 << random() % 5);
    IntStack stack;
    stack.hops = static_cast<std::uint8_t>(random() % (kMaxWireHops + 1));
    stack.path_id = random() & 0xfff;
    for (std::size_t h = 0; h < stack.hops; ++h) stack.hop[h] = format.quantise(random_hop(random));
    const auto back = decode_int(encode_int(stack));
    ASSERT_EQ(back.hops, stack.hops);
    ASSERT_EQ(back.path_id, stack.path_id);
    for (std::size_t h = 0; h < stack.hops; ++h) ASSERT_TRUE(same(back.hop[h], stack.hop[h])) << "round " << i;
  }
}

TEST(IntWire, EveryValidHeaderSurvivesDecoding) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    IntWire bytes{};
    const auto hops = random() % (kMaxWireHops + 1);
    bytes[0] = static_cast<std::uint8_t>(hops << 4 | random() % 16);
    bytes[1] = static_cast<std::uint8_t>(random());
    for (std::size_t b = 2; b < 2 + 8 * hops; ++b) bytes[b] = static_cast<std::uint8_t>(random());
    for (std::size_t h = 0; h < hops; ++h) {
      auto& first = bytes[2 + 8 * h];
      first = static_cast<std::uint8_t>((random() % kSpeeds.size()) << 4 | (first & 0xf));
    }
    ASSERT_EQ(encode_int(decode_int(bytes)), bytes);
  }
}

TEST(IntWire, RejectsWhatItCannotSay) {
  IntStack odd;
  odd.hops = 1;
  odd.hop[0].rate_mbps = 5'000;
  EXPECT_THROW(encode_int(odd), InputError);

  IntWire six_hops{};
  six_hops[0] = 0x60;
  EXPECT_THROW(decode_int(six_hops), InputError);

  IntWire unassigned_speed{};
  unassigned_speed[0] = 0x10;
  unassigned_speed[2] = 0xf0;
  EXPECT_THROW(decode_int(unassigned_speed), InputError);
}

// Differences of truncated counters are those of the true ones, modulo the field's range.
TEST(IntFormatOfTheSimulator, DifferencesSurviveWrapAround) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t multiplier = 1 << random() % 5;
    const auto format = IntFormat::wire(multiplier);
    const std::int64_t time_range = (std::int64_t{1} << 24) * 1000;            // 16.777216 ms in ps
    const std::int64_t tx_range = (std::int64_t{1} << 20) * 128 * multiplier;  // 134,217,728 B for multiplier 1
    HopTelemetry before = random_hop(random);
    before.time >>= 1;
    before.tx_bytes >>= 1;
    HopTelemetry now = before;
    // Up to three ranges apart.
    now.time += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(3 * time_range));
    now.tx_bytes += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(3 * tx_range));
    const auto a = format.quantise(before);
    const auto b = format.quantise(now);
    ASSERT_EQ(format.elapsed_ps(b, a), (now.time / 1000 - before.time / 1000) * 1000 % time_range);
    const auto unit = 128 * multiplier;
    ASSERT_EQ(format.sent_bytes(b, a), (now.tx_bytes / unit - before.tx_bytes / unit) * unit % tx_range);
  }
}

TEST(IntFormatOfTheSimulator, QueueSaturates) {
  // 65535 * 80 B = 5,242,800 B is the longest queue that can be told.
  const auto format = IntFormat::wire();
  const auto told = [&](std::int32_t queue) { return format.queue_bytes(format.quantise({0, 0, queue, 100'000})); };
  EXPECT_EQ(told(0), 0);
  EXPECT_EQ(told(79), 0);
  EXPECT_EQ(told(80), 80);
  EXPECT_EQ(told(5'242'800), 5'242'800);
  EXPECT_EQ(told(5'242'880), 5'242'800);
  EXPECT_EQ(told(INT32_MAX), 5'242'800);
}

TEST(IntFormatOfTheSimulator, ExactChangesNothing) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const auto format = IntFormat::exact();
    const auto a = random_hop(random);
    const auto b = random_hop(random);
    EXPECT_TRUE(same(format.quantise(a), a));
    EXPECT_EQ(format.elapsed_ps(b, a), b.time - a.time);
    EXPECT_EQ(format.sent_bytes(b, a), b.tx_bytes - a.tx_bytes);
    EXPECT_EQ(format.queue_bytes(a), a.queue);
  }
}

}  // namespace
}  // namespace weir
