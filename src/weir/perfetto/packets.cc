#include "weir/perfetto/packets.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>

#include <protozero/pbf_writer.hpp>

namespace weir::perfetto {
namespace {

using protozero::pbf_writer;

// The numbers of fields and values of Perfetto's messages (protos/perfetto/trace), in the order of their files.
namespace trace {
enum Field : std::uint32_t { kPacket = 1 };
}
namespace packet {
enum Field : std::uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,  // trusted_packet_sequence_id
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTimestampClock = 58,
  kDefaults = 59,  // trace_packet_defaults
  kTrackDescriptor = 60,
  kFirstOnSequence = 87
};
enum Flags : std::uint32_t { kStateCleared = 1, kNeedsState = 2 };
}  // namespace packet
namespace snapshot {
enum Field : std::uint32_t { kClocks = 1 };
enum ClockField : std::uint32_t { kId = 1, kTimestamp = 2, kIsIncremental = 3 };
enum Clocks : std::uint32_t { kBootTime = 6, kOwn = 64 };  // from 64 to 127 they are a sequence's own
}  // namespace snapshot
namespace defaults {
enum Field : std::uint32_t { kTimestampClock = 58 };
}
namespace interned {
enum Field : std::uint32_t { kEventNames = 2, kAnnotationNames = 3 };
enum NameField : std::uint32_t { kNumber = 1, kName = 2 };
}  // namespace interned
namespace track {
enum Field : std::uint32_t {
  kId = 1,
  kName = 2,
  kParent = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kRank = 12,
  kMerge = 15
};
enum Values : std::int32_t { kExplicitOrder = 3, kMergeNone = 2 };
}  // namespace track
namespace counter {
enum Field : std::uint32_t { kUnit = 3, kMultiplier = 4, kUnitName = 6 };
enum Units : std::int32_t { kNanoseconds = 1, kBytes = 3 };
}  // namespace counter
namespace event {
enum Field : std::uint32_t {
  kAnnotations = 4,
  kType = 9,
  kNameNumber = 10,
  kTrack = 11,
  kExtraValues = 12,
  kName = 23,
  kValue = 30,
  kExtraTracks = 31
};
enum Types : std::int32_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };
}  // namespace event
namespace annotation {
enum Field : std::uint32_t { kNameNumber = 1, kBool = 2, kUnsigned = 3, kDouble = 5, kText = 6 };
}

constexpr std::array<std::string_view, kNames> kNameTexts{"mark",    "drop",    "trim",   "loss on link", "loss told",
                                                          "timeout", "paused",  "epoch",  "partition",    "samplers",
                                                          "checks",  "traffic", "events", "decisions",    "flows"};
constexpr std::array<std::string_view, kFactNames> kFactTexts{
    "flow",          "src",    "dst",   "size",      "tag",      "algorithm", "start_ps", "completion_ps", "slowdown",
    "retransmitted", "queued", "bytes", "paused_ps", "finished", "from_ps",   "until_ps", "partition"};

// What the trace processor takes of one packet (TrackEventData::kMaxNumExtraCounters), beside its first count.
constexpr std::size_t kMostExtraCounts = 8;

void add_facts(pbf_writer& event, Facts facts) {
  for (const Fact& fact : facts) {
    pbf_writer out(event, event::kAnnotations);
    out.add_uint32(annotation::kNameNumber, static_cast<std::uint32_t>(fact.name));
    std::visit(
        [&](auto value) {
          using Value = decltype(value);
          if constexpr (std::is_same_v<Value, bool>)
            out.add_bool(annotation::kBool, value);
          else if constexpr (std::is_same_v<Value, double>)
            out.add_double(annotation::kDouble, value);
          else if constexpr (std::is_same_v<Value, std::string_view>)
            out.add_string(annotation::kText, value.data(), value.size());
          else
            out.add_uint64(annotation::kUnsigned, value);
        },
        fact.value);
  }
}

template <std::size_t n>
void add_names(pbf_writer& data, std::uint32_t field, const std::array<std::string_view, n>& names) {
  for (std::uint32_t i = 0; i < n; ++i) {
    pbf_writer entry(data, field);
    entry.add_uint32(interned::kNumber, i + 1);
    entry.add_string(interned::kName, names[i].data(), names[i].size());
  }
}

void add_extra_counts(pbf_writer& event, std::span<const Count> counts) {
  for (const Count& count : counts) event.add_uint64(event::kExtraTracks, count.track);
  for (const Count& count : counts) event.add_int64(event::kExtraValues, count.value);
}

}  // namespace

void Packets::write(std::string_view packet) {
  buffer_.clear();
  pbf_writer(buffer_).add_message(trace::kPacket, packet.data(), packet.size());
  file_.write(buffer_);
  bytes_ += buffer_.size();
}

Sequence::Sequence(Packets& packets, std::uint32_t id, Clock clock) : packets_(packets), id_(id), clock_(clock) {
  pbf_writer out(packet_);
  out.add_uint32(packet::kSequence, id_);
  out.add_uint32(packet::kSequenceFlags, packet::kStateCleared);
  out.add_bool(packet::kFirstOnSequence, true);
  {
    pbf_writer data(out, packet::kInternedData);
    add_names(data, interned::kEventNames, kNameTexts);
    add_names(data, interned::kAnnotationNames, kFactTexts);
  }
  {
    const std::uint32_t own = clock_ == Clock::simulated ? snapshot::kBootTime : snapshot::kOwn;
    pbf_writer packet_defaults(out, packet::kDefaults);
    packet_defaults.add_uint32(defaults::kTimestampClock, own);
  }
  if (clock_ != Clock::simulated) {
    pbf_writer both(out, packet::kClockSnapshot);
    for (const std::uint32_t which : {snapshot::kOwn, snapshot::kBootTime}) {
      pbf_writer one(both, snapshot::kClocks);
      one.add_uint32(snapshot::kId, which);
      one.add_uint64(snapshot::kTimestamp, 0);
      if (which == snapshot::kOwn && clock_ == Clock::differences) one.add_bool(snapshot::kIsIncremental, true);
    }
  }
  packets_.write(packet_);
}

