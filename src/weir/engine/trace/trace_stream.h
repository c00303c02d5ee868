// Hands the events that partitions have recorded to the readers of a traced run, in one order.
//
//   stream.push(recorded, end);          // after an epoch, on the run's thread
//   stream.call(now, look);              // calls look() when all events before `now` have been told
//   stream.finish();                     // returns when all events have been told
//
// If no reader asks to be told between epochs, events are put in order and told on a thread of the stream's own, while
// the run goes on. That thread lives from the first push() to finish(), which end within one call of advance(), so a
// process may be forked between calls. push() waits while kMostWaiting events or more have not been told. Readers are
// told the same either way, and what has been recorded may wait for several epochs before it is pushed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "weir/engine/trace/trace_order.h"
#include "weir/net/link/trace_records.h"
#include "weir/net/model/topology.h"
#include "weir/net/trace.h"

namespace weir::engine {

class TraceStream {
 public:
  // The events of each recorder.
  using Recorded = std::vector<net::TraceRecords>;

  // The topology must outlive this.
  explicit TraceStream(const net::Topology& topology) : topology_(topology) {}
  ~TraceStream() { abandon(); }
  TraceStream(const TraceStream&) = delete;
  TraceStream& operator=(const TraceStream&) = delete;

  // Adds a reader; called before the first push().
  void add_reader(net::TraceFilter filter, net::TraceVisit visit, net::Telling telling);
  bool has_readers() const { return !readers_.empty(); }
  // A filter that takes all events that any of the readers wants, in whole epochs.
  net::TraceFilter wanted(Time epoch) const;

  // Tells the recorded events that come before `end`, and keeps the others for the next call. It takes the events out
  // of `recorded`, and leaves empty vectors to record into. push() and finish() throw what a reader has thrown, and
  // nothing is told after that.
  void push(Recorded& recorded, Time end);
  void finish();
  // Whether nobody asks to be told between epochs.
  bool may_wait() const { return may_wait_; }
  // Calls `call` on the thread that tells readers, when all events before `now`, and no others, have been told; at once
  // if readers are told between epochs, since that has been done then. Calls must come in order of time, and before the
  // push() of later events.
  void call(Time now, std::function<void()> call);
  // Drops all events and calls that wait.
  void abandon();

  // Called after finish(): makes a flow of host src known that started before anything was recorded (TraceOrder::know).
  void know(std::uint32_t src, const host::Flow& flow, std::span<const host::QueuedMessage> messages) {
    order_.know(src, flow, messages);
  }
  template <class A>
  void archive(A& a) {
    order_.archive(a);
  }

 private:
  static constexpr std::size_t kMostWaiting = 1 << 13;

  struct Reader {
    net::TraceFilter filter;
    net::TraceVisit visit;
  };
  struct Call {
    Time time;
    std::function<void()> call;
  };
  struct Item {
    Recorded recorded;
    Time end;
    std::vector<Call> calls;
    std::size_t events() const;
  };

  Recorded room();
  void put(Item item);
  std::exception_ptr try_to_tell(Item& item);
  void tell(Item& item);
  void tell(std::span<const net::TraceEvent* const> events);
  void work();
  void join();
  void check() const;

  const net::Topology& topology_;
  std::vector<Reader> readers_;
  bool may_wait_ = true;
  const bool has_processors_ = std::thread::hardware_concurrency() > 1;
  TraceOrder order_;
  std::vector<const net::TraceEvent*> taken_;  // events that the filter of one reader takes

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Call> calls_;  // for the next item
  std::deque<Item> items_;
  std::size_t waiting_ = 0;     // events in items_
  std::vector<Recorded> free_;  // empty vectors with room
  bool ends_ = false;
  std::exception_ptr error_;
};

}  // namespace weir::engine
