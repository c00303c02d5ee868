#include "weir/engine/trace/trace_order.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "weir/base/prefetch.h"

namespace weir::engine {

std::span<const net::TraceEvent* const> TraceOrder::collect(std::span<net::TraceRecords> recorded, Time end) {
  // Events are large and stay where they are; their keys are sorted instead.
  kept_.clear();
  std::swap(kept_, later_);
  recorded_.clear();
  keys_.clear();
  const auto add = [&](auto& events, auto& later) {
    for (auto& event : events) {
      if (event.time < end)
        keys_.push_back({event.time, tie_break_of(event, recorded_.size())});
      else
        later.push_back(event);
      recorded_.push_back(&event);
    }
  };
  const auto add_all = [&](net::TraceRecords& records) {
    add(records.on_wire, later_.on_wire);
    add(records.events, later_.events);
  };
  add_all(kept_);
  for (net::TraceRecords& records : recorded) add_all(records);
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

// Arrivals come first, since they cause all other events. The events at a port are recorded in order by its own
// partition, except for departures, which are recorded at once or later, depending on the partitions: so `sent` comes
// after the others.
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

std::vector<TraceOrder::Message>& TraceOrder::messages_of(std::uint32_t src, std::uint32_t slot) {
  if (src >= messages_.size()) messages_.resize(src + std::size_t{1});
  auto& of_sender = messages_[src];
  if (slot >= of_sender.size()) of_sender.resize(slot + std::size_t{1});
  return of_sender[slot];
}

void TraceOrder::know(std::uint32_t src, const host::Flow& flow, std::span<const host::QueuedMessage> messages) {
  Slot& slot = slot_of(src, flow.slot);
  const bool is_shared = flow.is_connection;
  if (slot.generation == flow.generation && (slot.flow == flow.id || (is_shared && slot.shared != 0))) return;
  slot = {.generation = flow.generation,
          .shared = is_shared,
          .flow = flow.id,
          .window = flow.control.window,
          .rate = flow.control.rate};
  if (!is_shared) return;
  auto& known = messages_of(src, flow.slot);
  known.clear();
  for (const host::QueuedMessage& message : messages) known.push_back({message.message.id, message.begin});
}

void TraceOrder::begin(net::TraceEvent& started, Slot& slot) {
  const net::PacketView& packet = started.packet;
  const bool goes_on = slot.generation == packet.generation && slot.flow != net::kNoFlow;
  if (packet.seq == 0) {
    slot = {.generation = packet.generation, .flow = started.flow};
    return;
  }
  auto& messages = messages_of(started.src, packet.slot);
  if (!goes_on) {
    slot = {.generation = packet.generation, .flow = started.flow};
    messages.clear();
  } else if (slot.shared == 0) {
    messages = {{slot.flow, 0}};
  }
  slot.shared = 1;
  slot.window = {};  // so that the first window and rate of this message are news
  slot.rate = {};
  messages.push_back({started.flow, packet.seq});
}

// Finds the message that an event of a connection belongs to, and makes its byte numbers relative to that message.
void TraceOrder::find_message(net::TraceEvent& event) {
  net::PacketView& packet = event.packet;
  const bool is_of_flow = net::is_of_flow(event.kind);
  const bool tells_loss = event.kind == net::EventKind::told_loss;
  const bool counts = is_of_flow || packet.is_data() || packet.is_acknowledgement() ||
                      packet.kind == net::PacketKind::or_ack || packet.kind == net::PacketKind::lost;
  std::int64_t byte = std::numeric_limits<std::int64_t>::max();  // finds the newest message
  if (tells_loss)
    byte = event.first.count;
  else if (counts)
    byte = !is_of_flow && packet.is_acknowledgement() ? std::max<std::int64_t>(0, packet.seq - 1) : packet.seq;
  const auto& messages = messages_of(event.src, packet.slot);
  const auto before = [](std::int64_t b, const Message& m) { return b < m.begin; };
  const auto behind = std::upper_bound(messages.begin(), messages.end(), byte, before);
  if (behind == messages.begin()) {
    event.flow = net::kNoFlow;
    return;
  }
  const Message& message = *std::prev(behind);
  event.flow = message.flow;
  if (is_of_flow)
    packet.seq = 0;
  else if (counts)
    packet.seq -= message.begin;
  if (packet.is_acknowledgement()) packet.trigger_seq = std::max<std::int64_t>(0, packet.trigger_seq - message.begin);
  if (tells_loss) event.first -= Bytes{message.begin};
}

// Fills in the flow of the event. Returns false if the event says nothing new.
bool TraceOrder::resolve(net::TraceEvent& event) {
  const net::PacketView& packet = event.packet;
  if ((net::kOnWire & net::kind_bit(event.kind)) != 0) return true;  // captures know their flows
  if (net::is_of_port(event.kind) || event.kind == net::EventKind::did || packet.is_control()) return true;
  Slot& slot = slot_of(event.src, packet.slot);
  if (event.kind == net::EventKind::started) {
    begin(event, slot);
    return true;
  }
  if (slot.generation != packet.generation) {
    if (!packet.to_receiver()) event.packet.seq = 0;  // net/trace.h
  } else if (slot.shared != 0) [[unlikely]] {
    find_message(event);
  } else {
    event.flow = slot.flow;
    if (net::is_of_flow(event.kind)) event.packet.seq = 0;
  }
  if (event.kind == net::EventKind::waiting) {
    const bool same =
        slot.waits_for == event.cause && slot.not_before == event.not_before && slot.waiting == event.flow;
    slot.waits_for = event.cause;
    slot.not_before = event.not_before;
    slot.waiting = event.flow;
    return !same;
  }
  if (event.kind != net::EventKind::controlled) return true;
  const bool same = slot.window == event.window && slot.rate == event.rate;
  slot.window = event.window;
  slot.rate = event.rate;
  return !same;
}

}  // namespace weir::engine
