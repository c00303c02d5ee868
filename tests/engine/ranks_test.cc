// One scenario on several ranks has the result that it has in one process. WEIR_SCENARIOS=N runs the first N of them.
#include "weir/engine/parallel/ranks.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/engine/scenario.h"
#include "tests/support/thread_ranks.h"
#include "weir/base/archive.h"
#include "weir/engine/partition/mailbox.h"

namespace weir::engine {
namespace {

TEST(Ranks, PartitionsAreDealtOutInOrder) {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 7u})
    for (const std::uint32_t partitions : {1u, 2u, 3u, 6u, 20u}) {
      std::uint32_t next = 0;
      for (std::uint32_t r = 0; r < ranks; ++r) {
        const Share share = share_of(r, ranks, partitions);
        EXPECT_EQ(share.first, next);
        EXPECT_LE(share.count(), partitions / ranks + 1);
        next = share.end;
      }
      EXPECT_EQ(next, partitions);
    }
}

TEST(Ranks, TellEachOtherBytesOfAnyLength) {
  ThreadRanks(3).run([](Ranks& ranks) {
    const std::string own(ranks.rank() * 5, static_cast<char>('a' + ranks.rank()));
    EXPECT_EQ(gather(ranks, own), (std::vector<std::string>{"", "bbbbb", "cccccccccc"}));
    const auto at_first = gather_at_first(ranks, own);
    EXPECT_EQ(at_first.size(), ranks.rank() == 0 ? 3u : 0u);
  });
}

TEST(Mailbox, APacketTakesOnlyWhatItUses) {
  net::PacketStore here, there;
  net::Packet packet;
  PackedPackets plain;
  plain.add(packet, 7, here);
  EXPECT_LE(plain.bytes().size(), 72u);

  here.add_telemetry(packet);
  Telemetry& telemetry = here.telemetry(packet);
  telemetry.path = 17;
  telemetry.hop[2].queue = 11;
  telemetry.hops = 3;
  PackedPackets measured;
  measured.add(packet, 7, here);
  EXPECT_LE(measured.bytes().size(), 160u);

  here.add_sack(packet) = {.trigger = 3, .host_delay = Time{9}};
  PackedPackets both;
  both.add(packet, 8, here);
  both.add(net::Packet(), 9, here);
  std::vector<std::uint32_t> ports;
  both.for_each(there, [&](std::uint32_t port, const net::Packet& p) {
    ports.push_back(port);
    if (port == 9) return;
    EXPECT_EQ(there.telemetry(p).hops, 3u);
    EXPECT_EQ(there.telemetry(p).path, 17u);
    EXPECT_EQ(there.telemetry(p).hop[2].queue, 11);
    EXPECT_EQ(there.sack(p).trigger, 3);
    EXPECT_EQ(there.sack(p).host_delay, Time{9});
  });
  EXPECT_EQ(ports, (std::vector<std::uint32_t>{8, 9}));
  EXPECT_EQ(there.in_use(), 1u);
}

class ScenarioOnRanks : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ScenarioOnRanks, HasTheResultOfOneProcess) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  const Outcome alone = run(scenario);
  for (const std::uint32_t ranks : {2u, 3u})
    for (const std::uint32_t threads : {1u, 2u}) {
      ThreadRanks(ranks).run([&](Ranks& all) {
        const Outcome here = run(scenario, {.threads = threads, .ranks = &all});
        EXPECT_EQ(difference(alone, here), "") << "rank " << all.rank() << " of " << ranks << ", " << threads;
      });
    }
}

// What is saved goes on at any number of ranks, also of one partition at several. (Padding differs from save to save.)
void goes_on_on_other_ranks(const Scenario& scenario, std::uint32_t partitions) {
  SCOPED_TRACE(scenario.text + ", partitions: " + std::to_string(partitions));
  const auto model = scenario.model();
  struct Run {
    std::unique_ptr<traffic::Traffic> traffic;
    std::unique_ptr<Simulation> simulation;
  };
  const auto begin = [&](Ranks* ranks) {
    Run run{scenario.traffic(), nullptr};
    run.simulation = std::make_unique<Simulation>(
        *model, *run.traffic, RunOptions{.partitions = partitions, .stop = scenario.stop, .ranks = ranks});
    return run;
  };
  const auto save = [](Run& run) {
    Saver a;
    run.simulation->save(a);
    return a.take();
  };
  Run alone = begin(nullptr);
  const Time half = run(scenario).end / 2 / alone.simulation->epoch() * alone.simulation->epoch();
  if (alone.simulation->advance(half)) return;
  const std::string saved = save(alone);
  while (!alone.simulation->advance()) {
  }
  const std::uint64_t digest = alone.simulation->state_digest();
  const auto goes_on = [&](Run run, const std::string& state) {
    Loader a(state);
    run.simulation->load(a);
    EXPECT_TRUE(a.at_end());
    while (!run.simulation->advance()) {
    }
    EXPECT_EQ(run.simulation->state_digest(), digest);
  };

  ThreadRanks(2).run([&](Ranks& ranks) {
    Run run = begin(&ranks);
    run.simulation->advance(half);
    const std::string here = save(run);
    if (ranks.rank() == 0) {
      EXPECT_EQ(here.size(), saved.size());
      goes_on(begin(nullptr), here);
    }
  });
  ThreadRanks(3).run([&](Ranks& ranks) { goes_on(begin(&ranks), saved); });
}

TEST_P(ScenarioOnRanks, GoesOnOnOtherRanks) {
  for (const std::uint32_t partitions : {1, 4}) goes_on_on_other_ranks(random_scenario(GetParam()), partitions);
}

INSTANTIATE_TEST_SUITE_P(Random, ScenarioOnRanks, testing::Range<std::uint64_t>(0, scenario_count(20)));

}  // namespace
}  // namespace weir::engine
