// A host's NIC scheduler: which flow sends next, and when the host must be woken.
//
// Flows that may send at once stand in a ready queue and are served round robin, one packet each.
// A flow that must wait for its pacing gap stands in a queue ordered by time. Timers
// (retransmission, algorithm) stand in another. Entries are never moved: a flow remembers which
// of its entries is valid, and the others are skipped when they come up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/base/units.h"
#include "weir/cc/on_ramp.h"
#include "weir/host/clock.h"
#include "weir/host/connections.h"
#include "weir/host/delivery_log.h"
#include "weir/host/flow.h"
#include "weir/host/host_stack.h"
#include "weir/host/scoreboard.h"

namespace weir::host {

// Timers of a host that belong to no flow have one of these numbers instead of a flow's slot. Timers of one instant are
// due in the order of their numbers. The highest numbers are wake-ups that drivers have asked for: the first driver has
// kFirstWakeSlot, the second the number before, and so on; the driver's word stands instead of the generation.
inline constexpr std::uint32_t kMostDrivers = 65'536;
inline constexpr std::uint32_t kFirstWakeSlot = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoticeSlot = kFirstWakeSlot - kMostDrivers;  // a driver is told something
inline constexpr std::uint32_t kSendSlot = kNoticeSlot - 1;                  // messages are to be sent
inline constexpr std::uint32_t kReceiverSlot = kSendSlot - 1;                // a timer of the host's receivers
constexpr bool is_of_driver(std::uint32_t slot) { return slot > kReceiverSlot; }

struct TimedSlot {
  Time time;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  friend bool operator<(const TimedSlot& a, const TimedSlot& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.slot != b.slot ? a.slot < b.slot : a.generation < b.generation;
  }
};

// A binary min-heap by (time, slot, generation).
class TimedQueue {
 public:
  bool empty() const { return heap_.empty(); }
  const TimedSlot& top() const { return heap_.front(); }
  Time first() const { return heap_.empty() ? Time::max() : heap_.front().time; }
  // Whether an entry is a driver's: something that it has asked for, or that it is to be told.
  bool has_any_of_drivers() const {
    return std::any_of(heap_.begin(), heap_.end(), [](const TimedSlot& entry) { return is_of_driver(entry.slot); });
  }
  void prefetch() const { prefetch_line(heap_.data()); }
  template <class A>
  void archive(A& a) {
    a.values(heap_);
  }
  void push(const TimedSlot& entry) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    heap_.pop_back();
  }

 private:
  struct Later {
    bool operator()(const TimedSlot& a, const TimedSlot& b) const { return b < a; }
  };
  LargePageVector<TimedSlot> heap_;
};

// A growing circular queue of flows by slot.
class SlotQueue {
 public:
  struct Entry {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
  };

  bool empty() const { return head_ == tail_; }
  std::uint32_t size() const { return tail_ - head_; }
  void push(Entry entry) {
    if (tail_ - head_ == ring_.size()) grow();
    ring_[tail_++ & (ring_.size() - 1)] = entry;
  }
  [[gnu::cold]] void push_front(Entry entry) {
    if (tail_ - head_ == ring_.size()) grow();
    ring_[--head_ & (ring_.size() - 1)] = entry;
  }
  Entry pop() { return ring_[head_++ & (ring_.size() - 1)]; }
  const Entry& front() const { return ring_[head_ & (ring_.size() - 1)]; }
  // Prefetches the first entry.
  void prefetch() const { prefetch_line(ring_.data() + (head_ & (ring_.size() - 1))); }
  template <class A>
  void archive(A& a) {
    a.values(ring_);
    a.value(head_);
    a.value(tail_);
  }

 private:
  [[gnu::cold]] void grow() {
    LargePageVector<Entry> bigger(std::max<std::size_t>(8, 2 * ring_.size()));
    for (std::uint32_t at = head_; at != tail_; ++at) bigger[at & (bigger.size() - 1)] = ring_[at & (ring_.size() - 1)];
    ring_.swap(bigger);
  }
  LargePageVector<Entry> ring_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
};

// A tail probe that is out.
struct TailProbe {
  Time at;                   // when it became due
  std::int64_t seq = 0;      // its first byte
  std::int64_t end = 0;      // once all bytes below are acknowledged, the probe is over
  std::int64_t payload = 0;  // bytes of the packet that it repeats; 0 = the probe is a new packet
};

// The state that only some flows need, beside the flow's block.
struct FlowExtras {
  DeliveryLog delivery;          // if its algorithm wants the delivery rate
  Scoreboard scoreboard;         // if its recovery is selective
  std::uint32_t connection = 0;  // if it sprays: its number in Host::connections
  TailProbe tail_probe;          // if Flow::probing
};

// A one-way delay and when it became known.
struct SeenDelay {
  Time delay;
  Time at;
};

