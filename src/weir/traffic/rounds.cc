#include "weir/traffic/rounds.h"

#include <algorithm>
#include <bit>

namespace weir::traffic {

std::uint32_t Rounds::rounds() const { return static_cast<std::uint32_t>(std::bit_width(ranks_ - 1)); }

std::uint32_t Rounds::distance(std::uint32_t round) const {
  return 1u << (operation_ == Operation::pat_all_gather ? rounds() - 1 - round : round);
}

std::uint32_t Rounds::to(std::uint32_t rank, std::uint32_t round) const {
  const bool is_gather = operation_ == Operation::bruck_all_gather || operation_ == Operation::pat_all_gather;
  return is_gather ? (rank + ranks_ - distance(round)) % ranks_ : (rank + distance(round)) % ranks_;
}

std::uint32_t Rounds::blocks(std::uint32_t round) const {
  const std::uint32_t d = distance(round);
  switch (operation_) {
    case Operation::barrier: return 1;
    case Operation::bruck_all_gather: return std::min(d, ranks_ - d);
    // Bruck: numbers below n with bit d set. Trees: those whose lowest set bit is d.
    case Operation::bruck_all_to_all: return ranks_ / (2 * d) * d + std::max(ranks_ % (2 * d), d) - d;
    default: return (ranks_ - 1 - d) / (2 * d) + 1;
  }
}

Bytes Rounds::amount(std::uint32_t rank, std::uint32_t round, Bytes size) const {
  const std::uint32_t d = distance(round);
  switch (operation_) {
    case Operation::barrier: return size;
    case Operation::bruck_all_gather: return parts_of(size, rank, blocks(round), ranks_);
    default: break;
  }
  // Bruck: after the earlier rounds, the blocks of each upper half of 2 d consecutive distances are all for the same
  // rank, that of `first`. Trees: only the block of `first` goes.
  const bool is_tree = operation_ != Operation::bruck_all_to_all;
  const std::uint32_t nearer = operation_ == Operation::pat_all_gather ? d : 0;
  Bytes out;
  for (std::uint32_t first = d; first < ranks_; first += 2 * d) {
    const Bytes part = part_of(size, (rank + first - nearer) % ranks_, ranks_);
    out += part * static_cast<std::int64_t>(is_tree ? 1 : std::min(d, ranks_ - first));
  }
  return out;
}

Bytes Rounds::total(Bytes size) const {
  if (operation_ == Operation::barrier) return saturating_product(size, std::uint64_t{rounds()} * ranks_);
  std::uint64_t all = 0;
  for (std::uint32_t round = 0; round < rounds(); ++round) all += blocks(round);
  return saturating_product(size, all);
}

}  // namespace weir::traffic
