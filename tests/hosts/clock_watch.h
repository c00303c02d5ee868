// Judges what hosts of a network in virtual time know of each other's clocks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "tests/hosts/clock_network.h"

namespace weir::hosts::test {

inline constexpr std::int64_t kHorizon = kSecond / 2;
inline constexpr std::int64_t kAheadMost = 2 * kSecond;

// WEIR_CLOCK_SEEDS, 2 unless it is set.
inline std::uint64_t seeds() {
  const char* given = std::getenv("WEIR_CLOCK_SEEDS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 2;
}

// What is known of other hosts' clocks, and what of it is right.
struct Watch {
  // What lines say of later times is judged at once, or where `waits` when those have come: then clocks may be slewed
  // meanwhile.
  explicit Watch(Network& watched, bool waits = false) : network(watched), before(steps()), waits_(waits) {}

  Network& network;
  std::uint64_t before;  // steps
  std::vector<double> ahead;
  std::vector<double> sigma;
  std::size_t bounds = 0;
  std::size_t broken = 0;
  std::size_t unknown = 0;
  double worst = 0;            // error over bound
  double least_broken = 1e18;  // ns, the smallest bound that did not hold

  std::uint64_t steps() const {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < network.size(); ++i) {
      if (!network.runs(i)) continue;
      for (const PeerClock& p : network.service(i).state(network.now()).peers) out += p.steps;
    }
    return out;
  }

  void look() {
    const std::int64_t now = network.now();
    for (std::size_t i = 0; i < network.size(); ++i) {
      for (std::size_t k = 0; k < network.size(); ++k) {
        if (i == k || !network.runs(i)) continue;
        const auto line = network.service(i).line(Network::address(k), now, kHorizon);
        const auto later = network.service(i).line(Network::address(k), now, kAheadMost);
        if (!line || !later) {
          ++unknown;
          continue;
        }
        sigma.push_back(static_cast<double>(line->sigma));
        judge(std::abs(network.error(*line, i, k, now)), *line);
        soon_.push_back({now + kHorizon, i, k, *line});
        later_.push_back({now + kAheadMost, i, k, *later});
      }
    }
    while (!soon_.empty() && (!waits_ || soon_.front().due <= now)) keep(soon_);
    while (!later_.empty() && (!waits_ || later_.front().due <= now)) ahead.push_back(keep(later_));
  }
  void judge(double error, const ClockLine& line) {
    const double over = error / static_cast<double>(line.sigma);
    ++bounds;
    broken += over > 1;
    if (over > 1) least_broken = std::min(least_broken, static_cast<double>(line.sigma));
    worst = std::max(worst, over);
  }
  void run(std::int64_t time) {
    network.run(time, [&] { return look(), true; });
  }
  std::string text() const {
    return fmt::format(
        "2 s ahead p50 {:.0f} p99 {:.0f} max {:.0f} ns; bound p50 {:.0f} p99 {:.0f} ns, broken in {} of {} (worst "
        "{:.2f}); unknown {}; steps {}",
        percentile(ahead, 0.5), percentile(ahead, 0.99), percentile(ahead, 1), percentile(sigma, 0.5),
        percentile(sigma, 0.99), broken, bounds, worst, unknown, steps() - before);
  }

 private:
  // What a line says of a time.
  struct Promise {
    std::int64_t due = 0;
    std::size_t ours = 0;
    std::size_t theirs = 0;
    ClockLine line;
  };
  // The error of the first one, which has come.
  double keep(std::deque<Promise>& promises) {
    const Promise p = promises.front();
    promises.pop_front();
    const double error = std::abs(network.error(p.line, p.ours, p.theirs, p.due));
    judge(error, p.line);
    return error;
  }

  bool waits_;
  std::deque<Promise> soon_;
  std::deque<Promise> later_;
};

// Over all seeds.
struct Total {
  std::vector<double> ahead;
  std::vector<double> sigma;
  std::size_t bounds = 0;
  std::size_t broken = 0;
  std::size_t unknown = 0;
  double worst = 0;
  double least_broken = 1e18;
  std::uint64_t steps = 0;
  std::vector<double> times;

  void add(const Watch& w) {
    ahead.insert(ahead.end(), w.ahead.begin(), w.ahead.end());
    sigma.insert(sigma.end(), w.sigma.begin(), w.sigma.end());
    bounds += w.bounds;
    broken += w.broken;
    unknown += w.unknown;
    worst = std::max(worst, w.worst);
    least_broken = std::min(least_broken, w.least_broken);
    steps += w.steps() - w.before;
  }
  void tell(const char* what) const {
    fmt::print(
        "{}, {} seeds: 2 s ahead p50 {:.0f} p99 {:.0f} max {:.0f} ns; bound p50 {:.0f} p99 {:.0f} ns, "
        "broken in {} of {} ({:.4f} %, worst {:.2f}); unknown {}; steps {}",
        what, seeds(), percentile(ahead, 0.5), percentile(ahead, 0.99), percentile(ahead, 1), percentile(sigma, 0.5),
        percentile(sigma, 0.99), broken, bounds,
        100 * static_cast<double>(broken) / static_cast<double>(std::max<std::size_t>(1, bounds)), worst, unknown,
        steps);
    if (broken > 0) fmt::print("; the smallest bound that was broken {:.0f} ns", least_broken);
    if (!times.empty()) {
      fmt::print("; times p50 {:.3f} max {:.3f} s", percentile(times, 0.5), percentile(times, 1));
    }
    fmt::print("\n");
  }
};

}  // namespace weir::hosts::test
