// CONGA's own example of why congestion elsewhere matters (2.4, figure 2): scenarios/conga.toml, by several rules.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "weir/base/error.h"
#include "weir/engine/engine.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {
namespace {

using namespace literals;

// What both spines bring to the other leaf between 2 and 6 ms, in Gb/s.
struct Brought {
  double by_fast_link = 0;
  double by_slow_link = 0;

  double all() const { return by_fast_link + by_slow_link; }
};

Brought brought(const std::string& kind) {
  const Run run = build(load_scenario_file("scenarios/conga.toml", {"algorithm.load_balancing.kind=" + kind}));
  constexpr std::uint32_t kFast = 2 * 22, kSlow = 2 * 23;  // the links are the last ones of scenarios/conga.graph
  run.simulation->advance(2_ms);
  const std::uint64_t fast = run.simulation->port_figures(kFast).sent_bytes,
                      slow = run.simulation->port_figures(kSlow).sent_bytes;
  run.simulation->advance(6_ms);
  const auto rate = [](std::uint64_t bytes) { return static_cast<double>(bytes) * 8 / 4e-3 / 1e9; };
  return {rate(run.simulation->port_figures(kFast).sent_bytes - fast),
          rate(run.simulation->port_figures(kSlow).sent_bytes - slow)};
}

// The paper: 100 Gb/s with CONGA, in the ratio 2 : 1; 90 with ECMP, of which the slow link carries 40; 80 with a rule
// that looks at local links alone, 40 by either link.
TEST(Conga, SplitsTrafficAsTheWaysAllow) {
  const Brought conga = brought("conga"), ecmp = brought("ecmp"), local = brought("adaptive");
  EXPECT_GT(conga.all(), 97);
  EXPECT_NEAR(conga.by_fast_link / conga.by_slow_link, 2, 0.3);
  EXPECT_GT(ecmp.by_slow_link, 39.5);
  EXPECT_LT(ecmp.all(), conga.all() - 2);
  EXPECT_GT(local.by_slow_link, 39.5);
  EXPECT_NEAR(local.by_fast_link, 40, 4);
}

// A packet that a link sends again is on the wire before it departs, and what a link carries is counted by departures.
TEST(Conga, RefusesLinksThatRetry) {
  std::ifstream file("scenarios/conga.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto s = load_scenario(text + "[[network.loss]]\nlinks = \"fabric\"\nprobability = 0.02\nretry = true\n",
                               "scenarios/conga.toml");
  try {
    build(s);
    FAIL() << "it is accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("remove retry, or take another kind"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weir::scenario
