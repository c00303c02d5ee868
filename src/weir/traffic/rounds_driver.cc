#include "weir/traffic/rounds_driver.h"

namespace weir::traffic {

RoundsDriver::RoundsDriver(const Collective& c, const Context& context, const CollectivePlan& plan, std::uint32_t group)
    : CollectiveDriver(
          c, context, {plan.members, group},
          std::uint64_t{Rounds(c.operation, plan.members->ranks).rounds()} * plan.members->ranks * c.chunks),
      rounds_(c.operation, plan.members->ranks),
      come_(plan.members->ranks) {}

CollectiveDriver::Send RoundsDriver::message_of(std::uint32_t rank, std::uint32_t chunk, std::uint32_t round) const {
  return {.to = rounds_.to(rank, round),
          .peer = round,
          .size = rounds_.amount(rank, round, part_of(collective().size, chunk, collective().chunks)),
          .word = word_of(chunk, round)};
}

void RoundsDriver::start(Desk& desk, std::uint32_t rank) {
  for (std::uint32_t chunk = 0; chunk < first_chunks(); ++chunk) send(desk, rank, message_of(rank, chunk, 0));
}

void RoundsDriver::go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) {
  const std::uint32_t chunk = chunk_of(word);
  if (come_[rank].empty()) come_[rank].resize(collective().chunks);
  Come& come = come_[rank][chunk];
  come.ahead |= 1u << step_of(word);
  while ((come.ahead >> come.rounds & 1) != 0) {
    if (++come.rounds < rounds_.rounds())
      send_later(desk, rank, message_of(rank, chunk, come.rounds));
    else if (const std::uint64_t next = std::uint64_t{chunk} + first_chunks(); next < collective().chunks)
      send(desk, rank, message_of(rank, static_cast<std::uint32_t>(next), 0));
  }
}

void RoundsDriver::each_peer(std::uint32_t rank, const VisitSend& visit) const {
  for (std::uint32_t round = 0; round < rounds_.rounds(); ++round) visit(message_of(rank, 0, round));
}

}  // namespace weir::traffic
