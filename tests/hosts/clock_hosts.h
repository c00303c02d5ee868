// Hosts of a lab, each with a clock of its own and the service that finds out about the others'. One loop drives all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "hosts/clock/line.h"
#include "hosts/clock/service.h"
#include "hosts/clock/test_clock.h"
#include "tests/hosts/clock_lab.h"

namespace weir::hosts::test {

inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::int64_t kMillisecond = 1'000'000;

inline std::int64_t monotonic() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * kSecond + t.tv_nsec;
}

// Keys of no worth: who tests knows them.
inline PairKey test_key(const Address& from, const Address& to, std::uint64_t epoch) {
  PairKey k{epoch, {}};
  for (std::size_t i = 0; i < 16; ++i) {
    k.key[i] = static_cast<std::uint8_t>(from.bytes[i] * 3 + to.bytes[i] * 7 + epoch + i);
  }
  return k;
}

inline double percentile(std::vector<double> values, double share) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

class Hosts {
 public:
  explicit Hosts(std::size_t count, bool v6 = false, std::size_t neighbours = 10)
      : lab_(count), v6_(v6), neighbours_(neighbours), start_(monotonic()), services_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      // offsets of milliseconds, drifts of -30, 0 and 30 us/s
      const auto n = static_cast<std::int64_t>(i);
      const double drift = 30e-6 * (static_cast<double>(i % 3) - 1);
      clocks_.push_back({(i % 2 == 0 ? -n : n) * kMillisecond, std::llround(drift / clock::kDriftUnit), start_});
      switch_on(i);
    }
  }

  ClockLab& lab() { return lab_; }
  std::size_t size() const { return services_.size(); }
  ClockService& service(std::size_t host) { return *services_[host]; }
  Address address(std::size_t host) const { return lab_.address(host, v6_); }

  void switch_off(std::size_t host) { services_[host].reset(); }
  void switch_on(std::size_t host) {
    ClockSettings s;
    for (std::size_t k = 0; k < lab_.size(); ++k) {
      if (k != host) s.peers.push_back({address(k), std::nullopt});
    }
    s.key = test_key;
    s.neighbours = neighbours_;
    s.test_clock_offset = clocks_[host].offset;
    s.test_clock_drift = clocks_[host].drift;
    s.test_clock_start = clocks_[host].start;
    lab_.in(host, [&] { services_[host] = std::make_unique<ClockService>(s); });
  }
  void step(std::size_t host, std::int64_t by) {
    clocks_[host].offset += by;
    service(host).set_test_clock(clocks_[host].offset, clocks_[host].drift, clocks_[host].start);
  }

  // What a line is wrong by at a time (CLOCK_MONOTONIC).
  double error(const ClockLine& line, std::size_t ours, std::size_t theirs, std::int64_t t) const {
    const std::int64_t here = clocks_[ours].read(t);
    return static_cast<double>(clock::to_theirs(line, here) - clocks_[theirs].read(t));
  }

  // For how long we have run, ns: of times in which the machine did not let us, which services cannot use either, 50 ms
  // count.
  std::int64_t ran() const { return ran_; }
  // This process was held up so long a short while ago that clocks had to become stale: nobody is to blame but the
  // machine.
  bool was_held_up(std::int64_t now) const { return now - held_up_ < kSecond; }

  // Calls `look` every 20 ms, until it says false or so long has passed.
  void run(std::int64_t time, const std::function<bool(std::int64_t now)>& look) {
    const std::int64_t end = monotonic() + time;
    std::int64_t next_look = monotonic() + 20 * kMillisecond;
    std::int64_t last = monotonic();
    while (true) {
      std::int64_t next = std::min(end, next_look);
      for (const auto& s : services_) {
        if (s) next = std::min(next, s->next_timer());
      }
      const std::int64_t wait = next - monotonic();
      if (wait > 0) {
        const timespec t{wait / kSecond, wait % kSecond};
        ::nanosleep(&t, nullptr);
      }
      for (const auto& s : services_) {
        if (s && s->next_timer() <= monotonic()) s->on_timer(monotonic());
      }
      const std::int64_t now = monotonic();
      if (now - last > kSecond / 4) held_up_ = now;
      ran_ += std::min(now - last, kSecond / 20);
      last = now;
      if (now >= next_look) {
        if (!look(now)) return;
        next_look = now + 20 * kMillisecond;
      }
      if (now >= end) return;
    }
  }
  void run(std::int64_t time) {
    run(time, [](std::int64_t) { return true; });
  }

  // Calls `look` with each ordered pair of hosts whose services run.
  void each_pair(const std::function<void(std::size_t, std::size_t)>& look) const {
    for (std::size_t i = 0; i < services_.size(); ++i) {
      for (std::size_t k = 0; k < services_.size(); ++k) {
        if (i != k && services_[i]) look(i, k);
      }
    }
  }
  bool all_known(std::int64_t now) {
    bool all = true;
    each_pair([&](std::size_t i, std::size_t k) { all = all && service(i).line(address(k), now).has_value(); });
    return all;
  }
  // How long it takes until all are known, s; it is no number if that takes more than half a minute.
  double time_to_know() {
    constexpr std::int64_t most = 30 * kSecond;
    const std::int64_t begin = ran();
    bool known = false;
    run(most, [&](std::int64_t now) { return !(known = all_known(now)); });
    return known ? static_cast<double>(ran() - begin) * 1e-9 : NAN;
  }

 private:
  ClockLab lab_;
  bool v6_;
  std::size_t neighbours_;
  std::int64_t start_;
  std::int64_t held_up_ = INT64_MIN / 2;
  std::int64_t ran_ = 0;
  std::vector<clock::TestClock> clocks_;
  std::vector<std::unique_ptr<ClockService>> services_;
};

struct Accuracy {
  std::vector<double> now;    // ns, of errors now
  std::vector<double> ahead;  // 2 s ahead
  std::vector<double> sigma;
  std::size_t bounds = 0;
  std::size_t broken = 0;
  std::size_t unknown = 0;
  std::size_t held_up = 0;  // unknown since the machine did not let us run
};

// What they know in so long.
inline Accuracy measure(Hosts& hosts, std::int64_t time) {
  Accuracy out;
  hosts.run(time, [&](std::int64_t now) {
    hosts.each_pair([&](std::size_t i, std::size_t k) {
      constexpr std::int64_t horizon = kSecond / 2;
      const auto line = hosts.service(i).line(hosts.address(k), now, horizon);
      const auto later = hosts.service(i).line(hosts.address(k), now, 2 * kSecond);
      if (!line || !later) {
        ++(hosts.was_held_up(now) ? out.held_up : out.unknown);
        return;
      }
      const double error = std::abs(hosts.error(*line, i, k, now));
      const double soon = std::abs(hosts.error(*line, i, k, now + horizon));
      const double ahead = std::abs(hosts.error(*later, i, k, now + 2 * kSecond));
      out.now.push_back(error);
      out.ahead.push_back(ahead);
      out.sigma.push_back(static_cast<double>(line->sigma));
      out.bounds += 2;
      out.broken += std::max(error, soon) > static_cast<double>(line->sigma);
      out.broken += ahead > static_cast<double>(later->sigma);
    });
    return true;
  });
  return out;
}

}  // namespace weir::hosts::test
