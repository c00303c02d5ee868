// A network in virtual time: hosts with clocks of their own at a switch, whose ports queue what made-up traffic sends.
// The services are those of the agent, and so are their messages; only sockets and the kernel's stamps are made up.
#pragma once

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "hosts/clock/line.h"
#include "hosts/clock/service.h"
#include "hosts/clock/test_clock.h"
#include "tests/hosts/clock_hosts.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::test {

// A port of 10 Gb/s as a packet meets it. Flows come at random and leave their bytes in its queue at once; besides, a
// queue may stand that never becomes empty, as senders with loss-based congestion control make it in a deep buffer.
class Port {
 public:
  explicit Port(std::uint64_t seed) : random_(seed) {}

  void load(double share) { share_ = share; }
  // From now on; 0: it ends. `steady`: it does not move by more than a packet, or it falls by a third now and then.
  void stand(double delay, bool steady) {
    standing_ = delay;
    steady_ = steady;
    until_ = 0;
  }

  // What a packet waits that comes at `t`, ns. Times rise.
  double wait(double t) {
    while (share_ > 0 && next_ <= t) {
      serve(next_);
      work_ += size() * kByte;
      next_ += random_.exponential(kMeanSize * kByte / share_);
    }
    if (share_ == 0) next_ = t;
    serve(t);
    if (standing_ == 0) return work_;
    if (t >= until_) {
      begin_ = t;
      until_ = t + random_.uniform(0.5e9, 6e9);
      low_ = random_.uniform(0.55, 0.75);
    }
    const double level = steady_ ? 1 : low_ + (1 - low_) * (t - begin_) / (until_ - begin_);
    return work_ + standing_ * level + random_.uniform(0, 1'500 * kByte);
  }

 private:
  static constexpr double kByte = 0.8;  // ns
  static constexpr double kMeanSize = 214'000;
  double size() {
    const double u = random_.uniform();
    return u < 0.5 ? 10'000 : u < 0.8 ? 100'000 : u < 0.95 ? 500'000 : 2'080'000;
  }
  void serve(double t) {
    work_ = std::max(0.0, work_ - (t - last_));
    last_ = t;
  }

  clock::Random random_;
  double share_ = 0;
  double work_ = 0;
  double last_ = 0;
  double next_ = 0;  // when the next flow comes
  double standing_ = 0;
  bool steady_ = false;
  double begin_ = 0, until_ = 0, low_ = 1;
};

class Network {
 public:
  // `tolerated` and `wander` as in ClockSettings.
  Network(std::size_t hosts, std::uint64_t seed, std::int64_t tolerated = 0, double wander = 5e-9)
      : tolerated_(tolerated), wander_(wander), random_(seed) {
    randomness().seed(seed);
    for (std::size_t i = 0; i < hosts; ++i) {
      Host& h = hosts_.emplace_back(random_.bits());
      h.clock = {std::llround(random_.uniform(-1e12, 1e12)),
                 std::llround(random_.uniform(-30e-6, 30e-6) / clock::kDriftUnit), kBegin};
      h.wander = random_.uniform(0, 5e-9);
      h.phase = random_.uniform(0, 6.28);
      h.corrections.push_back({kBegin, 0, 0});
    }
    for (std::size_t i = 0; i < hosts; ++i) switch_on(i, {});
  }

  std::size_t size() const { return hosts_.size(); }
  std::int64_t now() const { return now_; }
  clock::Random& random() { return random_; }
  ClockService& service(std::size_t host) { return *hosts_[host].service; }
  bool runs(std::size_t host) const { return hosts_[host].service != nullptr; }
  static Address address(std::size_t host) { return {{10, 77, 0, static_cast<std::uint8_t>(host + 1)}, false}; }
  Port& up(std::size_t host) { return hosts_[host].up; }
  Port& down(std::size_t host) { return hosts_[host].down; }
  void load(double share) {
    for (Host& h : hosts_) {
      h.up.load(share);
      h.down.load(share);
    }
  }

