#include "weir/engine/trace_order.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace weir::engine {

std::span<const net::TraceEvent> TraceOrder::collect(std::span<net::Recorder* const> recorders, Time end) {
  if (recorders.size() == 1 && later_.empty() && is_ordered(recorders.front()->events(), end)) {
    events_.swap(recorders.front()->events());
    recorders.front()->events().clear();
    std::size_t kept = 0;
    for (net::TraceEvent& event : events_) {
      if (!resolve(event)) continue;
      if (&events_[kept] != &event) events_[kept] = event;
      ++kept;
    }
    events_.resize(kept);
    return events_;
  }
  // Events are large, so what is sorted is their keys.
  recorded_.clear();
  keys_.clear();
  const auto add = [&](const std::vector<net::TraceEvent>& events) {
    for (const net::TraceEvent& event : events) {
      if (event.time < end) keys_.push_back({event.time, rank_of(event, recorded_.size())});
      recorded_.push_back(&event);
    }
  };
  add(later_);
  for (net::Recorder* recorder : recorders) add(recorder->events());
  if (!std::is_sorted(keys_.begin(), keys_.end())) std::sort(keys_.begin(), keys_.end());

  events_.clear();
  events_.reserve(keys_.size());
  for (const Key& key : keys_) {
    events_.push_back(*recorded_[key.rank & kMostEvents]);
    if (!resolve(events_.back())) events_.pop_back();
  }
  if (keys_.size() < recorded_.size()) {
    std::vector<net::TraceEvent> later;
    for (const net::TraceEvent* event : recorded_)
      if (event->time >= end) later.push_back(*event);
    later_ = std::move(later);
  } else {
    later_.clear();
  }
  for (net::Recorder* recorder : recorders) recorder->events().clear();
  return events_;
}

// Arrivals are what causes all else. What happens at a port is recorded in order by its own partition, but for what has
// left, which is recorded at once or later, depending on the partitions.
std::uint64_t TraceOrder::place_of(const net::TraceEvent& event) {
  const auto port = std::uint64_t{event.port};
  if (net::is_at_far_end(event.kind)) return port;
  return std::uint64_t{1} << 33 | port << 1 | (event.kind == net::EventKind::sent ? 1u : 0u);
}

std::uint64_t TraceOrder::rank_of(const net::TraceEvent& event, std::size_t index) {
  assert(index <= kMostEvents);
  return place_of(event) << 30 | index;
}

bool TraceOrder::is_ordered(const std::vector<net::TraceEvent>& events, Time end) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    const net::TraceEvent& a = events[i - 1];
    const net::TraceEvent& b = events[i];
    if (b.time < a.time || (b.time == a.time && place_of(b) < place_of(a))) return false;
  }
  return events.empty() || events.back().time < end;
}

TraceOrder::Slot& TraceOrder::slot_of(std::uint32_t src, std::uint32_t slot) {
  if (src >= slots_.size()) slots_.resize(src + std::size_t{1});
  auto& of_sender = slots_[src];
  if (slot >= of_sender.size()) of_sender.resize(slot + std::size_t{1});
  return of_sender[slot];
}

void TraceOrder::know(std::uint32_t src, const host::Flow& flow) {
  Slot& slot = slot_of(src, flow.slot);
  if (slot.generation == flow.generation && slot.flow == flow.id) return;
  slot = {flow.generation, flow.id, flow.control.window, flow.control.rate, {}, net::Cause::none};
}

// False if the event says nothing new.
bool TraceOrder::resolve(net::TraceEvent& event) {
  const net::Packet& packet = event.packet;
  if ((net::kOnWire & net::kind_bit(event.kind)) != 0) return true;  // captures know their flows
  if (net::is_of_port(event.kind) || packet.is_control()) return true;
  Slot& slot = slot_of(event.src, packet.slot);
  if (event.kind == net::EventKind::started) slot = {packet.generation, event.flow, {}, {}, {}, net::Cause::none};
  if (slot.generation == packet.generation)
    event.flow = slot.flow;
  else if (!packet.to_receiver())
    event.packet.seq = 0;  // net/trace.h
  if (event.kind == net::EventKind::waiting) {
    const bool same = slot.waits_for == event.cause && slot.not_before == packet.departs;
    slot.waits_for = event.cause;
    slot.not_before = packet.departs;
    return !same;
  }
  if (event.kind != net::EventKind::controlled) return true;
  const bool same = slot.window == event.window && slot.rate == event.rate;
  slot.window = event.window;
  slot.rate = event.rate;
  return !same;
}

}  // namespace weir::engine
