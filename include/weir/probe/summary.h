// What a run amounts to: the document summary.json, and what the command prints at its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/ideal_fct.h"
#include "weir/probe/statistics.h"

namespace weir::probe {

struct NamedDistribution {
  std::string name;
  Distribution values;
};

// Flows of a size in (above, up_to].
struct SizeBucket {
  Bytes above;
  Bytes up_to;  // the largest flow of an equal-count bucket; kNoLimit = open
  Distribution slowdown;

  static constexpr Bytes kNoLimit{std::numeric_limits<std::int64_t>::max()};
};

struct FlowSummary {
  std::uint64_t finished = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t retransmitted_packets = 0;
  net::IdealFct ideal = net::IdealFct::exact;
  Time mean_fct;     // of finished flows
  Time max_fct;      // of finished flows: the completion time of a collective that starts at once
  Time last_finish;  // 0 if none
  Distribution slowdown;
  std::vector<NamedDistribution> by_tag;        // in the scenario's order, those with flows
  std::vector<NamedDistribution> by_algorithm;  // in the scenario's order, those with flows
  std::vector<SizeBucket> by_size;
  std::vector<SizeBucket> by_equal_count;        // only if asked for
  std::uint64_t digest = 0x243f6a8885a308d3ull;  // over all flow records in order; no part of the document
};

struct PortName {
  std::uint32_t port = 0;
  std::uint32_t from = 0;  // nodes
  std::uint32_t to = 0;
  std::string group;  // "edge down", ...
};

// The longest queue that was sampled, the first of several, and whose packets were in it.
struct QueuePeak {
  static constexpr std::size_t kTop = 10;
  struct Share {
    std::uint64_t flow = 0;
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    std::string tag;
    std::uint64_t bytes = 0;  // with headers; acknowledgements count for the flow that they acknowledge
  };
  struct TagShare {
    std::string tag;
    std::uint64_t flows = 0;
    std::uint64_t bytes = 0;
  };
  Time time;
  PortName port;
  std::uint64_t bytes = 0;
  bool has_flows = false;         // the engine tells the rest
  std::vector<Share> top;         // the most bytes first (ties: of flow), at most kTop
  std::vector<TagShare> by_tag;   // of all flows, the most bytes first (ties: by name)
  std::uint64_t other_flows = 0;  // all others
  std::uint64_t other_bytes = 0;
  std::uint64_t ended_bytes = 0;  // of flows that had ended

  template <class A>
  void archive(A& a) {
    a.value(time);
    for (auto* number : {&port.port, &port.from, &port.to}) a.value(*number);
    a.text(port.group);
    a.value(has_flows);
    a.each(top, [&](Share& s) {
      for (auto* figure : {&s.flow, &s.bytes}) a.value(*figure);
      for (auto* host : {&s.src, &s.dst}) a.value(*host);
      a.text(s.tag);
    });
    a.each(by_tag, [&](TagShare& s) {
      a.text(s.tag);
      a.value(s.flows);
      a.value(s.bytes);
    });
    for (auto* figure : {&bytes, &other_flows, &other_bytes, &ended_bytes}) a.value(*figure);
  }
};

// Values in bytes over time and ports.
struct QueueSummary {
  Time interval;  // 0: no samples, but every length for as long as it lasted; counts are picoseconds
  std::uint32_t ports = 0;
  std::uint64_t instants = 0;  // at which all ports were sampled
  Distribution all;
  std::vector<NamedDistribution> by_tier;       // "edge", "tier 2", ...: of the node that owns the port
  std::vector<NamedDistribution> by_direction;  // "edge down", "edge up", ...
  // The port with the longest queue on average (ties: the smallest number); nothing if no port ever had a queue.
  std::optional<PortName> busiest;
  Distribution busiest_port;
  std::optional<QueuePeak> peak;  // nothing if no port ever had a queue
};

struct FairnessSummary {
  Time interval;
  std::uint64_t intervals = 0;  // with two or more flows active throughout
  double mean_jain = 0;
  double min_jain = 0;
  Time last_start;                  // the latest start of a flow
  std::optional<Time> convergence;  // after last_start; nothing = not reached
};

struct PfcTier {
  std::string name;
  std::uint32_t ports = 0;
  std::uint64_t pauses = 0;
  Time paused;                // summed over ports
  double share = 0;           // paused / (ports * time)
  double capacity_share = 0;  // the same, each port weighted by its rate
  std::uint64_t storms = 0;   // begun, by the PFC watchdog
  std::uint64_t storm_dropped = 0;
};
struct PfcSummary {
  PfcTier all;
  std::vector<PfcTier> by_tier;  // of the node that was paused
  std::vector<PfcTier> by_direction;
};

struct LinkTier {
  std::string name;
  std::uint32_t ports = 0;
  std::uint64_t sent_bytes = 0;
  double utilisation = 0;      // sent / (capacity * time), over all these ports
  double max_utilisation = 0;  // of one port
};
struct LinkSummary {
  LinkTier all;
  std::vector<LinkTier> by_tier;
  std::vector<LinkTier> by_direction;
  std::uint64_t marked_packets = 0;   // by all switches
  std::uint64_t dropped_packets = 0;  // by all switches
  std::uint64_t lost_packets = 0;     // on the links of these ports
};

// Messages of one traffic source that wait for each other, or are to be complete together.
struct CollectiveSummary {
  std::string tag;
  std::uint64_t messages = 0;
  std::uint64_t unfinished = 0;  // messages
  Bytes payload;                 // of all of them
  std::optional<Time> start;     // of the first; nothing = none has started
  Time bound;                    // the least that the next two can be (engine/completion.h)
  Time acknowledged_bound;
  std::optional<Time> completion;    // from the start until all is received; nothing = something is missing
  std::optional<Time> acknowledged;  // ... until the last sender knows: the largest FCT if all start together
};
// Beyond the bound, as a share of it.
inline double excess(Time taken, Time bound) {
  return static_cast<double>((taken - bound).ps) / static_cast<double>(std::max<std::int64_t>(1, bound.ps));
}

// What a probe tells beside the parts above. Figures that are not finite are null in summary.json.
struct Section {
  using Number = std::variant<std::int64_t, double>;
  std::string probe;                                    // its name
  std::vector<std::pair<std::string, Number>> figures;  // in the order in which they are written
};

struct Summary {
  Time sim_time;
  FlowSummary flows;
  std::vector<CollectiveSummary> collectives;
  std::optional<QueueSummary> queues;
  std::optional<FairnessSummary> fairness;
  std::optional<PfcSummary> pfc;
  std::optional<LinkSummary> links;
  std::vector<Section> sections;
};

// A percentile in a table for people: "-" where the values are so few that it is the largest of them.
std::string percentile_text(std::uint64_t count, unsigned thousandths, double value, int digits);
inline constexpr std::string_view kPercentileGap = "-: of so few values this percentile would be the largest of them";

// The text of summary.json; ends in a line end.
std::string to_json(const Summary&);
// Tables for people.
std::string to_text(const Summary&);

}  // namespace weir::probe
