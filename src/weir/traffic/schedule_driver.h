// The driver of operations in which each message waits for one that its sender has received (traffic/schedule.h).
#pragma once

#include "weir/traffic/collective_driver.h"
#include "weir/traffic/schedule.h"

namespace weir::traffic {

class ScheduleDriver final : public CollectiveDriver {
 public:
  ScheduleDriver(const Collective& collective, const Context& context, const CollectivePlan& plan, std::uint32_t group);
  std::unique_ptr<Driver> clone() const override { return std::make_unique<ScheduleDriver>(*this); }

 private:
  void start(Desk& desk, std::uint32_t rank) override;
  void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) override;
  void begun(Desk& desk, std::uint32_t rank, const Send& message) override;
  std::uint64_t moves(std::uint32_t) const override {
    return std::uint64_t{2} * schedule_.steps() * collective().chunks;
  }
  Bytes payload() const override { return schedule_.total(collective().size); }
  std::uint64_t longest() const override { return schedule_.waits() ? schedule_.steps() : 1; }
  void each_peer(std::uint32_t rank, const VisitSend& visit) const override;
  Send message_of(std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const;
  std::uint64_t turn(std::uint32_t chunk, std::uint32_t step) const;
  // Whether the content received in a step goes on in the next step by the same ring.
  bool hands_on(std::uint32_t step) const;
  // Frees the slot of the message received in a step, if it had one.
  void free_slot_of(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const;

  const Schedule schedule_;
};

}  // namespace weir::traffic
