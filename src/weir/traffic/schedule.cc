#include "weir/traffic/schedule.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace weir::traffic {

double bus_factor(Operation operation, std::uint32_t n) {
  const double share = static_cast<double>(n - 1) / n;
  switch (operation) {
    case Operation::ring_all_reduce:
    case Operation::hierarchical_all_reduce:
    case Operation::tree_all_reduce:
    case Operation::in_switch_all_reduce:
    case Operation::all_reduce:
    case Operation::halving_doubling_all_reduce: return 2 * share;
    case Operation::ring_broadcast:
    case Operation::ring_reduce: return 1;
    case Operation::barrier: return 0;
    default: return share;
  }
}

namespace {

// The bytes of the first k of n parts.
Bytes before(Bytes whole, std::uint32_t k, std::uint32_t n) {
  return {static_cast<std::int64_t>(static_cast<__int128>(whole.count) * k / n)};
}

}  // namespace

Bytes part_of(Bytes whole, std::uint32_t k, std::uint32_t n) { return before(whole, k + 1, n) - before(whole, k, n); }

Bytes parts_of(Bytes whole, std::uint32_t first, std::uint32_t count, std::uint32_t n) {
  const std::uint32_t straight = std::min(count, n - first);
  return before(whole, first + straight, n) - before(whole, first, n) + before(whole, count - straight, n);
}

Bytes saturating_product(Bytes size, std::uint64_t times) {
  const auto all = static_cast<__int128>(size.count) * times;
  return {static_cast<std::int64_t>(std::min<__int128>(all, std::numeric_limits<std::int64_t>::max()))};
}

std::uint32_t Schedule::steps() const {
  switch (operation_) {
    case Operation::ring_all_reduce: return 2 * (ranks_ - 1);
    case Operation::halving_doubling_all_reduce: return 2 * static_cast<std::uint32_t>(std::countr_zero(ranks_));
    case Operation::hierarchical_all_reduce: return first_behind() + group_ - 1;
    default: return ranks_ - 1;
  }
}

std::uint32_t Schedule::distance(std::uint32_t step) const {
  const auto levels = static_cast<std::uint32_t>(std::countr_zero(ranks_));
  return step < levels ? ranks_ / 2 >> step : std::uint32_t{1} << (step - levels);
}

// In an all-to-all the k-th message of rank i goes to rank i + k, so that no receiver gets all first messages.
std::uint32_t Schedule::to(std::uint32_t rank, std::uint32_t step) const {
  switch (operation_) {
    case Operation::all_to_all: return (rank + step + 1) % ranks_;
    case Operation::halving_doubling_all_reduce: return rank ^ distance(step);
    case Operation::hierarchical_all_reduce: return moved(rank, step, 1);
    default: return (rank + 1) % ranks_;
  }
}

std::uint32_t Schedule::from(std::uint32_t rank, std::uint32_t step) const {
  switch (operation_) {
    case Operation::all_to_all: return (rank + ranks_ - step - 1) % ranks_;
    case Operation::halving_doubling_all_reduce: return rank ^ distance(step);
    case Operation::hierarchical_all_reduce:
      return moved(rank, step, is_across(step) ? ranks_ / group_ - 1 : group_ - 1);
    default: return (rank + ranks_ - 1) % ranks_;
  }
}

std::uint32_t Schedule::peer(std::uint32_t step) const {
  switch (operation_) {
    case Operation::all_to_all: return step;
    case Operation::halving_doubling_all_reduce: return std::min(step, steps() - 1 - step);
    case Operation::hierarchical_all_reduce: return is_across(step) ? 1 : 0;
    default: return 0;
  }
}

std::uint32_t Schedule::peers() const {
  switch (operation_) {
    case Operation::all_to_all: return ranks_ - 1;
    case Operation::halving_doubling_all_reduce: return steps() / 2;
    case Operation::hierarchical_all_reduce: return 2;
    default: return 1;
  }
}

std::uint32_t Schedule::first_step_to(std::uint32_t peer) const {
  return operation_ == Operation::hierarchical_all_reduce && peer == 1 ? first_across() : peer;
}

// In each step of a ring every segment is sent once, so a step moves one buffer. Halving moves n / 2, n / 4, ... 1
// buffers, and doubling as many. A hierarchical all-reduce moves (g - 1) n / g buffers within servers, twice, and n / g
// - 1 between them, twice.
Bytes Schedule::total(Bytes size) const {
  const bool once = bus_factor(operation_, ranks_) < 1;
  return saturating_product(size, (ranks_ - std::uint64_t{1}) * (once ? 1 : 2));
}

std::uint32_t Schedule::moved(std::uint32_t rank, std::uint32_t step, std::uint32_t by) const {
  if (is_across(step)) return (rank + by * group_) % ranks_;
  return rank - rank % group_ + (rank + by) % group_;
}

// After the first phase, rank g of a server holds the sum of segment g + 1; this segment goes across, and round at the
// end.
Bytes Schedule::hierarchical_amount(std::uint32_t rank, std::uint32_t step, Bytes size) const {
  const std::uint32_t place = rank % group_;
  if (step < first_across()) return part_of(size, (place + group_ - step % group_) % group_, group_);
  if (!is_across(step)) return part_of(size, (place + 1 + group_ - (step - first_behind()) % group_) % group_, group_);
  const std::uint32_t servers = ranks_ / group_;
  const Bytes shard = part_of(size, (place + 1) % group_, group_);
  return part_of(shard, (rank / group_ + servers - (step - first_across()) % servers) % servers, servers);
}

Bytes Schedule::amount(std::uint32_t rank, std::uint32_t step, Bytes size) const {
  if (operation_ == Operation::hierarchical_all_reduce) return hierarchical_amount(rank, step, size);
  if (operation_ == Operation::all_to_all) return part_of(size, to(rank, step), ranks_);
  // In step s rank i sends segment i - s, which it received in the step before.
  if (operation_ != Operation::halving_doubling_all_reduce) return part_of(size, segment(rank, step), ranks_);
  // Halving: a rank sends the half of its range that its partner keeps, and goes on with the other half. Doubling: it
  // sends its whole range and receives as much.
  const auto levels = static_cast<std::uint32_t>(std::countr_zero(ranks_));
  const bool halves = step < levels;
  const std::uint32_t level = halves ? step : 2 * levels - 1 - step;
  std::int64_t has = size.count;
  for (std::uint32_t l = 0; l < level + (halves ? 0 : 1); ++l)
    has = (rank & (ranks_ / 2 >> l)) == 0 ? has / 2 : has - has / 2;
  if (!halves) return {has};
  return {(rank & (ranks_ / 2 >> level)) == 0 ? has - has / 2 : has / 2};
}

}  // namespace weir::traffic
