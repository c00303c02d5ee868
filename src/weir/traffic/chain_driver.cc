#include "weir/traffic/chain_driver.h"

namespace weir::traffic {

ChainDriver::ChainDriver(const Collective& c, const Context& context, const CollectivePlan& plan, std::uint32_t group)
    : CollectiveDriver(c, context, {plan.members, group}, std::uint64_t{plan.members->ranks - 1} * c.chunks),
      next_(plan.members->ranks, first_chunks()) {
  if (c.active_chunks > 0) note_what_has_gone();
}

std::uint32_t ChainDriver::first_index(std::uint32_t chunk) const {
  const std::uint32_t root = index_of(collective().root, chunk);
  return collective().operation == Operation::ring_broadcast ? root : (root + 1) % ranks();
}

std::uint32_t ChainDriver::place(std::uint32_t rank, std::uint32_t chunk) const {
  return (index_of(rank, chunk) + ranks() - first_index(chunk)) % ranks();
}

std::uint32_t ChainDriver::at(std::uint32_t place, std::uint32_t chunk) const {
  return rank_at((first_index(chunk) + place) % ranks(), chunk);
}

CollectiveDriver::Send ChainDriver::message_of(std::uint32_t place, std::uint32_t chunk) const {
  return {.to = at(place + 1, chunk),
          .peer = channel_of(chunk),
          .size = part_of(collective().size, chunk, collective().chunks),
          .word = chunk,
          .turn = turn_of(chunk)};
}

void ChainDriver::start(Desk& desk, std::uint32_t rank) {
  for (std::uint32_t chunk = 0; chunk < first_chunks(); ++chunk)
    if (place(rank, chunk) == 0) send(desk, rank, message_of(0, chunk));
}

void ChainDriver::go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) {
  const auto chunk = static_cast<std::uint32_t>(word);
  if (const std::uint32_t own = place(rank, chunk); own + 1 < ranks())
    send_later(desk, rank, message_of(own, chunk));
  else
    free_slot_of(desk, rank, chunk);
}

void ChainDriver::begun(Desk& desk, std::uint32_t rank, const Send& message) {
  free_slot_of(desk, rank, static_cast<std::uint32_t>(message.word));
}

void ChainDriver::free_slot_of(Desk& desk, std::uint32_t rank, std::uint32_t chunk) const {
  if (const std::uint32_t own = place(rank, chunk); own > 0 && receivers_free())
    free_slot_at(desk, rank, at(own - 1, chunk), channel_of(chunk));
}

// Sends the next of the chunks that begin at this rank, if there is one.
void ChainDriver::gone(Desk& desk, std::uint32_t rank) {
  std::uint32_t& next = next_[rank];
  while (next < collective().chunks && place(rank, next) != 0) ++next;
  if (next < collective().chunks) send(desk, rank, message_of(0, next++));
}

std::uint64_t ChainDriver::moves(std::uint32_t rank) const {
  const std::uint32_t channels = collective().channels;
  std::uint64_t out = 0;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const std::uint32_t own = place(rank, channel);
    const std::uint64_t chunks = (collective().chunks - channel + channels - 1) / channels;
    out += chunks * (own > 0 && own + 1 < ranks() ? 2 : 1);
  }
  return out;
}

void ChainDriver::each_peer(std::uint32_t rank, const VisitSend& visit) const {
  for (std::uint32_t channel = 0; channel < std::min(collective().channels, collective().chunks); ++channel)
    if (const std::uint32_t own = place(rank, channel); own + 1 < ranks()) visit(message_of(own, channel));
}

}  // namespace weir::traffic
