#include "weir/traffic/permutation.h"

#include <cmath>
#include <map>
#include <set>

#include "tests/traffic/helpers.h"

namespace weir::traffic::permutation_test {
namespace {

using namespace literals;

Permutation::Params eight_megabytes() {
  Permutation::Params p;
  p.size = 8_MB;
  return p;
}

TEST(Permutation, IsOneCycleThroughAllHosts) {
  auto p = eight_megabytes();
  p.start = 3_us;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Permutation source(p, uniform_hosts(128, seed));
    const auto flows = drain(source);
    ASSERT_EQ(flows.size(), 128u);
    std::map<std::uint32_t, std::uint32_t> to;
    for (std::uint32_t i = 0; i < 128; ++i) {
      EXPECT_EQ(flows[i].src, i);
      EXPECT_EQ(flows[i].size, 8_MB);
      EXPECT_EQ(flows[i].start, 3_us);
      to[i] = flows[i].dst;
    }
    std::set<std::uint32_t> visited;
    for (std::uint32_t host = 0; visited.insert(host).second;) host = to[host];
    EXPECT_EQ(visited.size(), 128u);
  }
}

TEST(Permutation, EveryCycleIsEquallyLikely) {
  // 4 hosts have 3! = 6 cycles; chi-square with 5 degrees of freedom, 5 deviations above its mean
  std::map<std::string, double> count;
  constexpr int n = 6000;
  for (int seed = 0; seed < n; ++seed) {
    Permutation source(eight_megabytes(), uniform_hosts(4, static_cast<std::uint64_t>(seed)));
    std::string key;
    for (const auto& flow : drain(source)) key += std::to_string(flow.dst);
    ++count[key];
  }
  ASSERT_EQ(count.size(), 6u);
  double chi2 = 0;
  for (const auto& [key, k] : count) chi2 += (k - n / 6.0) * (k - n / 6.0) / (n / 6.0);
  EXPECT_LT(chi2, 5 + 5 * std::sqrt(10.0));
}

TEST(Permutation, OfSomeHosts) {
  auto p = eight_megabytes();
  p.hosts = "9,4";
  Permutation source(p, uniform_hosts(16));
  const auto flows = drain(source);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].src, 4u);
  EXPECT_EQ(flows[0].dst, 9u);
  EXPECT_EQ(flows[1].dst, 4u);
}

// Spraying IV-A: 4 random hosts have a permutation of their own, the other 124 another one.
TEST(Permutation, ElephantsKeepToThemselves) {
  auto p = eight_megabytes();
  p.elephants = 4;
  p.elephant_size = 1_GB;
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Context context = uniform_hosts(128, seed);
    context.labels = {0, 1};
    context.tag_of = [](const std::string& name, const Where&) { return static_cast<std::uint16_t>(name.size()); };
    Permutation source(p, context);
    const auto others = drain(source);
    const auto elephants = Permutation::elephants(p, context);
    ASSERT_EQ(others.size(), 124u);
    ASSERT_EQ(elephants.size(), 4u);
    std::map<std::uint32_t, std::uint32_t> to;
    for (const auto& flow : elephants) {
      EXPECT_EQ(flow.size, 1_GB);
      EXPECT_EQ(flow.tag, 9);
      EXPECT_EQ(flow.profile, 1);
      to[flow.src] = flow.dst;
      seen.insert(flow.src);
    }
    for (const auto start : {elephants[0].src, others[0].src}) {
      if (start == others[0].src) {
        EXPECT_FALSE(to.contains(start));
        to.clear();
        for (const auto& flow : others) to[flow.src] = flow.dst;
      }
      std::set<std::uint32_t> visited;
      for (std::uint32_t host = start; visited.insert(host).second;) host = to.at(host);
      EXPECT_EQ(visited.size(), to.size());
    }
  }
  EXPECT_GT(seen.size(), 80u);
}

TEST(Permutation, OfSomeHostsAtRandom) {
  auto p = eight_megabytes();
  p.members = 5;
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Permutation source(p, uniform_hosts(16, seed));
    const auto flows = drain(source);
    ASSERT_EQ(flows.size(), 5u);
    for (const auto& flow : flows) seen.insert(flow.src);
  }
  EXPECT_EQ(seen.size(), 16u);
}

TEST(Permutation, RefusesBadParameters) {
  auto p = eight_megabytes();
  p.size = {};
  EXPECT_EQ(error_of([&] { Permutation(p, uniform_hosts(4)); }), "size: 0 B is out of range; valid is 1 B to 1 PB");
  p = {1_B, {}, "3"};
  EXPECT_EQ(error_of([&] { Permutation(p, uniform_hosts(4)); }),
            "hosts: '3' leaves 1 host(s); a permutation needs at least 2");
  p = eight_megabytes();
  p.members = 5;
  EXPECT_EQ(error_of([&] { Permutation(p, uniform_hosts(4)); }), "members: 5 is out of range; hosts are 4");
  p.members = 0;
  p.elephants = 1;
  EXPECT_EQ(error_of([&] { Permutation(p, uniform_hosts(4)); }),
            "elephants: 1 is out of range; valid is 0, or 2 to 4, as many as take part");
  p.elephants = 2;
  EXPECT_EQ(error_of([&] { Permutation(p, uniform_hosts(4)); }),
            "elephant_size: 0 B is out of range; write the size of each elephant");
}

}  // namespace
}  // namespace weir::traffic::permutation_test
