// Whose packets wait in the queues of ports, kept up to date by events: a look costs what has changed since the last
// one, however long the queues are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/net/trace.h"

namespace weir::view {

// What one flow has in a queue.
struct QueueShare {
  std::uint64_t flow = net::kNoFlow;  // kNoFlow = all that are not told, together
  std::uint32_t bytes = 0;
  std::uint32_t unused = 0;
};

class QueueShares {
 public:
  static constexpr std::size_t kTold = 8;  // flows of a queue

  explicit QueueShares(std::uint32_t ports) : queues_(ports) {}

  // Events in order of time; all but accepted, left and dropped are passed over.
  void add(const net::TraceEvent& event);

  std::uint32_t ports() const { return static_cast<std::uint32_t>(queues_.size()); }
  bool is_empty(std::uint32_t port) const { return queues_[port].waiting == 0; }
  // The flows with most bytes in the queue of a port, the most first, and then the others together. Valid until the
  // next event.
  std::span<const QueueShare> of(std::uint32_t port);

  template <class A>
  void archive(A& a) {
    a.each(queues_, [&](Queue& queue) {
      a.values(queue.entries);
      if (!queue.entries.empty()) rebuild(queue);
      for (std::uint32_t* n : {&queue.waiting, &queue.told}) a.value(*n);
    });
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  // A flow by its slot at its sender: packets name it also when the flow has ended.
  struct Entry {
    std::uint64_t flow = net::kNoFlow;
    std::uint32_t src = kFree;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t bytes = 0;
    bool is_used() const { return src != kFree; }
  };
  // A hash table with linear probing, of which half is free at least. Entries stay until it is built again.
  struct Queue {
    std::vector<Entry> entries;
    std::uint32_t used = 0;     // entries
    std::uint32_t waiting = 0;  // bytes
    std::uint32_t told = 0;     // bytes that wait at the port, as the last event says
    bool is_new = true;         // since `top` was made
    std::vector<QueueShare> top;
  };

  static Entry& entry_of(Queue& queue, const net::TraceEvent& event);
  static Entry& place_of(std::vector<Entry>& entries, std::uint32_t src, std::uint32_t slot, std::uint32_t generation);
  // Only what still waits is taken along, and fills a quarter of the table at most.
  static void rebuild(Queue& queue);

  std::vector<Queue> queues_;
};

}  // namespace weir::view
