#include "weir/engine/trace/trace_order.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <numeric>

namespace weir::engine {

net::TraceEvents TraceOrder::collect(std::span<net::Recorder* const> recorders, Time end) {
  // Events are large and stay where they are; what is sorted is their keys.
  held_.resize(1 + recorders.size());
  held_[0].clear();
  held_[0].swap(later_);
  recorded_.clear();
  keys_.clear();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (i != 0) {
      held_[i].clear();
      held_[i].swap(recorders[i - 1]->events());
    }
    for (net::TraceEvent& event : held_[i]) {
      if (event.time < end)
        keys_.push_back({event.time, tie_break_of(event, recorded_.size())});
      else
        later_.push_back(event);
      recorded_.push_back(&event);
    }
  }
  sort_keys();

  events_.clear();
  for (const Key& key : keys_) {
    net::TraceEvent& event = *recorded_[key.tie_break & kMostEvents];
    if (resolve(event)) events_.push_back(&event);
  }
  return net::TraceEvents(events_);
}

// Puts them into as many equal spans of time as there are keys, so that few are left to be sorted in each.
void TraceOrder::sort_keys() {
  const std::size_t n = keys_.size();
  if (std::is_sorted(keys_.begin(), keys_.end())) return;
  const auto [first, last] =
      std::minmax_element(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.time < b.time; });
  const Time begin = first->time;
  const auto span = static_cast<std::uint64_t>((last->time - begin).ps);
  const int shift = std::max(0, static_cast<int>(std::bit_width(span)) - static_cast<int>(std::bit_width(n)));
  const auto place_of = [&](const Key& key) { return static_cast<std::size_t>((key.time - begin).ps) >> shift; };
  places_.assign((span >> shift) + 2, 0);
  for (const Key& key : keys_) ++places_[place_of(key) + 1];
  std::partial_sum(places_.begin(), places_.end(), places_.begin());
  scattered_.resize(n);
  for (const Key& key : keys_) scattered_[places_[place_of(key)]++] = key;
  keys_.swap(scattered_);
  // Now places_[i] is the end of span i.
  std::uint32_t from = 0;
  for (const std::uint32_t until : places_) {
    if (until - from > 1) std::sort(keys_.begin() + from, keys_.begin() + until);
    from = until;
  }
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
