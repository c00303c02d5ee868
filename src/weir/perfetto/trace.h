// A trace of a run for Perfetto (https://perfetto.dev): flows as slices on the tracks of their senders, with window and
// rate; queues; pauses; marks, drops, trims, losses and timeouts; and where the time goes that the run takes.
//
//   Trace trace({.file = "run.pftrace"}, model, tags);  // checks all of it, and opens the file under another name
//   ... trace.attach(engine) before the run begins
//   trace.conclude(engine);                             // when it has ended
//   trace.finish();                                     // the file gets its name
//
// All but the time that the run takes is the same, byte for byte, on any number of threads; that is in packets of the
// sequence kEngineSequence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/capture/choice.h"
#include "weir/engine/engine.h"
#include "weir/perfetto/engine_time.h"
#include "weir/perfetto/packets.h"
#include "weir/perfetto/tracks.h"
#include "weir/probe/whole_files.h"

namespace weir::perfetto {

struct TraceOptions {
  std::string file;
  std::vector<std::string> at;     // lists of ports and nodes (capture::capture_ports); none: all
  std::vector<std::string> flows;  // lists of ids, as "0, 17, 200-299"; none: all that the chosen hosts send
  std::string from;                // times; "" = from the beginning, to the end
  std::string until;
  std::string interval;  // of counters; "" = kInterval
  bool engine = false;   // also where the time goes that the run takes
};

inline constexpr Time kInterval{1'000'000};
inline constexpr std::uint32_t kSliceSequence = 1;
inline constexpr std::uint32_t kEventSequence = 2;
inline constexpr std::uint32_t kEngineSequence = 3;

class Trace {
 public:
  // Throws InputError that names the option which is not valid. The model must outlive this. `tags`: of flows.
  Trace(const TraceOptions&, const engine::Model&, std::vector<std::string> tags);
  // Throws InputError if one of these flows cannot be, because ids end before it.
  void check_flows(std::uint64_t flows) const;

  void attach(engine::Engine&);
  // What has not ended is shown up to here.
  void conclude(const engine::Engine&);
  void finish();

  std::uint64_t bytes() const { return packets_.bytes(); }

 private:
  // A place for one of the flows that a host sends at once.
  struct Lane {
    std::uint64_t flow = net::kNoFlow;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::int64_t window = 0;  // as last written, and as last looked at
    std::int64_t window_now = 0;
    std::int64_t rate = 0;
    std::int64_t rate_now = 0;
  };

  bool is_chosen(std::uint64_t flow, std::uint32_t src) const;
  bool overlaps(Time from, Time until) const { return from < span_.until && until >= span_.from; }
  void start(const net::TraceEvent& event);
  void pause(const net::TraceEvent& event);
  void show(const net::TraceEvent& event);
  void sample(engine::Engine& engine, Time now);
  void end(const host::FlowRecord& record, Time now);
  void end_pause(std::uint32_t port, net::TrafficClass of, Time from, Time until);

  const engine::Model& model_;
  const std::vector<std::string> tags_;
  net::TraceFilter filter_;
  const capture::Span span_;
  const std::vector<probe::IdRange> flows_;  // empty: all of the chosen hosts
  const Time interval_;
  probe::WholeFiles files_;
  Packets packets_;
  Sequence slices_;
  Sequence events_;
  Tracks tracks_;
  std::optional<EngineTime> engine_time_;

  std::vector<bool> sends_;                        // by host: its NIC is chosen
  std::vector<std::uint32_t> ports_;               // the chosen ones
  std::vector<std::uint32_t> queues_;              // of these, bytes as last written
  std::vector<std::vector<Lane>> lanes_;           // by host
  std::vector<std::vector<std::uint32_t>> where_;  // by host and slot: 1 + the lane; 0 = none
  std::map<std::pair<std::uint32_t, net::TrafficClass>, Time> paused_;
  std::vector<Count> counts_;
};

}  // namespace weir::perfetto
