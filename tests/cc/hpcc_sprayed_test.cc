#include "weir/cc/hpcc_sprayed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "weir/base/random.h"

namespace weir::cc::hpcc_sprayed_test {
namespace {

using namespace literals;

constexpr std::int64_t kGap = 83'840;  // picoseconds between packets at 100 Gb/s

// A flow of 100 Gb/s with T = 13 us, told of packets by hand that took one path or another.
class Flow {
 public:
  explicit Flow(std::uint32_t paths) : ports_(paths) {
    facts_.line_rate = facts_.path_rate = 100_Gbps;
    facts_.base_rtt = facts_.network_rtt = 13_us;
    // Counters of different ports have nothing in common.
    for (std::uint32_t p = 0; p < paths; ++p) ports_[p].tx_bytes = std::int64_t{p} * 1'000'000'007;
    hpcc_.emplace(params_, facts_, control_);
  }

  // The next packet comes back, having crossed a port of this path that has been `load` full since the last one.
  bool ack(std::uint32_t path, double load, std::int32_t queue = 0) {
    HopTelemetry& port = ports_[path];
    const std::int64_t now = ++count_ * kGap;
    port.tx_bytes += static_cast<std::int64_t>(load * static_cast<double>(now - port.time) / 80);
    port.time = now;
    port.queue = queue;
    port.rate_mbps = 100'000;
    Telemetry records;
    records.path = path_number(path + 1);
    records.hop[0] = port;
    Ack ack;
    ack.now = ack.sent_at = {now};
    ack.seq = {1000 * count_};
    ack.snd_nxt = {1000 * count_ + 155'000};
    ack.acked = 1'000_B;
    ack.hops = 1;
    ack.telemetry = &records;
    const auto signal = hpcc_->measure(params_, facts_, ack);
    if (signal) hpcc_->react(params_, facts_, ack, *signal, control_);
    return signal.has_value();
  }

  double utilisation() const { return hpcc_->algorithm().utilisation(); }
  Bytes window() const { return control_.window; }

 private:
  Hpcc::Params params_;
  FlowFacts facts_;
  Control control_;
  std::optional<HpccSprayed> hpcc_;
  std::vector<HopTelemetry> ports_;
  std::int64_t count_ = 0;
};

TEST(HpccSprayed, ComparesRecordsOfTheSamePath) {
  Flow f(4);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_FALSE(f.ack(i, 0.5));
  for (std::uint32_t i = 0; i < 2000; ++i) EXPECT_TRUE(f.ack(i % 4, 0.5));
  EXPECT_NEAR(f.utilisation(), 0.5, 0.001);
}

TEST(HpccSprayed, MovesByTheMeanOfItsPaths) {
  Flow f(4);
  for (std::uint32_t i = 0; i < 2000; ++i) f.ack(i % 4, i % 4 == 0 ? 0.9 : 0.5);
  EXPECT_NEAR(f.utilisation(), 0.6, 0.01);
}

TEST(HpccSprayed, LeavesTheWindowWithoutASignal) {
  Flow f(4);
  const Bytes before = f.window();
  for (std::uint32_t i = 0; i < 4; ++i) f.ack(i, 1, 1'000'000);
  EXPECT_EQ(f.window(), before);
  f.ack(0, 1, 1'000'000);
  EXPECT_LT(f.window(), before);
}

// With places for 8 of 64 paths, in random order, all are measured.
TEST(HpccSprayed, MeasuresMorePathsThanItHasPlacesFor) {
  constexpr std::uint32_t kAll = 64;
  const RandomStream random(1, 0, Purpose::algorithm);
  std::uint64_t draws = 0;
  Flow f(kAll);
  std::vector<int> measured(kAll);
  int signals = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto path = static_cast<std::uint32_t>(random.below(draws++, kAll));
    const bool told = f.ack(path, path == 7 ? 1.0 : 0.8);
    measured[path] += told;
    signals += told;
  }
  EXPECT_GT(signals, 1'500);  // one in eight acknowledgements, and less for what it takes to find the next path
  EXPECT_GT(*std::min_element(measured.begin(), measured.end()), signals / 64 / 3);
  EXPECT_NEAR(f.utilisation(), 0.8, 0.05);
}

// After a failure packets take other paths: the records of those that are gone do not stand in the way for ever.
TEST(HpccSprayed, ForgetsPathsThatDoNotComeBack) {
  Flow f(40);
  for (std::uint32_t i = 0; i < 8; ++i) f.ack(i, 0.5);  // once each: no comparison
  int signals = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) signals += f.ack(8 + i % 4, 0.5);
  EXPECT_GT(signals, 900);
}

}  // namespace
}  // namespace weir::cc::hpcc_sprayed_test
