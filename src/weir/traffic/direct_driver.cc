#include "weir/traffic/direct_driver.h"

#include <algorithm>
#include <cmath>

namespace weir::traffic {
namespace {

// Of all with all, equally.
bool is_exchange(Operation operation) {
  return operation == Operation::all_to_all || operation == Operation::in_switch_all_reduce;
}

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
    // Parts of a buffer differ by a byte.
    const std::int64_t part = c.size.count / c.chunks / n;
    each_ = {(n - std::min<std::int64_t>(n, c.group > 1 ? c.group : 1)) * part * c.chunks};
  } else if (c.operation == Operation::in_switch_all_reduce) {
    for (std::uint32_t chunk = 0; chunk < c.chunks; ++chunk)
      payload_ = saturating_sum(payload_, saturating_product(amount(0, 0, chunk), std::uint64_t{n} * (n - 1)));
  } else if (c.operation == Operation::all_to_all_v) {
    count_given(context, plan.scale_up);
  } else {
    const Bytes own = parts_of(c.size, c.root, 1, n);
    payload_ = c.size - own;
    if (c.group == 1)
      least_ = transmission_time(payload_ - Bytes{std::min<std::int64_t>(payload_.count, n * std::int64_t{c.chunks})},
                                 context.host_rates[host(c.root)]);
  }
}

// What hosts' links are busy with at least, and the largest part of a host, as nccl-tests counts it: all that it has to
// send or to receive, with what it keeps.
void DirectDriver::count_given(const Context& context, const ScaleUp& scale_up) {
  const std::uint32_t n = ranks();
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    Bytes whole[2];
    Bytes by_network[2];
    for (std::uint32_t other = 0; other < n; ++other) {
      const Bytes both[2] = {(*sizes_)[std::size_t{rank} * n + other], (*sizes_)[std::size_t{other} * n + rank]};
      const bool is_near = scale_up.is_there() && scale_up.joins(host(rank), host(other));
      if (other != rank) payload_ = saturating_sum(payload_, both[0]);
      if (collective().pxn) continue;  // others may send it
      for (int way = 0; way < 2; ++way) {
        whole[way] = saturating_sum(whole[way], both[way]);
        if (other != rank && !is_near) by_network[way] = saturating_sum(by_network[way], both[way]);
      }
    }
    for (int way = 0; way < 2; ++way) {
      buffer_ = std::max(buffer_, whole[way]);
      least_ = std::max(least_, transmission_time(by_network[way], context.host_rates[host(rank)]));
    }
  }
}

std::uint32_t DirectDriver::peers(std::uint32_t rank) const {
  const Collective& c = collective();
  if (c.operation == Operation::gather) return rank == c.root ? 0 : 1;
  if (c.operation == Operation::scatter) return rank == c.root ? ranks() - 1 : 0;
  return ranks() - 1;
}

// A rank begins with the next one, so that no receiver comes first with all.
std::uint32_t DirectDriver::to(std::uint32_t rank, std::uint32_t peer) const {
  if (order_ != nullptr) return order_->to(rank, peer + 1);
  return collective().operation == Operation::gather ? collective().root : (rank + peer + 1) % ranks();
}

Bytes DirectDriver::amount(std::uint32_t rank, std::uint32_t peer, std::uint32_t chunk) const {
  const Collective& c = collective();
  const std::uint32_t other = to(rank, peer);
  if (c.operation == Operation::in_switch_all_reduce) {
    const double n = ranks();
    const auto part = static_cast<double>(part_of(c.size, chunk, c.chunks).count);
    return {std::llround(std::ceil(part * (n + 1) / (n * (n - 1)) / c.in_switch_efficiency))};
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

std::vector<CollectiveDriver::Hop> DirectDriver::longest() const {
  const bool is_equal = is_exchange(collective().operation);
  std::vector<Hop> out;
  for (std::uint32_t rank = 0; rank < (is_equal ? 1 : ranks()); ++rank)
    for (std::uint32_t peer = 0; peer < (is_equal ? 1 : peers(rank)); ++peer)
      if (const Bytes size = amount(rank, peer, 0); out.empty() ? size > Bytes{} : size > out[0].message.size)
        out.assign(1, {rank, {.to = to(rank, peer), .peer = peer, .size = size}});
  return out;
}

}  // namespace weir::traffic