struct alignas(64) Host {
  std::uint32_t port = 0;  // the first of its ports, and the only one of most hosts (Nics)
  std::uint32_t nic() const { return port; }
  Time wake = Time::max();
  SlotQueue ready;
  std::vector<SlotQueue::Entry> parked;  // taken from `ready`: their class is paused, but not all classes are
  TimedQueue pacing;
  TimedQueue timers;
  LargePageVector<Flow*> flows;                // by slot; null = free
  LargePageVector<std::uint32_t> generations;  // by slot
  std::vector<std::uint32_t> free_slots;
  std::vector<traffic::Flow> starts;  // flows that have been handed over, in order of start
  std::size_t next_start = 0;
  LargePageVector<FlowExtras> extras;                                         // by slot, once a flow has had one
  std::vector<HostStack> stacks;                                              // by slot, of flows with a stack
  std::vector<std::unique_ptr<cc::OnRamp>> on_ramps;                          // by slot, once a flow has had one
  std::unique_ptr<std::unordered_map<std::uint32_t, SeenDelay>> seen_delays;  // On-Ramp: by receiver
  Clock clock;
  Time first_tick;          // when its timers tick first (TransportParams::timer_tick)
  Connections connections;  // of flows that spray

  Time first_start() const { return next_start < starts.size() ? starts[next_start].start : Time::max(); }

  std::uint32_t take_slot() {
    if (free_slots.empty()) {
      flows.push_back(nullptr);
      generations.push_back(0);
      return static_cast<std::uint32_t>(flows.size() - 1);
    }
    const std::uint32_t slot = free_slots.back();
    free_slots.pop_back();
    return slot;
  }

  void free_slot(std::uint32_t slot) {
    flows[slot] = nullptr;
    ++generations[slot];
    free_slots.push_back(slot);
  }

  // The bytes of an active flow that are acknowledged, in order or selectively.
  std::int64_t acknowledged(const Flow& flow) const {
    return flow.snd_una + (flow.selective ? extras[flow.slot].scoreboard.delivered_bytes() : 0);
  }

  FlowExtras& extras_of(std::uint32_t slot) {
    if (slot >= extras.size()) extras.resize(slot + std::size_t{1});
    return extras[slot];
  }

  HostStack& stack_of(std::uint32_t slot) {
    if (slot >= stacks.size()) stacks.resize(slot + std::size_t{1});
    return stacks[slot];
  }

  cc::OnRamp& make_on_ramp(std::uint32_t slot) {
    if (slot >= on_ramps.size()) on_ramps.resize(slot + std::size_t{1});
    if (!on_ramps[slot]) on_ramps[slot] = std::make_unique<cc::OnRamp>();
    return *on_ramps[slot];
  }

  // Archives the state of the host that changes, without its flows. `known`: see PathChoice::archive.
  template <class A>
  void archive(A& a, std::span<const BalancingParams* const> known) {
    a.value(wake);
    ready.archive(a);
    a.values(parked);
    pacing.archive(a);
    timers.archive(a);
    a.values(generations);
    a.values(free_slots);
    // Flows that have started are not saved, since how many of them are kept depends on when they were handed over.
    starts.erase(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(std::exchange(next_start, 0)));
    a.values(starts);
    a.each(extras, [&](FlowExtras& b) {
      b.delivery.archive(a);
      b.scoreboard.archive(a);
      a.value(b.connection);
      a.value(b.tail_probe);
    });
    a.each(stacks, [&](HostStack& queue) { queue.archive(a); });
    a.each(on_ramps, [&](std::unique_ptr<cc::OnRamp>& shim) {
      bool is_there = shim != nullptr;
      a.value(is_there);
      if (!is_there) return;
      if constexpr (A::kLoads) shim = std::make_unique<cc::OnRamp>();
      shim->archive(a);
    });
    std::vector<std::pair<std::uint32_t, SeenDelay>> seen;
    if (seen_delays) seen.assign(seen_delays->begin(), seen_delays->end());
    a.each(seen, [&](auto& entry) {
      a.value(entry.first);
      a.value(entry.second);
    });
    if constexpr (A::kLoads)
      if (!seen.empty())
        seen_delays = std::make_unique<std::unordered_map<std::uint32_t, SeenDelay>>(seen.begin(), seen.end());
    connections.archive(a, known);
  }

  // Prefetches the heads of the queues, which tell which flow comes next.
  void prefetch_queues() const {
    ready.prefetch();
    pacing.prefetch();
    timers.prefetch();
    prefetch_line(flows.data());
    prefetch_line(generations.data());
  }

  Flow* find(std::uint32_t slot, std::uint32_t generation) const {
    return slot < flows.size() && generations[slot] == generation ? flows[slot] : nullptr;
  }
};

}  // namespace weir::host
