// Lengths of egress queues, at regular instants, for as long as they last, or as packets see them: their distribution
// over time and ports, the busiest port, the longest queue and whose packets were in it, and on request every sample.
//
// A queue is what the port has accepted and not begun to send, headers included; empty ones count.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/net/trace.h"
#include "weir/probe/port_params.h"
#include "weir/probe/probe.h"
#include "weir/probe/queue_tally.h"

namespace weir::probe {

// Which queue counts for a packet: the one that it found at a port when it came, or left behind when it departed.
enum class PerPacket : std::uint8_t { off, found, left };

struct QueuesParams {
  std::string ports = "all";
  Time interval{1'000'000};
  Time start;
  Time stop;
  bool series = false;
  bool exact = false;
  PerPacket per_packet = PerPacket::off;

  static void describe(ParamList<QueuesParams>& p) {
    p.text("ports", &QueuesParams::ports, std::string("ports to sample") + kPortsHelp);
    p.time("interval", &QueuesParams::interval, "time between samples", "HPCC 5.4", kMinInterval);
    p.time("start", &QueuesParams::start, "no sample before this time");
    p.time("stop", &QueuesParams::stop, "no sample from this time on; 0 = to the end of the run");
    p.flag("series", &QueuesParams::series, "write every sample to queues.csv");
    p.flag("exact", &QueuesParams::exact,
           "take no samples, but follow each queue from packet to packet: every length counts for as long as it lasts");
    p.choice("per_packet", &QueuesParams::per_packet, {"off", "found", "left"},
             "take no samples, but count each packet of a port once, with the queue that it found there when it came, "
             "or left behind when it departed, which telemetry tells",
             "HPCC 4.1, figure 10");
  }
};

// Samples.
class QueueProbe : public ArchivedProbe<QueueProbe> {
 public:
  using Params = QueuesParams;
  static constexpr std::string_view kName = "queues";
  static constexpr std::string_view kMeaning = "lengths of egress queues, at regular instants or exactly";
  static constexpr bool kNeedsPackets = true;

  static void check(const Params&, const Checks&);
  static Time interval(const Params& params) { return params.interval; }
  static std::optional<std::string_view> trace_key(const Params&);
  static void add_possible(const Params&, const Setting&, Summary&);
  // This, an ExactQueueProbe or a PacketQueueProbe.
  static std::unique_ptr<Probe> make(const Params&, const Context&);
  QueueProbe(const Params&, const Context&);

  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    tally_.archive(a);
    a.optional(peak_, [&](QueuePeak& peak) { peak.archive(a); });
    a.value(instants_);
    if (series_) series_->archive(a);
  }

 private:
  void sample(Time now);
  void look_into(QueuePeak& peak);

  const QueuesParams params_;
  engine::Engine& simulation_;
  const std::vector<std::string>& tags_;
  ResultDirectory* const out_;
  QueueTally<Samples> tally_;
  std::optional<QueuePeak> peak_;
  std::uint64_t instants_ = 0;
  std::optional<ResultFile> series_;
};

// The distribution over time itself, from the events of the ports (net/trace.h). Lengths that last no time do not
// count, and whose packets the longest queue has is not known.
class ExactQueueProbe : public ArchivedProbe<ExactQueueProbe> {
 public:
  ExactQueueProbe(const QueuesParams&, const Context&);

  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    tally_.archive(a);
    a.values(queues_);
    a.optional(peak_, [&](QueuePeak& peak) { peak.archive(a); });
  }

 private:
  struct Queue {
    Time since;
    std::uint32_t length = 0;
    std::uint32_t unused = 0;  // no byte of an archive is undefined
  };

  void follow(net::TraceEvents events);
  // The queue has had its length up to then.
  void count_until(std::size_t place, Time time);

  const QueuesParams params_;
  engine::Engine& simulation_;
  ResultDirectory* const out_;
  QueueTally<Durations> tally_;
  std::vector<std::uint32_t> place_of_;  // by port
  std::vector<Queue> queues_;            // by place
  std::optional<QueuePeak> peak_;
};

// The distribution over packets: those that a port accepts count when they come, or when they begin to leave. Lengths
// are those of QueueProbe, without the packet itself.
class PacketQueueProbe : public ArchivedProbe<PacketQueueProbe> {
 public:
  PacketQueueProbe(const QueuesParams&, const Context&);

  void finish(Summary&) override;

  template <class A>
  void archive(A& a) {
    tally_.archive(a);
    a.values(packets_);
    a.optional(peak_, [&](QueuePeak& peak) { peak.archive(a); });
  }

 private:
  void count(net::TraceEvents events);
  void add(std::size_t place, std::uint32_t length, Time time);

  const bool found_;
  engine::Engine& simulation_;
  ResultDirectory* const out_;
  QueueTally<Samples> tally_;
  std::vector<std::uint32_t> place_of_;  // by port
  std::vector<std::uint64_t> packets_;   // by place
  std::optional<QueuePeak> peak_;
};

}  // namespace weir::probe
