// Summary: the figures of a run, which probes fill in. It becomes summary.json and what the command prints at the end.
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
#include "weir/engine/fast_forward_report.h"
#include "weir/net/ideal_fct.h"
#include "weir/probe/statistics.h"

namespace weir::probe {

// The distribution of a named subset, such as a tag, an algorithm or a tier.
struct NamedDistribution {
  std::string name;
  Distribution values;
};

// The slowdowns of flows with a size in (above, up_to].
struct SizeBucket {
  Bytes above;
  Bytes up_to;  // in an equal-count bucket, its largest flow; kNoLimit = open
  Distribution slowdown;

  static constexpr Bytes kNoLimit{std::numeric_limits<std::int64_t>::max()};
};

// The completion times (FCT) and slowdowns (FCT / ideal FCT) of all flows.
struct FlowSummary {
  std::uint64_t finished = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t retransmitted_packets = 0;
  net::IdealFct ideal = net::IdealFct::exact;
  Time mean_fct;     // of finished flows
  Time max_fct;      // of finished flows: the completion time of a collective that starts at once
  Time last_finish;  // 0 if none
  Distribution slowdown;
  std::vector<NamedDistribution> by_tag;        // slowdown; in the scenario's order, those with flows
  std::vector<NamedDistribution> by_algorithm;  // slowdown; in the scenario's order, those with flows
  std::vector<SizeBucket> by_size;
  std::vector<SizeBucket> by_equal_count;        // only if the scenario asks for it
  std::uint64_t digest = 0x243f6a8885a308d3ull;  // hash of all flow records in order; not in summary.json
};

// How summaries name a port.
struct PortName {
  std::uint32_t port = 0;
  std::uint32_t from = 0;  // node that owns it
  std::uint32_t to = 0;
  std::string group;  // tier and direction: "edge down", ...
};

// The longest queue that was sampled (the first if several are as long), and the flows whose packets were in it.
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
  bool has_flows = false;         // whether the engine can tell the flows, which the members below are about
  std::vector<Share> top;         // flows, the most bytes first (ties: by id), at most kTop
  std::vector<TagShare> by_tag;   // of all flows, the most bytes first (ties: by name)
  std::uint64_t other_flows = 0;  // flows that are not in `top`
  std::uint64_t other_bytes = 0;
  std::uint64_t ended_bytes = 0;  // packets of flows that had ended

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

// Queue lengths in bytes, over time and ports.
struct QueueSummary {
  Time interval;  // of samples; 0: each length counts for as long as it lasted, and counts are picoseconds (but see
                  // of_packets)
  std::uint32_t ports = 0;
  bool of_packets = false;     // true: queues are counted once for each packet, and counts are packets
  std::uint64_t instants = 0;  // of samples, each of all ports
  Distribution all;
  std::vector<NamedDistribution> by_tier;       // by the tier of the node that owns the port: "edge", "tier 2", ...
  std::vector<NamedDistribution> by_direction;  // "edge down", "edge up", ...
  // The port with the longest queue on average, or whose packets' queues add up to most (ties: the smallest number);
  // nothing if no port ever had a queue.
  std::optional<PortName> busiest;
  Distribution busiest_port;
  std::optional<QueuePeak> peak;  // nothing if no port ever had a queue
};

// How evenly flows, or their senders, have shared the network, by their mean rates over the whole time observed. Only
// flows that were active throughout count; a sender's rate is the sum of those of its flows that count.
struct Shares {
  std::uint64_t count = 0;  // of flows or senders
  double least_bps = 0;
  double mean_bps = 0;
  double most_bps = 0;
  double min_over_max = 0;  // 0 if nothing was delivered
  double jain = 0;          // 0 if nothing was delivered
};

// Jain's index of the rates of flows, from intervals in which at least two flows were active throughout.
struct FairnessSummary {
  Time interval;
  std::uint64_t intervals = 0;  // number of such intervals
  double mean_jain = 0;
  double min_jain = 0;
  Time last_start;                  // the latest start of a flow
  std::optional<Time> convergence;  // time after last_start until rates were fair; nothing = not reached
  Time begin;                       // begin of the time observed: the first sample
  Time end;                         // end of the time observed: the last sample
  Shares flows;
  Shares senders;
};

// Pauses of a group of ports.
struct PfcTier {
  std::string name;
  std::uint32_t ports = 0;
  std::uint64_t pauses = 0;
  Time paused;                // summed over ports
  double share = 0;           // paused / (ports * time)
  double capacity_share = 0;  // the same with each port weighted by its rate
  std::uint64_t storms = 0;   // pause storms that the PFC watchdog found
  std::uint64_t storm_dropped = 0;
};
struct PfcSummary {
  PfcTier all;
  std::vector<PfcTier> by_tier;  // by the tier of the node that was paused
  std::vector<PfcTier> by_direction;
};

// What a group of ports has sent.
struct LinkTier {
  std::string name;
  std::uint32_t ports = 0;
  std::uint64_t sent_bytes = 0;
  double utilisation = 0;      // sent / (capacity * time), of all these ports together
  double max_utilisation = 0;  // the largest of one port
};
struct LinkSummary {
  Time begin;  // of the time in which everything here was counted
  Time end;
  LinkTier all;
  std::vector<LinkTier> by_tier;
  std::vector<LinkTier> by_direction;
  std::uint64_t marked_packets = 0;   // by all switches
  std::uint64_t dropped_packets = 0;  // by all switches
  std::uint64_t lost_packets = 0;     // on the links of these ports
};

// How long the hosts of a collective have spent on one activity: their mean, and the host that has spent the most.
struct ActivitySummary {
  std::string name;
  Time mean;
  Time longest;
  std::uint32_t host = 0;
};

// One traffic source whose messages wait for each other, or whose completion as a whole is reported.
struct CollectiveSummary {
  std::string tag;
  std::uint64_t messages = 0;
  std::uint64_t unfinished = 0;      // messages that have not been acknowledged
  std::uint64_t unlisted = 0;        // messages that are no flows of the results; not in summary.json
  Bytes payload;                     // of all messages
  std::optional<Time> start;         // of the first message or computation; nothing = none has started
  Time bound;                        // lower bound of `completion` (engine/endings/completion.h); 0 = none is known
  Time acknowledged_bound;           // lower bound of `acknowledged`; 0 = none is known
  std::optional<Time> completion;    // from the start until all is received; nothing = not complete
  std::optional<Time> acknowledged;  // from the start until all is acknowledged: the largest FCT if all start together
  Bytes buffer;                      // of each host, of a collective operation; 0 = it is none
  std::vector<ActivitySummary> activities;  // empty if its hosts do nothing but send
  double bus_factor = 0;  // bus bandwidth over buffer / completion, as nccl-tests has it (PERFORMANCE.md there)
  std::vector<std::string> shares_hosts_with;  // tags of others that were under way at the same time, at some host

