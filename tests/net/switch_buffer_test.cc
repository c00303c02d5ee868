// The shared buffer against its formulas.
#include "weir/net/switch/switch_buffer.h"

#include <gtest/gtest.h>

#include <random>

namespace weir::net {
namespace {

using namespace literals;

constexpr TrafficClass kData = TrafficClass::data;
constexpr std::int64_t kEighth = 65536 / 8;

// Takes packets of 1000 bytes until the upstream port is told to pause; returns the bytes then held. The last packet
// is the first that lies above the threshold: it is in headroom.
std::int64_t fill_until_paused(SwitchBuffer& b, std::uint32_t ingress) {
  std::int64_t bytes = 0;
  for (bool paused = false; !paused; paused = b.pause(ingress, kData)) {
    EXPECT_TRUE(b.admits(ingress, kData, 0, 1'000));
    b.take(ingress, kData, 1'000);
    bytes += 1'000;
    if (bytes > 40'000'000) ADD_FAILURE() << "never paused";
    if (bytes > 40'000'000) break;
  }
  return bytes;
}

// HPCC 5.1: with alpha = 1/8 one queue may take 1/9 of the free buffer: x = (C - x) / 8.
TEST(SwitchBuffer, ALoneQueueTakesANinth) {
  BufferParams params;
  params.size = {32'000'000 + 2'000};
  params.reserve = {};
  SwitchBuffer b(params, {{2'000, kEighth}});
  EXPECT_EQ(b.shared_capacity(), 32'000'000);
  EXPECT_EQ(fill_until_paused(b, 0), 3'556'000);  // 32,000,000 / 9 = 3,555,555.6, passed with packet 3,556
  EXPECT_EQ(b.shared_used(), 3'555'000);
  EXPECT_TRUE(b.needs_departure_events());
}

TEST(SwitchBuffer, ReservesAndHeadroomAreSetAside) {
  const BufferParams params;  // 32 MB, reserve 4096
  SwitchBuffer b(params, {{37'500, kEighth}, {37'500, kEighth}});
  EXPECT_EQ(b.shared_capacity(), 32'000'000 - 2 * (4'096 + 37'500));
  // (31,916,808 - x) / 8 = x, x = 3,546,312; and the reserve of 4096 comes first
  EXPECT_EQ(fill_until_paused(b, 0), 3'551'000);
  EXPECT_EQ(b.shared_used(), 3'550'000 - 4'096);
}

// What one queue holds lowers the threshold of another: k queues take k / (k + 8).
TEST(SwitchBuffer, QueuesShareTheBuffer) {
  BufferParams params;
  params.size = {1'000'000 + 2 * 1'000};
  params.reserve = {};
  SwitchBuffer b(params, {{1'000, kEighth}, {1'000, kEighth}});
  for (int i = 0; i < 70; ++i) {
    b.take(0, kData, 1'000);
    ASSERT_FALSE(b.pause(0, kData));
  }
  // 70,000 B held: the other pauses at x = (930,000 - x) / 8 = 103,333
  EXPECT_EQ(fill_until_paused(b, 1), 104'000);
  // and the first now at (1,000,000 - 103,000 - x) / 8 = 99,667
  for (int i = 70; i < 99; ++i) {
    b.take(0, kData, 1'000);
    ASSERT_FALSE(b.pause(0, kData)) << i;
  }
  b.take(0, kData, 1'000);
  EXPECT_TRUE(b.pause(0, kData));
  EXPECT_FALSE(b.pause(0, kData)) << "told twice";
}

class PausedIngress : public testing::Test {
 protected:
  PausedIngress() : bytes_(fill_until_paused(b_, 0)) {}
  static BufferParams params() {
    BufferParams p;
    p.size = {900'000 + 37'500 + 4'096};
    return p;
  }
  SwitchBuffer b_{params(), {{37'500, kEighth}}};
  std::int64_t bytes_;
};

TEST_F(PausedIngress, HeadroomTakesWhatIsUnderWay) {
  EXPECT_EQ(bytes_, 105'000);  // 900,000 / 9 = 100,000 and the reserve of 4096
  EXPECT_EQ(b_.pool(0, kData).headroom, 1'000);
  for (int i = 0; i < 36; ++i) {
    ASSERT_TRUE(b_.admits(0, kData, 0, 1'000));
    b_.take(0, kData, 1'000);
  }
  EXPECT_EQ(b_.pool(0, kData).headroom, 37'000);
  EXPECT_EQ(b_.pool(0, kData).bytes, 104'000);
  EXPECT_EQ(b_.shared_used(), 99'904);
  EXPECT_TRUE(b_.admits(0, kData, 0, 500));
  EXPECT_FALSE(b_.admits(0, kData, 0, 501));
  b_.take(0, kData, 500);
  EXPECT_TRUE(b_.admits(0, kData, 0, 108));  // up to the threshold of (900,000 - 99,904) / 8
  EXPECT_FALSE(b_.admits(0, kData, 0, 109));
  EXPECT_FALSE(b_.fits_upper_bound(0, kData, 0, 1));
}

TEST_F(PausedIngress, HeadroomEmptiesFirst) {
  b_.take(0, kData, 700);
  ASSERT_EQ(b_.pool(0, kData).headroom, 1'700);
  b_.release(0, kData, 1'000);
  EXPECT_EQ(b_.pool(0, kData).headroom, 700);
  EXPECT_EQ(b_.pool(0, kData).bytes, 104'000);
  b_.release(0, kData, 1'000);
  EXPECT_EQ(b_.pool(0, kData).headroom, 0);
  EXPECT_EQ(b_.pool(0, kData).bytes, 103'700);
}

TEST_F(PausedIngress, ResumesThreeKibibytesBelow) {
  // x + 3072 <= (900,000 - x) / 8: x <= 97,269.3, and x is 105,000 less n packets and the reserve: n = 4 is the first.
  for (int n = 1; n <= 3; ++n) {
    b_.release(0, kData, 1'000);
    ASSERT_FALSE(b_.resume(0, kData)) << n;
  }
  b_.release(0, kData, 1'000);
  EXPECT_TRUE(b_.resume(0, kData));
  EXPECT_FALSE(b_.resume(0, kData)) << "told twice";
  EXPECT_FALSE(b_.needs_departure_events());
}

TEST_F(PausedIngress, DoesNotResumeWhileHeadroomIsInUse) {
  b_.take(0, kData, 1'000);
  b_.take(0, kData, 1'000);
  b_.release(0, kData, 1'000);
  EXPECT_FALSE(b_.resume(0, kData));
}

TEST(SwitchBuffer, ResumesAtTheLatestWhenOnlyTheReserveIsHeld) {
  BufferParams params;
  params.size = {10'000 + 1'000 + 4'096};
  params.resume_offset = 50_KB;  // more than any threshold
  SwitchBuffer b(params, {{1'000, kEighth}});
  EXPECT_EQ(fill_until_paused(b, 0), 6'000);  // 4096 + 1111
  b.release(0, kData, 1'000);
  EXPECT_FALSE(b.resume(0, kData));
  b.release(0, kData, 1'000);
  EXPECT_TRUE(b.resume(0, kData));
}

TEST(SwitchBuffer, TheReserveIsOnesOwn) {
  BufferParams params;
  params.size = {2 * 4'096};
  SwitchBuffer b(params, {{0, kEighth}, {0, kEighth}});
  EXPECT_EQ(b.shared_capacity(), 0);
  EXPECT_TRUE(b.admits(0, kData, 0, 4'096));
  EXPECT_FALSE(b.admits(0, kData, 0, 4'097));
  b.take(0, kData, 4'000);
  EXPECT_FALSE(b.pause(0, kData));
  EXPECT_FALSE(b.admits(0, kData, 0, 97));
  EXPECT_TRUE(b.admits(1, kData, 0, 4'096));  // nothing of the other's reserve is gone
}

// A packet may lie partly in the reserve and partly in the shared part.
TEST(SwitchBuffer, APacketMayStraddleTheReserve) {
  BufferParams params;
  params.size = {8'000 + 4'096};
  SwitchBuffer b(params, {{0, kEighth}});  // threshold 1000
  EXPECT_TRUE(b.admits(0, kData, 0, 5'096));
  EXPECT_FALSE(b.admits(0, kData, 0, 5'097));
  b.take(0, kData, 5'096);
  EXPECT_EQ(b.shared_used(), 1'000);
}

// Acknowledgements of their own class are never paused, however many there are.
TEST(SwitchBuffer, ThePriorityClassPausesNobody) {
  BufferParams params;
  params.size = {20'000};
  SwitchBuffer b(params, {{0, kEighth}});
  for (int i = 0; i < 15; ++i) {
    b.take(0, TrafficClass::priority, 1'000);
    ASSERT_FALSE(b.pause(0, TrafficClass::priority));
  }
  EXPECT_FALSE(b.needs_departure_events());
}

// Lossy, alpha = 1: a queue x may grow while x <= C - x, to half of the buffer.
TEST(SwitchBuffer, LossyQueuesTakeUpToHalf) {
  BufferParams params;
  params.size = 1_MB;
  params.mode = BufferMode::lossy;
  SwitchBuffer b(params, {{0, kEighth}, {0, kEighth}});
  EXPECT_EQ(b.shared_capacity(), 1'000'000);  // nothing is set aside
  std::uint32_t queue = 0;
  for (; b.admits(queue / 1'000 % 2, kData, queue, 1'000); queue += 1'000) {
    b.take(queue / 1'000 % 2, kData, 1'000);
    ASSERT_FALSE(b.pause(queue / 1'000 % 2, kData));
  }
  EXPECT_EQ(queue, 500'000u);
  // A second queue finds half as much.
  std::uint32_t other = 0;
  for (; b.admits(0, kData, other, 1'000); other += 1'000) b.take(0, kData, 1'000);
  EXPECT_EQ(other, 250'000u);
}

TEST(SwitchBuffer, LossyAlphaSetsTheShare) {
  for (const auto& [alpha, most] : {std::pair{0.25, 200'000u}, {2.0, 667'000u}, {4.0, 800'000u}}) {
    BufferParams params;
    params.size = 1_MB;
    params.mode = BufferMode::lossy;
    params.egress_alpha = alpha;
    SwitchBuffer b(params, {{0, kEighth}});
    std::uint32_t queue = 0;
    for (; b.admits(0, kData, queue, 1'000); queue += 1'000) b.take(0, kData, 1'000);
    EXPECT_EQ(queue, most) << alpha;
  }
}

// Two buffers get the same packets, but one hears of departures late and takes the short way where that says
// "plainly": it must never decide otherwise.
class LateBuffer : public testing::TestWithParam<int> {};

TEST_P(LateBuffer, DecidesAlike) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  const auto below = [&](std::uint64_t n) { return random() % n; };
  BufferParams params;
  params.mode = below(2) == 0 ? BufferMode::lossless : BufferMode::lossy;
  params.reserve = {static_cast<std::int64_t>(below(2) * 3'000)};
  params.size = {60'000 + static_cast<std::int64_t>(below(60'000))};
  params.egress_alpha = static_cast<double>(1 + below(8)) / 4;
  std::vector<IngressLimits> limits;
  for (int i = 0; i < 4; ++i)
    limits.push_back({static_cast<std::int64_t>(below(8'000)), static_cast<std::int64_t>(65536 >> below(5))});
  SwitchBuffer exact(params, limits);
  SwitchBuffer late(params, limits);
  ASSERT_GE(exact.shared_capacity(), 0);

  struct Held {
    std::uint32_t ingress;
    std::uint32_t wire;
  };
  std::vector<Held> held;
  std::vector<Held> since_or_ack;
  std::uint32_t queued = 0;  // all leave by one port
  int plain = 0;
  int roomy = 0;
  int drops = 0;
  int pauses = 0;
  const auto report = [&] {
    for (const auto& h : since_or_ack) late.release(h.ingress, kData, h.wire);
    since_or_ack.clear();
  };
  for (int step = 0; step < 20'000; ++step) {
    const auto phase = static_cast<std::uint64_t>(step) / 2'000 % 2;  // fills, then empties
    if (below(8) < 3 + 2 * phase && !held.empty()) {
      const auto which = below(held.size());
      const Held h = held[which];
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      exact.release(h.ingress, kData, h.wire);
      queued -= h.wire;
      since_or_ack.push_back(h);
      if (late.needs_departure_events()) report();
      const bool resumed = exact.resume(h.ingress, kData);
      if (late.needs_departure_events()) {
        ASSERT_EQ(late.resume(h.ingress, kData), resumed);
      } else {
        ASSERT_FALSE(resumed);
      }
      continue;
    }
    const Held h{static_cast<std::uint32_t>(below(limits.size())), static_cast<std::uint32_t>(60 + below(1'500))};
    const bool fits = exact.admits(h.ingress, kData, queued, h.wire);
    if (late.below_thresholds(queued, h.wire)) {
      ++roomy;
      ASSERT_TRUE(fits);
      ASSERT_FALSE(late.needs_departure_events());
      ASSERT_TRUE(params.mode == BufferMode::per_port || late.fits_upper_bound(h.ingress, kData, queued, h.wire));
    }
    if (late.fits_upper_bound(h.ingress, kData, queued, h.wire)) {
      ++plain;
      ASSERT_TRUE(fits);
      exact.take(h.ingress, kData, h.wire);
      late.add_unpaused(h.ingress, kData, h.wire);
      ASSERT_FALSE(exact.pause(h.ingress, kData));
    } else {
      report();
      ASSERT_EQ(late.admits(h.ingress, kData, queued, h.wire), fits);
      if (!fits) {
        ++drops;
        continue;
      }
      exact.take(h.ingress, kData, h.wire);
      late.take(h.ingress, kData, h.wire);
      const bool paused = exact.pause(h.ingress, kData);
      pauses += paused;
      ASSERT_EQ(late.pause(h.ingress, kData), paused);
    }
    held.push_back(h);
    queued += h.wire;
    ASSERT_LE(exact.shared_used(), exact.shared_capacity() + 1'560);  // alpha > 1 may overshoot by one packet
  }
  EXPECT_GT(plain, 100);
  EXPECT_GT(roomy, 10);
  EXPECT_GT(drops + pauses, 10);

  report();
  for (std::uint32_t i = 0; i < limits.size(); ++i) {
    EXPECT_EQ(late.pool(i, kData).bytes, exact.pool(i, kData).bytes);
    EXPECT_EQ(late.pool(i, kData).headroom, exact.pool(i, kData).headroom);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, LateBuffer, testing::Range(0, 24));

}  // namespace
}  // namespace weir::net