  void switch_off(std::size_t host) { hosts_[host].service.reset(); }
  void switch_on(std::size_t host, std::vector<ClockMemory> memory) {
    ClockSettings s;
    for (std::size_t k = 0; k < hosts_.size(); ++k) {
      if (k != host) s.peers.push_back({address(k), address(host)});
    }
    s.key = test_key;
    s.memory = std::move(memory);
    s.tolerated = tolerated_;
    s.wander = wander_;
    Host& h = hosts_[host];
    h.inbox.clear();
    h.stamps.clear();
    h.service = std::make_unique<ClockService>(s, std::make_unique<VirtualPost>(*this, host));
  }
  void step(std::size_t host, std::int64_t by) { hosts_[host].clock.offset += by; }
  // From now on somebody makes its clock faster by `rate`.
  void slew(std::size_t host, double rate) { hosts_[host].corrections.push_back({now_, corrected(host, now_), rate}); }
  // By so much it has become later thereby, ns.
  double corrected(std::size_t host, std::int64_t t) const {
    const auto& all = hosts_[host].corrections;
    const auto after = std::find_if(all.rbegin(), all.rend(), [&](const Correction& c) { return c.since <= t; });
    const Correction& c = after == all.rend() ? all.front() : *after;
    return c.value + c.rate * static_cast<double>(t - c.since);
  }
  // Somebody sets its time of day, which changes nothing of its clock.
  void set_time(std::size_t host, std::int64_t by) {
    hosts_[host].ahead += by;
    hosts_[host].was_set = true;
  }
  // It tells its time of day to nobody, as agents did that could not.
  void hide_time(std::size_t host) { hosts_[host].hides = true; }
  std::int64_t time_of_day(std::size_t host, std::int64_t t) const { return read(host, t) + hosts_[host].ahead; }

  // A host's clock.
  std::int64_t read(std::size_t host, std::int64_t t) const {
    const Host& h = hosts_[host];
    // its drift goes up and down in a minute, at most as fast as it may
    const double rate = 2 * 3.14159265358979323846 / 60;
    const double s = static_cast<double>(t - kBegin) * 1e-9;
    const double swing = 1e9 * h.wander / rate / rate * (std::cos(h.phase) - std::cos(rate * s + h.phase));
    return h.clock.read(t) + std::llround(swing + corrected(host, t));
  }
  // What a line is wrong by.
  double error(const ClockLine& line, std::size_t ours, std::size_t theirs, std::int64_t t) const {
    return static_cast<double>(clock::to_theirs(line, read(ours, t)) - read(theirs, t));
  }

  // Calls `look` every 20 ms, until it says false or so long has passed.
  void run(std::int64_t time, const std::function<bool()>& look) {
    const std::int64_t end = now_ + time;
    std::int64_t next_look = now_ + 20 * kMillisecond;
    while (true) {
      std::int64_t next = std::min(end, next_look);
      if (!events_.empty()) next = std::min(next, events_.top().at);
      for (const Host& h : hosts_) {
        if (h.service) next = std::min(next, std::max(now_, h.service->next_timer()));
      }
      now_ = next;
      while (!events_.empty() && events_.top().at <= now_) {
        const Event event = events_.top();
        events_.pop();
        arrive(event);
      }
      for (Host& h : hosts_) {
        if (h.service && h.service->next_timer() <= now_) h.service->on_timer(now_);
      }
      if (now_ >= next_look) {
        if (!look()) return;
        next_look = now_ + 20 * kMillisecond;
      }
      if (now_ >= end) return;
    }
  }
  void run(std::int64_t time) {
    run(time, [] { return true; });
  }

 private:
  // Later than any real time of the machine, which services read when they begin.
  static constexpr std::int64_t kBegin = 100'000'000 * kSecond;

  struct Datagram {
    std::size_t from = 0;
    std::size_t to = 0;
    std::vector<std::uint8_t> bytes;
    std::int64_t stamp = 0;  // true time
  };
  // Of a clock, in all; from one on until the next.
  struct Correction {
    std::int64_t since = 0;
    double value = 0;  // ns
    double rate = 0;   // ns per ns
  };
  struct Host {
    explicit Host(std::uint64_t seed) : up(seed), down(seed + 1) {}
    clock::TestClock clock;
    double wander = 0;
    double phase = 0;
    std::vector<Correction> corrections;
    std::int64_t ahead = 0;  // time of day minus clock, ns
    bool was_set = false;
    bool hides = false;
    Port up;
    Port down;
    std::vector<Datagram> inbox;
    std::vector<Datagram> stamps;
    std::unique_ptr<ClockService> service;
  };

