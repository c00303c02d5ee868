// The driver of operations in which each message waits for one that its sender has received (traffic/schedule.h).
#pragma once

#include "weir/traffic/collective_driver.h"
#include "weir/traffic/schedule.h"

namespace weir::traffic {

class ScheduleDriver final : public CollectiveDriver {
 public:
  // Throws InputError as plan_collective() does.
  ScheduleDriver(const Collective& collective, const Context& context);
  std::unique_ptr<Driver> clone() const override { return std::make_unique<ScheduleDriver>(*this); }

 private:
  ScheduleDriver(const Collective& collective, const Context& context, CollectivePlan plan);

  void start(Desk& desk, std::uint32_t rank) override;
  void go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) override;
  Bytes payload() const override { return schedule_.total(collective().size); }
  Bytes each() const override { return schedule_.each(collective().size); }
  // Once round the ranks with the last chunk.
  std::vector<Hop> longest() const override;
  Send message_of(std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const;

  const Schedule schedule_;
};

}  // namespace weir::traffic
