#include "weir/engine/trace/trace_order.h"

#include <cassert>
#include <cstddef>

#include "weir/base/prefetch.h"

namespace weir::engine {

std::span<const net::TraceEvent* const> TraceOrder::collect(std::span<std::vector<net::TraceEvent>> recorded,
                                                            Time end) {
  // Events are large and stay where they are; what is sorted is their keys.
  kept_.clear();
  kept_.swap(later_);
  recorded_.clear();
  keys_.clear();
  const auto add = [&](std::vector<net::TraceEvent>& events) {
    for (net::TraceEvent& event : events) {
      if (event.time < end)
        keys_.push_back({event.time, tie_break_of(event, recorded_.size())});
      else
        later_.push_back(event);
      recorded_.push_back(&event);
    }
  };
  add(kept_);
  for (auto& events : recorded) add(events);
  sort_by_spans(keys_, scratch_, [](const Key& key) { return key.time.ps; });  // recorders are nearly in order of time

  events_.clear();
  const auto event_at = [&](std::size_t i) { return recorded_[keys_[i].tie_break & kMostEvents]; };
  unsigned kinds = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    constexpr std::size_t kAhead = 8;
    if (i + kAhead < keys_.size()) {
      const auto* const soon = reinterpret_cast<const char*>(event_at(i + kAhead));
      prefetch_line(soon);
      prefetch_line(soon + 64);
    }
    net::TraceEvent& event = *event_at(i);
    if (!resolve(event)) continue;
    events_.push_back(&event);
    kinds |= net::kind_bit(event.kind);
  }
  kinds_ = static_cast<net::EventKinds>(kinds);
  return events_;
}

// Arrivals are what causes all else. What happens at a port is recorded in order by its own partition, but for what has
// left, which is recorded at once or later, depending on the partitions.
std::uint64_t TraceOrder::place_of(const net::TraceEvent& event) {
  const auto port = std::uint64_t{event.port};
  if (net::is_at_far_end(event.kind)) return port;
  return std::uint64_t{1} << 33 | port << 1 | (event.kind == net::EventKind::sent ? 1u : 0u);
}

std::uint64_t TraceOrder::tie_break_of(const net::TraceEvent& event, std::size_t index) {
  assert(index <= kMostEvents);
  return place_of(event) << 30 | index;
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
  const net::PacketView& packet = event.packet;
  if ((net::kOnWire & net::kind_bit(event.kind)) != 0) return true;  // captures know their flows
  if (net::is_of_port(event.kind) || packet.is_control()) return true;
  Slot& slot = slot_of(event.src, packet.slot);
  if (event.kind == net::EventKind::started) slot = {packet.generation, event.flow, {}, {}, {}, net::Cause::none};
  if (slot.generation == packet.generation)
    event.flow = slot.flow;
  else if (!packet.to_receiver())
    event.packet.seq = 0;  // net/trace.h
  if (event.kind == net::EventKind::waiting) {
    const bool same = slot.waits_for == event.cause && slot.not_before == event.not_before;
    slot.waits_for = event.cause;
    slot.not_before = event.not_before;
    return !same;
  }
  if (event.kind != net::EventKind::controlled) return true;
  const bool same = slot.window == event.window && slot.rate == event.rate;
  slot.window = event.window;
  slot.rate = event.rate;
  return !same;
}

}  // namespace weir::engine
