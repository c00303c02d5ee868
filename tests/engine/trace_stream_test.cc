#include "weir/engine/trace/trace_stream.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "weir/net/model/topology.h"

namespace weir::engine {
namespace {

using net::Telling;

constexpr net::EventKind kKind = net::EventKind::paused;

// Pushes n events, numbered by their windows, at 1, 2, ... ps after the last; returns the next number.
std::int64_t push(TraceStream& stream, std::int64_t from, std::int64_t n) {
  TraceStream::Recorded recorded(2);
  for (std::int64_t i = from; i < from + n; ++i) {
    net::TraceEvent& event = recorded[static_cast<std::size_t>(i % 2)].events.emplace_back();
    event.kind = kKind;
    event.time = Time{i};
    event.window = Bytes{i};
  }
  stream.push(recorded, Time{from + n});
  for (const auto& of_recorder : recorded) EXPECT_TRUE(of_recorder.empty());
  return from + n;
}

class TraceStreams : public testing::TestWithParam<Telling> {
 protected:
  void read(net::TraceVisit visit) { stream_.add_reader({}, std::move(visit), GetParam()); }

  net::Topology topology_;
  TraceStream stream_{topology_};
};

TEST_P(TraceStreams, EventsComeInOrder) {
  std::vector<std::int64_t> seen;
  read([&](net::TraceEvents events) {
    for (const net::TraceEvent& event : events) seen.push_back(event.window.count);
  });
  std::int64_t next = 0;
  // More than may wait.
  for (std::int64_t i = 0; i != 3'000; ++i) {
    next = push(stream_, next, i == 100 ? 150'000 : i % 97);
    if (i % 1'000 == 500) stream_.finish();
  }
  stream_.finish();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(next));
  for (std::size_t i = 0; i != seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<std::int64_t>(i));
}

TEST_P(TraceStreams, WhatComesLaterIsKept) {
  std::vector<std::int64_t> seen;
  read([&](net::TraceEvents events) {
    for (const net::TraceEvent& event : events) seen.push_back(event.window.count);
  });
  TraceStream::Recorded recorded(1);
  recorded[0].events.resize(2);
  for (net::TraceEvent& event : recorded[0].events) event.kind = kKind;
  recorded[0].events[0].time = Time{20};
  recorded[0].events[0].window = Bytes{1};
  recorded[0].events[1].time = Time{5};
  stream_.push(recorded, Time{10});
  stream_.finish();
  EXPECT_EQ(seen, std::vector<std::int64_t>{0});
  recorded.assign(1, {});
  stream_.push(recorded, Time{30});
  stream_.finish();
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1}));
}

TEST_P(TraceStreams, CallsComeWhenAllBeforeThemHasBeenTold) {
  std::vector<std::int64_t> seen;
  read([&](net::TraceEvents events) {
    for (const net::TraceEvent& event : events) seen.push_back(event.window.count);
  });
  const auto look = [&] { seen.push_back(-1); };
  stream_.call(Time{0}, look);
  push(stream_, 0, 2);
  stream_.call(Time{2}, look);
  if (stream_.may_wait()) stream_.call(Time{4}, look);  // what comes before has not been told
  push(stream_, 2, 4);
  stream_.call(Time{6}, look);
  stream_.call(Time{6}, look);
  push(stream_, 6, 0);
  stream_.finish();
  std::vector<std::int64_t> expected{-1, 0, 1, -1, 2, 3, 4, 5, -1, -1};
  if (stream_.may_wait()) expected.insert(expected.begin() + 6, -1);
  EXPECT_EQ(seen, expected);
}

TEST_P(TraceStreams, WhatAReaderThrowsComesOut) {
  int calls = 0;
  read([&](net::TraceEvents) {
    ++calls;
    throw std::runtime_error("full");
  });
  const auto push_many = [&] {
    for (std::int64_t i = 0; i < 10; ++i) push(stream_, i * 100'000, 100'000);
    stream_.finish();
  };
  EXPECT_THROW(push_many(), std::runtime_error);
  EXPECT_THROW(stream_.finish(), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST_P(TraceStreams, NothingIsToldOnceItIsAbandoned) {
  std::size_t seen = 0;
  read([&](net::TraceEvents events) { seen += events.size(); });
  push(stream_, 0, 1'000);
  stream_.abandon();
  const std::size_t before = seen;
  stream_.finish();
  EXPECT_EQ(seen, before);
}

INSTANTIATE_TEST_SUITE_P(, TraceStreams, testing::Values(Telling::between_epochs, Telling::beside),
                         [](const auto& info) { return info.param == Telling::beside ? "Beside" : "BetweenEpochs"; });

TEST(TraceStreamThread, IsTheRunsOwnUnlessAllReadersAllowAnother) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  const net::Topology topology;
  for (const bool both : {false, true}) {
    TraceStream stream(topology);
    std::thread::id beside;
    stream.add_reader(
        {}, [&](net::TraceEvents) { beside = std::this_thread::get_id(); }, Telling::beside);
    if (!both)
      stream.add_reader(
          {}, [](net::TraceEvents) {}, Telling::between_epochs);
    push(stream, 0, 1);
    stream.finish();
    EXPECT_EQ(beside != std::this_thread::get_id(), both);
  }
}

}  // namespace
}  // namespace weir::engine
