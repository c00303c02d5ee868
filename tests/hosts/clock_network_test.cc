// What the clock service is good for, in virtual time, over several seeds: the table of docs/developers/on-hosts.md.
// Each test says its figures. WEIR_CLOCK_SEEDS is how many seeds, 2 unless it is set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/hosts/clock_network.h"
#include "tests/hosts/clock_watch.h"

namespace weir::hosts {
namespace {

using namespace test;

// Within so much a clock is of use: On-Ramp's T is some 50 us.
constexpr std::int64_t kOfUse = 10'000;

// Hosts that know each other, under load.
std::unique_ptr<Network> ready(std::uint64_t seed, double load, std::int64_t time = 12 * kSecond) {
  auto network = std::make_unique<Network>(5, seed);
  network->load(load);
  network->run(time);
  return network;
}

TEST(ClocksInVirtualTime, AreRightTwoSecondsAheadUnderLoad) {
  Total total;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const auto network = ready(seed, 0.6);
    Watch watch(*network);
    watch.run(20 * kSecond);
    fmt::print("seed {}: {}\n", seed, watch.text());
    total.add(watch);
    EXPECT_EQ(watch.unknown, 0u);
    EXPECT_EQ(watch.steps(), watch.before);
  }
  total.tell("60 % load");
  EXPECT_LT(percentile(total.ahead, 0.99), 1'000);
  EXPECT_LE(static_cast<double>(total.broken), 0.001 * static_cast<double>(total.bounds));
}

TEST(ClocksInVirtualTime, StayKnownWhileOtherPeersComeAndGo) {
  const auto network = ready(1, 0.3);
  ClockService& service = network->service(0);
  const auto known = [&](std::size_t host) {
    return service.line(Network::address(host), network->now(), kHorizon).has_value();
  };
  const auto peers = [](std::vector<std::size_t> hosts) {
    std::vector<ClockPeer> out;
    for (const std::size_t host : hosts) out.push_back({Network::address(host), Network::address(0)});
    return out;
  };
  for (const std::size_t host : {1, 2, 3, 4}) ASSERT_TRUE(known(host));
  service.set_peers(peers({3, 1}));
  network->run(5 * kSecond, [&] {
    EXPECT_TRUE(known(1) && known(3));
    EXPECT_FALSE(known(2) || known(4));
    return true;
  });
  EXPECT_EQ(service.state(network->now()).peers.at(0).address, Network::address(3));
  service.set_peers(peers({1, 2, 3}));
  network->run(5 * kSecond, [&] {
    EXPECT_TRUE(known(1) && known(3));
    return true;
  });
  EXPECT_TRUE(known(2));
}

// The time until nobody trusts the clock of host 2 and it trusts nobody's, s.
double time_to_lose(Network& network) {
  const std::int64_t begin = network.now();
  bool gone = false;
  std::vector<bool> lost(network.size());
  std::vector<bool> lost_by_it(network.size());
  network.run(5 * kSecond, [&] {
    gone = true;
    for (std::size_t i = 0; i < network.size(); ++i) {
      if (i == 2) continue;
      const auto known = [&](std::size_t a, std::size_t b) {
        return network.runs(a) && network.service(a).line(Network::address(b), network.now(), kHorizon).has_value();
      };
      lost[i] = lost[i] || !known(i, 2);
      lost_by_it[i] = lost_by_it[i] || !known(2, i);
      gone = gone && lost[i] && lost_by_it[i];
    }
    return !gone;
  });
  return gone ? static_cast<double>(network.now() - begin) * 1e-9 : 99;
}

TEST(ClocksInVirtualTime, AStepOrSilenceEndsTrustWithinASecond) {
  Total total;
  std::vector<double> silence;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const auto network = ready(seed, 0.6);
    const double sign = network->random().below(2) == 0 ? -1 : 1;
    const double by = sign * std::exp(network->random().uniform(std::log(3e3), std::log(1e9)));
    network->step(2, std::llround(by));
    total.times.push_back(time_to_lose(*network));
    fmt::print("seed {}: a step of {:.0f} ns was noticed after {:.3f} s", seed, by, total.times.back());
    EXPECT_LT(total.times.back(), 1) << by;
    network->run(6 * kSecond);
    Watch watch(*network);
    watch.run(2 * kSecond);
    total.add(watch);
    EXPECT_EQ(watch.unknown, 0u);
    const std::string text = watch.text();
    network->switch_off(2);
    silence.push_back(time_to_lose(*network));
    fmt::print(", silence after {:.3f} s; in between {}\n", silence.back(), text);
    EXPECT_LT(silence.back(), 1);
  }
  total.tell("after a step");
  fmt::print("silence: p50 {:.3f} max {:.3f} s\n", percentile(silence, 0.5), percentile(silence, 1));
  EXPECT_LE(static_cast<double>(total.broken), 0.001 * static_cast<double>(total.bounds));
}

double any_queue(clock::Random& random) { return std::exp(random.uniform(std::log(20e3), std::log(80e6))); }

// Packets that a host sends to each other one in a second, over so much time.
double messages_to_a_peer(Network& network, std::size_t host, std::int64_t time, const std::function<bool()>& look) {
  const auto sent = [&] { return network.service(host).state(network.now()).messages_sent; };
  const std::uint64_t before = sent();
  network.run(time, look);
  return static_cast<double>(sent() - before) * 1e9 / static_cast<double>(time) /
         static_cast<double>(network.size() - 1);
}

// With T = 1 ms an error of 10 us changes nothing. Hosts probe each other rarely then, as long as nothing queues, and
// what happens is noticed as soon.
constexpr std::int64_t kTolerated = 10'000;

TEST(ClocksInVirtualTime, WhereMuchIsToleratedProbesAreRareAndAStepEndsTrustWithinASecond) {
  constexpr double kRarely = 2 / 160e-3 + 2;  // packets per s to each other host: probes, reports
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    for (const double load : {0.0, 0.6}) {
      Network network(5, seed, kTolerated);
      network.load(load);
      network.run(14 * kSecond);
      Watch watch(network);
      const double rate = messages_to_a_peer(network, 2, 10 * kSecond, [&] { return watch.look(), true; });
      const double by = std::exp(network.random().uniform(std::log(100e3), std::log(1e9)));
      network.step(2, std::llround(by));
      const double time = time_to_lose(network);
      network.run(14 * kSecond);
      network.switch_off(2);
      const double silence = time_to_lose(network);
      fmt::print(
          "seed {}, load {}: {}; {:.0f} messages per s to a peer; a step of {:.0f} us noticed after {:.3f} s, silence "
          "after {:.3f} s\n",
          seed, load, watch.text(), rate, by * 1e-3, time, silence);
      EXPECT_LT(time, 1) << by;
      EXPECT_LT(silence, 1);
      EXPECT_EQ(watch.unknown, 0u);
      EXPECT_EQ(watch.broken, 0u);
      EXPECT_LT(percentile(watch.sigma, 1), kTolerated);
      if (load == 0) {
        EXPECT_LT(rate, 1.5 * kRarely);
      }
    }
  }
}

