// SipHash-2-4 as BPF programs have it, against published values and against libsodium.
#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <cstring>
#include <numeric>
#include <random>

#include "hosts/wire/or_ack_wire.h"

namespace weir::hosts {
namespace {

using Hash = std::array<std::uint8_t, crypto_shorthash_BYTES>;
using Key = std::array<std::uint8_t, crypto_shorthash_KEYBYTES>;
using Words = std::array<unsigned, 16>;

Hash ours(const Words& words, unsigned count, const Key& key) {
  weir_siphash_key k;
  std::memcpy(&k, key.data(), sizeof k);
  const unsigned long long hash = weir_siphash(words.data(), count, {WEIR_LE64(k.k0), WEIR_LE64(k.k1)});
  Hash out;
  for (unsigned i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(hash >> (8 * i));
  return out;
}

// The key 00 01 ... 0f and the message 00 01 ..., as in the authors' test vectors (vectors_sip64).
Hash of_counting_bytes(unsigned size) {
  std::array<std::uint8_t, sizeof(Words)> bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  Key key;
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  Words words;
  std::memcpy(words.data(), bytes.data(), sizeof words);
  return ours(words, size / 4, key);
}

TEST(SipHash, HasThePublishedValues) {
  EXPECT_EQ(of_counting_bytes(4), (Hash{0xb7, 0x87, 0x71, 0x27, 0xe0, 0x94, 0x27, 0xcf}));
  EXPECT_EQ(of_counting_bytes(12), (Hash{0xfb, 0xe5, 0x0e, 0x86, 0xbc, 0x8f, 0x1e, 0x75}));
  EXPECT_EQ(of_counting_bytes(28), (Hash{0xa5, 0xc9, 0x1d, 0xa7, 0xac, 0xaa, 0x4d, 0xde}));
  EXPECT_EQ(of_counting_bytes(52), (Hash{0xb2, 0x74, 0xcb, 0x8e, 0xbf, 0x87, 0x87, 0x0a}));
}

TEST(SipHash, IsThatOfLibsodium) {
  ASSERT_GE(sodium_init(), 0);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    Words words;
    for (unsigned& word : words) word = static_cast<unsigned>(random());
    Key key;
    for (std::size_t at = 0; at < key.size(); at += 8) {
      const std::uint64_t bits = random();
      std::memcpy(key.data() + at, &bits, 8);
    }
    // both sizes of OR-ACKs without their tags, and others
    const unsigned count = i % 3 == 0 ? 7 : i % 3 == 1 ? 13 : 1 + 2 * (static_cast<unsigned>(random()) % 8);
    Hash theirs;
    crypto_shorthash(theirs.data(), reinterpret_cast<const std::uint8_t*>(words.data()), 4 * count, key.data());
    ASSERT_EQ(ours(words, count, key), theirs) << count << " words, input " << i;
  }
}

}  // namespace
}  // namespace weir::hosts
