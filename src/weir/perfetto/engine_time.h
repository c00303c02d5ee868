// Where the time goes that a run takes: slices for each thread, on a clock of their own, and for each partition how
// long it took for its part of each epoch, at simulated time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/engine/phase_time.h"
#include "weir/perfetto/packets.h"

namespace weir::perfetto {

class EngineTime {
 public:
  // Writes to a sequence of its own, whose number is `sequence`. The packets must outlive this.
  EngineTime(Packets& packets, std::uint32_t sequence);

  void add(Time from, Time until, std::span<const engine::PhaseTime> times);

 private:
  TrackId make(TrackId parent, std::string_view name, std::int32_t rank);
  TrackId thread(std::uint32_t thread);
  TrackId share(std::uint32_t partition);

  Sequence out_;
  TrackId last_;
  TrackId group_ = 0;
  std::vector<TrackId> threads_;
  std::vector<TrackId> shares_;
  std::int64_t zero_ns_ = -1;  // when the run began
};

}  // namespace weir::perfetto
