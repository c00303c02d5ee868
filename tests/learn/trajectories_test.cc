#include "weir/learn/trajectories.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::learn {
namespace {

// Events of many flows in random order, flows that start late and flows that end: whatever is stored or sampled is
// decisions of one flow, one after the other, each with the outcome that the flow's next event told.
TEST(TrajectoryStore, SlicesAreContiguousDecisionsOfOneFlow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Draws draws(RandomStream(seed, 0, Purpose::learning));
    const std::size_t most = 5 + draws.below(60);
    TrajectoryStore store(most);
    std::vector<std::uint32_t> events;  // of each flow so far
    std::vector<std::uint32_t> cleared;
    for (int event = 0; event < 3000; ++event) {
      if (events.empty() || (events.size() < 12 && draws.below(200) == 0)) {
        EXPECT_EQ(store.open(), events.size());
        events.push_back(0);
      }
      const auto flow = static_cast<std::uint32_t>(draws.below(events.size()));
      if (flow % 3 == 2 && events[flow] > 20) continue;  // has ended
      Decision decision;
      decision.inputs[0] = static_cast<float>(flow);
      decision.inputs[1] = static_cast<float>(events[flow]);
      Outcome outcome;
      outcome.signal = flow * 10'000.0 + events[flow];
      store.record(flow, outcome, decision);
      ++events[flow];
      if (draws.below(700) == 0) store.clear();
    }
    std::size_t steps = 0;
    for (std::uint32_t flow = 0; flow < store.flows(); ++flow) {
      const auto& s = store.sequence(flow).steps;
      EXPECT_LE(s.size(), most);
      steps += s.size();
      for (std::size_t i = 0; i < s.size(); ++i) {
        EXPECT_EQ(s[i].decision.inputs[0], static_cast<float>(flow));
        EXPECT_EQ(s[i].number, s[0].number + i);
        EXPECT_EQ(s[i].decision.inputs[1], static_cast<float>(s[i].number));
        EXPECT_EQ(s[i].outcome.signal, flow * 10'000.0 + s[i].number + 1);
      }
      if (!s.empty()) {
        EXPECT_EQ(s.back().number + 2, events[flow]);  // the last decision is open
      }
    }
    EXPECT_EQ(store.steps(), steps);
    for (int turn = 0; turn < 300; ++turn) {
      const std::size_t length = 1 + draws.below(20);
      const auto slice = store.sample(length, draws);
      EXPECT_EQ(slice.has_value(), store.flows_with(length) > 0);
      if (!slice) continue;
      EXPECT_EQ(slice->length, length);
      EXPECT_LE(slice->first + slice->length, store.sequence(slice->flow).steps.size());
    }
  }
}

TEST(TrajectoryStore, EveryPlaceIsSampled) {
  TrajectoryStore store(100);
  for (int flow = 0; flow < 3; ++flow) {
    store.open();
    for (int i = 0; i < 5 + flow; ++i) store.record(static_cast<std::uint32_t>(flow), {}, {});
  }
  // complete decisions: 4, 5 and 6; slices of 5: none, 1 and 2 places
  Draws draws(RandomStream(1, 0, Purpose::learning));
  int seen[3][2] = {};
  for (int i = 0; i < 1000; ++i) {
    const auto slice = store.sample(5, draws);
    ++seen[slice->flow][slice->first];
  }
  EXPECT_EQ(seen[0][0], 0);
  EXPECT_NEAR(seen[1][0], 500, 80);
  EXPECT_NEAR(seen[2][0], 250, 70);
  EXPECT_NEAR(seen[2][1], 250, 70);
  EXPECT_FALSE(store.sample(7, draws).has_value());
  EXPECT_FALSE(store.sample(0, draws).has_value());
}

}  // namespace
}  // namespace weir::learn
