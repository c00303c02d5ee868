#include <gtest/gtest.h>
#include <sodium.h>

#include <set>
#include <string>

#include "hosts/wire/keys.h"

namespace weir::hosts {
namespace {

Address address(const char* text) { return parse_address(text).value(); }

const MasterKey kMaster = {1, 2, 3};

// What the header promises, written down once more.
TEST(Keys, AreWhatIsWritten) {
  const std::string said = std::string("weir or-ack v1") + '\4' + std::string("\x0a\x4d\x00\x01", 4) + '\4' +
                           std::string("\x0a\x4d\x00\x02", 4) + std::string("\0\0\0\0\0\1\2\3", 8);
  std::array<std::uint8_t, 16> expected{};
  ASSERT_EQ(crypto_generichash(expected.data(), expected.size(), reinterpret_cast<const std::uint8_t*>(said.data()),
                               said.size(), kMaster.data(), kMaster.size()),
            0);
  EXPECT_EQ(pair_key(kMaster, address("10.77.0.1"), address("10.77.0.2"), 0x10203), (PairKey{0x10203, expected}));
}

TEST(Keys, DifferInAllThatTheyAreOf) {
  std::set<std::array<std::uint8_t, 16>> seen;
  MasterKey other = kMaster;
  other.back() ^= 1;
  const Address v4 = address("10.77.0.1");
  Address same_bytes = v4;
  same_bytes.v6 = true;
  for (const MasterKey& master : {kMaster, other})
    for (const std::uint64_t epoch : {0u, 1u, 256u})
      for (const Address& from : {v4, same_bytes, address("10.77.0.2"), address("fd77::1")})
        for (const Address& to : {v4, same_bytes, address("10.77.0.2"), address("fd77::1")})
          EXPECT_TRUE(seen.insert(pair_key(master, from, to, epoch).key).second);
}

TEST(Keys, OfAnEpochAndTheOneBefore) {
  const Address one = address("fd77::1");
  const Address two = address("fd77::2");
  const PairKeys keys = pair_keys(kMaster, one, two, 7);
  EXPECT_EQ(keys.current, pair_key(kMaster, one, two, 7));
  EXPECT_EQ(keys.previous, pair_key(kMaster, one, two, 6));
  EXPECT_EQ(keys.next, pair_key(kMaster, one, two, 8));
  EXPECT_EQ(pair_keys(kMaster, one, two, 0).previous, pair_key(kMaster, one, two, 0));
  EXPECT_EQ(key_epoch(7199, 3600), 1u);
}

}  // namespace
}  // namespace weir::hosts