  // How much longer it took than the bound, as a share of the bound; nothing if the collective is not complete, if no
  // bound is known, or if others used the links of some of its hosts, so that the excess is not its own.
  std::optional<double> excess() const { return excess_of(completion, bound); }
  std::optional<double> acknowledged_excess() const { return excess_of(acknowledged, acknowledged_bound); }

  // buffer / completion in bit/s, and the same times bus_factor; nothing if it is no collective operation, or not
  // complete.
  std::optional<double> algorithm_bandwidth() const {
    if (bus_factor == 0 || !completion || *completion <= Time{}) return std::nullopt;
    return 8 * static_cast<double>(buffer.count) / completion->seconds();
  }
  std::optional<double> bus_bandwidth() const {
    const auto algorithm = algorithm_bandwidth();
    return algorithm ? std::optional(*algorithm * bus_factor) : std::nullopt;
  }

 private:
  std::optional<double> excess_of(const std::optional<Time>& taken, Time least) const {
    if (!taken || least <= Time{} || !shares_hosts_with.empty()) return std::nullopt;
    return static_cast<double>((*taken - least).ps) / static_cast<double>(least.ps);
  }
};

// Further figures of a probe, beside the parts above. Figures that are not finite are null in summary.json.
struct Section {
  using Number = std::variant<std::int64_t, double>;
  std::string probe;                                    // name of the probe
  std::vector<std::pair<std::string, Number>> figures;  // in the order in which they are written
};

// The whole summary. A part is missing if its probe is not on.
struct Summary {
  std::string fidelity;       // run.fidelity; whoever runs the simulation fills it in
  std::uint64_t changes = 0;  // changes that were made while the run went on (steering.toml); filled in likewise
  Time sim_time;
  std::optional<engine::FastForwardReport> fast_forward;  // what was skipped, if the scenario asks for that
  FlowSummary flows;
  std::vector<CollectiveSummary> collectives;
  std::optional<QueueSummary> queues;
  std::optional<FairnessSummary> fairness;
  std::optional<PfcSummary> pfc;
  std::optional<LinkSummary> links;
  std::vector<Section> sections;
};

// The text of a percentile in a table for people: "-" where the values are so few that it is the largest of them.
std::string percentile_text(std::uint64_t count, unsigned thousandths, double value, int digits);
inline constexpr std::string_view kPercentileGap =
    "-: too few values for this percentile, which would be their maximum";

// The text of summary.json, which ends with a newline.
std::string to_json(const Summary&);
// The summary as tables for people.
std::string to_text(const Summary&);

}  // namespace weir::probe
