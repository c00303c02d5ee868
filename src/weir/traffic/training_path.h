// The critical path of a step of training: how the time until now divides into activities, along the chain of events
// that each waited last for the one before. It travels with the messages, in the words that hosts post.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "weir/base/units.h"
#include "weir/traffic/training_stage.h"

namespace weir::traffic {

// What a rank does; all activities but computation are waiting for that kind of message.
enum class TrainingActivity : std::uint8_t { computation, tensor, pipeline, data, expert };
inline constexpr std::size_t kTrainingActivities = 5;

using TrainingTimes = std::array<Time, kTrainingActivities>;

// Layout of a word: the highest bit marks a message; then an activity and a channel of 3 bits each, and a time of 57
// bits. The times of a path precede their message, except computation's, which is in the message itself. A word with
// kLate brings the number of the last host to begin what the message depends on.
namespace path_word {

inline constexpr std::uint64_t kMessage = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kLate = 7;  // in the field of the activity
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
  Time until;  // the time up to which the path is known

  // A message with the path `brought` ends a wait for the activity `what`; the step began at `start`. The time not in
  // the path is the flight of the message.
  void take(const TrainingTimes& brought, TrainingActivity what, Time start, Time now) {
    times = brought;
    const Time known = std::accumulate(times.begin(), times.end(), Time{});
    times[static_cast<std::size_t>(what)] += now - start - known;
    until = now;
  }
  // An event at the rank itself ends the wait or the computation.
  void go_on(TrainingActivity what, Time now) {
    times[static_cast<std::size_t>(what)] += now - until;
    until = now;
  }
};

}  // namespace weir::traffic
