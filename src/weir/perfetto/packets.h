// Packets of a Perfetto trace, of the kinds that Weir writes: track descriptors, slices, instants and counters.
//
// A trace is one message of protocol buffers that consists of packets (perfetto.protos.Trace). Each packet belongs to a
// sequence, whose first packet says what its later ones leave out: the clock of its timestamps, and the names that they
// give by number only. Perfetto counts nanoseconds; picoseconds are rounded down, and stand in facts where they matter.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weir/base/units.h"
#include "weir/probe/results.h"

namespace weir::perfetto {

// What slices and instants are called; a flow's slice has a name of its own.
enum class Name : std::uint8_t {
  mark = 1,  // numbers of names begin with 1
  drop,
  trim,
  loss_on_link,
  loss_told,
  timeout,
  paused,
  epoch,
  partition,
  samplers,
  checks,
  traffic,
  events,
  decisions,
  flows
};
inline constexpr unsigned kNames = 15;

// What the facts of slices and instants are called.
enum class FactName : std::uint8_t {
  flow = 1,
  src,
  dst,
  size,
  tag,
  algorithm,
  start_ps,
  completion_ps,
  slowdown,
  retransmitted,
  queued,
  bytes,
  paused_ps,
  finished,
  from_ps,
  until_ps,
  partition
};
inline constexpr unsigned kFactNames = 17;

struct Fact {
  FactName name = FactName::flow;
  std::variant<std::uint64_t, double, bool, std::string_view> value;
};
using Facts = std::initializer_list<Fact>;

// Identifies a track; 0 = none.
using TrackId = std::uint64_t;

// In Perfetto, the unit of a counter track.
enum class Unit : std::uint8_t { none, bytes, megabits_per_second, nanoseconds };

// The clock of a sequence: simulated time, as a difference to the packet before or as it is; or the time that passes on
// a clock of the sequence's own, whose 0 is where simulated time is 0.
enum class Clock : std::uint8_t { differences, simulated, passing };

class Packets {
 public:
  explicit Packets(probe::ResultFile file) : file_(std::move(file)) {}

  void write(std::string_view packet);
  void close() { file_.close(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  probe::ResultFile file_;
  std::string buffer_;
  std::uint64_t bytes_ = 0;
};

// A counter track has a new value.
struct Count {
  TrackId track = 0;
  std::int64_t value = 0;
};

class Sequence {
 public:
  // Writes the first packet. `id` is above 0, and no other sequence's. The packets must outlive this.
  Sequence(Packets& packets, std::uint32_t id, Clock clock);

  // Tracks that stand under one parent are shown in the order of `rank`. parent = 0: the track stands at the top.
  void describe(TrackId track, TrackId parent, std::string_view name, std::int32_t rank);
  void describe_counter(TrackId track, TrackId parent, std::string_view name, Unit unit);

  // Times are in nanoseconds of the sequence's clock, and do not fall where it tells differences. A slice ends where
  // the last one that has begun on its track and has not ended does; `counts` change at that time.
  void begin(std::int64_t ns, TrackId track, Name name, Facts facts = {});
  void begin(std::int64_t ns, TrackId track, std::string_view name, Facts facts = {});
  void end(std::int64_t ns, TrackId track, Facts facts = {}, std::span<const Count> counts = {});
  void instant(std::int64_t ns, TrackId track, Name name, Facts facts = {});
  // Takes the order of `counts` as it pleases.
  void counts(std::int64_t ns, std::vector<Count>& counts);
  // The same at a simulated time, whatever the sequence's clock; not where it tells differences.
  void count_at_simulated(std::int64_t ns, Count count);

 private:
  template <class Fill>
  void event(std::int64_t ns, Fill&& fill, std::uint32_t clock = 0);

  Packets& packets_;
  const std::uint32_t id_;
  const Clock clock_;
  std::int64_t last_ns_ = 0;
  std::string packet_;
};

}  // namespace weir::perfetto
