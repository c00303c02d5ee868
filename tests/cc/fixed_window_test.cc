#include "weir/cc/fixed_window.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cc/snapshot.h"

namespace weir::cc::fixed_window_test {
namespace {

using namespace literals;

FlowFacts facts() {
  FlowFacts f;
  f.line_rate = 100_Gbps;
  f.path_rate = 25_Gbps;
  f.base_rtt = 8_us;
  f.network_rtt = 13_us;
  return f;
}

TEST(FixedWindow, IsTheProductOfThePathByDefault) {
  // 25e9 / 8 * 8e-6 = 25,000 B.
  Control control;
  const FixedWindow algorithm(FixedWindow::Params{}, facts(), control);
  EXPECT_EQ(control.window, 25'000_B);
  EXPECT_EQ(control.rate, 0_bps);
  EXPECT_EQ(control.timer, kNoTimer);
  EXPECT_FALSE(control.repace);
}

TEST(FixedWindow, TakesItsParameters) {
  Control control;
  const FixedWindow algorithm({.window = 64_KiB, .rate = 10_Gbps}, facts(), control);
  EXPECT_EQ(control.window, 65'536_B);
  EXPECT_EQ(control.rate, 10_Gbps);
}

TEST(FixedWindow, Snapshot) {
  const FixedWindow::Params params{.window = {}, .rate = 10_Gbps};
  Control control;
  FixedWindow algorithm(params, facts(), control);
  std::string out = "time_ps,window,rate_bps\n";
  for (const auto& row : read_stream("fixed_window")) {
    Ack ack;
    ack.now = {whole(row[0])};
    ack.seq = {whole(row[1])};
    ack.ecn = whole(row[2]) != 0;
    algorithm.on_ack(params, facts(), ack, control);
    out += fmt::format("{},{},{}\n", ack.now.ps, control.window.count, control.rate.bits_per_second);
  }
  expect_snapshot("fixed_window", out);
}

}  // namespace
}  // namespace weir::cc::fixed_window_test
