#include "weir/traffic/permutation.h"

#include <cmath>
#include <map>
#include <set>

#include "tests/traffic/helpers.h"

namespace weir::traffic {
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

TEST(Permutation, RefusesBadParameters) {
  auto p = eight_megabytes();
  p.size = {};
  EXPECT_EQ(error_of([&] { Permutation(p, uniform_hosts(4)); }), "size = 0 B is out of range; valid is 1 B to 1 PB");
  p = {1_B, {}, "3"};
  EXPECT_EQ(error_of([&] { Permutation(p, uniform_hosts(4)); }),
            "hosts = '3' is 1 host(s); a permutation needs at least 2");
}

}  // namespace
}  // namespace weir::traffic
