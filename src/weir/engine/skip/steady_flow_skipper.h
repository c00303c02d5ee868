// Leaves out spans of time in which all flows are steady ([run.fast_forward], docs/guides/fast-forward.md).
//
// There are two clocks. The packets' clock, on which partitions run, never jumps, and no packet and no state of an
// algorithm is touched. The run's clock is ahead of it by the time that has been left out: when all active flows are
// steady, each loses as many of the packets that it has not sent yet as it would have sent in the span, and the run's
// clock goes on by the span. All that comes from outside, such as starts of flows, and all that is reported is on the
// run's clock.
//
// Time is divided into windows of several round trips. A flow's history is the bytes that were acknowledged and the
// round-trip time at the end of each window. It begins `settle` times two round trips after the last start or end of a
// flow on the flow's ports, or on those of flows that share ports with it, and so on. The flow is steady if its
// history, or the last half or quarter of that, cut into `rounds` parts, differs by at most theta in the bytes and in
// the round-trip times of the parts. If the bytes of the parts differ by a share d, at most (theta / d) times the
// length of the history is left out: a rate that still drifts by d in that length is then off by theta at most. All
// flows have to be steady. The span ends when the first of them has one window's bytes left, or when something comes
// from outside.
//
// A share `check` of the spans, drawn at random, is simulated, and the bytes that each flow delivers are compared with
// those that it would have lost.
//
// All is decided between epochs, at instants of the packets' clock that depend on the topology alone: results do not
// depend on the number of threads, nor on how far a run is advanced at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "weir/engine/fast_forward_report.h"
#include "weir/engine/model/model.h"
#include "weir/engine/model/network.h"
#include "weir/engine/skip/fast_forward_params.h"
#include "weir/traffic/flow.h"

namespace weir::engine {

class SteadyFlowSkipper {
 public:
  // Model and network must outlive this. The run has no messages that wait for each other, no faults and no ranks.
  SteadyFlowSkipper(const Model& model, Network& network, const FastForwardParams& params, Time grid);

  // The time by which the run's clock is ahead of the packets'.
  Time skipped_time() const { return skipped_time_; }

  // Called between epochs for a flow that is about to start. Its start is on the run's clock.
  void add_flow(const traffic::Flow& flow);
  // Changes the records of flows that have ended since the last call into those that are reported.
  void end(std::span<host::FlowRecord> records);
  // Decides, at `now` of the packets' clock, whether a span is left out. The span ends at `limit` of the run's clock at
  // the latest.
  void look(Time now, Time limit);
  // Leaves out the span that look() has decided on, up to `until` of the run's clock. Nothing comes from outside before
  // `limit`; a span that would end later ends there.
  void pass(Time now, Time until, Time limit);

  // The active flow as it is reported: with the packets that it has lost, and on the run's clock.
  host::Flow reported(const host::Flow& flow) const;
  FastForwardReport report() const;

  template <class A>
  void archive(A& a) {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, history] : histories_) ids.push_back(id);
    a.values(ids);
    if constexpr (A::kLoads) histories_.clear();
    for (const std::uint64_t id : ids) {
      History& c = histories_[id];
      a.values(c.ports);
      a.values(c.samples);
      for (auto* figure : {&c.src, &c.slot, &c.settle}) a.value(*figure);
      a.value(c.start);
      for (auto* figure : {&c.lost, &c.bytes_carried, &c.packets_skipped, &c.before}) a.value(*figure);
      a.value(c.pace);
    }
    a.values(disturbed_);
    for (auto* time : {&skipped_time_, &span_begin_, &span_end_, &check_begin_, &check_end_}) a.value(*time);
    a.value(draws_);
    a.value(totals_);
    a.value(error_sum_);
  }

 private:
  // The state of a flow at the end of a window.
  struct Sample {
    std::int64_t acknowledged = 0;
    Time rtt;
    Time skipped_time;  // left out in the whole run until then
  };
  // A rate: so many bytes in so much time.
  struct Pace {
    std::int64_t bytes = 0;
    Time time;
    std::int64_t in(Time span) const {
      return static_cast<std::int64_t>(static_cast<__int128>(bytes) * span.ps / time.ps);
    }
  };
  // A flow since its last disturbance.
  struct History {
    std::vector<std::uint32_t> ports;  // the ports by which its data leave
    std::vector<Sample> samples;
    std::uint32_t src = 0;
    std::uint32_t slot = 0;
    std::uint32_t settle = 0;          // windows until the first sample
    Time start;                        // on the run's clock
    std::int64_t lost = 0;             // bytes left out
    std::int64_t bytes_carried = 0;    // less than a packet: bytes of past spans that are still to be left out
    std::int64_t packets_skipped = 0;  // packets left out in the present span
    std::int64_t before = 0;           // acknowledged before the present check
    Pace pace;                         // of the present span or check
  };
  // The span that a flow's history allows to leave out.
  struct Steady {
    Time span;  // Time{}: none
    Pace pace;
  };

  host::Flow& flow_of(const History& c) const { return *network_.hosts[c.src].flows[c.slot]; }
  std::int64_t acknowledged(const History& c) const;
  void flood();
  void find_slots();
  void sample();
  Steady steady(const History& c) const;
  Steady steady(const History& c, std::size_t windows) const;
  Time until_near_end(const History& c, const Pace& pace) const;
  void shorten(History& c, std::int64_t packets);
  void compare(const History& c, std::int64_t delivered, Time span);

  const Model& model_;
  Network& network_;
  const FastForwardParams params_;
  const Time grid_;
  const Time window_;
  std::map<std::uint64_t, History> histories_;  // by flow's id
  std::vector<std::uint32_t> disturbed_;        // ports where flows have started or ended
  Time skipped_time_;
  Time span_begin_;  // the span to leave out, on the run's clock; begin = end: there is none
  Time span_end_;
  Time check_begin_;  // the span that is checked, on the packets' clock; begin = end: there is none
  Time check_end_;
  std::uint64_t draws_ = 0;
  FastForwardReport totals_;
  double error_sum_ = 0;
};

}  // namespace weir::engine
