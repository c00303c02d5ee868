// The messages of operations of about log2 n rounds, in each of which every rank sends one message and receives one. A
// message may contain anything received in earlier rounds, so it waits for all of them.
#pragma once

#include <cstdint>

#include "weir/traffic/schedule.h"

namespace weir::traffic {

// n ranks, a buffer of S bytes, ceil(log2 n) rounds:
//
//   barrier              dissemination: in round k to rank + 2^k, S bytes (Hensgen, Finkel, Manber, "Two algorithms for
//                        barrier synchronization", Int. J. Parallel Programming 17(1), 1988)
//   Bruck all-to-all     in round k to rank + 2^k, the blocks of S/n whose way to go has bit k (Bruck, Ho, Kipnis,
//                        Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//                        message-passing systems", IEEE TPDS 8(11), 1997, section 3)
//   Bruck all-gather     in round k to rank - 2^k, the min(2^k, n - 2^k) blocks that it has of its own and those behind
//                        (the same, section 4)
//   PAT all-gather       the same from far to near: with d = 2^k from the largest below n down to 1, to rank - d, the
//                        blocks of the ranks at distances m = 0, 2 d, 4 d, ... with m + d < n (NCCL 2.23, parallel
//                        aggregated trees; all blocks of a round go in one message, as in NCCL if they fit a slot)
//   PAT reduce-scatter   the reverse: from near to far, to rank + d
class Rounds {
 public:
  Rounds(Operation operation, std::uint32_t ranks) : operation_(operation), ranks_(ranks) {}

  std::uint32_t rounds() const;
  std::uint32_t to(std::uint32_t rank, std::uint32_t round) const;
  Bytes amount(std::uint32_t rank, std::uint32_t round, Bytes size) const;
  // The bytes that all ranks together send.
  Bytes total(Bytes size) const;
  // How many blocks a rank sends in a round; 1 in a barrier.
  std::uint32_t blocks(std::uint32_t round) const;

 private:
  std::uint32_t distance(std::uint32_t round) const;

  Operation operation_;
  std::uint32_t ranks_;
};

}  // namespace weir::traffic
