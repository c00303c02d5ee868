// Clocks that are steered to a peer's, in virtual time: how well times of day agree, and what becomes of the bounds.
// The figures of docs/guides/on-hosts.md; WEIR_CLOCK_SEEDS is how many seeds, 2 unless it is set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "tests/hosts/clock_network.h"
#include "tests/hosts/clock_watch.h"

namespace weir::hosts {
namespace {

using namespace test;

// What chronyd does to a clock, as its documentation has it: a line through the last samples, whose slope becomes the
// clock's rate, and whose offset is slewed away in the time that one of the size of the samples' deviation would have,
// 1.5 intervals (corrtimeratio 3), in proportion; never faster than maxslewrate and for 1 s at least. In the first
// three updates it sets the time of day instead (makestep 1e-6 3).
class Chronyd {
 public:
  struct Settings {
    std::int64_t poll = 16 * kSecond;
    double max_slew = 83'333e-6;  // ns per ns
  };
  Chronyd(Network& network, std::size_t host, std::size_t reference, const Settings& settings)
      : network_(network), host_(host), reference_(reference), settings_(settings), next_(network.now()) {
    next_ += settings_.poll;
  }

  // To be called every second.
  void second() {
    const std::int64_t now = network_.now();
    for (const PeerClock& peer : network_.service(host_).state(now).peers) {
      if (peer.address != Network::address(reference_) || !peer.time) continue;
      if (peer.condition == ClockCondition::synchronised) {
        heard_.push_back({now, static_cast<double>(peer.time->difference) + all(now)});
      }
    }
    if (now >= next_) {
      next_ += settings_.poll;
      if (!heard_.empty()) update(now);
    } else if (slew_ != 0 && now >= slewed_) {
      slew_ = 0;
      network_.slew(host_, rate_);
    }
  }

 private:
  static constexpr std::size_t kSamples = 16;
  static constexpr int kStepsAtMost = 3;
  static constexpr double kStepFrom = 1'000;  // ns
  struct Sample {
    std::int64_t at = 0;
    double offset = 0;  // ns, against our clock as it would be without corrections
  };

  double all(std::int64_t t) const { return network_.corrected(host_, t) + stepped_; }

  void update(std::int64_t now) {
    Sample mean{heard_.front().at, 0};
    double after = 0;
    for (const Sample& s : heard_) {
      after += static_cast<double>(s.at - mean.at) / static_cast<double>(heard_.size());
      mean.offset += s.offset / static_cast<double>(heard_.size());
    }
    mean.at += std::llround(after);
    heard_.clear();
    samples_.push_back(mean);
    if (samples_.size() > kSamples) samples_.pop_front();
    if (samples_.size() < 3) return;
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    const auto n = static_cast<double>(samples_.size());
    const double base = samples_.back().offset;
    for (const Sample& s : samples_) {
      const auto t = static_cast<double>(s.at - now);
      x += t / n, y += (s.offset - base) / n;
    }
    for (const Sample& s : samples_) {
      const double t = static_cast<double>(s.at - now) - x;
      const double o = s.offset - base - y;
      xx += t * t, xy += t * o, yy += o * o;
    }
    rate_ = xy / xx;
    const double deviation = std::sqrt(std::max(1.0, (yy - rate_ * xy) / (n - 2)));
    double offset = base + y - rate_ * x - all(now);
    if (++updates_ <= kStepsAtMost && std::abs(offset) > kStepFrom) {
      stepped_ += offset;
      network_.set_time(host_, std::llround(offset));
      offset = 0;
    }
    const double poll = static_cast<double>(settings_.poll);
    const double whole = std::ceil(1.5 * poll * deviation / std::max(1.0, std::abs(offset)) * 1e-9) * 1e9;
    double time = std::max(1e9, whole);
    time = std::max(time, std::ceil(std::abs(offset) / settings_.max_slew * 1e-9) * 1e9);
    slew_ = offset / time;
    slewed_ = now + std::llround(std::min(time, 1e13));
    network_.slew(host_, rate_ + slew_);
  }

  Network& network_;
  std::size_t host_;
  std::size_t reference_;
  Settings settings_;
  std::int64_t next_;
  std::vector<Sample> heard_;  // since the last update
  std::deque<Sample> samples_;
  int updates_ = 0;
  double stepped_ = 0;
  double rate_ = 0;
  double slew_ = 0;
  std::int64_t slewed_ = 0;
};

// Three hosts, of which two follow the first.
struct Steered {
  Steered(std::uint64_t seed, const Chronyd::Settings& settings) : network(3, seed) {
    network.load(0.3);
    for (std::size_t i = 1; i < network.size(); ++i) {
      network.set_time(i, std::llround(network.random().uniform(-10e6, 10e6)));
    }
    network.run(12 * kSecond);
    for (std::size_t i = 1; i < network.size(); ++i) followers.emplace_back(network, i, 0, settings);
  }

  // Times of day from the first host's, ns.
  std::vector<double> run(std::int64_t time, Watch& watch) {
    std::vector<double> away;
    const std::int64_t end = network.now() + time;
    while (network.now() < end) {
      const std::size_t broken = watch.broken;
      network.run(kSecond, [&] {
        watch.look();
        for (std::size_t i = 1; i < network.size(); ++i) {
          const std::int64_t t = network.now();
          away.push_back(std::abs(static_cast<double>(network.time_of_day(i, t) - network.time_of_day(0, t))));
        }
        return true;
      });
      for (Chronyd& c : followers) c.second();
      if (watch.broken == broken) continue;
      if (wrong_from == 0) wrong_from = network.now() - kSecond;
      wrong_to = network.now();
    }
    return away;
  }

