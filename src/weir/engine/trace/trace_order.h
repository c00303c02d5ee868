// One order of events out of what several partitions have recorded.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/small_sort.h"
#include "weir/host/flow.h"
#include "weir/host/message_queue.h"
#include "weir/net/link/trace_records.h"
#include "weir/net/trace.h"

namespace weir::engine {

// Also finds the flows that packets belong to.
class TraceOrder {
 public:
  // Those of what each recorder has recorded since the last call that come before `end`, in order (net/trace.h), and
  // those that the last call kept. They are valid until the next call, and as long as `recorded` is not changed. What
  // comes later is kept for the next call. Flows are known from their `started` on.
  std::span<const net::TraceEvent* const> collect(std::span<net::TraceRecords> recorded, Time end);

  // The kinds of what collect() returned.
  net::EventKinds kinds() const { return kinds_; }

  // A flow of host src that has started before anything was recorded.
  // `messages`: of a connection, those that are not complete.
  void know(std::uint32_t src, const host::Flow& flow, std::span<const host::QueuedMessage> messages);

  template <class A>
  void archive(A& a) {
    later_.archive(a);
    a.each(slots_, [&](auto& of_sender) { a.values(of_sender); });
    a.each(messages_, [&](auto& of_sender) { a.each(of_sender, [&](auto& of_slot) { a.values(of_slot); }); });
  }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t shared = 0;  // 1: by the messages of a connection
    std::uint64_t flow = net::kNoFlow;
    std::uint64_t waiting = net::kNoFlow;  // the flow that `waits_for` is about
    Bytes window;
    Rate rate;
    Time not_before;
    net::Cause waits_for = net::Cause::none;
  };
  // A message of a connection, and its first byte there.
  struct Message {
    std::uint64_t flow = net::kNoFlow;
    std::int64_t begin = 0;
  };
  Slot& slot_of(std::uint32_t src, std::uint32_t slot);
  std::vector<Message>& messages_of(std::uint32_t src, std::uint32_t slot);
  void begin(net::TraceEvent& started, Slot& slot);
  void find_message(net::TraceEvent& event);
  bool resolve(net::TraceEvent& event);

  // Of an event: its time, and then the place where it happens and its number among those that are collected.
  struct Key {
    Time time;
    std::uint64_t tie_break = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static constexpr std::uint64_t kMostEvents = (std::uint64_t{1} << 30) - 1;
  static std::uint64_t place_of(const net::TraceEvent& event);
  static std::uint64_t tie_break_of(const net::TraceEvent& event, std::size_t index);

  net::TraceRecords later_;                 // what this call keeps for the next
  net::TraceRecords kept_;                  // what the last one has kept
  std::vector<net::TraceEvent*> recorded_;  // all of kept_, then by recorder
  std::vector<Key> keys_;                   // of those of them that come before `end`
  SpanScratch<Key> scratch_;
  std::vector<const net::TraceEvent*> events_;               // in order
  net::EventKinds kinds_ = 0;                                // theirs
  std::vector<std::vector<Slot>> slots_;                     // by sender, then slot
  std::vector<std::vector<std::vector<Message>>> messages_;  // the same, of connections: all that have started
};

}  // namespace weir::engine
