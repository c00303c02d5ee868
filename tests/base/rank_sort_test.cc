#include "weir/base/rank_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace weir {
namespace {

struct Object {
  std::uint32_t key = 0;
  std::size_t number = 0;
  bool operator==(const Object&) const = default;
};

// Any number of objects, with keys that lie close together, far apart, and at both ends of their range.
TEST(RankSort, SortsAsStdSortDoes) {
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

}  // namespace
}  // namespace weir
