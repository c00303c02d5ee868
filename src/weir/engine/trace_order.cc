#include "weir/engine/trace_order.h"

#include <algorithm>
#include <iterator>

namespace weir::engine {

std::span<const net::TraceEvent> TraceOrder::collect(std::span<net::Recorder* const> recorders, Time end) {
  events_.swap(later_);
  later_.clear();
  for (net::Recorder* recorder : recorders) {
    events_.insert(events_.end(), recorder->events().begin(), recorder->events().end());
    recorder->events().clear();
  }
  const auto is_later = [&](const net::TraceEvent& event) { return event.time >= end; };
  std::copy_if(events_.begin(), events_.end(), std::back_inserter(later_), is_later);
  std::erase_if(events_, is_later);
  // Arrivals are what causes all else. What happens at a port is recorded in order by its own partition.
  const auto at_far_end = [](const net::TraceEvent& e) { return net::is_at_far_end(e.kind); };
  const auto is_before = [&](const net::TraceEvent& a, const net::TraceEvent& b) {
    if (a.time != b.time) return a.time < b.time;
    if (at_far_end(a) != at_far_end(b)) return at_far_end(a);
    if (a.port != b.port) return a.port < b.port;
    // what has left is recorded at once or later, depending on the partitions
    return a.kind != net::EventKind::sent && b.kind == net::EventKind::sent;
  };
  if (!std::is_sorted(events_.begin(), events_.end(), is_before))
    std::stable_sort(events_.begin(), events_.end(), is_before);
  std::erase_if(events_, [this](net::TraceEvent& event) { return !resolve(event); });
  return events_;
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
  if (net::is_of_port(event.kind) || packet.is_control()) return true;
  Slot& slot = slot_of(event.src, packet.slot);
  if (event.kind == net::EventKind::started) slot = {packet.generation, event.flow, {}, {}, {}, net::Cause::none};
  if (slot.generation == packet.generation) event.flow = slot.flow;
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
