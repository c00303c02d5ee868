// What happens to single packets and flows, one event at a time: for packet traces, captures and exact distributions.
//
// Whether a run is traced is known when its partitions are compiled (engine::Partition's parameter Tracer): NoTracer
// has no code and no data, so that a run that nobody traces pays nothing. A run that is traced records what happens in
// each partition, and hands it over between epochs, on one thread, in an order that depends on the scenario alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/packet.h"

namespace weir::net {

// Of packets: `arrived` at the far end of the port's link, or `lost` on it; `accepted` by the port, and `left` when its
// transmission begins; `marked` (ECN) as it left; `trimmed`, then accepted, or `dropped` where the port had no room
// for it.
// Of ports: `paused` and `resumed` by PFC, for the class of `packet`.
// Of flows: `started`; `ended`, when all is acknowledged; `told_loss`, when its algorithm learns of lost bytes;
// `controlled`, when its algorithm has been called and the window or the rate is another than before.
enum class EventKind : std::uint8_t {
  arrived,
  lost,
  accepted,
  left,
  marked,
  trimmed,
  dropped,
  paused,
  resumed,
  started,
  ended,
  told_loss,
  controlled
};
inline constexpr unsigned kEventKinds = 13;

// "arrived", "lost", ...
std::string_view name_of(EventKind);
// The first two kinds happen at the far end of a port's link, all others at the port or at the flow's sender.
constexpr bool is_at_far_end(EventKind kind) { return kind <= EventKind::lost; }
constexpr bool is_of_flow(EventKind kind) { return kind >= EventKind::started; }
constexpr bool is_of_port(EventKind kind) { return kind == EventKind::paused || kind == EventKind::resumed; }

inline constexpr std::uint64_t kNoFlow = ~std::uint64_t{0};

struct TraceEvent {
  Time time;
  EventKind kind = EventKind::arrived;
  std::uint32_t port = 0;        // where it happens; of flows the sender's NIC
  std::uint64_t flow = kNoFlow;  // id; of a pause, and of a packet that has outlived its flow, there is none
  std::uint32_t src = 0;         // the flow's sender
  std::uint32_t queued = 0;      // accepted, left, marked, trimmed, dropped: bytes that wait at the port afterwards
  Packet packet;                 // as it is then; of flows only its dst, slot, generation and profile mean something
  Bytes window;                  // controlled: the window; told_loss: the bytes that are lost
  Rate rate;                     // controlled: the pacing rate; 0 = none
  Bytes first;                   // told_loss: where the lost bytes begin
};

// Which events are told. Those of flows are at any port.
struct TraceFilter {
  std::vector<bool> ports;  // by port; empty: all
  Time from;
  Time until = Time::max();  // exclusive

  bool takes(std::uint32_t port, Time time) const {
    return time >= from && time < until && (ports.empty() || ports[port]);
  }
  bool takes(const TraceEvent& event) const {
    return event.time >= from && event.time < until && (is_of_flow(event.kind) || ports.empty() || ports[event.port]);
  }
};

// The events of one epoch, or of a part of one, in order of time; of one instant arrivals at far ends come first, then
// what happens at ports and to flows, by port.
using TraceVisit = std::function<void(std::span<const TraceEvent>)>;

// Nobody looks: what the rooms do for a tracer alone is dropped when it is compiled.
struct NoTracer {
  static constexpr bool kOn = false;

  static constexpr bool is_recording() { return false; }
  static constexpr bool takes(std::uint32_t, Time) { return false; }
  static void add(const TraceEvent&) {}
  template <class A>
  static void archive(A&) {}
};

// Records what the rooms of one partition tell. At one instant and one port, its records are in order.
class Recorder {
 public:
  static constexpr bool kOn = true;

  // Nothing is recorded before; the filter must outlive this.
  void record(const TraceFilter& filter) { filter_ = &filter; }
  // Events of flows are recorded at any time: what they tell is what others are known by.
  bool is_recording() const { return filter_ != nullptr; }
  bool takes(std::uint32_t port, Time time) const { return is_recording() && filter_->takes(port, time); }
  void add(const TraceEvent& event) { events_.push_back(event); }
  std::vector<TraceEvent>& events() { return events_; }

  template <class A>
  void archive(A& a) {
    a.values(events_);
  }

 private:
  const TraceFilter* filter_ = nullptr;
  std::vector<TraceEvent> events_;
};

}  // namespace weir::net
