#include "weir/traffic/schedule_driver.h"

#include <algorithm>

namespace weir::traffic {

ScheduleDriver::ScheduleDriver(const Collective& c, const Context& context, const CollectivePlan& plan,
                               std::uint32_t group)
    : CollectiveDriver(c, context, {plan.members, group},
                       std::uint64_t{plan.schedule.steps()} * plan.schedule.ranks() * c.chunks),
      schedule_(plan.schedule) {}

CollectiveDriver::Send ScheduleDriver::message_of(std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const {
  const std::uint32_t index = index_of(rank, chunk);
  return {.to = rank_at(schedule_.to(index, step), chunk),
          .peer = schedule_.peer(step) * collective().channels + channel_of(chunk),
          .size = schedule_.amount(index, step, part_of(collective().size, chunk, collective().chunks)),
          .word = word_of(chunk, step),
          .turn = turn(chunk, step)};
}

// Steps within a server of a hierarchical operation use no slots.
std::uint64_t ScheduleDriver::turn(std::uint32_t chunk, std::uint32_t step) const {
  if (collective().operation != Operation::hierarchical_all_reduce) return turn_in_ring(chunk, step, schedule_.steps());
  if (schedule_.peer(step) == 0) return LaneMessage::kAnyTurn;
  return turn_in_ring(chunk, step - schedule_.first_step_to(1), 2 * (ranks() / collective().group - 1));
}

bool ScheduleDriver::hands_on(std::uint32_t step) const {
  return step + 1 < schedule_.steps() && schedule_.peer(step + 1) == schedule_.peer(step);
}

void ScheduleDriver::free_slot_of(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const {
  if (turn(chunk, step) == LaneMessage::kAnyTurn) return;
  const std::uint32_t from = rank_at(schedule_.from(index_of(rank, chunk), step), chunk);
  free_slot_at(desk, rank, from, schedule_.peer(step) * collective().channels + channel_of(chunk));
}

void ScheduleDriver::begun(Desk& desk, std::uint32_t rank, const Send& message) {
  const std::uint32_t step = step_of(message.word);
  if (step > 0 && hands_on(step - 1)) free_slot_of(desk, rank, chunk_of(message.word), step - 1);
}

void ScheduleDriver::start(Desk& desk, std::uint32_t rank) {
  for (std::uint32_t chunk = 0; chunk < first_chunks(); ++chunk)
    for (std::uint32_t step = 0; step < (schedule_.waits() ? 1 : schedule_.steps()); ++step)
      send(desk, rank, message_of(rank, chunk, step));
}

void ScheduleDriver::go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) {
  const std::uint32_t step = step_of(word) + 1;
  if (!schedule_.waits()) return;
  if (receivers_free() && !hands_on(step - 1)) free_slot_of(desk, rank, chunk_of(word), step - 1);
  if (step < schedule_.steps()) return send_later(desk, rank, message_of(rank, chunk_of(word), step));
  const std::uint64_t next = std::uint64_t{chunk_of(word)} + first_chunks();
  if (next < collective().chunks) send(desk, rank, message_of(rank, static_cast<std::uint32_t>(next), 0));
}

void ScheduleDriver::each_peer(std::uint32_t rank, const VisitSend& visit) const {
  for (std::uint32_t channel = 0; channel < std::min(collective().channels, collective().chunks); ++channel)
    for (std::uint32_t peer = 0; peer < schedule_.peers(); ++peer)
      visit(message_of(rank, channel, schedule_.first_step_to(peer)));
}

}  // namespace weir::traffic
