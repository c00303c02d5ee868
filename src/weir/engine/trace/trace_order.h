// Puts the events that several partitions have recorded into one order.
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
  // Returns, in order (net/trace.h), the events before `end` of those that the last call kept and of `recorded`, which
  // has what each recorder has recorded since. Later events are kept for the next call. The result is valid until the
  // next call, and as long as `recorded` is not changed. Flows are known from their `started` on.
  std::span<const net::TraceEvent* const> collect(std::span<net::TraceRecords> recorded, Time end);

  // The kinds of the events that the last collect() returned.
  net::EventKinds kinds() const { return kinds_; }

  // Makes a flow of host src known that started before anything was recorded. `messages` are those messages of a
  // connection that are not complete.
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
    std::uint32_t shared = 0;  // 1: the slot is that of a connection, whose messages share it
    std::uint64_t flow = net::kNoFlow;
    std::uint64_t waiting = net::kNoFlow;  // the flow that `waits_for` is about
    Bytes window;
    Rate rate;
    Time not_before;
    net::Cause waits_for = net::Cause::none;
  };
  // A message of a connection, and its first byte in the connection.
  struct Message {
    std::uint64_t flow = net::kNoFlow;
    std::int64_t begin = 0;
  };
  Slot& slot_of(std::uint32_t src, std::uint32_t slot);
  std::vector<Message>& messages_of(std::uint32_t src, std::uint32_t slot);
  void begin(net::TraceEvent& started, Slot& slot);
  void find_message(net::TraceEvent& event);
  bool resolve(net::TraceEvent& event);

  // The key by which an event is ordered: its time, then the place where it happens and its number among those that are
  // collected.
  struct Key {
    Time time;
    std::uint64_t tie_break = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static constexpr std::uint64_t kMostEvents = (std::uint64_t{1} << 30) - 1;
  static std::uint64_t place_of(const net::TraceEvent& event);
  static std::uint64_t tie_break_of(const net::TraceEvent& event, std::size_t index);

  net::TraceRecords later_;                 // what this call keeps for the next
  net::TraceRecords kept_;                  // what the last call has kept
  std::vector<net::TraceEvent*> recorded_;  // all of kept_, then those of each recorder
  std::vector<Key> keys_;                   // of those in recorded_ that come before `end`
  SpanScratch<Key> scratch_;
  std::vector<const net::TraceEvent*> events_;               // in order
  net::EventKinds kinds_ = 0;                                // of events_
  std::vector<std::vector<Slot>> slots_;                     // by sender, then slot
  std::vector<std::vector<std::vector<Message>>> messages_;  // the same, of connections: all that have started
};

}  // namespace weir::engine
