#include "weir/cc/dcqcn.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/cc/preset.h"
#include "tests/cc/snapshot.h"

namespace weir::cc::dcqcn_test {
namespace {

using namespace literals;

FlowFacts facts() {
  FlowFacts f;
  f.line_rate = 100_Gbps;
  f.path_rate = 100_Gbps;
  f.base_rtt = 12_us;
  f.network_rtt = 13_us;
  return f;
}

// One flow and the transport's part: timers are delivered when they are due.
struct Flow {
  explicit Flow(const Dcqcn::Params& p, const FlowFacts& f = facts()) : params(p), flow(f), dcqcn(p, f, control) {}

  void run_timers(Time until) {
    while (control.timer <= until) {
      ++timers;
      dcqcn.on_timer(params, flow, control.timer, control);
    }
  }
  void cnp(Time t) {
    run_timers(t);
    dcqcn.on_cnp(params, flow, t, control);
  }
  void send(Time t, Bytes wire) {
    run_timers(t);
    dcqcn.on_send(params, flow, {.now = t, .wire = wire}, control);
  }
  double gbps() const { return static_cast<double>(control.rate.bits_per_second) * 1e-9; }
  double target_gbps() const { return static_cast<double>(dcqcn.target_rate().bits_per_second) * 1e-9; }

