#include "weir/host/path_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace weir::host {
namespace {

using namespace literals;

constexpr std::uint8_t kNoMark = 0;

BalancingParams params(Balancing kind, std::int64_t entropies) { return {.kind = kind, .entropies = entropies}; }

std::vector<std::uint32_t> some(PathChoice& paths, int n, Time now = {}) {
  std::vector<std::uint32_t> out;
  for (int i = 0; i < n; ++i) out.push_back(paths.next(now));
  return out;
}

// A round has each entropy once; another flow has others, and another order.
TEST(PathChoice, EachInARound) {
  const auto p = params(Balancing::ops_xor, 64);
  PathChoice paths;
  paths.start(p, 7);
  const auto first = some(paths, 64);
  const auto second = some(paths, 64);
  const std::set<std::uint32_t> all(first.begin(), first.end());
  EXPECT_EQ(all.size(), 64u);
  EXPECT_EQ(std::set<std::uint32_t>(second.begin(), second.end()), all);
  EXPECT_NE(first, second);
  paths.start(p, 8);
  const auto other = some(paths, 64);
  for (const auto e : other) EXPECT_FALSE(all.contains(e));
}

// 64,000 draws of 64: each comes 1,000 times, give or take four standard deviations; and not in rounds.
TEST(PathChoice, AnyAtRandom) {
  const auto p = params(Balancing::ops, 64);
  PathChoice paths;
  paths.start(p, 7);
  std::map<std::uint32_t, int> counts;
  std::set<std::uint32_t> round;
  for (const auto e : some(paths, 64)) round.insert(e);
  EXPECT_LT(round.size(), 60u);
  for (const auto e : some(paths, 64'000)) ++counts[e];
  EXPECT_EQ(counts.size(), 64u);
  for (const auto& [entropy, n] : counts) EXPECT_NEAR(n, 1'000, 130);
}

// Acknowledged entropies come back once, oldest first; marked ones do not. A ninth drives out the first.
TEST(PathChoice, RepsRecycles) {
  const auto p = params(Balancing::reps, 65'536);
  PathChoice paths;
  paths.start(p, 7);
  paths.on_ack(1, kNoMark, 0_us);
  paths.on_ack(2, net::kEchoMarked, 0_us);
  paths.on_ack(3, kNoMark, 0_us);
  EXPECT_EQ(paths.next(0_us), 1u);
  EXPECT_EQ(paths.next(0_us), 3u);
  EXPECT_GT(paths.next(0_us), 3u);  // any
  for (std::uint32_t e = 11; e <= 19; ++e) paths.on_ack(e, kNoMark, 0_us);
  EXPECT_EQ(some(paths, 8), (std::vector<std::uint32_t>{12, 13, 14, 15, 16, 17, 18, 19}));
}

// An entropy is bad if the data packet was marked, or its acknowledgement, or never. What else an acknowledgement says,
// does not count.
TEST(PathChoice, RepsJudgesByOneMark) {
  struct Case {
    PathMarks marks;
    bool data_is_bad;
    bool ack_is_bad;
  };
  for (const Case& c :
       {Case{PathMarks::data, true, false}, {PathMarks::ack, false, true}, {PathMarks::none, false, false}}) {
    auto p = params(Balancing::reps, 65'536);
    p.marks = c.marks;
    const auto comes_back = [&p](std::uint16_t flags) {
      PathChoice paths;
      paths.start(p, 7);
      paths.on_ack(1, static_cast<std::uint16_t>(flags | net::kSack), 0_us);
      return paths.next(0_us) == 1;
    };
    EXPECT_TRUE(comes_back(kNoMark));
    EXPECT_EQ(comes_back(net::kEchoMarked), !c.data_is_bad);
    EXPECT_EQ(comes_back(net::kMarked), !c.ack_is_bad);
  }
}

// Switches do not tell acknowledgements from data (LetFlow, CONGA): both have flowlets. The sender chooses nothing.
TEST(PathChoice, FlowletsOfBothDirections) {
  for (const auto& [kind, policy] : {std::pair{Balancing::flowlets, net::PathPolicy::flowlets},
                                     std::pair{Balancing::conga, net::PathPolicy::conga}}) {
    const auto p = params(kind, 64);
    EXPECT_FALSE(p.sprays());
    EXPECT_FALSE(p.has_one_path());
    EXPECT_EQ(p.path_policy(), policy);
    EXPECT_EQ(p.ack_flags(), net::flags_of(policy));
  }
}

// Switches mark acknowledgements only where REPS reads that mark, and route them adaptively only where data is.
TEST(PathChoice, FlagsOfAcknowledgements) {
  for (const Balancing kind : {Balancing::ecmp, Balancing::ops, Balancing::ops_xor, Balancing::reps,
                               Balancing::adaptive, Balancing::round_robin}) {
    auto p = params(kind, 64);
    EXPECT_EQ(p.ack_path_policy(), net::PathPolicy::hash);
    EXPECT_EQ(p.ack_flags(), 0);
    p.marks = PathMarks::ack;
    EXPECT_EQ(p.ack_flags(), kind == Balancing::reps ? net::kMarkable : 0);
    p.marks = PathMarks::data;
    p.acks = AckRouting::adaptive;
    EXPECT_EQ(p.ack_flags(),
              net::flags_of(kind == Balancing::adaptive ? net::PathPolicy::adaptive : net::PathPolicy::hash));
  }
}

// After a timeout it goes round what it has for 10 ms, used or not; then it forgets all and explores.
TEST(PathChoice, RepsFreezes) {
  const auto p = params(Balancing::reps, 65'536);
  PathChoice paths;
  paths.start(p, 7);
  for (std::uint32_t e = 1; e <= 3; ++e) paths.on_ack(e, kNoMark, 0_us);
  some(paths, 3);
  paths.on_timeout(1_us);
  const auto frozen = some(paths, 6, 2_us);
  EXPECT_EQ(std::set<std::uint32_t>(frozen.begin(), frozen.end()), (std::set<std::uint32_t>{1, 2, 3}));
  paths.on_ack(4, kNoMark, 3_us);  // does not count
  EXPECT_GT(paths.next(1_us + 10_ms), 4u);
  paths.on_ack(5, kNoMark, 11_ms);
  for (const auto e : some(paths, 15, 11_ms)) EXPECT_GT(e, 5u);  // 16 are explored
  EXPECT_EQ(paths.next(11_ms), 5u);
}

// If nothing is sent between the end of a freeze and the next timeout, it explores all the same: what it was frozen to
// has failed.
TEST(PathChoice, RepsLeavesItsFreezeAtATimeout) {
  const auto p = params(Balancing::reps, 65'536);
  PathChoice paths;
  paths.start(p, 7);
  paths.on_ack(1, kNoMark, 0_us);
  paths.on_timeout(4_ms);
  paths.on_timeout(12_ms);
  EXPECT_EQ(paths.next(12_ms), 1u) << "frozen until 14 ms";
  paths.on_timeout(28_ms);
  for (const auto e : some(paths, 16, 28_ms)) EXPECT_GT(e, 1u);
  paths.on_ack(2, kNoMark, 28_ms);
  paths.on_timeout(60_ms);
  EXPECT_EQ(some(paths, 3, 61_ms), (std::vector<std::uint32_t>{2, 2, 2})) << "the next freeze";
}

}  // namespace
}  // namespace weir::host
