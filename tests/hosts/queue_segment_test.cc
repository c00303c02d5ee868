#include "hosts/queue/segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/hosts/queue_support.h"

namespace weir::hosts::queue_segment_test {
namespace {

Flow flow(bool v6) {
  return v6 ? Flow{*parse_address("fd77::1"), *parse_address("fd77::2"), 40'000, 80}
            : Flow{*parse_address("10.77.1.2"), *parse_address("10.77.2.2"), 40'000, 80};
}

std::optional<Segment> read(const std::vector<std::uint8_t>& packet) {
  return read_segment(packet.data(), std::min(packet.size(), kHeaderBytes), packet.size());
}

TEST(Segment, IsReadWithAllOptionsOfBothVersions) {
  for (const bool v6 : {false, true})
    for (const std::size_t ip_options : {0, 40})
      for (const std::size_t tcp_options : {0, 12, 40})
        for (const std::size_t data : {0, 1, 1'448, 60'000})
          for (const bool no_length : {false, true}) {
            const auto found = read(write_packet({.flow = flow(v6),
                                                  .seq = 0xfedcba98,
                                                  .data = data,
                                                  .ip_options = v6 ? 0 : ip_options,
                                                  .tcp_options = tcp_options,
                                                  .no_length = no_length}));
            ASSERT_TRUE(found);
            EXPECT_EQ(found->flow, flow(v6));
            EXPECT_EQ(found->seq, 0xfedcba98);
            EXPECT_EQ(found->length, data);
            EXPECT_FALSE(found->syn);
            EXPECT_FALSE(found->ends);
          }
}

TEST(Segment, FlagsOfTheFirstAndTheLastOnes) {
  for (const bool v6 : {false, true}) {
    EXPECT_TRUE(read(write_packet({.flow = flow(v6), .flags = 0x02}))->syn);
    EXPECT_TRUE(read(write_packet({.flow = flow(v6), .flags = 0x11}))->ends);
    EXPECT_TRUE(read(write_packet({.flow = flow(v6), .flags = 0x14}))->ends);
  }
}

TEST(Segment, SuperPacketsOfMoreThan64KiloBytes) {
  std::vector<std::uint8_t> large = write_packet({.flow = flow(true), .seq = 7, .data = 100'000, .no_length = true});
  const std::uint32_t payload = 20 + 12 + 100'000 + 8;
  const std::array<std::uint8_t, 8> option{6, 0, 0xc2, 4, 0, payload >> 16 & 255, payload >> 8 & 255, payload & 255};
  large[6] = 0;
  large.insert(large.begin() + 40, option.begin(), option.end());
  const auto found = read(large);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->flow, flow(true));
  EXPECT_EQ(found->seq, 7u);
  EXPECT_EQ(found->length, 100'000u);
  for (std::size_t size = 0; size != 60; ++size) EXPECT_FALSE(read_segment(large.data(), size, large.size()));
}

TEST(Segment, OthersAreNone) {
  std::vector<std::uint8_t> udp = write_packet({.flow = flow(false), .data = 10});
  udp[9] = 17;
  EXPECT_FALSE(read(udp));
  std::vector<std::uint8_t> fragment = write_packet({.flow = flow(false), .data = 10});
  fragment[7] = 1;
  EXPECT_FALSE(read(fragment));
  std::vector<std::uint8_t> extended = write_packet({.flow = flow(true), .data = 10});
  extended[6] = 43;
  EXPECT_FALSE(read(extended));
}

TEST(Segment, WhatIsCutOrLiesAboutItsLengthsIsNone) {
  for (const bool v6 : {false, true}) {
    const std::vector<std::uint8_t> whole = write_packet({.flow = flow(v6), .tcp_options = 0});
    for (std::size_t size = 0; size != whole.size(); ++size)
      EXPECT_FALSE(read_segment(whole.data(), size, whole.size())) << size;
    std::vector<std::uint8_t> header = whole;
    header[(v6 ? 40 : 20) + 12] = 0x40;  // shorter than a header of TCP
    EXPECT_FALSE(read(header));
    header[(v6 ? 40 : 20) + 12] = 0xf0;  // longer than the packet
    EXPECT_FALSE(read(header));
  }
  std::mt19937 random(1);
  for (int i = 0; i != 100'000; ++i) {
    std::vector<std::uint8_t> noise(random() % 100);
    std::generate(noise.begin(), noise.end(), [&] { return static_cast<std::uint8_t>(random()); });
    if (!noise.empty() && i % 2 == 0) noise[0] = static_cast<std::uint8_t>(0x40 | (noise[0] & 15));
    const auto found = read(noise);
    EXPECT_LE(found ? found->length : 0, 65'535u);
  }
}

}  // namespace
}  // namespace weir::hosts::queue_segment_test