  Dcqcn::Params params;
  FlowFacts flow;
  Control control;
  Dcqcn dcqcn;
  int timers = 0;
};

constexpr double kBit = 2e-9;  // two bits per second, in Gb/s

TEST(Dcqcn, StartsAtLineRateAndAsksForNothing) {
  const Flow f(preset<Dcqcn>("hpcc"));
  EXPECT_EQ(f.control.rate, 100_Gbps);
  EXPECT_EQ(f.control.window, kNoWindow);
  EXPECT_EQ(f.control.timer, kNoTimer);
  EXPECT_FALSE(f.control.repace);
}

TEST(Dcqcn, StateIsSmall) { EXPECT_LE(sizeof(Dcqcn), 80u); }

// Periodic form. The first CNP, at 10 us, sets alpha = 1 and does not cut. At the first check, 14 us, alpha has seen
// four ticks without a CNP: 1 - (255/256)^4 / 2 = 0.507767..., R_C = 50.776... Gb/s, and R_T stays at 100. After T_i =
// 300 us: fast recovery (F = 1), R_C = (50.776 + 100) / 2. Then R_T is at line rate: R_C halves its distance to it.
TEST(Dcqcn, VendorFormByHand) {
  Flow f(preset<Dcqcn>("hpcc"));
  f.cnp(10_us);
  EXPECT_EQ(f.control.rate, 100_Gbps);
  EXPECT_EQ(f.control.timer, 14_us);
  f.run_timers(14_us);
  const double first = 100 * (1 - std::pow(255.0 / 256, 4) / 2);
  EXPECT_NEAR(f.gbps(), first, kBit);
  EXPECT_NEAR(f.target_gbps(), 100, kBit);
  EXPECT_EQ(f.control.timer, 314_us);
  f.run_timers(314_us);
  EXPECT_NEAR(f.gbps(), (first + 100) / 2, kBit);
  f.run_timers(614_us);
  EXPECT_NEAR(f.gbps(), (first + 300) / 4, kBit);
  // A CNP at 616.5 us: the ticks of alpha are at 617 us, which has seen it, and 618 us = 10 + 152 * 4, the check.
  // alpha = ((255/256)^607 * 255/256 + 1/256) * ... in order: 606 ticks up to 616 us, then 617 with, 618 without it.
  f.cnp(616'500_ns);
  EXPECT_EQ(f.control.timer, 618_us);
  const double before = (first + 300) / 4;
  const double alpha = (std::pow(255.0 / 256, 606) * 255 / 256 + 1.0 / 256) * 255 / 256;
  f.run_timers(618_us);
  EXPECT_NEAR(f.dcqcn.alpha(), alpha, 1e-12);
  EXPECT_NEAR(f.gbps(), before * (1 - alpha / 2), 2 * kBit);
  EXPECT_NEAR(f.target_gbps(), before, 2 * kBit);  // the timer had raised the rate: the target is lowered
  EXPECT_EQ(f.control.timer, 918_us);
}

// Additive and hyper increase at 100 Gb/s: 5 and 50 Mb/s per 25 Gb/s of NIC speed are 20 and 200 Mb/s.
TEST(Dcqcn, VendorFormIncreases) {
  auto params = preset<Dcqcn>("hpcc");
  params.clamp_target = true;
  params.g = 0;  // alpha stays 1: every cut halves
  Flow f(params);
  f.cnp(0_us);
  f.run_timers(4_us);  // 50, target 100
  f.cnp(5_us);
  f.run_timers(8_us);  // 25, target 50
  EXPECT_NEAR(f.gbps(), 25, kBit);
  EXPECT_NEAR(f.target_gbps(), 50, kBit);
  f.run_timers(308_us);  // fast recovery: 37.5
  EXPECT_NEAR(f.gbps(), 37.5, kBit);
  f.run_timers(608_us);  // additive: target 50.02, (37.5 + 50.02) / 2
  EXPECT_NEAR(f.target_gbps(), 50.02, kBit);
  EXPECT_NEAR(f.gbps(), 43.76, kBit);
  f.run_timers(908_us);  // hyper: target 50.22, (43.76 + 50.22) / 2
  EXPECT_NEAR(f.target_gbps(), 50.22, kBit);
  EXPECT_NEAR(f.gbps(), 46.99, kBit);
  f.run_timers(1'208_us);  // hyper again by the same step
  EXPECT_NEAR(f.target_gbps(), 50.42, kBit);
}

TEST(Dcqcn, StepsScaleOnlyWithTheNicsTheyAreGivenFor) {
  const auto target_after_additive = [](Rate scale, Rate line) {
    auto params = preset<Dcqcn>("hpcc");
    params.scale_rate = scale;
    params.clamp_target = true;
    params.g = 0;
    auto f = facts();
    f.line_rate = line;
    Flow flow(params, f);
    flow.cnp(0_us);
    flow.cnp(5_us);
    flow.run_timers(608_us);
    return flow.dcqcn.target_rate() - line / 2;
  };
  EXPECT_EQ(target_after_additive(25_Gbps, 25_Gbps), 5_Mbps);
  EXPECT_EQ(target_after_additive(25_Gbps, 400_Gbps), 80_Mbps);
  EXPECT_EQ(target_after_additive(0_bps, 400_Gbps), 5_Mbps);
}

// T_i = 300 us is 75 T_d: a check and an increase fall on one instant, and the increase comes first. Then the cut
// finds a raised rate, and lowers the target to it.
TEST(Dcqcn, IncreasePrecedesTheCheckOfTheSameInstant) {
  Flow f(preset<Dcqcn>("hpcc"));
  f.cnp(0_us);
  f.run_timers(4_us);
  f.cnp(303_us);
  ASSERT_EQ(f.control.timer, 304_us);
  f.run_timers(304_us);
  const double first = 100 * (1 - std::pow(255.0 / 256, 4) / 2);
  EXPECT_NEAR(f.target_gbps(), (first + 100) / 2, kBit);
  EXPECT_LT(f.gbps(), f.target_gbps());
}

// SIGCOMM'15. A CNP cuts at once: R_T = R_C = 100, R_C = 100 (1 - 1/2), alpha = 255/256 + 1/256 = 1.
// 55 us later, without another CNP: T = 1 < F: R_C = 75; alpha = 255/256 by then.
TEST(Dcqcn, PaperFormByHand) {
  Flow f(preset<Dcqcn>("paper"));
  f.cnp(10_us);
  EXPECT_NEAR(f.gbps(), 50, kBit);
  EXPECT_NEAR(f.target_gbps(), 100, kBit);
  EXPECT_EQ(f.control.timer, 65_us);
  f.run_timers(65_us);
  EXPECT_NEAR(f.gbps(), 75, kBit);
  // The next CNP, at 80 us: R_T = 75, R_C = 75 (1 - 255/512), alpha = (255/256)^2 + 1/256.
  f.cnp(80_us);
  EXPECT_NEAR(f.target_gbps(), 75, kBit);
  EXPECT_NEAR(f.gbps(), 75 * (1 - 255.0 / 512), kBit);
  EXPECT_NEAR(f.dcqcn.alpha(), 255.0 / 256 * 255 / 256 + 1.0 / 256, 1e-15);
  EXPECT_EQ(f.control.timer, 135_us);
}

// Figure 7 with the timer alone (no bytes are sent): T = 1 to 4 recover, then T >= F adds R_AI = 40 Mb/s. BC = 0, so
// that min(T, BC) never exceeds F and there is no hyper increase.
TEST(Dcqcn, PaperFormTimerAlone) {
  auto params = preset<Dcqcn>("paper");
  params.g = 0;
  Flow f(params);
  f.cnp(0_us);
  f.cnp(1_us);  // R_T = 50, R_C = 25
  double rate = 25;
  for (int t = 1; t <= 4; ++t) {
    f.run_timers(1_us + t * 55_us);
    rate = (rate + 50) / 2;
    EXPECT_NEAR(f.gbps(), rate, kBit);
    EXPECT_NEAR(f.target_gbps(), 50, kBit);
  }
  for (int t = 5; t <= 20; ++t) {
    f.run_timers(1_us + t * 55_us);
    EXPECT_NEAR(f.target_gbps(), 50 + 0.04 * (t - 4), kBit);
  }
}

// The byte counter alone: every 10 MB count as a stage; timer and counter together reach hyper increase, whose i-th
// step is i R_HAI.
TEST(Dcqcn, PaperFormByteCounter) {
  auto params = preset<Dcqcn>("paper");
  params.g = 0;
  params.t_i = 1_s;  // out of the way
  Flow f(params);
  f.send(0_us, 9'999'999_B);  // before the first CNP nothing counts
  f.cnp(1_us);
  f.cnp(2_us);  // R_T = 50, R_C = 25
  f.send(3_us, 9'999'999_B);
  EXPECT_NEAR(f.gbps(), 25, kBit);
  f.send(4_us, 1_B);
  EXPECT_NEAR(f.gbps(), 37.5, kBit);
  for (int i = 0; i < 3; ++i) f.send(5_us, 10'000'000_B);
  EXPECT_NEAR(f.target_gbps(), 50, kBit);
  f.send(6_us, 10'000'000_B);  // BC = 5
  EXPECT_NEAR(f.target_gbps(), 50.04, kBit);

  params.t_i = 10_us;
  Flow g(params);
  g.cnp(0_us);
  g.cnp(1_us);
  for (int i = 1; i <= 5; ++i) g.send(2_us, 10'000'000_B);  // BC = 5, T = 0: one additive step
  g.run_timers(51_us);                                      // T = 1 to 5: max(T, BC) = F, five more
  EXPECT_NEAR(g.target_gbps(), 50.24, kBit);
  g.send(52_us, 10'000'000_B);  // BC = 6, T = 5: min = F, additive
  EXPECT_NEAR(g.target_gbps(), 50.28, kBit);
  g.run_timers(61_us);  // T = 6: min = 6 > F: + 200 Mb/s
  EXPECT_NEAR(g.target_gbps(), 50.48, kBit);
  g.run_timers(71_us);  // T = 7, BC = 6: i = 1 still
  EXPECT_NEAR(g.target_gbps(), 50.68, kBit);
  g.send(72_us, 10'000'000_B);  // BC = 7: i = 2: + 400 Mb/s
  EXPECT_NEAR(g.target_gbps(), 51.08, kBit);
}

TEST(Dcqcn, RateStaysAboveItsMinimum) {
  auto params = preset<Dcqcn>("hpcc");
  params.g = 0;
  Flow f(params);
  for (int i = 0; i < 100; ++i) f.cnp(i * 4_us + 1_us);
  EXPECT_EQ(f.control.rate, 1_Gbps);
  // A NIC slower than the minimum is not sped up by it.
  auto slow = facts();
  slow.line_rate = 500_Mbps;
  Flow g(params, slow);
  g.cnp(1_us);
  g.run_timers(5_us);
  EXPECT_EQ(g.control.rate, 500_Mbps);
}

// Once at line rate again there is nothing to do until the next CNP.
TEST(Dcqcn, TimersRestAtLineRate) {
  for (const auto& name : {"hpcc", "vendor", "paper", "55-50", "300-4", "900-4"}) {
    Flow f(preset<Dcqcn>(name));
    f.cnp(10_us);
    f.run_timers(10_s);
    EXPECT_EQ(f.control.rate, 100_Gbps) << name;
    EXPECT_EQ(f.control.timer, kNoTimer) << name;
    EXPECT_LT(f.timers, 60) << name;
  }
}

TEST(Dcqcn, Windows) {
  auto params = preset<Dcqcn>("hpcc");
  params.window.kind = RateWindow::Kind::variable;
  Flow f(params);
  EXPECT_EQ(f.control.window, 162'500_B);  // 100e9 / 8 * 13e-6
  f.cnp(10_us);
  f.run_timers(14_us);
  EXPECT_EQ(f.control.window, bytes_in(13_us, f.control.rate));
  EXPECT_LT(f.control.window, 83'000_B);

  params.window.kind = RateWindow::Kind::bdp;
  params.window.base_rtt = 9_us;
  Flow g(params);
  g.cnp(10_us);
  g.run_timers(14_us);
  EXPECT_LT(g.control.rate, 100_Gbps);
  EXPECT_EQ(g.control.window, 112'500_B);
}

TEST(Dcqcn, WhatItAsksOfTheReceiver) {
  const auto paper = Dcqcn::receiver(preset<Dcqcn>("paper"));
  EXPECT_TRUE(paper.cnp && paper.cnp_packet);
  EXPECT_EQ(paper.cnp_interval, 50_us);
  const auto hpcc = Dcqcn::receiver(preset<Dcqcn>("hpcc"));
  EXPECT_TRUE(hpcc.cnp && !hpcc.cnp_packet);
  EXPECT_EQ(hpcc.cnp_interval, 0_us);
}

// The same algorithm with an event for every tick of every timer, as simulators and network cards have it.
class Eager {
 public:
  Eager(const Dcqcn::Params& p, const FlowFacts& f) : p_(p), f_(f), rate_(f.line_rate), target_(f.line_rate) {}

  // At one instant: alpha, then the increase, then the check, then whatever comes from outside.
  void advance(Time now) {
    for (;;) {
      const Time next = std::min({alpha_at_, increase_at_, check_at_});
      if (next > now) return;
      if (alpha_at_ == next) {
        alpha_at_ += p_.t_alpha;
        alpha_ = (1 - p_.g) * alpha_ + (alpha_cnp_ ? p_.g : 0);
        alpha_cnp_ = false;
      } else if (increase_at_ == next) {
        increase_at_ += p_.t_i;
        expire(time_stage_);
      } else {
        check_at_ += p_.t_d;
        if (decrease_cnp_) cut(next);
        decrease_cnp_ = false;
      }
    }
  }
  void cnp(Time now) {
    advance(now);
    const bool first = !started_;
    started_ = true;
    if (p_.rate_decrease == Dcqcn::Decrease::on_cnp) {
      if (first) alpha_ = p_.initial_alpha;
      cut(now);
      alpha_ = (1 - p_.g) * alpha_ + p_.g;
      alpha_at_ = now + p_.t_alpha;
      return;
    }
    alpha_cnp_ = decrease_cnp_ = true;
    if (!first) return;
    alpha_ = p_.initial_alpha;
    alpha_cnp_ = false;
    alpha_at_ = now + p_.t_alpha;
    check_at_ = now + p_.t_d;
  }
  void send(Time now, Bytes wire) {
    advance(now);
    sent_ += wire;
    if (p_.byte_counter.count == 0 || sent_ < p_.byte_counter) return;
    sent_ -= p_.byte_counter;
    expire(byte_stage_);
  }
  Rate rate() const { return rate_; }
  Rate target() const { return target_; }
  int changes() const { return changes_; }

 private:
  void cut(Time now) {
    ++changes_;
    if (p_.clamp_target || time_stage_ > 0) target_ = rate_;
    const auto less = static_cast<std::int64_t>(static_cast<double>(rate_.bits_per_second) * (1 - alpha_ / 2));
    rate_ = std::min(rate_, std::max(p_.r_min, Rate{less}));
    time_stage_ = byte_stage_ = 0;
    sent_ = {};
    increase_at_ = now + p_.t_i;
  }
  void expire(int& stage) {
    if (rate_ < f_.line_rate) ++changes_;
    if (p_.count_first) ++stage;
    const int bytes = p_.byte_counter.count > 0 ? byte_stage_ : time_stage_;
    const int most = std::max(time_stage_, bytes);
    const int least = std::min(time_stage_, bytes);
    if (!p_.count_first) ++stage;
    const auto step = [&](Rate r) {
      const auto factor = p_.scale_rate.bits_per_second == 0
                              ? 1.0L
                              : static_cast<long double>(f_.line_rate.bits_per_second) / p_.scale_rate.bits_per_second;
      return Rate{static_cast<std::int64_t>(static_cast<long double>(r.bits_per_second) * factor)};
    };
    if (most < p_.fast_recovery) {
    } else if (least > p_.fast_recovery) {
      const int i = p_.hyper_increase == Dcqcn::Hyper::growing ? least - p_.fast_recovery : 1;
      target_ = target_ + step(p_.r_hai) * i;
    } else {
      target_ = target_ + step(p_.r_ai);
    }
    target_ = std::min(target_, f_.line_rate);
    rate_ = {(rate_.bits_per_second + target_.bits_per_second + 1) / 2};
  }

  const Dcqcn::Params& p_;
  const FlowFacts& f_;
  Rate rate_;
  Rate target_;
  double alpha_ = 1;
  bool started_ = false;
  bool alpha_cnp_ = false;
  bool decrease_cnp_ = false;
  Time alpha_at_ = kNoTimer;
  Time increase_at_ = kNoTimer;
  Time check_at_ = kNoTimer;
  Bytes sent_;
  int time_stage_ = 0;
  int byte_stage_ = 0;
  int changes_ = 0;
};

enum class Timers { on_time, after_what_happens_then, never };

// Random streams of CNPs and packets through both machines. The only difference allowed is the rounding of alpha's
// decay, which the lazy one takes in one power.
void compare(const Dcqcn::Params& params, Timers timers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  const auto f = facts();
  Eager eager(params, f);
  Flow lazy(params, f);
  Time now = 1_us;
  const Time grid[] = {params.t_d, params.t_alpha, params.t_i};
  for (int event = 0; event < 400; ++event) {
    // Dense, sparse, or a multiple of one of the timers, to hit the grids exactly.
    switch (below(4)) {
      case 0: now += Time{below((2_us).ps)}; break;
      case 1: now += Time{below((80_us).ps)}; break;
      case 2: now += Time{below((700_us).ps)}; break;
      case 3: now += grid[below(3)] * below(4); break;
    }
    if (timers == Timers::on_time) lazy.run_timers(now);
    if (timers == Timers::after_what_happens_then) lazy.run_timers(now - Time{1});
    const bool packet = below(3) == 0;
    if (packet) {
      const Bytes wire{below(4'000'000)};
      eager.send(now, wire);
      lazy.dcqcn.on_send(lazy.params, f, {.now = now, .wire = wire}, lazy.control);
    } else {
      eager.cnp(now);
      lazy.dcqcn.on_cnp(lazy.params, f, now, lazy.control);
    }
    if (timers == Timers::after_what_happens_then) lazy.run_timers(now);
    if (timers != Timers::never || !packet || params.byte_counter.count > 0) {
      const auto want = static_cast<double>(eager.rate().bits_per_second);
      ASSERT_NEAR(static_cast<double>(lazy.control.rate.bits_per_second), want, want * 1e-9) << "event " << event;
      ASSERT_NEAR(static_cast<double>(lazy.dcqcn.target_rate().bits_per_second),
                  static_cast<double>(eager.target().bits_per_second), 1e3);
    }
  }
  // No timer was in vain: each of them cut or raised the rate.
  EXPECT_LE(lazy.timers, eager.changes());
}

TEST(Dcqcn, LazyTimersAreTheEagerOnes) {
  std::vector<Dcqcn::Params> sets;
  for (const auto& p : Dcqcn::presets()) {
    sets.push_back(preset<Dcqcn>(p.name));
    sets.push_back(sets.back());
    sets.back().clamp_target = !sets.back().clamp_target;
    sets.push_back(sets.back());
    sets.back().byte_counter = 3_MB;
    sets.back().count_first = !sets.back().count_first;
  }
  std::uint64_t seed = 1;
  for (const auto& params : sets) {
    for (const auto timers : {Timers::on_time, Timers::after_what_happens_then, Timers::never}) {
      for (int i = 0; i < 4; ++i) compare(params, timers, seed++);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Dcqcn, Snapshot) {
  for (const auto& name : {"hpcc", "paper", "vendor", "55-50"}) {
    auto params = preset<Dcqcn>(name);
    params.window.kind = RateWindow::Kind::variable;
    Flow f(params);
    std::string out = "time_ps,event,window,rate_bps,timer_ps\n";
    const auto record = [&](Time t, std::string_view event) {
      const auto timer = f.control.timer == kNoTimer ? "" : std::to_string(f.control.timer.ps);
      out +=
          fmt::format("{},{},{},{},{}\n", t.ps, event, f.control.window.count, f.control.rate.bits_per_second, timer);
    };
    for (const auto& row : read_stream("dcqcn")) {
      const Time t{whole(row[0])};
      while (f.control.timer <= t) {
        const Time due = f.control.timer;
        f.dcqcn.on_timer(f.params, f.flow, due, f.control);
        record(due, "timer");
      }
      if (row[1] == "cnp") f.dcqcn.on_cnp(f.params, f.flow, t, f.control);
      if (row[1] == "send") f.dcqcn.on_send(f.params, f.flow, {.now = t, .wire = {whole(row[2])}}, f.control);
      record(t, row[1]);
    }
    expect_snapshot(fmt::format("dcqcn_{}", name), out);
  }
}

}  // namespace
}  // namespace weir::cc::dcqcn_test
