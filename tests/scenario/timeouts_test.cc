// Retransmission timeouts on long paths.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "weir/cc/algorithm.h"
#include "weir/scenario/build.h"
#include "weir/scenario/warnings.h"

namespace weir::scenario::timeouts_test {
namespace {

// Two flows of 1 MB to one host, over links of such a delay.
std::string two_flows(std::string_view algorithm, std::string_view delay, std::string_view recovery) {
  return fmt::format(R"(
run.stop = "60 s"
topology = {{kind = "star", hosts = 3, rate = "10 Gbps", delay = "{}"}}
network = {{ecn = {{enabled = true, k_min = "100 KB", k_max = "400 KB"}}, buffer = {{mode = "lossy"}}}}
algorithm = {{name = "{}", recovery = {{kind = "{}"}}}}
traffic = [{{kind = "incast", size = "1 MB", receiver = "2", fan_in = 2}}]
)",
                     delay, algorithm, recovery);
}

TEST(Timeouts, DoNotComeWithoutLosses) {
  for (const cc::Algorithm& algorithm : cc::catalogue()) {
    if (cc::has(algorithm.about.needs, cc::Needs::decisions) || algorithm.about.name == "pcc_rl") continue;
    for (const auto* recovery : {"go-back-n", "sack"})
      for (const auto* delay : {"1 us", "100 us", "0.9 ms", "1.1 ms", "5 ms", "20 ms", "100 ms"}) {
        const scenario::Run run =
            build(load_scenario(two_flows(algorithm.about.name, delay, recovery), "timeouts.toml"));
        while (!run.simulation->advance()) {
        }
        const engine::Counters c = run.simulation->counters();
        SCOPED_TRACE(fmt::format("{}, {}, {}", algorithm.about.name, recovery, delay));
        EXPECT_EQ(c.dropped, 0u);
        EXPECT_EQ(c.timeouts, 0u);
        EXPECT_EQ(c.retransmitted, 0u);
      }
  }
}

// The receiver takes 9 ms for each answer, as long as several round trips of the network.
TEST(Timeouts, DoNotComeOfSlowReceivers) {
  for (const auto* recovery : {"go-back-n", "sack"}) {
    const scenario::Run run =
        build(load_scenario(two_flows("cubic", "100 us", recovery), "timeouts.toml", {"host.receive_delay=9 ms"}));
    while (!run.simulation->advance()) {
    }
    EXPECT_EQ(run.simulation->counters().timeouts, 0u) << recovery;
    EXPECT_EQ(run.simulation->counters().retransmitted, 0u) << recovery;
  }
}

TEST(Timeouts, BelowARoundTripAreWarnedOf) {
  const auto of = [](std::string_view delay, std::string_view recovery,
                     const std::vector<std::string>& overrides = {}) {
    const Scenario s = load_scenario(two_flows("cubic", delay, recovery), "timeouts.toml", overrides);
    return warnings(s, *build_model(s));
  };
  EXPECT_EQ(of("0.9 ms", "sack"), std::vector<std::string>{});
  EXPECT_EQ(
      of("5 ms", "sack"),
      std::vector<std::string>{"transport.min_rto is below the round trip of the empty network of some flows, "
                               "which is up to 20.0017728 ms; their timeouts follow from the round trips that they "
                               "measure alone"});
  EXPECT_EQ(of("5 ms", "sack", {"transport.min_rto=21 ms"}), std::vector<std::string>{});
  // with what the receiver takes, in the mean
  EXPECT_EQ(of("5 ms", "sack", {"transport.min_rto=21 ms", "host.receive_delay=1 ms"}).size(), 1u);
  EXPECT_EQ(of("0.9 ms", "sack", {"host.receive_delay=300 us", "host.receive_jitter=200 us"}).size(), 1u);
  EXPECT_EQ(of("50 us", "irn"), std::vector<std::string>{
                                    "algorithm.recovery.rto_low is below the round trip of the empty network of some "
                                    "flows, which is up to 201.7728 us; they send again what is still under way; write "
                                    "more than that"});
}

}  // namespace
}  // namespace weir::scenario::timeouts_test
