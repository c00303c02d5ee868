#include "weir/traffic/direct_driver.h"

#include <algorithm>
#include <cmath>

namespace weir::traffic {
namespace {

// Whether all ranks send the same amount to all others.
bool is_exchange(Operation operation) { return operation == Operation::all_to_all || is_in_switch(operation); }

std::uint64_t messages_of(const Collective& c, const CollectivePlan& plan) {
  const std::uint64_t n = plan.members->ranks;
  if (is_exchange(c.operation)) return n * (n - 1) * c.chunks;
  if (c.operation != Operation::all_to_all_v) return (n - 1) * c.chunks;
  std::uint64_t out = 0;
  for (std::uint64_t i = 0; i < plan.sizes.size(); ++i) out += i % (n + 1) != 0 && plan.sizes[i] > Bytes{};
  return out;
}

}  // namespace

DirectDriver::DirectDriver(const Collective& c, const Context& context, const CollectivePlan& plan, std::uint32_t group)
    : CollectiveDriver(c, context, {plan.members, group}, messages_of(c, plan)),
      sizes_(std::make_shared<const std::vector<Bytes>>(plan.sizes)),
      order_(c.order == Order::nccl ? std::make_shared<const PeerOrder>(plan.members->ranks, c.group) : nullptr),
      next_(plan.members->ranks),
      buffer_(c.size) {
  if (c.window > 0) note_what_has_gone();
  const std::uint32_t n = ranks();
  if (c.operation == Operation::all_to_all) {
    payload_ = saturating_product(c.size, n - 1);
  } else if (is_in_switch(c.operation)) {
    for (std::uint32_t chunk = 0; chunk < c.chunks; ++chunk)
      payload_ = saturating_sum(payload_, saturating_product(amount(0, 0, chunk), std::uint64_t{n} * (n - 1)));
  } else if (c.operation == Operation::all_to_all_v) {
    count_given();
  } else {
    payload_ = c.size - parts_of(c.size, c.root, 1, n);
  }
}

// The size that bandwidths refer to, as nccl-tests counts it: the most that a host sends or receives, including what it
// keeps.
void DirectDriver::count_given() {
  const std::uint32_t n = ranks();
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    Bytes sends;
    Bytes receives;
    for (std::uint32_t other = 0; other < n; ++other) {
      const Bytes size = (*sizes_)[std::size_t{rank} * n + other];
      if (other != rank) payload_ = saturating_sum(payload_, size);
      sends = saturating_sum(sends, size);
      receives = saturating_sum(receives, (*sizes_)[std::size_t{other} * n + rank]);
    }
    buffer_ = std::max({buffer_, sends, receives});
  }
}

std::uint32_t DirectDriver::peers(std::uint32_t rank) const {
  const Collective& c = collective();
  if (c.operation == Operation::gather) return rank == c.root ? 0 : 1;
  if (c.operation == Operation::scatter) return rank == c.root ? ranks() - 1 : 0;
  return ranks() - 1;
}

// A rank begins with the next rank, so that no receiver gets all first messages.
std::uint32_t DirectDriver::to(std::uint32_t rank, std::uint32_t peer) const {
  if (order_ != nullptr) return order_->to(rank, peer + 1);
  return collective().operation == Operation::gather ? collective().root : (rank + peer + 1) % ranks();
}

Bytes DirectDriver::amount(std::uint32_t rank, std::uint32_t peer, std::uint32_t chunk) const {
  const Collective& c = collective();
  const std::uint32_t other = to(rank, peer);
  if (is_in_switch(c.operation)) {
    const double n = ranks();
    const auto part = static_cast<double>(part_of(c.size, chunk, c.chunks).count);
    // how many of n parts pass the busier direction of a GPU's link
    const double carried = c.operation == Operation::in_switch_all_reduce ? n + 1 : n;
    return {std::llround(std::ceil(part * carried / (n * (n - 1)) / c.in_switch_efficiency))};
  }
  if (c.operation == Operation::all_to_all_v) return (*sizes_)[std::size_t{rank} * ranks() + other];
  return part_of(part_of(c.size, chunk, c.chunks), c.operation == Operation::gather ? rank : other, ranks());
}

void DirectDriver::send_next(Desk& desk, std::uint32_t rank, std::uint64_t count) {
  const std::uint32_t all = peers(rank);
  std::uint64_t& next = next_[rank];
  for (; count > 0 && next < std::uint64_t{all} * collective().chunks; ++next) {
    const auto peer = static_cast<std::uint32_t>(next % all);
    const Bytes size = amount(rank, peer, static_cast<std::uint32_t>(next / all));
    if (size == Bytes{}) continue;
    send(desk, rank, {.to = to(rank, peer), .peer = peer, .size = size});
    --count;
  }
}

void DirectDriver::start(Desk& desk, std::uint32_t rank) {
  send_next(desk, rank, collective().window > 0 ? collective().window : ~std::uint64_t{0});
}

void DirectDriver::gone(Desk& desk, std::uint32_t rank) {
  if (collective().window > 0) send_next(desk, rank, 1);
}

std::uint64_t DirectDriver::moves(std::uint32_t rank) const {
  const Collective& c = collective();
  const std::uint64_t n = ranks();
  if (is_exchange(c.operation)) return 2 * (n - 1) * c.chunks;
  if (c.operation != Operation::all_to_all_v) return (rank == c.root ? n - 1 : 1) * c.chunks;
  std::uint64_t out = 0;
  for (std::size_t other = 0; other < n; ++other)
    if (other != rank) out += ((*sizes_)[rank * n + other] > Bytes{}) + ((*sizes_)[other * n + rank] > Bytes{});
  return out;
}

void DirectDriver::each_peer(std::uint32_t rank, const VisitSend& visit) const {
  for (std::uint32_t peer = 0; peer < peers(rank); ++peer)
    if (const Bytes size = amount(rank, peer, 0); size > Bytes{})
      visit({.to = to(rank, peer), .peer = peer, .size = size});
}

}  // namespace weir::traffic