void Sequence::describe(TrackId track, TrackId parent, std::string_view name, std::int32_t rank) {
  packet_.clear();
  {
    pbf_writer out(packet_);
    out.add_uint32(packet::kSequence, id_);
    pbf_writer it(out, packet::kTrackDescriptor);
    it.add_uint64(track::kId, track);
    it.add_string(track::kName, name.data(), name.size());
    if (parent != 0) it.add_uint64(track::kParent, parent);
    it.add_enum(track::kChildOrdering, track::kExplicitOrder);
    it.add_int32(track::kRank, rank);
    it.add_enum(track::kMerge, track::kMergeNone);
  }
  packets_.write(packet_);
}

void Sequence::describe_counter(TrackId track, TrackId parent, std::string_view name, Unit unit) {
  packet_.clear();
  {
    pbf_writer out(packet_);
    out.add_uint32(packet::kSequence, id_);
    pbf_writer it(out, packet::kTrackDescriptor);
    it.add_uint64(track::kId, track);
    it.add_string(track::kName, name.data(), name.size());
    if (parent != 0) it.add_uint64(track::kParent, parent);
    pbf_writer of_counter(it, track::kCounter);
    if (unit == Unit::bytes) of_counter.add_enum(counter::kUnit, counter::kBytes);
    if (unit == Unit::nanoseconds) of_counter.add_enum(counter::kUnit, counter::kNanoseconds);
    if (unit == Unit::megabits_per_second) {
      of_counter.add_int64(counter::kMultiplier, 1'000'000);
      of_counter.add_string(counter::kUnitName, "bit/s");
    }
  }
  packets_.write(packet_);
}

template <class Fill>
void Sequence::event(std::int64_t ns, Fill&& fill, std::uint32_t clock) {
  packet_.clear();
  {
    pbf_writer out(packet_);
    if (clock_ == Clock::differences) {
      assert(ns >= last_ns_ && clock == 0);
      out.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(ns - last_ns_));
      last_ns_ = ns;
    } else {
      out.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(ns));
    }
    if (clock != 0) out.add_uint32(packet::kTimestampClock, clock);
    out.add_uint32(packet::kSequence, id_);
    out.add_uint32(packet::kSequenceFlags, packet::kNeedsState);
    pbf_writer it(out, packet::kTrackEvent);
    fill(it);
  }
  packets_.write(packet_);
}

void Sequence::begin(std::int64_t ns, TrackId track, Name name, Facts facts) {
  event(ns, [&](pbf_writer& it) {
    it.add_enum(event::kType, event::kBegin);
    it.add_uint64(event::kTrack, track);
    it.add_uint32(event::kNameNumber, static_cast<std::uint32_t>(name));
    add_facts(it, facts);
  });
}

void Sequence::begin(std::int64_t ns, TrackId track, std::string_view name, Facts facts) {
  event(ns, [&](pbf_writer& it) {
    it.add_enum(event::kType, event::kBegin);
    it.add_uint64(event::kTrack, track);
    it.add_string(event::kName, name.data(), name.size());
    add_facts(it, facts);
  });
}

void Sequence::end(std::int64_t ns, TrackId track, Facts facts, std::span<const Count> counts) {
  assert(counts.size() <= kMostExtraCounts);
  event(ns, [&](pbf_writer& it) {
    it.add_enum(event::kType, event::kEnd);
    it.add_uint64(event::kTrack, track);
    add_facts(it, facts);
    add_extra_counts(it, counts);
  });
}

void Sequence::instant(std::int64_t ns, TrackId track, Name name, Facts facts) {
  event(ns, [&](pbf_writer& it) {
    it.add_enum(event::kType, event::kInstant);
    it.add_uint64(event::kTrack, track);
    it.add_uint32(event::kNameNumber, static_cast<std::uint32_t>(name));
    add_facts(it, facts);
  });
}

// Zeros stand last: of a packet's further counts, the trace processor keeps those before the first 0, and takes the
// rest for 0.
void Sequence::counts(std::int64_t ns, std::vector<Count>& counts) {
  std::stable_partition(counts.begin(), counts.end(), [](const Count& count) { return count.value != 0; });
  for (std::span<const Count> rest = counts; !rest.empty();) {
    const std::span<const Count> now = rest.first(std::min(rest.size(), 1 + kMostExtraCounts));
    rest = rest.subspan(now.size());
    event(ns, [&](pbf_writer& it) {
      it.add_enum(event::kType, event::kCounter);
      it.add_uint64(event::kTrack, now.front().track);
      it.add_int64(event::kValue, now.front().value);
      add_extra_counts(it, now.subspan(1));
    });
  }
}

void Sequence::count_at_simulated(std::int64_t ns, Count count) {
  event(
      ns,
      [&](pbf_writer& it) {
        it.add_enum(event::kType, event::kCounter);
        it.add_uint64(event::kTrack, count.track);
        it.add_int64(event::kValue, count.value);
      },
      snapshot::kBootTime);
}

}  // namespace weir::perfetto
