#include "weir/capture/event_pipe.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace weir::capture {
namespace {

// Adds n events, numbered from `from` on.
void add(EventPipe& pipe, std::uint64_t from, std::size_t n) {
  std::vector<net::TraceEvent> events(n);
  std::vector<const net::TraceEvent*> places;
  for (net::TraceEvent& event : events) {
    event.flow = from++;
    places.push_back(&event);
  }
  pipe.add(net::TraceEvents(places));
}

TEST(EventPipe, EventsAreSeenInOrder) {
  std::vector<std::uint64_t> seen;
  EventPipe pipe([&](std::span<const net::TraceEvent> events) {
    for (const net::TraceEvent& event : events) seen.push_back(event.flow);
  });
  std::uint64_t next = 0;
  // more than may wait, in pieces that do not divide what is handed over at a time, one of which is larger than that
  for (std::size_t i = 0; i != 200; ++i) {
    const std::size_t n = i == 100 ? 5'000 : i % 97;
    add(pipe, next, n);
    next += n;
  }
  pipe.finish();
  ASSERT_EQ(seen.size(), next);
  for (std::uint64_t i = 0; i != next; ++i) ASSERT_EQ(seen[i], i);
}

TEST(EventPipe, NothingAtAll) {
  EventPipe pipe([](std::span<const net::TraceEvent>) { FAIL(); });
  pipe.add({});
  pipe.finish();
}

TEST(EventPipe, WhatLookingThrowsComesToWhoAdds) {
  std::atomic<int> calls = 0;
  EventPipe pipe([&](std::span<const net::TraceEvent>) {
    ++calls;
    throw std::runtime_error("full");
  });
  const std::size_t many = 20'000;  // more than can wait
  EXPECT_THROW(add(pipe, 0, many), std::runtime_error);
  EXPECT_THROW(add(pipe, 0, many), std::runtime_error);
  EXPECT_THROW(pipe.finish(), std::runtime_error);
  EXPECT_GE(calls, 1);
}

TEST(EventPipe, WhatTheLastLookThrowsComesAtTheEnd) {
  EventPipe pipe([](std::span<const net::TraceEvent>) { throw std::runtime_error("full"); });
  add(pipe, 0, 3);
  EXPECT_THROW(pipe.finish(), std::runtime_error);
}

TEST(EventPipe, EndsInTheMiddle) {
  std::atomic<std::size_t> seen = 0;
  {
    EventPipe pipe([&](std::span<const net::TraceEvent> events) { seen += events.size(); });
    add(pipe, 0, 3'000);
  }
  EXPECT_LE(seen, 2'048u) << "what had not been handed over is dropped";
}

}  // namespace
}  // namespace weir::capture