TEST(ClocksInVirtualTime, WhereMuchIsToleratedAQueueIsMetByManyProbes) {
  constexpr double kEagerly = 2 / 4e-3;
  Total total;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    Network network(5, seed, kTolerated);
    network.load(seed % 2 == 0 ? 0.3 : 0);
    network.run(14 * kSecond);
    const double queue = any_queue(network.random());
    network.down(2).stand(queue, seed % 4 < 2);
    Watch watch(network);
    const auto look = [&] { return watch.look(), true; };
    network.run(2 * kSecond, look);
    const double rate = messages_to_a_peer(network, 2, 18 * kSecond, look);
    network.down(2).stand(0, false);
    watch.run(6 * kSecond);
    fmt::print("seed {}: a queue of {:.0f} us: {}; {:.0f} messages per s to a peer meanwhile\n", seed, queue * 1e-3,
               watch.text(), rate);
    EXPECT_GT(rate, 0.8 * kEagerly);
    total.add(watch);
  }
  total.tell("much is tolerated; a queue that begins, stands and ends");
  EXPECT_EQ(total.broken, 0u);
  EXPECT_EQ(total.steps, 0u);
  EXPECT_EQ(total.unknown, 0u);
  EXPECT_LT(percentile(total.sigma, 0.99), kTolerated);
}

TEST(ClocksInVirtualTime, AStandingQueueIsNoOffsetAndNoStep) {
  Total total;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const auto network = ready(seed, seed % 2 == 0 ? 0.3 : 0);
    const double queue = any_queue(network->random());
    Watch watch(*network);
    network->down(2).stand(queue, seed % 4 < 2);
    watch.run(20 * kSecond);
    network->down(2).stand(0, false);
    watch.run(6 * kSecond);
    fmt::print("seed {}: a queue of {:.0f} us: {}\n", seed, queue * 1e-3, watch.text());
    total.add(watch);
  }
  total.tell("a queue that begins, stands and ends");
  EXPECT_EQ(total.broken, 0u);
  EXPECT_EQ(total.steps, 0u);
  EXPECT_EQ(total.unknown, 0u);
}

TEST(ClocksInVirtualTime, AStepHiddenByAQueueEndsTrustWithinASecond) {
  std::vector<double> times;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const auto network = ready(seed, seed % 2 == 0 ? 0.3 : 0);
    const double queue = std::exp(network->random().uniform(std::log(200e3), std::log(80e6)));
    network->down(2).stand(queue, false);
    network->run(3 * kSecond);
    // what comes to host 2 seems faster, but is still slower than without the queue
    const double by = network->random().uniform(20e3, queue / 2);
    network->step(2, -std::llround(by));
    const std::int64_t begin = network->now();
    std::int64_t last = begin;
    network->run(4 * kSecond, [&] {
      for (std::size_t i = 0; i < network->size(); ++i) {
        if (i == 2) continue;
        for (const auto& [a, b] : {std::pair{i, std::size_t{2}}, std::pair{std::size_t{2}, i}}) {
          const auto line = network->service(a).line(Network::address(b), network->now(), kHorizon);
          if (line && std::abs(network->error(*line, a, b, network->now())) > static_cast<double>(line->sigma)) {
            last = network->now();
          }
        }
      }
      return true;
    });
    times.push_back(static_cast<double>(last - begin) * 1e-9);
    fmt::print("seed {}: a step of {:.0f} us behind a queue of {:.0f} us: {:.3f} s\n", seed, -by * 1e-3, queue * 1e-3,
               times.back());
    EXPECT_LT(times.back(), 1);
  }
  fmt::print("a step behind a queue: wrong for p50 {:.3f} max {:.3f} s\n", percentile(times, 0.5),
             percentile(times, 1));
}

