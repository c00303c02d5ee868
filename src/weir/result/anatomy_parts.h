// The parts of a flow's completion time (docs/guides/view.md): the columns of anatomy.csv, and what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::result {

// In the order of the columns. `queue` is the first of kQueueParts: the ports after the NIC one by one, the last with
// all beyond it.
enum class Part : std::uint8_t {
  alone,
  telemetry,
  detour,
  window,
  pacing,
  on_ramp,
  turn,
  held,
  loss,
  timeout,
  pause,
  host,
  ack,
  queue
};
inline constexpr std::size_t kQueueParts = 8;
inline constexpr std::size_t kParts = static_cast<std::size_t>(Part::queue) + kQueueParts;

struct PartKind {
  std::string name;  // the column is NAME_ps
  std::string label;
  std::string meaning;
};

// All kParts of them.
const std::vector<PartKind>& part_kinds();

}  // namespace weir::result
