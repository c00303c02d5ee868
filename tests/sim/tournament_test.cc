// The earliest of many times, against a set of all of them.
#include "weir/sim/tournament.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "weir/base/random.h"

namespace weir::sim {
namespace {

class AsASet {
 public:
  void grow(std::uint32_t slots) {
    tournament_.grow(slots);
    times_.resize(slots, Time::max());
  }
  void schedule(std::uint32_t slot, Time t) {
    tournament_.schedule(slot, t);
    if (times_[slot] < Time::max()) all_.erase({times_[slot], slot});
    times_[slot] = t;
    if (t < Time::max()) all_.emplace(t, slot);
  }
  void check() {
    ASSERT_EQ(tournament_.earliest(), all_.empty() ? Time::max() : all_.begin()->first);
    if (all_.empty()) return;
    std::vector<std::uint32_t> first;
    for (const auto& [time, slot] : all_)
      if (time == all_.begin()->first) first.push_back(slot);
    const auto got = tournament_.first();
    ASSERT_EQ(std::vector(got.begin(), got.end()), first);
    for (const std::uint32_t slot : first) ASSERT_EQ(tournament_.time(slot), all_.begin()->first);
  }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(times_.size()); }
  bool empty() const { return all_.empty(); }
  std::uint32_t first() { return tournament_.first().front(); }

 private:
  Tournament tournament_;
  std::vector<Time> times_;
  std::set<std::pair<Time, std::uint32_t>> all_;
};

TEST(Tournament, HasNoneAtFirst) {
  Tournament none;
  EXPECT_EQ(none.earliest(), Time::max());
  none.grow(9);
  EXPECT_EQ(none.earliest(), Time::max());
}

// Slots come one by one through four heights of the tree, while others have times; few times, so that many are equal.
TEST(Tournament, IsAsASetOfAllWhileItGrows) {
  const RandomStream draws(1, 0, Purpose::algorithm);
  std::uint64_t drawn = 0;
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(draws.below(drawn++, n)); };
  AsASet both;
  for (std::uint32_t slots = 1; slots <= 1200; ++slots) {
    both.grow(slots);
    both.check();
    for (int i = 0; i < 20; ++i) {
      const std::uint32_t slot = below(slots);
      both.schedule(slot, below(4) == 0 ? Time::max() : Time{below(slots)});
      both.check();
      if (HasFatalFailure()) return;
    }
  }
  while (!both.empty()) {  // in order
    both.schedule(both.first(), Time::max());
    both.check();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace weir::sim
