#include "weir/base/small_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <random>
#include <vector>

namespace weir {
namespace {

struct Object {
  std::uint32_t key = 0;
  std::size_t number = 0;
  auto operator<=>(const Object&) const = default;
};

// Any number of objects, with keys that lie close together, far apart, and at both ends of their range.
TEST(SmallSort, ByRankAsStdSortDoes) {
  constexpr std::uint32_t kLargest = (std::uint32_t{1} << 31) - 2;
  std::mt19937 random(3);
  for (std::size_t n = 1; n <= kMostByRank; ++n)
    for (const std::uint32_t range : {100u, 1'000'000u, kLargest})
      for (int round = 0; round < 20; ++round) {
        std::vector<std::uint32_t> keys{0, kLargest};
        while (keys.size() < n + 2) {
          const auto key = static_cast<std::uint32_t>(random() % range);
          if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
        }
        if (round % 2 == 0) keys.erase(keys.begin(), keys.begin() + 2);
        std::shuffle(keys.begin(), keys.end(), random);
        keys.resize(n);
        std::vector<Object> from, to(n + 1);
        for (const std::uint32_t key : keys) from.push_back({key, from.size()});
        sort_by_rank(from.data(), n, to.data(), [](const Object& o) { return o.key; });
        EXPECT_EQ(to.back(), Object{}) << "it writes behind the last place";
        to.pop_back();
        std::sort(from.begin(), from.end(), [](const Object& a, const Object& b) { return a.key < b.key; });
        ASSERT_EQ(to, from) << n;
      }
}

// Lists of many lengths, of numbers that lie close together, in order or nearly so, with few differing digits and with
// many, some of them equal.
std::vector<std::vector<std::uint64_t>> lists(std::size_t longest) {
  std::mt19937_64 random(5);
  std::vector<std::vector<std::uint64_t>> out;
  for (std::size_t n = 0; n <= longest; n += 1 + n / 4)
    for (const std::uint64_t range :
         {std::uint64_t{1}, std::uint64_t{50}, std::uint64_t{1'000'000}, std::uint64_t{1} << 62}) {
      std::vector<std::uint64_t> list;
      while (list.size() < n) list.push_back(1 + random() % range);
      out.push_back(list);
      for (std::uint64_t& number : list) number = number << 32 | 7;
      out.push_back(list);
      std::sort(list.begin(), list.end());
      out.push_back(list);
      if (n > 4) std::swap(list[1], list[n - 2]);
      out.push_back(list);
    }
  return out;
}

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> list) {
  std::sort(list.begin(), list.end());
  return list;
}

TEST(SmallSort, ByInsertionAsStdSortDoes) {
  for (std::vector<std::uint64_t> list : lists(60)) {
    const std::vector<std::uint64_t> expected = sorted(list);
    sort_by_insertion(list.data(), list.data() + list.size());
    ASSERT_EQ(list, expected);
  }
}

TEST(SmallSort, ByDigitsAsStdSortDoes) {
  std::vector<std::uint64_t> scratch;
  for (std::vector<std::uint64_t> list : lists(3'000)) {
    const std::vector<std::uint64_t> expected = sorted(list);
    sort_by_digits(list.data(), list.data() + list.size(), scratch);
    ASSERT_EQ(list, expected);
  }
}

TEST(SmallSort, BySharesAsStdSortDoes) {
  constexpr std::size_t kMost = 128;
  for (const std::vector<std::uint64_t>& list : lists(kMost)) {
    std::vector<std::uint64_t> to(list.size() + 1);
    const std::uint64_t most = list.empty() ? 0 : *std::max_element(list.begin(), list.end());
    sort_by_shares<kMost>(list.data(), list.size(), to.data(),
                          [&](std::uint64_t number) { return number / (most / 64 + 1); });
    EXPECT_EQ(to.back(), 0u) << "it writes behind the last place";
    to.pop_back();
    ASSERT_EQ(to, sorted(list));
  }
}

TEST(SmallSort, BySpansAsStdSortDoes) {
  SpanScratch<Object> scratch;
  for (const std::vector<std::uint64_t>& list : lists(3'000)) {
    std::vector<Object> objects;  // the spans see half of each number
    for (const std::uint64_t number : list) objects.push_back({static_cast<std::uint32_t>(number >> 32), number});
    std::vector<Object> expected = objects;
    std::sort(expected.begin(), expected.end());
    sort_by_spans(objects, scratch, [](const Object& o) { return static_cast<std::int64_t>(o.key); });
    ASSERT_EQ(objects, expected);
  }
}

// Each insertion puts one number into a list that is sorted, at both of its ends and among equal ones.
TEST(SmallSort, AnInsertionKeepsTheOrder) {
  for (const std::vector<std::uint64_t>& list : lists(60)) {
    std::vector<std::uint64_t> one(list.size() + 1), guarded(list.size() + 1), halved(list.size() + 1);
    for (std::size_t n = 0; n < list.size(); ++n) {
      insert_sorted(one.data(), one.data() + n, list[n]);
      insert_behind_lowest(guarded.data() + 1 + n, list[n]);  // its first number is 0
      insert_by_halves(halved.data(), halved.data() + n, list[n]);
    }
    guarded.erase(guarded.begin());
    for (std::vector<std::uint64_t>* out : {&one, &halved}) out->pop_back();
    const std::vector<std::uint64_t> expected = sorted(list);
    ASSERT_EQ(one, expected);
    ASSERT_EQ(guarded, expected);
    ASSERT_EQ(halved, expected);
  }
}

}  // namespace
}  // namespace weir
