#include "weir/perfetto/engine_time.h"

#include <fmt/format.h>

#include <array>

namespace weir::perfetto {
namespace {

// Far from the numbers of other tracks, which do not depend on whether these are there.
constexpr TrackId kFirstTrack = TrackId{1} << 28;

Name name_of(engine::Phase kind) {
  static constexpr std::array<Name, 8> names{Name::samplers, Name::checks, Name::traffic,   Name::partition,
                                             Name::epoch,    Name::events, Name::decisions, Name::flows};
  return names[static_cast<std::size_t>(kind)];
}

std::uint64_t number(Time time) { return static_cast<std::uint64_t>(time.ps); }

}  // namespace

EngineTime::EngineTime(Packets& packets, std::uint32_t sequence)
    : out_(packets, sequence, Clock::passing), last_(kFirstTrack) {}

TrackId EngineTime::make(TrackId parent, std::string_view name, std::int32_t rank) {
  out_.describe(++last_, parent, name, rank);
  return last_;
}

TrackId EngineTime::thread(std::uint32_t thread) {
  if (group_ == 0) group_ = make(0, "engine", 2);
  if (thread >= threads_.size()) threads_.resize(thread + std::size_t{1});
  TrackId& track = threads_[thread];
  if (track == 0) track = make(group_, fmt::format("thread {}", thread), static_cast<std::int32_t>(thread));
  return track;
}

TrackId EngineTime::share(std::uint32_t partition) {
  if (group_ == 0) group_ = make(0, "engine", 2);
  if (partition >= shares_.size()) shares_.resize(partition + std::size_t{1});
  TrackId& track = shares_[partition];
  if (track != 0) return track;
  track = ++last_;
  out_.describe_counter(track, group_, fmt::format("time for partition {}", partition), Unit::nanoseconds);
  return track;
}

void EngineTime::add(Time from, Time until, std::span<const engine::PhaseTime> times) {
  using engine::Phase;
  if (zero_ns_ < 0 && !times.empty()) zero_ns_ = times.front().begin_ns;
  const auto write = [&](const engine::PhaseTime& w, Facts facts) {
    out_.begin(w.begin_ns - zero_ns_, thread(w.thread), name_of(w.phase), facts);
    out_.end(w.end_ns - zero_ns_, thread(w.thread));
  };
  // what is within an epoch comes after its beginning and before its end
  for (const engine::PhaseTime& w : times) {
    if (w.phase == Phase::partition || w.end_ns == w.begin_ns) continue;
    if (w.phase != Phase::epoch) {
      write(w, {});
      continue;
    }
    out_.begin(w.begin_ns - zero_ns_, thread(0), Name::epoch,
               {{FactName::from_ps, number(from)}, {FactName::until_ps, number(until)}});
    for (const engine::PhaseTime& part : times)
      if (part.phase == Phase::partition) {
        write(part, {{FactName::partition, std::uint64_t{part.partition}},
                     {FactName::from_ps, number(from)},
                     {FactName::until_ps, number(until)}});
        out_.count_at_simulated(from.ps / 1000, {share(part.partition), part.end_ns - part.begin_ns});
      }
    out_.end(w.end_ns - zero_ns_, thread(0));
  }
}

}  // namespace weir::perfetto
