// The clock of a network interface, which stamps packets where wire and interface meet, and how it runs against
// CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hosts/clock/margin_line.h"

namespace weir::hosts::clock {

// The interface's clock, read between two readings of CLOCK_MONOTONIC; ns.
struct HardwareReading {
  std::int64_t before = 0;
  std::int64_t hardware = 0;
  std::int64_t after = 0;
};

// A line between what was read before and after, which is farthest from both: the same as between probes of two
// directions.
class HardwareClock {
 public:
  using Read = std::function<std::optional<HardwareReading>()>;
  explicit HardwareClock(Read read) : read_(std::move(read)) {}

  // Reads the clock every now and then; `now` is CLOCK_MONOTONIC.
  void check(std::int64_t now);

  // CLOCK_MONOTONIC of a stamp; nothing as long as too little has been read, or after the clock was set.
  std::optional<std::int64_t> to_monotonic(std::int64_t hardware) const;
  // What it may be wrong by, ns.
  std::int64_t error() const;

 private:
  void fit();

  Read read_;
  std::int64_t next_ = INT64_MIN;
  std::deque<HardwareReading> readings_;
  std::int64_t at_ = 0;      // of the interface's clock, from where the line counts
  std::int64_t origin_ = 0;  // of CLOCK_MONOTONIC - the interface's
  std::optional<MarginLine> line_;
};

// That of an interface whose stamping of all packets, both those that leave and those that come, has been switched on
// (hwstamp_ctl does that): nothing is changed for it. Nothing: there is none, or `why` it is not used.
std::unique_ptr<HardwareClock> find_hardware_clock(const std::string& interface, std::string& why);

}  // namespace weir::hosts::clock
