// The critical path of a step of training: how the time until now is made up along the last thing that a rank has
// waited for, and what that had waited for. It goes with the messages, in the words of what hosts post.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "weir/base/units.h"
#include "weir/traffic/training_stage.h"

namespace weir::traffic {

// What a rank does; all but computation stands for what it waits for.
enum class TrainingActivity : std::uint8_t { computation, tensor, pipeline, data, expert };
inline constexpr std::size_t kTrainingActivities = 5;

using TrainingTimes = std::array<Time, kTrainingActivities>;

// Words: in the highest bit whether it is a message, in three each an activity and a channel, in 57 a time. The times
// of a path but computation's go ahead of their message, which has that, and so does with kLate the number of the host
// that was last to begin what the message depends on.
namespace path_word {

inline constexpr std::uint64_t kMessage = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kLate = 7;  // where an activity would stand
inline constexpr std::uint32_t kActivityShift = 60;
inline constexpr std::uint32_t kChannelShift = 57;
inline constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kChannelShift) - 1;

constexpr std::uint64_t of_time(Time time) { return std::min(static_cast<std::uint64_t>(time.ps), kTimeMask); }
constexpr std::uint64_t message(std::uint64_t channel, Time computation) {
  return kMessage | channel << kChannelShift | of_time(computation);
}
constexpr std::uint64_t part(std::uint64_t channel, std::uint64_t activity, Time time) {
  return activity << kActivityShift | channel << kChannelShift | of_time(time);
}
constexpr bool is_part(std::uint64_t word) { return (word & kMessage) == 0; }
constexpr std::uint64_t channel(std::uint64_t word) { return word >> kChannelShift & 7; }
constexpr std::uint64_t activity(std::uint64_t word) { return word >> kActivityShift & 7; }
constexpr Time time(std::uint64_t word) { return {static_cast<std::int64_t>(word & kTimeMask)}; }

}  // namespace path_word

struct TrainingPath {
  TrainingTimes times{};
  Time until;  // what is known of it

  // What a message brought has ended a wait for this activity now, in a step that began at `start`. Its flight is the
  // rest of the time.
  void take(const TrainingTimes& brought, TrainingActivity what, Time start, Time now) {
    times = brought;
    const Time known = std::accumulate(times.begin(), times.end(), Time{});
    times[static_cast<std::size_t>(what)] += now - start - known;
    until = now;
  }
  // The rank's own doing has.
  void go_on(TrainingActivity what, Time now) {
    times[static_cast<std::size_t>(what)] += now - until;
    until = now;
  }
};

}  // namespace weir::traffic
