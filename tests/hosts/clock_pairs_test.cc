#include "hosts/clock/pairs.h"

#include <gtest/gtest.h>

#include "hosts/clock/mesh.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock {
namespace {

constexpr std::int64_t kEpsilon = 1'000;

TEST(Pairs, BringTogetherWhatEitherHostKnows) {
  Pairs ours(kEpsilon);
  Pairs theirs(kEpsilon);
  // pair 10, 11 leaves at 1000 and 1010 us by our clock; theirs is 500 us ahead, and it takes 20 us
  ours.sending(10, 990'000);
  EXPECT_FALSE(ours.record_of_ours(995'000));
  ours.left(10, 1'000'000);
  EXPECT_FALSE(ours.record_of_ours(1'005'000));
  ours.left(11, 1'010'000);
  theirs.came(Kind::first, 10, 1'520'000);
  EXPECT_FALSE(theirs.record_of_theirs(1'525'000));
  theirs.came(Kind::second, 11, 1'529'900);

  const auto when_left = ours.record_of_ours(1'020'000);
  ASSERT_TRUE(when_left);
  EXPECT_EQ(when_left->time, 1'000'000);
  EXPECT_EQ(when_left->apart, 10'000u);
  EXPECT_FALSE(ours.record_of_ours(1'030'000));
  const auto when_came = theirs.record_of_theirs(1'530'000);
  ASSERT_TRUE(when_came);
  EXPECT_EQ(when_came->apart, 9'900u);
  EXPECT_FALSE(theirs.record_of_theirs(1'530'000));

  // the second was faster, by 100 ns
  const auto seen = ours.ours_came(*when_came);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->at, 1'000'000);
  EXPECT_EQ(seen->difference, 519'900);
  EXPECT_TRUE(seen->pure);
  const auto by_them = theirs.theirs_left(*when_left);
  ASSERT_TRUE(by_them);
  EXPECT_EQ(by_them->at, 1'520'000);
  EXPECT_EQ(by_them->difference, -519'900);
  EXPECT_TRUE(by_them->pure);
  // once
  EXPECT_FALSE(ours.ours_came(*when_came));
  EXPECT_FALSE(theirs.theirs_left(*when_left));
}

TEST(Pairs, AreImpureIfTheyHaveMovedOrOneIsMissing) {
  Pairs ours(kEpsilon);
  for (const std::uint64_t number : {10u, 20u}) {
    ours.sending(number, 0);
    ours.left(number, 1'000'000);
    ours.left(number + 1, 1'010'000);
  }
  const auto moved = ours.ours_came({10, 2'000'000, 12'000});
  ASSERT_TRUE(moved);
  EXPECT_FALSE(moved->pure);
  EXPECT_EQ(moved->difference, 1'000'000);
  const auto alone = ours.ours_came({20, 2'000'000, std::nullopt});
  ASSERT_TRUE(alone);
  EXPECT_FALSE(alone->pure);

  Pairs theirs(kEpsilon);
  theirs.came(Kind::first, 10, 100);
  theirs.came(Kind::first, 20, 200);
  theirs.came(Kind::second, 11, 300);  // too late
  theirs.came(Kind::second, 21, 400);
  EXPECT_FALSE(theirs.record_of_theirs(500)->apart);
  EXPECT_EQ(theirs.record_of_theirs(500)->apart, 200u);
}

TEST(Pairs, TellNothingOldWhereThereIsSomethingNew) {
  Pairs theirs(kEpsilon);
  for (const std::uint64_t number : {10u, 20u, 30u}) {
    theirs.came(Kind::first, number, static_cast<std::int64_t>(number) * 10'000'000);
    theirs.came(Kind::second, number + 1, static_cast<std::int64_t>(number) * 10'000'000 + 10'000);
  }
  EXPECT_EQ(theirs.record_of_theirs(350'000'000)->number, 30u);
  EXPECT_FALSE(theirs.record_of_theirs(350'000'000));
  theirs.came(Kind::first, 40, 400'000'000);
  theirs.came(Kind::second, 41, 400'010'000);
  EXPECT_EQ(theirs.record_of_theirs(900'000'000)->number, 40u);
}

TEST(Pairs, LeftFarApartAreNone) {
  // the sender was held up in between, and its clock runs 30 us/s faster than ours
  Pairs ours(kEpsilon);
  ours.sending(10, 0);
  ours.left(10, 1'000'000);
  ours.left(11, 301'000'000);
  const auto record = ours.record_of_ours(302'000'000);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->apart);
  const auto seen = ours.ours_came({10, 1'020'000, 299'991'000});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->difference, 20'000);
  EXPECT_FALSE(seen->pure);
}

TEST(Pairs, DoNotWaitForStampsForEver) {
  Pairs ours(kEpsilon);
  ours.sending(10, 0);
  ours.sending(20, 4'000'000);
  ours.left(20, 4'001'000);
  EXPECT_FALSE(ours.record_of_ours(8'000'000));
  const auto record = ours.record_of_ours(30'000'000);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->number, 20u);
  EXPECT_FALSE(record->apart);
}

TEST(Pairs, TakeAnythingInAnyOrder) {
  Random random(1);
  Pairs pairs(kEpsilon);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t number = random.below(300);
    const auto time = static_cast<std::int64_t>(random.bits() >> 2) - (std::int64_t{1} << 61);
    const Record record{
        static_cast<std::uint32_t>(number), time,
        random.below(2) == 0 ? std::optional<std::uint32_t>() : static_cast<std::uint32_t>(random.bits())};
    switch (random.below(7)) {
      case 0: pairs.sending(number, time); break;
      case 1: pairs.left(number, time); break;
      case 2: pairs.came(random.below(2) == 0 ? Kind::first : Kind::second, number, time); break;
      case 3: pairs.record_of_ours(time); break;
      case 4: pairs.record_of_theirs(time); break;
      case 5: pairs.ours_came(record); break;
      default: pairs.theirs_left(record);
    }
  }
}

Address host(std::size_t i) {
  return {{10, 77, static_cast<std::uint8_t>(i / 256), static_cast<std::uint8_t>(i)}, false};
}

TEST(Mesh, IsMutualAndConnectedAndNotLarge) {
  for (const std::size_t hosts : {2u, 5u, 11u, 12u, 13u, 40u, 201u, 1'000u}) {
    std::vector<std::vector<std::size_t>> chosen(hosts);
    for (std::size_t i = 0; i < hosts; ++i) {
      std::vector<Address> others;
      std::vector<std::size_t> names;
      for (std::size_t k = 0; k < hosts; ++k) {
        if (k == i) continue;
        others.push_back(host(k));
        names.push_back(k);
      }
      for (const std::size_t place : choose_neighbours(host(i), others, 10)) chosen[i].push_back(names[place]);
      EXPECT_LE(chosen[i].size(), 10u);
      EXPECT_GE(chosen[i].size(), std::min<std::size_t>(hosts - 1, 9)) << hosts;
    }
    std::vector<bool> reached(hosts);
    std::vector<std::size_t> next{0};
    std::size_t far = 0;
    reached[0] = true;
    for (; !next.empty(); ++far) {
      std::vector<std::size_t> beyond;
      for (const std::size_t i : next) {
        for (const std::size_t k : chosen[i]) {
          EXPECT_TRUE(std::find(chosen[k].begin(), chosen[k].end(), i) != chosen[k].end());
          if (!reached[k]) beyond.push_back(k);
          reached[k] = true;
        }
      }
      next = beyond;
    }
    EXPECT_TRUE(std::find(reached.begin(), reached.end(), false) == reached.end()) << hosts;
    if (hosts <= 201) {
      EXPECT_LE(far, 6u) << hosts;
    }
  }
}

}  // namespace
}  // namespace weir::hosts::clock