  // From the first to the last bound that did not hold, s.
  double wrong_for() const { return static_cast<double>(wrong_to - wrong_from) * 1e-9; }

  Network network;
  std::vector<Chronyd> followers;
  std::int64_t wrong_from = 0;
  std::int64_t wrong_to = 0;
};

TEST(ClockSteering, DifferencesOfTimesOfDayAreWithinTheirBounds) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    Network network(3, seed);
    network.load(0.3);
    network.run(12 * kSecond);
    const auto judge = [&] {
      int known = 0;
      for (std::size_t i = 0; i < network.size(); ++i) {
        for (const PeerClock& peer : network.service(i).state(network.now()).peers) {
          const std::size_t k = std::size_t{peer.address.bytes[3]} - 1;
          if (!peer.time) continue;
          ++known;
          const std::int64_t t = network.now();
          EXPECT_NEAR(static_cast<double>(peer.time->difference),
                      static_cast<double>(network.time_of_day(k, t) - network.time_of_day(i, t)),
                      static_cast<double>(peer.time->error));
          EXPECT_LT(peer.time->error, 10'000);
        }
      }
      return known;
    };
    EXPECT_EQ(judge(), 6);
    // what is set is told at once, and by others, too
    network.set_time(1, 3'600 * kSecond + 17);
    network.run(200 * kMillisecond);
    judge();
    network.run(2 * kSecond);
    EXPECT_EQ(judge(), 6);
    // of one that does not tell its own nothing is known, and it knows nothing
    network.hide_time(2);
    network.run(2 * kSecond);
    EXPECT_EQ(judge(), 2);
    for (std::size_t i = 0; i < network.size(); ++i) {
      for (const PeerClock& peer : network.service(i).state(network.now()).peers) {
        EXPECT_EQ(peer.condition, ClockCondition::synchronised);
      }
    }
  }
}

// Of a part of a run, over all seeds.
struct Part {
  explicit Part(std::string name) : what(std::move(name)) {}
  void add(Steered& steered, std::int64_t time) {
    Watch watch(steered.network, true);
    const auto more = steered.run(time, watch);
    away.insert(away.end(), more.begin(), more.end());
    total.add(watch);
  }
  void tell() const {
    total.tell(what.c_str());
    fmt::print("  times of day are away by p50 {:.0f} p99 {:.0f} max {:.0f} ns\n", percentile(away, 0.5),
               percentile(away, 0.99), percentile(away, 1));
  }
  std::string what;
  Total total;
  std::vector<double> away;
};

TEST(ClockSteering, ClocksThatChronydSteersStayWithinTheirBounds) {
  for (const bool limited : {true, false}) {
    const std::string name = limited ? "maxslewrate 0.02" : "maxslewrate as it is";
    Part begin(name + ", from the first sample on");
    Part settled(name + ", afterwards");
    Part shifted(name + ", after the reference was set by 10 us");
    std::vector<double> wrong;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      Steered steered(seed, limited ? Chronyd::Settings{16 * kSecond, 20e-9} : Chronyd::Settings{});
      begin.add(steered, 120 * kSecond);
      wrong.push_back(steered.wrong_for());
      settled.add(steered, 100 * kSecond);
      steered.network.set_time(0, 10'000);
      shifted.add(steered, 80 * kSecond);
    }
    begin.total.tell(begin.what.c_str());
    fmt::print("  bounds did not hold for p50 {:.0f} max {:.0f} s\n", percentile(wrong, 0.5), percentile(wrong, 1));
    settled.tell();
    shifted.tell();
    EXPECT_EQ(settled.total.broken, 0u);
    EXPECT_EQ(settled.total.unknown, 0u);
    EXPECT_LT(percentile(settled.away, 0.99), 2'000);
    if (limited) {
      // rates change by tens of us/s at once when they are known for the first time
      EXPECT_LT(percentile(wrong, 1), 6);
      EXPECT_EQ(shifted.total.broken, 0u);
    }
  }
}

// How far a clock's rate may jump, with which `clock.wander`.
TEST(ClockSteering, JumpsOfRatesAreInTheBoundThatWanderMakes) {
  struct Case {
    double wander;
    double jump;
  };
  for (const auto& [wander, jump] : {Case{5e-9, 50e-9}, {20e-9, 100e-9}, {100e-9, 500e-9}, {500e-9, 2'000e-9}}) {
    Total total;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      Network network(3, seed, 0, wander);
      network.load(0.3);
      network.run(12 * kSecond);
      Watch watch(network, true);
      for (int i = 0; i < 12; ++i) {
        network.slew(1, i % 2 == 0 ? jump : 0);
        watch.run(5 * kSecond);
      }
      total.add(watch);
    }
    total.tell(fmt::format("wander {:.0f}, a rate that jumps by {:.0f} ns/s", wander * 1e9, jump * 1e9).c_str());
    EXPECT_EQ(total.broken, 0u) << jump;
  }
}

}  // namespace
}  // namespace weir::hosts
