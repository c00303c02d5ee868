// Two clocks and the probes between them, made up: paths that are busy now and then, stamps that are wrong by a little,
// clocks whose drift wanders.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "hosts/clock/pair_fit.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock {

class Scenario {
 public:
  struct Numbers {
    double delay = 10'000;    // ns, the smallest one way, the same in both directions
    double noise = 20;        // ns, standard deviation of a stamp
    double jitter = 500;      // ns, mean of what every packet is late
    double busy_share = 0;    // of the time, of either direction by itself
    double busy_time = 50e6;  // ns, mean of a busy period
    double busy_delay = 1e6;  // ns, mean of what packets are late then
    double offset = 1e6;      // ns
    double drift = 20e-6;     // at first
    double wander = 0;        // per s, by which the drift changes at most
    double interval = 4e6;    // ns between probes
  };
  Scenario(const Numbers& numbers, std::uint64_t seed) : n_(numbers), random_(seed) {}

  // Numbers as they may come.
  static Numbers any(Random& random) {
    Numbers n;
    n.delay = std::exp(random.uniform(std::log(2e3), std::log(100e3)));
    n.noise = random.uniform(2, 30);
    n.jitter = std::exp(random.uniform(std::log(50), std::log(5e3)));
    n.busy_share = random.below(3) == 0 ? 0 : random.uniform(0, 0.8);
    n.busy_time = std::exp(random.uniform(std::log(1e6), std::log(300e6)));
    n.busy_delay = std::exp(random.uniform(std::log(5e3), std::log(5e6)));
    n.offset = random.uniform(-1e12, 1e12);
    n.drift = random.uniform(-30e-6, 30e-6);
    n.wander = random.uniform(0, 5e-9);
    n.interval = random.below(2) == 0 ? 4e6 : 20e6;
    return n;
  }

  // Their clock minus ours at our time t.
  double truth(std::int64_t t) const {
    // the drift goes up and down in a minute, at most as fast as it may
    const double s = static_cast<double>(t - kBegin) * 1e-9;
    const double rate = 2 * 3.14159265358979323846 / 60;
    const double swing = n_.wander / rate;  // of the drift
    return n_.offset + steps_ + 1e9 * (n_.drift * s + swing / rate * (1 - std::cos(rate * s)));
  }
  void step(double by) { steps_ += by; }

  static constexpr std::int64_t kBegin = 1'000'000'000'000;

  // The next probe of either direction, in order of time: ours (sign 1) and theirs (-1) take turns.
  struct Probe {
    Observation observation;
    int sign = 1;
  };
  Probe next() {
    sign_ = -sign_;
    if (sign_ > 0) now_ += n_.interval * random_.uniform(0.75, 1.25);
    const std::int64_t t = kBegin + std::llround(now_) + (sign_ < 0 ? 1'000 : 0);
    double late = n_.delay + random_.exponential(n_.jitter);
    const bool busy = is_busy(sign_ > 0 ? 0 : 1);
    if (busy) late += random_.exponential(n_.busy_delay);
    const double wrong = random_.normal(n_.noise) + random_.normal(n_.noise);
    return {{t, std::llround(truth(t) + sign_ * late + wrong), !busy}, sign_};
  }
  std::int64_t now() const { return kBegin + std::llround(now_); }
  Random& random() { return random_; }

 private:
  bool is_busy(std::size_t direction) {
    auto& [busy, until] = periods_[direction];
    if (n_.busy_share == 0) return false;
    while (until < now_) {
      busy = !busy;
      const double mean = busy ? n_.busy_time : n_.busy_time * (1 - n_.busy_share) / n_.busy_share;
      until += random_.exponential(mean);
    }
    return busy;
  }

  Numbers n_;
  Random random_;
  double now_ = 0;
  int sign_ = -1;
  double steps_ = 0;
  struct Period {
    bool busy = false;
    double until = 0;
  };
  std::array<Period, 2> periods_;
};

}  // namespace weir::hosts::clock
