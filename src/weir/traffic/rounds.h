// Who sends what to whom in operations of about log2 n rounds, in each of which every rank sends one message and
// receives one. What it sends in a round may be of all that it has received before, so it waits for all earlier rounds.
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
//   PAT all-gather       the same from far to near: with 2^d from the largest below n down to 1 to rank - 2^d, blocks
//                        which are multiples of 2^(d+1) away and 2^d more are below n (NCCL 2.23, parallel aggregated
//                        trees, with all blocks of a round in one message, as they are if they fit a slot together)
//   PAT reduce-scatter   that backwards: from near to far, to rank + 2^d
class Rounds {
 public:
  Rounds(Operation operation, std::uint32_t ranks) : operation_(operation), ranks_(ranks) {}

  std::uint32_t rounds() const;
  std::uint32_t to(std::uint32_t rank, std::uint32_t round) const;
  Bytes amount(std::uint32_t rank, std::uint32_t round, Bytes size) const;
  // What all ranks together send.
  Bytes total(Bytes size) const;
  // How many blocks a rank sends in a round; 1 in a barrier.
  std::uint32_t blocks(std::uint32_t round) const;

 private:
  std::uint32_t distance(std::uint32_t round) const;

  Operation operation_;
  std::uint32_t ranks_;
};

}  // namespace weir::traffic
