// Tracers, by which partitions are compiled: Recorder, and NoTracer, which costs nothing.
#pragma once

#include <array>
#include <cstdint>

#include "weir/base/units.h"
#include "weir/net/link/trace_records.h"
#include "weir/net/trace.h"

namespace weir::net {

// The tracer of a run that nobody traces. Code that only serves a tracer is then not compiled.
struct NoTracer {
  static constexpr bool kOn = false;

  static constexpr bool is_recording() { return false; }
  static constexpr bool takes(std::uint32_t, Time) { return false; }
  static constexpr bool takes(EventKind) { return false; }
  static constexpr bool takes(EventKind, std::uint32_t, Time) { return false; }
  template <class A>
  static void archive(A&) {}
};

// Records the events of one partition of the network. Its records of one instant and one port are in order.
class Recorder {
 public:
  static constexpr bool kOn = true;

  // Begins to record the events that the filter takes; the filter must outlive this.
  void record(const TraceFilter& filter) { filter_ = &filter; }
  bool is_recording() const { return filter_ != nullptr; }
  // Whether any events of packets at this port and time are recorded.
  bool takes(std::uint32_t port, Time time) const { return is_recording() && filter_->takes(port, time); }
  // Whether events of this kind are recorded, those of flows at any time: they tell which flow a packet belongs to.
  bool takes(EventKind kind) const { return is_recording() && filter_->takes(kind); }
  bool takes(EventKind kind, std::uint32_t port, Time time) const {
    return is_recording() && filter_->takes(kind, port, time);
  }
  bool takes_arrivals_at_switches() const { return is_recording() && filter_->arrivals_at_switches; }
  // Whether a flow's window or rate, or that for which it waits, is not what was last recorded of it. This spares most
  // records that would say nothing new; the others are told apart by who puts records in order.
  bool is_news(std::uint64_t flow, Bytes window, Rate rate) { return is_news(controls_, Control{flow, window, rate}); }
  bool is_news(std::uint64_t flow, Cause cause, Time not_before) {
    return is_news(waits_, Wait{flow, not_before, cause});
  }
  // A further record, to be filled in: of a packet on the wire, or of anything else. Valid until the next one.
  WireEvent& add_on_wire() { return records_.on_wire.emplace_back(); }
  TraceEvent& add() { return records_.events.emplace_back(); }
  TraceRecords& records() { return records_; }

  template <class A>
  void archive(A& a) {
    records_.archive(a);
  }

 private:
  struct Control {
    std::uint64_t flow = kNoFlow;
    Bytes window;
    Rate rate;
    friend bool operator==(const Control&, const Control&) = default;
  };
  struct Wait {
    std::uint64_t flow = kNoFlow;
    Time not_before;
    Cause cause = Cause::none;
    friend bool operator==(const Wait&, const Wait&) = default;
  };
  // What was last recorded of flows, of the last one of those that share a place.
  template <class Fact>
  using LastFacts = std::array<Fact, 1024>;
  template <class Fact>
  static bool is_news(LastFacts<Fact>& last, const Fact& fact) {
    Fact& of_flow = last[fact.flow % last.size()];
    if (of_flow == fact) return false;
    of_flow = fact;
    return true;
  }

  const TraceFilter* filter_ = nullptr;
  TraceRecords records_;
  LastFacts<Control> controls_;
  LastFacts<Wait> waits_;
};

}  // namespace weir::net
