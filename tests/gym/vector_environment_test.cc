#include "weir/gym/vector_environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "tests/gym/scenarios.h"
#include "weir/base/error.h"

namespace weir::gym {
namespace {

using test::many_to_one;

struct Arrays {
  explicit Arrays(const VectorEnvironment& e)
      : observations(e.capacity() * e.width()),
        rewards(e.capacity()),
        flows(e.capacity()),
        environments(e.capacity()),
        episodes(e.capacity()),
        times(e.capacity()),
        first(e.capacity()) {}
  Batch batch() { return {observations, rewards, flows, environments, episodes, times, first}; }

  std::vector<float> observations;
  std::vector<float> rewards;
  std::vector<std::int64_t> flows;
  std::vector<std::int32_t> environments;
  std::vector<std::int32_t> episodes;
  std::vector<std::int64_t> times;
  std::vector<std::uint8_t> first;
};

using Row = std::tuple<int, int, std::int64_t, std::int64_t, float, std::vector<float>>;

// All that the first two episodes show, in order.
std::vector<Row> two_episodes(unsigned threads, std::uint32_t slots) {
  VectorEnvironment e({many_to_one(4, "2 us", "400 us"), many_to_one(9, "2 us", "400 us")}, {},
                      {.environments = 3, .slots = slots, .threads = threads});
  Arrays a(e);
  std::vector<Row> out;
  std::vector<double> factors;
  for (std::size_t n = e.reset(11, a.batch());; n = e.step(factors, a.batch())) {
    factors.clear();
    bool goes_on = false;
    for (std::size_t i = 0; i < n; ++i) {
      const float* row = &a.observations[i * e.width()];
      factors.push_back(row[1] > 0 ? 0.9 : 1.1);
      if (a.episodes[i] > 1) continue;
      goes_on = true;
      out.emplace_back(a.environments[i], a.episodes[i], a.times[i], a.flows[i], a.rewards[i],
                       std::vector<float>(row, row + e.width()));
    }
    if (!goes_on) break;
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(VectorEnvironmentTest, ResultsDependOnNeitherThreadsNorSlots) {
  const auto expected = two_episodes(1, 0);
  EXPECT_GT(expected.size(), 500u);
  EXPECT_EQ(two_episodes(3, 0), expected);
  EXPECT_EQ(two_episodes(2, 2), expected);
}

TEST(VectorEnvironmentTest, WrongActionsAreRefusedAndChangeNothing) {
  VectorEnvironment e({many_to_one(4, "2 us", "1 ms")}, {}, {.environments = 2, .threads = 1});
  VectorEnvironment same({many_to_one(4, "2 us", "1 ms")}, {}, {.environments = 2, .threads = 1});
  Arrays a(e);
  Arrays b(same);
  EXPECT_THROW(e.step(std::span<const float>(), a.batch()), std::logic_error);
  const std::size_t n = e.reset(1, a.batch());
  ASSERT_EQ(same.reset(1, b.batch()), n);
  ASSERT_GT(n, 1u);
  const auto before = a.observations;
  for (const float wrong :
       {0.0f, -0.5f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> factors(n, 1.2f);
    factors.back() = wrong;
    EXPECT_THROW(e.step(factors, a.batch()), InputError);
  }
  EXPECT_THROW(e.step(std::vector<float>(n + 1, 1.2f), a.batch()), InputError);
  EXPECT_THROW(e.step(std::vector<float>(n - 1, 1.2f), a.batch()), InputError);
  Batch small = a.batch();
  small.first = small.first.subspan(1);
  EXPECT_THROW(e.step(std::vector<float>(n, 1.2f), small), InputError);
  EXPECT_EQ(a.observations, before);

  std::size_t m = n;
  for (int i = 0; i < 20; ++i) {
    const std::size_t next = e.step(std::vector<float>(m, 0.9f), a.batch());
    ASSERT_EQ(same.step(std::vector<float>(m, 0.9f), b.batch()), next);
    EXPECT_EQ(a.observations, b.observations);
    EXPECT_EQ(a.times, b.times);
    m = next;
  }
}

TEST(VectorEnvironmentTest, ShapesThatCannotBeAreRefused) {
  const Scenario s = many_to_one(2, "2 us", "1 ms");
  EXPECT_THROW(VectorEnvironment({}, {}, {}), InputError);
  EXPECT_THROW(VectorEnvironment({s}, {}, {.environments = 0}), InputError);
  EXPECT_THROW(VectorEnvironment({s}, {}, {.threads = 5'000}), InputError);
}

TEST(VectorEnvironmentTest, EpisodesWithoutQuestionsAreAnError) {
  VectorEnvironment e({many_to_one(2, "2 us", "1 us")}, {}, {});
  Arrays a(e);
  EXPECT_THROW(e.reset(1, a.batch()), InputError);
  EXPECT_THROW(e.step(std::span<const float>(), a.batch()), std::logic_error);
}

TEST(VectorEnvironmentTest, SeedsStayWithinTheirRange) {
  EXPECT_EQ(seed_of(5, 2, 10, 3), 37u);
  EXPECT_LE(seed_of((1ull << 53) - 1, 7, 8, 1'000'000), (1ull << 53) - 1);
}

}  // namespace
}  // namespace weir::gym
