#include "weir/traffic/chain_driver.h"

namespace weir::traffic {

ChainDriver::ChainDriver(const Collective& c, const Context& context, const CollectivePlan& plan, std::uint32_t group)
    : CollectiveDriver(c, context, {plan.members, group}, std::uint64_t{plan.members->ranks - 1} * c.chunks),
      first_(c.operation == Operation::ring_broadcast ? c.root : (c.root + 1) % plan.members->ranks),
      next_(first_chunks()) {
  if (c.active_chunks > 0) note_what_has_gone();
}

CollectiveDriver::Send ChainDriver::message_of(std::uint32_t place, std::uint32_t chunk) const {
  return {.to = at(place + 1), .size = part_of(collective().size, chunk, collective().chunks), .word = chunk};
}

void ChainDriver::start(Desk& desk, std::uint32_t rank) {
  if (place(rank) != 0) return;
  for (std::uint32_t chunk = 0; chunk < first_chunks(); ++chunk) send(desk, rank, message_of(0, chunk));
}

void ChainDriver::go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) {
  const std::uint32_t own = place(rank);
  if (own + 1 < ranks()) send_later(desk, rank, message_of(own, static_cast<std::uint32_t>(word)));
}

void ChainDriver::gone(Desk& desk, std::uint32_t rank) {
  if (place(rank) == 0 && next_ < collective().chunks) send(desk, rank, message_of(0, next_++));
}

std::uint64_t ChainDriver::moves(std::uint32_t rank) const {
  const bool is_between = place(rank) > 0 && place(rank) + 1 < ranks();
  return std::uint64_t{collective().chunks} * (is_between ? 2 : 1);
}

std::vector<CollectiveDriver::Hop> ChainDriver::longest() const {
  std::vector<Hop> out;
  for (std::uint32_t own = 0; own + 1 < ranks(); ++own) out.push_back({at(own), message_of(own, 0)});
  out.front().message.size = collective().size;
  return out;
}

}  // namespace weir::traffic
