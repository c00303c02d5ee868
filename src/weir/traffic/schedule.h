// The messages of a collective operation by formula: they follow from the rank and the step, so that none is stored
// before it is due.
#pragma once

#include <cstdint>

#include "weir/base/units.h"

namespace weir::traffic {

enum class Operation : std::uint8_t {
  ring_all_reduce,
  ring_reduce_scatter,
  ring_all_gather,
  all_to_all,
  halving_doubling_all_reduce,
  hierarchical_all_reduce,
  tree_all_reduce,  // by trees (traffic/tree_driver.h)
  ring_broadcast,   // along a chain (traffic/chain_driver.h)
  ring_reduce,
  gather,  // all at once, or a few at a time (traffic/direct_driver.h), as an all-to-all with a window
  scatter,
  all_to_all_v,
  barrier,  // round by round (traffic/rounds.h)
  bruck_all_to_all,
  bruck_all_gather,
  pat_all_gather,
  pat_reduce_scatter,
  in_switch_all_reduce,  // by a server's scale-up switch (traffic/direct_driver.h)
  in_switch_all_gather,
  in_switch_reduce_scatter,
  all_reduce,  // the quickest of these for the given servers and size (traffic/collective_choice.h)
  all_gather,
  reduce_scatter,
};

// Whether a server's scale-up switch sums or spreads the data.
constexpr bool is_in_switch(Operation o) {
  return o >= Operation::in_switch_all_reduce && o <= Operation::in_switch_reduce_scatter;
}

constexpr bool is_all_to_all(Operation o) { return o == Operation::all_to_all || o == Operation::all_to_all_v; }

// Whether the operation can use channels: rings, chains or trees of their own (Collective::channels).
constexpr bool has_channels(Operation o) {
  switch (o) {
    case Operation::ring_all_reduce:
    case Operation::ring_reduce_scatter:
    case Operation::ring_all_gather:
    case Operation::tree_all_reduce:
    case Operation::ring_broadcast:
    case Operation::ring_reduce: return true;
    default: return false;
  }
}

// The factor by which nccl-tests multiplies size / time to get the bus bandwidth of n ranks (its PERFORMANCE.md). 0 =
// the operation has no bandwidth, as a barrier.
double bus_factor(Operation operation, std::uint32_t n);

// An operation step by step on n ranks with a buffer of S bytes (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005):
//
//   ring reduce-scatter, ring all-gather   n-1 steps; in each every rank sends S/n to the next
//   ring all-reduce                        both, 2(n-1) steps
//   all-to-all                             every rank sends S/n to every other
//   hierarchical all-reduce                servers of g ranks: a ring reduce-scatter in each server, g-1 steps; a ring
//                                          all-reduce of every rank with those of its place in the other servers,
//                                          2(n/g-1) steps with S/g; a ring all-gather in each server, g-1 steps
//   halving-doubling all-reduce            n a power of 2; log2(n) steps that exchange S/2, S/4, ..., S/n with ranks at
//                                          distance n/2, n/4, ..., 1, and the same backwards
class Schedule {
 public:
  // `ranks` is 2 or more; a power of 2 for halving and doubling; two or more whole groups for a hierarchical operation.
  Schedule(Operation operation, std::uint32_t ranks, std::uint32_t group = 1)
      : operation_(operation), ranks_(ranks), group_(group) {}

  std::uint32_t ranks() const { return ranks_; }
  // How many messages each rank sends, one in each step.
  std::uint32_t steps() const;
  // Whether a rank's message of a step waits for the one that it receives in the step before; in an all-to-all none
  // waits.
  bool waits() const { return operation_ != Operation::all_to_all; }
  // The rank that a rank sends to in a step, and how much of a buffer of `size` bytes.
  std::uint32_t to(std::uint32_t rank, std::uint32_t step) const;
  Bytes amount(std::uint32_t rank, std::uint32_t step, Bytes size) const;
  // Rings only: the segment of the buffer, of as many as there are ranks, that a rank sends in a step. Rank i begins
  // with segment i.
  std::uint32_t segment(std::uint32_t rank, std::uint32_t step) const {
    return (rank + ranks_ - step % ranks_) % ranks_;
  }
  // The rank that a rank receives from in a step.
  std::uint32_t from(std::uint32_t rank, std::uint32_t step) const;
  // The index of the receiver of a step among the ranks that a rank sends to, in the order of their first messages.
  std::uint32_t peer(std::uint32_t step) const;
  // The number of these ranks, and the first step in which a rank sends to one of them.
  std::uint32_t peers() const;
  std::uint32_t first_step_to(std::uint32_t peer) const;
  // The bytes that all ranks together send for a buffer of `size` bytes, limited to the largest value of Bytes.
  Bytes total(Bytes size) const;

 private:
  // Hierarchical: the first step between servers, and the first step after those.
  std::uint32_t first_across() const { return group_ - 1; }
  std::uint32_t first_behind() const { return first_across() + 2 * (ranks_ / group_ - 1); }
  bool is_across(std::uint32_t step) const { return step >= first_across() && step < first_behind(); }
  // The rank `by` places further on in its server or, in steps between servers, `by` servers further on.
  std::uint32_t moved(std::uint32_t rank, std::uint32_t step, std::uint32_t by) const;
  Bytes hierarchical_amount(std::uint32_t rank, std::uint32_t step, Bytes size) const;
  // Halving and doubling: the distance of a rank's partner in a step.
  std::uint32_t distance(std::uint32_t step) const;

  Operation operation_;
  std::uint32_t ranks_;
  std::uint32_t group_;
};

// Part k of n if `whole` is cut as evenly as whole bytes allow.
Bytes part_of(Bytes whole, std::uint32_t k, std::uint32_t n);
// The sum of `count` parts from part `first` on, cyclically.
Bytes parts_of(Bytes whole, std::uint32_t first, std::uint32_t count, std::uint32_t n);
// The product, limited to the largest value of Bytes.
Bytes saturating_product(Bytes size, std::uint64_t times);

}  // namespace weir::traffic
