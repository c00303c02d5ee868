// Operations in rounds, against the same with sets of blocks, and against what NCCL sends.
#include "weir/traffic/rounds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace weir::traffic {
namespace {

constexpr Bytes kSize{1'000'003};  // blocks differ

// A block: from whom to whom; in a gather only from whom, in a reduction only to whom.
using Block = std::pair<std::uint32_t, std::uint32_t>;
using Blocks = std::set<Block>;

// All rounds, where a rank sends what `goes` says it does of what it has, and keeps the rest if it is an exchange.
template <class Goes>
std::vector<Blocks> play(Operation operation, std::uint32_t n, std::vector<Blocks> has, bool keeps, Goes goes) {
  const Rounds rounds(operation, n);
  for (std::uint32_t round = 0; round < rounds.rounds(); ++round) {
    std::vector<Blocks> next = has;
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      Bytes size;
      std::uint32_t count = 0;
      for (const Block& block : has[rank]) {
        if (!goes(rank, round, block)) continue;
        ++count;
        size += part_of(kSize, operation == Operation::bruck_all_to_all || !keeps ? block.second : block.first, n);
        next[rounds.to(rank, round)].insert(block);
        if (!keeps) next[rank].erase(block);
      }
      EXPECT_EQ(count, rounds.blocks(round)) << n << " ranks, round " << round;
      EXPECT_EQ(size, rounds.amount(rank, round, kSize)) << n << " ranks, round " << round;
    }
    has = std::move(next);
  }
  return has;
}

TEST(Rounds, BringEachBlockWhereItBelongs) {
  for (std::uint32_t n = 2; n <= 33; ++n) {
    std::vector<Blocks> own(n);
    std::vector<Blocks> all(n);
    std::vector<Blocks> for_others(n);
    std::vector<Blocks> from_others(n);
    for (std::uint32_t a = 0; a < n; ++a) {
      own[a].insert({a, 0});
      for (std::uint32_t b = 0; b < n; ++b) {
        all[a].insert({b, 0});
        if (a == b) continue;
        for_others[a].insert({a, b});
        from_others[a].insert({b, a});
      }
    }
    const auto away = [n](std::uint32_t from, std::uint32_t to) { return (to + n - from) % n; };
    EXPECT_EQ(play(Operation::bruck_all_to_all, n, for_others, false,
                   [&](std::uint32_t, std::uint32_t round, const Block& b) {
                     return (away(b.first, b.second) >> round & 1) != 0;
                   }),
              from_others);
    EXPECT_EQ(play(Operation::bruck_all_gather, n, own, true,
                   [&](std::uint32_t rank, std::uint32_t round, const Block& b) {
                     return away(rank, b.first) + (1u << round) < n && away(rank, b.first) < 1u << round;
                   }),
              all);
    const std::uint32_t last = Rounds(Operation::pat_all_gather, n).rounds() - 1;
    EXPECT_EQ(play(Operation::pat_all_gather, n, own, true,
                   [&](std::uint32_t rank, std::uint32_t round, const Block& b) {
                     return away(rank, b.first) + (1u << (last - round)) < n;
                   }),
              all);
    // Sums on their way to rank `second`: each has one of its own for each other at first, and gets rid of it.
    std::vector<Blocks> sums(n);
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < n; ++b) sums[a].insert({0, b});
    const auto left = play(Operation::pat_reduce_scatter, n, sums, false,
                           [&](std::uint32_t rank, std::uint32_t round, const Block& b) {
                             const std::uint32_t way = away(rank, b.second);
                             return way != 0 && (way & (0 - way)) == 1u << round;
                           });
    for (std::uint32_t a = 0; a < n; ++a) EXPECT_EQ(left[a], (Blocks{{0, a}})) << n;
  }
}

// What NCCL 2.30.7's classes of PAT send with blocks of 4 KB, as distance:blocks in order.
TEST(Rounds, OfPatAreNccls) {
  const std::pair<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> cases[] = {
      {4, {{2, 1}, {1, 2}}},
      {6, {{4, 1}, {2, 1}, {1, 3}}},
      {7, {{4, 1}, {2, 2}, {1, 3}}},
      {8, {{4, 1}, {2, 2}, {1, 4}}},
      {12, {{8, 1}, {4, 1}, {2, 3}, {1, 6}}},
      {16, {{8, 1}, {4, 2}, {2, 4}, {1, 8}}},
      {27, {{16, 1}, {8, 2}, {4, 3}, {2, 7}, {1, 13}}},
      {32, {{16, 1}, {8, 2}, {4, 4}, {2, 8}, {1, 16}}},
  };
  for (const auto& [n, messages] : cases) {
    const Rounds gather(Operation::pat_all_gather, n);
    const Rounds scatter(Operation::pat_reduce_scatter, n);
    const auto count = static_cast<std::uint32_t>(messages.size());
    ASSERT_EQ(gather.rounds(), count);
    for (std::uint32_t round = 0; round < count; ++round) {
      const auto& [distance, blocks] = messages[round];
      EXPECT_EQ(gather.to(0, round), n - distance);
      EXPECT_EQ(gather.blocks(round), blocks);
      EXPECT_EQ(scatter.to(0, count - 1 - round), distance % n);
      EXPECT_EQ(scatter.blocks(count - 1 - round), blocks);
    }
  }
}

TEST(Parts, OfABufferInARow) {
  for (std::uint32_t first = 0; first < 7; ++first)
    for (std::uint32_t count = 0; count <= 7; ++count) {
      Bytes sum;
      for (std::uint32_t i = 0; i < count; ++i) sum += part_of(kSize, (first + i) % 7, 7);
      EXPECT_EQ(parts_of(kSize, first, count, 7), sum);
    }
}

}  // namespace
}  // namespace weir::traffic