  class VirtualPost : public clock::Post {
   public:
    VirtualPost(Network& network, std::size_t host) : network_(network), host_(host) {}
    void open(Families) override {}
    std::int64_t ours(std::int64_t monotonic) const override { return network_.read(host_, monotonic); }
    void write(const Address&, const Address& to, std::span<const std::uint8_t> bytes, bool stamped) override {
      out_.push_back({{host_, std::size_t{to.bytes[3]} - 1, {bytes.begin(), bytes.end()}}, stamped});
    }
    void flush() override {
      std::int64_t at = network_.now_;
      for (auto& [datagram, stamped] : out_) {
        at += 2'000 + std::llround(network_.random_.exponential(1'000));
        network_.leave(datagram, at, stamped);
        ++counters_.sent;
      }
      out_.clear();
    }
    bool drain(std::int64_t, const Left& left, const Came& came) override {
      Host& h = network_.hosts_[host_];
      for (const Datagram& d : std::exchange(h.stamps, {})) left(d.bytes, ours(d.stamp));
      for (const Datagram& d : std::exchange(h.inbox, {})) {
        ++counters_.received;
        came({address(d.from), address(d.to), d.bytes, ours(d.stamp)});
      }
      if (!std::exchange(h.was_set, false)) return true;
      ++counters_.time_sets;
      return false;
    }
    void set_test_clock(const clock::TestClock&) override {}
    std::optional<clock::TimeOfDay> time_of_day() const override {
      const Host& h = network_.hosts_[host_];
      return h.hides ? std::nullopt : std::optional(clock::TimeOfDay{h.ahead, 0});
    }
    std::int64_t error() const override { return 20; }
    bool has_hardware_stamps() const override { return false; }
    const Counters& counters() const override { return counters_; }

   private:
    Network& network_;
    std::size_t host_;
    struct Out {
      Datagram datagram;
      bool stamped = false;
    };
    std::vector<Out> out_;
    Counters counters_;
  };
  friend class VirtualPost;

  struct Event {
    std::int64_t at = 0;
    std::uint64_t number = 0;
    int stage = 0;
    std::shared_ptr<Datagram> datagram;
    bool operator<(const Event& other) const { return std::tie(at, number) > std::tie(other.at, other.number); }
  };
  void schedule(double at, int stage, std::shared_ptr<Datagram> datagram) {
    events_.push({kBegin + std::llround(at), ++numbers_, stage, std::move(datagram)});
  }

  // The kernel stamps shortly before the interface sends.
  void leave(const Datagram& d, std::int64_t at, bool stamped) {
    if (stamped) {
      hosts_[d.from].stamps.push_back(d);
      hosts_[d.from].stamps.back().stamp = at;
    }
    schedule(static_cast<double>(at - kBegin) + 300 + random_.exponential(200), 0, std::make_shared<Datagram>(d));
  }
  // Times of events count from the beginning, where doubles are exact to the ns.
  void arrive(const Event& event);

  std::int64_t tolerated_;
  double wander_;
  clock::Random random_;
  std::vector<Host> hosts_;
  std::priority_queue<Event> events_;
  std::uint64_t numbers_ = 0;
  std::int64_t now_ = kBegin;

  // Nonces and the times of probes come from libsodium, which gets a generator of its own.
  struct Randomness {
    clock::Random random{1};
    void seed(std::uint64_t s) { random = clock::Random(s); }
  };
  static Randomness& randomness() {
    static Randomness r;
    static randombytes_implementation implementation{
        [] { return "virtual"; },
        [] { return static_cast<std::uint32_t>(randomness().random.bits()); },
        nullptr,
        nullptr,
        [](void* out, std::size_t size) {
          for (std::size_t i = 0; i < size; ++i)
            static_cast<std::uint8_t*>(out)[i] = static_cast<std::uint8_t>(randomness().random.bits());
        },
        nullptr};
    static const int set = randombytes_set_implementation(&implementation);
    (void)set;
    return r;
  }
};

inline void Network::arrive(const Event& event) {
  Datagram& d = *event.datagram;
  constexpr double hop = 5'000;
  const auto t = static_cast<double>(event.at - kBegin);
  switch (event.stage) {
    case 0: schedule(t + hosts_[d.from].up.wait(t) + hop, 1, event.datagram); break;
    case 1: schedule(t + hosts_[d.to].down.wait(t) + hop, 2, event.datagram); break;
    default: {
      // the interface waits for more packets now and then before it interrupts
      double late = 1'000 + random_.exponential(300);
      if (random_.uniform() < 0.3) late += random_.uniform(0, 30'000);
      if (!hosts_[d.to].service) return;
      d.stamp = event.at + std::llround(late);
      hosts_[d.to].inbox.push_back(d);
    }
  }
}

}  // namespace weir::hosts::test