TEST(ClocksInVirtualTime, AQueueThatStoodBeforeAnythingWasKnownIsInTheBound) {
  Total total;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    Network network(5, seed);
    const double queue = any_queue(network.random());
    network.load(seed % 2 == 0 ? 0.3 : 0);
    network.down(2).stand(queue, false);
    Watch watch(network);
    watch.run(20 * kSecond);
    network.down(2).stand(0, false);
    watch.run(12 * kSecond);
    fmt::print("seed {}: a queue of {:.0f} us: {}\n", seed, queue * 1e-3, watch.text());
    total.add(watch);
  }
  total.tell("a queue that stood from the first, and ends");
  EXPECT_LE(static_cast<double>(total.broken), 0.001 * static_cast<double>(total.bounds));
  EXPECT_EQ(total.steps, 0u);
}

// The time until host 2 knows all, and all know it, well enough to be of use, s.
double time_to_use(Network& network) {
  const std::int64_t begin = network.now();
  bool good = false;
  network.run(10 * kSecond, [&] {
    good = true;
    for (std::size_t i = 0; i < network.size(); ++i) {
      if (i == 2) continue;
      for (const auto& [a, b] : {std::pair{i, std::size_t{2}}, std::pair{std::size_t{2}, i}}) {
        const auto line = network.service(a).line(Network::address(b), network.now(), kHorizon);
        good = good && line && line->sigma < kOfUse;
      }
    }
    return !good;
  });
  return good ? static_cast<double>(network.now() - begin) * 1e-9 : 99;
}

// Holding waits for both: a first line, however wide its bound is, and the one that is known once the queue is gone.
TEST(ClocksInVirtualTime, WhereAQueueStoodItsEndIsSeenAtOnce) {
  std::vector<double> first, after;
  for (std::uint64_t seed = 1; seed <= 4 * seeds(); ++seed) {
    Network network(3, seed);
    network.down(2).stand(network.random().uniform(20e6, 80e6), false);
    const auto time_until = [&](std::int64_t sigma) {
      const std::int64_t begin = network.now();
      network.run(10 * kSecond, [&] {
        for (const std::size_t i : {0, 1}) {
          const auto line = network.service(i).line(Network::address(2), network.now());
          if (!line || line->sigma > sigma) return true;
        }
        return false;
      });
      return static_cast<double>(network.now() - begin) * 1e-9;
    };
    first.push_back(time_until(INT64_MAX));
    network.run(std::llround(network.random().uniform(0, 0.5) * kSecond));
    network.down(2).stand(0, false);
    after.push_back(time_until(100'000));
  }
  for (auto* times : {&first, &after}) {
    std::sort(times->begin(), times->end());
    fmt::print("{:.3f} s, {:.3f} s at most\n", (*times)[times->size() / 2], times->back());
  }
  EXPECT_LT(first.back(), 1);
  EXPECT_LT(after.back(), 0.75);
}

TEST(ClocksInVirtualTime, RestartUnderAStandingQueueKnowsClocksAtOnce) {
  Total total;
  Total forgetful;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    for (const bool remembers : {true, false}) {
      const auto network = ready(seed, 0.3);
      const double queue = any_queue(network->random());
      network->down(2).stand(queue, false);
      network->run(kSecond);
      auto memory = network->service(2).memory();
      if (!remembers) memory.clear();
      network->switch_off(2);
      network->run(std::llround(network->random().uniform(0.1, 5) * kSecond));
      network->switch_on(2, memory);
      Watch watch(*network);
      const double took = remembers ? time_to_use(*network) : 0;
      watch.run(10 * kSecond);
      fmt::print("seed {}: a queue of {:.0f} us, {}: {:.3f} s; {}\n", seed, queue * 1e-3,
                 remembers ? "remembered" : "forgotten", took, watch.text());
      Total& t = remembers ? total : forgetful;
      t.add(watch);
      if (remembers) t.times.push_back(took);
      EXPECT_LT(took, 2);
    }
  }
  total.tell("restart under a standing queue, clocks remembered");
  forgetful.tell("the same, nothing remembered");
  EXPECT_EQ(total.broken + forgetful.broken, 0u);
  EXPECT_EQ(total.steps + forgetful.steps, 0u);
}

}  // namespace
}  // namespace weir::hosts
