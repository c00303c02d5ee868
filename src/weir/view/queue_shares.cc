#include "weir/view/queue_shares.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "weir/base/random.h"

namespace weir::view {

using net::EventKind;

void QueueShares::add(const net::TraceEvent& event) {
  const bool comes = event.kind == EventKind::accepted;
  if (!comes && event.kind != EventKind::left && event.kind != EventKind::dropped) return;
  Queue& queue = queues_[event.port];
  const std::uint32_t before = std::exchange(queue.told, event.queued);
  // What is dropped when it comes was never in the queue; a watchdog empties queues.
  if (event.kind == EventKind::dropped && event.queued >= before) return;
  Entry& entry = entry_of(queue, event);
  const std::uint32_t bytes = comes ? event.packet.wire : std::min<std::uint32_t>(entry.bytes, event.packet.wire);
  entry.bytes = comes ? entry.bytes + bytes : entry.bytes - bytes;
  queue.waiting = comes ? queue.waiting + bytes : queue.waiting - bytes;
  queue.is_new = true;
}

std::span<const QueueShare> QueueShares::of(std::uint32_t port) {
  Queue& queue = queues_[port];
  if (!std::exchange(queue.is_new, false)) return queue.top;
  queue.top.clear();
  QueueShare others;
  for (const Entry& entry : queue.entries)
    if (entry.bytes != 0 && entry.flow != net::kNoFlow)
      queue.top.push_back({entry.flow, entry.bytes});
    else
      others.bytes += entry.bytes;
  const auto told = queue.top.begin() + static_cast<std::ptrdiff_t>(std::min(kTold, queue.top.size()));
  std::partial_sort(queue.top.begin(), told, queue.top.end(), [](const QueueShare& a, const QueueShare& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.flow < b.flow;
  });
  for (auto other = told; other != queue.top.end(); ++other) others.bytes += other->bytes;
  queue.top.erase(told, queue.top.end());
  if (others.bytes != 0) queue.top.push_back(others);
  return queue.top;
}

QueueShares::Entry& QueueShares::entry_of(Queue& queue, const net::TraceEvent& event) {
  const net::PacketView& packet = event.packet;
  if (queue.entries.empty()) rebuild(queue);
  Entry* entry = &place_of(queue.entries, event.src, packet.slot, packet.generation);
  if (entry->is_used()) return *entry;
  if (2 * (queue.used + 1) > queue.entries.size()) {
    rebuild(queue);
    entry = &place_of(queue.entries, event.src, packet.slot, packet.generation);
  }
  ++queue.used;
  *entry = {event.flow, event.src, packet.slot, packet.generation, 0};
  return *entry;
}

// Where it is, or a free entry.
QueueShares::Entry& QueueShares::place_of(std::vector<Entry>& entries, std::uint32_t src, std::uint32_t slot,
                                          std::uint32_t generation) {
  const std::size_t mask = entries.size() - 1;
  for (std::size_t at = mix32(src << 11 ^ slot) & mask;; at = (at + 1) & mask) {
    Entry& entry = entries[at];
    if (!entry.is_used() || (entry.src == src && entry.slot == slot && entry.generation == generation)) return entry;
  }
}

void QueueShares::rebuild(Queue& queue) {
  std::erase_if(queue.entries, [](const Entry& entry) { return entry.bytes == 0; });
  queue.used = static_cast<std::uint32_t>(queue.entries.size());
  const std::vector<Entry> waiting = std::exchange(queue.entries, {});
  queue.entries.resize(std::bit_ceil(std::max<std::size_t>(8, 4 * (waiting.size() + 1))));
  for (const Entry& entry : waiting) place_of(queue.entries, entry.src, entry.slot, entry.generation) = entry;
}

}  // namespace weir::view
