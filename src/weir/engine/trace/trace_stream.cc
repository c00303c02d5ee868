#include "weir/engine/trace/trace_stream.h"

#include <algorithm>
#include <utility>

namespace weir::engine {

void TraceStream::add_reader(net::TraceFilter filter, net::TraceVisit visit, net::Telling telling) {
  readers_.push_back({std::move(filter), std::move(visit)});
  may_wait_ = may_wait_ && telling == net::Telling::beside;
}

net::TraceFilter TraceStream::wanted(Time epoch) const {
  net::TraceFilter all;
  // Without `started` nobody knows the flows of packets.
  unsigned kinds = net::kind_bit(net::EventKind::started);
  bool is_first = true;
  for (const Reader& reader : readers_) {
    const net::TraceFilter& f = reader.filter;
    kinds |= f.kinds;
    if ((f.kinds & ~net::kOfFlows) == 0) continue;  // recorded whatever the port and the time
    if (std::exchange(is_first, false)) {
      all = f;
      continue;
    }
    all.arrivals_at_switches = all.arrivals_at_switches || f.arrivals_at_switches;
    all.from = std::min(all.from, f.from);
    all.until = std::max(all.until, f.until);
    if (f.ports.empty()) all.ports.clear();
    for (std::size_t i = 0; i < all.ports.size(); ++i) all.ports[i] = all.ports[i] || f.ports[i];
  }
  all.kinds = static_cast<net::EventKinds>(kinds);
  // Departures of a port are settled, and so recorded, with the next event there: hence whole epochs are recorded.
  // Readers still get only what they asked for.
  all.from = all.from / epoch * epoch;
  if (all.until < Time::max() - epoch) all.until = (all.until / epoch + 1) * epoch;
  return all;
}

void TraceStream::push(Recorded& recorded, Time end) {
  Item item{.recorded = room(), .end = end, .calls = std::exchange(calls_, {})};
  item.recorded.resize(recorded.size());
  item.recorded.swap(recorded);
  put(std::move(item));
}

void TraceStream::call(Time now, std::function<void()> call) {
  if (readers_.empty() || !may_wait_) return call();
  calls_.push_back({now, std::move(call)});
}

void TraceStream::finish() {
  join();
  check();
}

void TraceStream::abandon() {
  {
    const std::lock_guard lock(mutex_);
    items_.clear();
    calls_.clear();
    waiting_ = 0;
  }
  join();
}

void TraceStream::join() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  ends_ = false;
}

void TraceStream::put(Item item) {
  if (!may_wait_ || !has_processors_) {
    check();
    error_ = try_to_tell(item);
    check();
    return;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ < kMostWaiting || error_; });
    check();
    waiting_ += item.events();
    items_.push_back(std::move(item));
  }
  changed_.notify_all();
}

void TraceStream::check() const {
  if (error_) std::rethrow_exception(error_);
}

TraceStream::Recorded TraceStream::room() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return {};
  Recorded out = std::move(free_.back());
  free_.pop_back();
  return out;
}

void TraceStream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !items_.empty() || ends_; });
    if (items_.empty() || error_) return;
    Item item = std::move(items_.front());
    items_.pop_front();
    waiting_ -= item.events();
    lock.unlock();
    changed_.notify_all();
    std::exception_ptr error = try_to_tell(item);
    lock.lock();
    error_ = std::move(error);
    if (error_) changed_.notify_all();  // whoever waits in put()
  }
}

std::exception_ptr TraceStream::try_to_tell(Item& item) {
  try {
    tell(item);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

void TraceStream::tell(Item& item) {
  std::span<const net::TraceEvent* const> events = order_.collect(item.recorded, item.end);
  for (const Call& call : item.calls) {
    const auto later = std::partition_point(events.begin(), events.end(),
                                            [&](const net::TraceEvent* event) { return event->time < call.time; });
    const auto before = static_cast<std::size_t>(later - events.begin());
    tell(events.first(before));
    call.call();
    events = events.subspan(before);
  }
  tell(events);
  for (auto& of_recorder : item.recorded) of_recorder.clear();
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(item.recorded));
}

void TraceStream::tell(std::span<const net::TraceEvent* const> in_order) {
  if (in_order.empty()) return;
  const net::TraceEvents events(in_order);
  const net::EventKinds kinds = order_.kinds();
  const auto is_of_packets = [](const Reader& r) { return (r.filter.kinds & ~net::kOfFlows) != 0; };
  // if only one reader asks for events of packets, only those at its ports are recorded
  const bool is_only_one = std::count_if(readers_.begin(), readers_.end(), is_of_packets) == 1;
  const bool arrive_at_switches = std::any_of(readers_.begin(), readers_.end(), [&](const Reader& r) {
    return is_of_packets(r) && r.filter.arrivals_at_switches;
  });
  for (const Reader& reader : readers_) {
    const net::TraceFilter& filter = reader.filter;
    if ((kinds & filter.kinds) == 0) continue;
    const bool takes_kinds = filter.passes_over_others || (kinds & ~filter.kinds) == 0;
    const bool takes_ports = is_only_one || !is_of_packets(reader) ||
                             (filter.ports.empty() && (filter.arrivals_at_switches || !arrive_at_switches));
    if (takes_kinds && takes_ports && events.front().time >= filter.from && events.back().time < filter.until) {
      reader.visit(events);
      continue;
    }
    taken_.clear();
    for (const net::TraceEvent& event : events)
      if (filter.takes(event) && (filter.arrivals_at_switches || event.kind != net::EventKind::arrived ||
                                  topology_.port_peer(event.port) < topology_.hosts))
        taken_.push_back(&event);
    if (!taken_.empty()) reader.visit(net::TraceEvents(taken_));
  }
}

std::size_t TraceStream::Item::events() const {
  std::size_t n = 0;
  for (const auto& of_recorder : recorded) n += of_recorder.size();
  return n;
}

}  // namespace weir::engine
