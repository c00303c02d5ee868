// Threads that share the tasks of rounds: each is done once in a round, by whoever has time for it.
#include "weir/engine/parallel/task_rounds.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace weir::engine {
namespace {

TEST(TaskRounds, EachTaskIsDoneOnceInARound) {
  for (const std::uint32_t threads : {1u, 2u, 3u, 5u}) {
    TaskRounds rounds(threads, 7);
    std::vector<int> done(7);
    int expected = 0;
    const auto work = [&](std::uint32_t, std::uint32_t task) {
      EXPECT_EQ(done[task], expected);
      ++done[task];
    };
    std::vector<std::thread> followers;
    for (std::uint32_t t = 1; t < threads; ++t) followers.emplace_back([&, t] { rounds.follow(t, work); });
    for (; expected < 20'000; ++expected) rounds.lead(work);
    EXPECT_EQ(done, std::vector<int>(7, 20'000));
    rounds.stop();
    for (std::thread& follower : followers) follower.join();
  }
}

TEST(TaskRounds, TheLeaderCanDoThemAlone) {
  TaskRounds rounds(2, 3);
  std::vector<int> done(3);
  int expected = 0;
  const auto work = [&](std::uint32_t, std::uint32_t task) {
    EXPECT_EQ(done[task], expected);
    ++done[task];
  };
  std::thread follower([&] { rounds.follow(1, work); });
  for (; expected < 20'000; ++expected) {
    if (expected % 3 == 0)
      rounds.lead(work);
    else
      rounds.lead_alone([&](std::uint32_t thread, std::uint32_t task) {
        EXPECT_EQ(thread, 0u);
        work(thread, task);
      });
  }
  EXPECT_EQ(done, std::vector<int>(3, 20'000));
  rounds.stop();
  follower.join();
}

// As on a machine that gives it no processor.
TEST(TaskRounds, DoNotWaitForWhoDoesNotCome) {
  TaskRounds rounds(3, 6);
  int done = 0;
  for (int round = 0; round < 100; ++round)
    rounds.lead([&](std::uint32_t thread, std::uint32_t) {
      EXPECT_EQ(thread, 0u);
      ++done;
    });
  EXPECT_EQ(done, 600);
  // whoever comes later takes part in rounds to come
  std::atomic<int> others{0};
  const auto work = [&](std::uint32_t thread, std::uint32_t) {
    if (thread != 0) ++others;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  std::thread follower([&] { rounds.follow(1, work); });
  for (int round = 0; round < 1'000 && others == 0; ++round) rounds.lead(work);
  EXPECT_GT(others, 0);
  rounds.stop();
  follower.join();
}

}  // namespace
}  // namespace weir::engine
