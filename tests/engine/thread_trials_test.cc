// Whether threads go on together is found by trying, and tried again when the machine changes.
#include "weir/engine/parallel/thread_trials.h"

#include <gtest/gtest.h>

namespace weir::engine {
namespace {

constexpr std::int64_t kRound = 1'000'000;  // units of work, which take a nanosecond each if a thread has a processor

// Does rounds until so much time has passed, in which one thread alone is so much quicker than all together. Returns
// the time per unit of work.
double pass(ThreadTrials& trials, double seconds, double together, double alone) {
  double ns = 0;
  double work = 0;
  while (ns < seconds * 1e9) {
    const double takes = static_cast<double>(kRound) * (trials.alone() ? alone : together);
    trials.add(kRound, static_cast<std::int64_t>(takes));
    ns += takes;
    work += static_cast<double>(kRound);
  }
  return ns / work;
}

TEST(ThreadTrials, CostLittleWhereThreadsHaveProcessors) {
  ThreadTrials trials;
  EXPECT_LT(pass(trials, 10, 0.55, 1), 0.55 * 1.02);
  EXPECT_LT(trials.share_alone(), 0.02);
}

TEST(ThreadTrials, BoundWhatIsLostWhereTheyHaveNone) {
  for (const double slower : {1.2, 3.0, 30.0}) {
    ThreadTrials trials;
    EXPECT_LT(pass(trials, 10, slower, 1), 1.1) << slower;
    EXPECT_GT(trials.share_alone(), 0.95);
  }
}

TEST(ThreadTrials, FollowTheMachine) {
  ThreadTrials trials;
  for (int i = 0; i < 3; ++i) {
    pass(trials, 5, 0.6, 1);
    EXPECT_FALSE(trials.alone());
    pass(trials, 5, 2, 1);
    EXPECT_TRUE(trials.alone());
  }
}

TEST(ThreadTrials, BeginTogether) {
  ThreadTrials trials;
  EXPECT_FALSE(trials.alone());
  EXPECT_EQ(trials.share_alone(), 0);
}

}  // namespace
}  // namespace weir::engine
