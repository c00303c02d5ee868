#include "hosts/wire/or_ack.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hosts/wire/keys.h"

namespace weir::hosts::wire_or_ack_test {
namespace {

Address address(const char* text) { return parse_address(text).value(); }

const MasterKey kMaster = {1, 2, 3};

const OrAck kV4{{address("10.77.0.1"), address("10.77.0.2"), 40'000, 80}, 0xabcd, 0x01020304, 0x1122334455667788};
const OrAck kV6{{address("fd77::1"), address("fd77::2"), 40'000, 80}, 0xabcd, 0xfffffffe, 5};

// The key by which the receiver of the data signs.
PairKey key_for(const OrAck& or_ack) { return pair_key(kMaster, or_ack.flow.destination, or_ack.flow.source, 0x1abcd); }

// As it arrives where the data came from.
std::optional<OrAck> read(std::span<const std::uint8_t> payload, const OrAck& of) {
  return read_or_ack(payload, of.flow.destination, of.flow.source);
}

TEST(OrAck, HasTheFormThatIsWritten) {
  const OrAckBytes out = write_or_ack(kV4, key_for(kV4));
  ASSERT_EQ(out.size, 36u);
  const std::vector<std::uint8_t> expected = {1, 0, 0xab, 0xcd, 1, 2,  3,    4,    10,   77,   0,    1,    10,   77,
                                              0, 2, 0x9c, 0x40, 0, 80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
  EXPECT_EQ(std::vector<std::uint8_t>(out.bytes.begin(), out.bytes.begin() + 28), expected);
  const OrAckBytes v6 = write_or_ack(kV6, key_for(kV6));
  EXPECT_EQ(v6.size, 60u);
  EXPECT_EQ(v6.bytes[1], 1u);
}

TEST(OrAck, IsReadAsItWasWritten) {
  for (const OrAck& or_ack : {kV4, kV6}) {
    const OrAckBytes out = write_or_ack(or_ack, key_for(or_ack));
    const auto back = read(out, or_ack);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, or_ack);
    EXPECT_TRUE(tag_is_right(out, *back, key_for(or_ack)));
    PairKey other = key_for(or_ack);
    other.key[15] ^= 0x80;
    EXPECT_FALSE(tag_is_right(out, *back, other));
  }
}

TEST(OrAck, EachBitCounts) {
  for (const OrAck& or_ack : {kV4, kV6}) {
    const OrAckBytes out = write_or_ack(or_ack, key_for(or_ack));
    for (std::size_t bit = 0; bit < 8 * out.size; ++bit) {
      OrAckBytes changed = out;
      changed.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      const auto back = read(changed, or_ack);
      // bytes 8 and 9 carry nothing
      if (bit / 8 == 8 || bit / 8 == 9)
        EXPECT_TRUE(back == or_ack && tag_is_right(changed, *back, key_for(or_ack))) << bit;
      else
        EXPECT_FALSE(back && tag_is_right(changed, *back, key_for(or_ack))) << bit;
    }
  }
}

TEST(OrAck, OfOtherLengthsOrAddressesIsNone) {
  for (const OrAck& or_ack : {kV4, kV6}) {
    const OrAckBytes out = write_or_ack(or_ack, key_for(or_ack));
    for (std::size_t size = 0; size <= out.bytes.size(); ++size)
      EXPECT_EQ(read(std::span(out.bytes).first(size), or_ack).has_value(), size == out.size);
    EXPECT_FALSE(read_or_ack(out, or_ack.flow.source, or_ack.flow.destination));
    EXPECT_FALSE(read_or_ack(out, kV4.flow.destination, kV6.flow.source));
  }
}

TEST(OrAck, NamesItsKey) {
  const PairKeys keys = pair_keys(kMaster, kV4.flow.destination, kV4.flow.source, 0x1abcd);
  OrAck or_ack = kV4;
  EXPECT_EQ(key_of(or_ack, keys), &keys.current);
  or_ack.key_id = 0xabcc;
  EXPECT_EQ(key_of(or_ack, keys), &keys.previous);
  or_ack.key_id = 0xabce;
  EXPECT_EQ(key_of(or_ack, keys), &keys.next);
  for (const std::uint16_t id : {std::uint16_t{0xabcb}, std::uint16_t{0xabcf}}) {
    or_ack.key_id = id;
    EXPECT_EQ(key_of(or_ack, keys), nullptr);
  }
}

// Nothing at random is read as anything that is signed.
TEST(OrAck, NoiseIsRefused) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const OrAck& of = i % 2 == 0 ? kV4 : kV6;
    OrAckBytes noise = write_or_ack(of, key_for(of));
    const std::size_t first = random() % noise.size;
    noise.bytes[first] ^= static_cast<std::uint8_t>(1 + random() % 255);
    for (std::size_t at = first + 1; at < noise.size; ++at) noise.bytes[at] = static_cast<std::uint8_t>(random());
    const auto back = read(noise, of);
    if (first == 9 || first == 8) continue;
    EXPECT_FALSE(back && tag_is_right(noise, *back, key_for(of)));
  }
}

}  // namespace
}  // namespace weir::hosts::wire_or_ack_test
