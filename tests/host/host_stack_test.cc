#include "weir/host/host_stack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weir/base/params.h"
#include "weir/cc/algorithm.h"

namespace weir::host {
namespace {

using namespace literals;

constexpr std::int64_t kSegmentPayload = 1'448;
constexpr std::int64_t kEndless = 1'000'000'000;

// A queue of a flow of which nothing has left, filled once.
struct Filled {
  explicit Filled(double rate, std::int64_t window = kEndless, const StackParams& p = {}) : params(p) {
    queue.start(Bytes{kSegmentPayload});
    room.window = window;
    room.limit = kEndless;
    fill(rate);
  }
  void fill(double rate, Time now = {}) { queue.fill(params, room, rate, false, now); }
  std::int64_t packets() const { return queue.waiting(room.sent) / kSegmentPayload; }

  StackParams params;
  HostStack queue;
  HostStack::Room room;
};

// Linux 4.15: a segment holds what is sent in a second >> 10, from two packets to 64 KB, which are 44 packets. More is
// handed down until more than two segments and more than that millisecond wait, or more than 262,144 B.
//   100 Mb/s   12,207 B are 8 packets; the limit is 16 of them       8, 16, 24: then 24 > 16
//   1 Mb/s     2 packets; the limit is 4                              2, 4, 6
//   1 Gb/s     122,070 B, so 44 packets; the limit 88                 44, 88, 132
//   10 Gb/s    44 packets; 1.2 MB, so 262,144 B = 181 packets         44 ... 176, 220
TEST(HostStack, KeepsFewSegmentsBelowTheSocket) {
  EXPECT_EQ(Filled(100e6).packets(), 24);
  EXPECT_EQ(Filled(1e6).packets(), 6);
  EXPECT_EQ(Filled(1e9).packets(), 132);
  EXPECT_EQ(Filled(10e9).packets(), 220);
  EXPECT_EQ(Filled(10e9, kEndless, {.segment = 16_KB}).packets(), 187);  // segments of 11 packets
  EXPECT_EQ(Filled(1e9, cc::kNoWindow.count).packets(), 132);
}

// What leaves makes room for as much.
TEST(HostStack, IsFilledAsItDrains) {
  Filled f(100e6);
  f.room.sent = 7 * kSegmentPayload;
  f.fill(100e6);
  EXPECT_EQ(f.packets(), 17);
  f.room.sent = 8 * kSegmentPayload;
  f.fill(100e6);
  EXPECT_EQ(f.packets(), 24);
}

// What waits is under way for TCP. What is left of the window is handed down once it is a segment, or a third of the
// window: with 21 packets, 7.
TEST(HostStack, FillsTheWindow) {
  Filled f(1e9, 21 * kSegmentPayload);
  EXPECT_EQ(f.packets(), 21);
  f.room.sent = 21 * kSegmentPayload;
  f.room.acknowledged = 6 * kSegmentPayload;
  f.room.in_flight = 15 * kSegmentPayload;
  f.fill(1e9);
  EXPECT_EQ(f.packets(), 0);
  f.room.acknowledged = 7 * kSegmentPayload;
  f.room.in_flight = 14 * kSegmentPayload;
  f.fill(1e9);
  EXPECT_EQ(f.packets(), 7);
}

// tcp_is_cwnd_limited: whether the window was full at some time within the last window of data.
TEST(HostStack, TellsWhetherTheWindowLimits) {
  Filled by_window(1e9, 21 * kSegmentPayload);
  EXPECT_TRUE(by_window.queue.window_limited());
  Filled by_queue(1e9, 500 * kSegmentPayload);
  EXPECT_FALSE(by_queue.queue.window_limited());
  by_queue.room.window = 132 * kSegmentPayload;
  by_queue.fill(1e9);
  EXPECT_TRUE(by_queue.queue.window_limited());
}

// Segments of two packets. The first three are handed down at 0, the fourth when the first has left. A packet that is
// sent again counts from when it leaves, and so does one whose segment is forgotten.
TEST(HostStack, RemembersWhenSegmentsWereHandedDown) {
  Filled f(1e6);
  const auto leave = [&](std::int64_t packet, Time now) {
    f.queue.on_send((packet + 1) * kSegmentPayload, Bytes{1'514}, false, now);
    f.room.sent = (packet + 1) * kSegmentPayload;
    f.fill(1e6, now);
  };
  for (const std::int64_t packet : {0, 1}) leave(packet, 5_us + packet * 1_us);
  EXPECT_EQ(f.packets(), 6);
  for (std::int64_t packet = 2; packet < 10; ++packet) leave(packet, packet * 10_us);
  const auto under_way = [&](std::int64_t packet, Time sent) {
    return f.queue.under_way(packet * kSegmentPayload, sent);
  };
  EXPECT_EQ(under_way(0, 5_us), 0_us);
  EXPECT_EQ(under_way(1, 6_us), 0_us);
  EXPECT_EQ(under_way(5, 50_us), 0_us);
  EXPECT_EQ(under_way(6, 60_us), 6_us);
  EXPECT_EQ(under_way(2, 70_us), 70_us) << "sent again";
  f.room.acknowledged = 10 * kSegmentPayload;
  f.fill(1e6, 100_us);
  EXPECT_EQ(under_way(5, 50_us), 50_us) << "forgotten";
  EXPECT_LT(under_way(10, 100_us), 100_us);
}

// The packets of a segment leave at once; the next one leaves when all of it would have been sent at the rate. The
// first ten packets are not paced. 8 packets of 1,514 B at 100 Mb/s: 968.96 us.
TEST(HostStack, PacesSegments) {
  Filled f(100e6);
  Time now = 1_us;
  std::int64_t sent = 0;
  const auto leave = [&] {
    now += 1_us;
    return f.queue.on_send(++sent * kSegmentPayload, Bytes{1'514}, true, now);
  };
  for (int i = 0; i < 8; ++i) EXPECT_EQ(leave(), now);
  const Time begun = now + 1_us;
  for (int i = 0; i < 7; ++i) EXPECT_EQ(leave(), now);
  EXPECT_EQ(leave(), begun + 968'960_ns);
}

// Three segments of 8 packets wait, the first two within the ten packets that are not paced or right behind one of
// them; each of 968.96 us. What is held later changes nothing of them, and none leaves before the one in front of it.
TEST(HostStack, FixesDeparturesOnce) {
  Filled f(100e6);
  std::vector<Time> departures;
  std::int64_t next = 0;
  const auto commit = [&](Time held) {
    f.queue.commit(held, true, 66, [&](std::int64_t first, std::int64_t size, Time departs) {
      EXPECT_EQ(first, next);
      next += size;
      departures.push_back(departs);
    });
  };
  const auto leave = [&](std::int64_t packets, Time now) {
    for (; packets > 0; --packets) {
      f.room.sent += kSegmentPayload;
      f.queue.on_send(f.room.sent, Bytes{1'514}, false, now);
    }
    f.fill(100e6, now);
  };
  commit(10_us);
  EXPECT_EQ(departures, (std::vector<Time>{10_us, 10_us, 968'960_ns}));
  commit(5_ms);
  EXPECT_EQ(departures.size(), 3u);
  EXPECT_EQ(f.queue.departs(), 10_us);
  leave(16, 10_us);
  EXPECT_EQ(f.queue.departs(), 968'960_ns);
  commit(5_ms);
  ASSERT_EQ(departures.size(), 5u);
  EXPECT_EQ(departures[3], 5_ms);
  EXPECT_EQ(departures[4], 5_ms) << "paced from 2.9 ms";
  leave(24, 5_ms);
  commit({});
  EXPECT_EQ(departures[5], 5_ms);
  EXPECT_EQ(next, f.queue.end());
}

// Reads of 64 KB, which are 45 packets of 1,448 B, two of which are under way: the third is asked for when the first
// has been answered.
TEST(HostStack, AsksForOneAnswerAfterAnother) {
  const StackParams p{.request = 64_KB, .outstanding = 2};
  EXPECT_EQ(p.asked_for(0, kSegmentPayload), 130'320);
  EXPECT_EQ(p.asked_for(65'159, kSegmentPayload), 130'320);
  EXPECT_EQ(p.asked_for(65'160, kSegmentPayload), 195'480);
  EXPECT_GT(StackParams{}.asked_for(0, kSegmentPayload), kEndless);
}

}  // namespace
}  // namespace weir::host
