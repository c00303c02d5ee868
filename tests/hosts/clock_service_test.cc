// The service on hosts that are namespaces, whose clocks are made wrong by known amounts. How exact it is depends here
// on how a machine that is idle, busy or shared delays stamps, by up to some microseconds; that is judged in virtual
// time (clock_network_test.cc), and here with WEIR_CLOCK_SECONDS, for so long, on a machine that one knows.
#include "hosts/clock/service.h"

#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "hosts/clock/keyring.h"
#include "hosts/clock/wire.h"
#include "tests/hosts/clock_hosts.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts {
namespace {

using namespace test;

double processor_seconds() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

std::uint64_t bytes_sent(Hosts& hosts) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) bytes += hosts.service(i).state(monotonic()).bytes_sent;
  return bytes;
}

// Without `exactly`: within some hundredths of the offsets and of what drifts make of them in a second.
void judge(const char* what, Hosts& hosts, std::int64_t time, bool exactly) {
  const double before = processor_seconds();
  const std::uint64_t bytes = bytes_sent(hosts);
  const std::uint64_t all = hosts.lab().bytes_sent(0);
  const Accuracy a = measure(hosts, time);
  const double carried = static_cast<double>(hosts.lab().bytes_sent(0) - all) * 8e3 / static_cast<double>(time);
  const double seconds = static_cast<double>(time) * 1e-9 * static_cast<double>(hosts.size());
  printf(
      "%s (%.1f Mb/s on the first link): error p50 %.0f p99 %.0f ns, 2 s ahead p50 %.0f p99 %.0f max %.0f ns; bound "
      "p50 %.0f p99 %.0f ns, broken in "
      "%zu of %zu; unknown %zu (and %zu when held up); per host %.1f kB/s and %.2f %% of a processor\n",
      what, carried, percentile(a.now, 0.5), percentile(a.now, 0.99), percentile(a.ahead, 0.5),
      percentile(a.ahead, 0.99), percentile(a.ahead, 1), percentile(a.sigma, 0.5), percentile(a.sigma, 0.99), a.broken,
      a.bounds, a.unknown, a.held_up, static_cast<double>(bytes_sent(hosts) - bytes) / 1e3 / seconds,
      100 * (processor_seconds() - before) / seconds);
  ASSERT_GT(a.now.size(), 100u);
  EXPECT_LT(percentile(a.ahead, 0.99), exactly ? 1'000 : 20'000) << what;
  EXPECT_LE(static_cast<double>(a.broken), (exactly ? 0.001 : 0.1) * static_cast<double>(a.bounds)) << what;
  EXPECT_LE(static_cast<double>(a.unknown), (exactly ? 0 : 0.1) * static_cast<double>(a.bounds)) << what;
}

class ClockServiceOnHosts : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = ClockLab::missing(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_F(ClockServiceOnHosts, IsRightTwoSecondsAheadIdleAndUnderLoad) {
  const char* longer = std::getenv("WEIR_CLOCK_SECONDS");
  const std::int64_t time = (longer != nullptr ? std::atoi(longer) : 5) * kSecond;
  Hosts hosts(5);
  const double first = hosts.time_to_know();
  printf("all clocks known after %.2f s\n", first);
  ASSERT_LT(first, 5);
  judge("idle", hosts, time, longer != nullptr);
  hosts.lab().start_load(0.6, static_cast<double>(time) * 1e-9 + 5, 1);
  hosts.run(2 * kSecond);
  judge("60 % load", hosts, time, longer != nullptr);
}

ClockCondition condition_of(Hosts& hosts, std::size_t i, std::size_t k) {
  for (const PeerClock& p : hosts.service(i).state(monotonic()).peers) {
    if (p.address == hosts.address(k)) return p.condition;
  }
  return ClockCondition::silent;
}

// The time until everybody has given up a host's clock, and it all others', s (Hosts::ran); it is no number if they do
// not. Of the others nobody is said to have stepped. That they are known all the time is tested in virtual time
// (clock_network_test.cc): a machine that is busy delays all packets, which may hide a step.
double time_to_lose(Hosts& hosts, std::size_t host) {
  const std::int64_t begin = hosts.ran();
  bool gone = false;
  hosts.run(30 * kSecond, [&](std::int64_t now) {
    gone = true;
    hosts.each_pair([&](std::size_t i, std::size_t k) {
      if (i == host || k == host) {
        gone = gone && !hosts.service(i).line(hosts.address(k), now);
      } else {
        EXPECT_NE(condition_of(hosts, i, k), ClockCondition::stepped) << i << " of " << k;
      }
    });
    return !gone;
  });
  return gone ? static_cast<double>(hosts.ran() - begin) * 1e-9 : NAN;
}

TEST_F(ClockServiceOnHosts, NoticesAStepOrSilenceWithinASecond) {
  Hosts hosts(4);
  ASSERT_LT(hosts.time_to_know(), 5);
  // until the least delays are known: before, a step that is shorter than a round trip is within the bound
  hosts.run(12 * kSecond);

  for (const std::int64_t by : {50'000, -5'000, 1'000'000'000}) {
    hosts.step(2, by);
    const double took = time_to_lose(hosts, 2);
    printf("a step of %.0f us is noticed after %.3f s, and all are known again after", static_cast<double>(by) * 1e-3,
           took);
    EXPECT_LT(took, 1);
    EXPECT_EQ(condition_of(hosts, 0, 2), ClockCondition::stepped);
    const double again = hosts.time_to_know();
    printf(" %.2f s\n", again);
    EXPECT_LT(again, 5);
    // what is known is of the clock after the step, whose least is 5 us
    EXPECT_LT(percentile(measure(hosts, kSecond / 2).now, 1), 2'500);
  }

  hosts.switch_off(3);
  const double took = time_to_lose(hosts, 3);
  printf("silence is noticed after %.3f s\n", took);
  EXPECT_LT(took, 1);
  EXPECT_EQ(condition_of(hosts, 0, 3), ClockCondition::stale);
  hosts.switch_on(3);
  EXPECT_LT(hosts.time_to_know(), 5);
}

TEST_F(ClockServiceOnHosts, KnowsHostsThatItDoesNotProbe) {
  // a ring, in which two others are two hops away
  Hosts hosts(5, false, 2);
  ASSERT_LT(hosts.time_to_know(), 5);
  std::size_t neighbours = 0;
  for (const PeerClock& p : hosts.service(0).state(monotonic()).peers) neighbours += p.neighbour;
  EXPECT_EQ(neighbours, 2u);
  const Accuracy a = measure(hosts, kSecond);
  EXPECT_EQ(a.unknown, 0u);
  EXPECT_EQ(a.broken, 0u);
  hosts.step(2, 20'000);
  const double took = time_to_lose(hosts, 2);
  printf("a step two hops away is noticed after %.3f s\n", took);
  EXPECT_LT(took, 1);
  EXPECT_LT(hosts.time_to_know(), 5);
}

TEST_F(ClockServiceOnHosts, WorksOverIPv6AndKnowsWhoHasNoAgent) {
  Hosts hosts(3, true);
  hosts.switch_off(2);
  bool known = false;
  hosts.run(30 * kSecond, [&](std::int64_t now) {
    known = hosts.service(0).line(hosts.address(1), now) && hosts.service(1).line(hosts.address(0), now);
    return !known;
  });
  EXPECT_TRUE(known);
  const std::int64_t now = monotonic();
  const auto line = hosts.service(0).line(hosts.address(1), now);
  ASSERT_TRUE(line);
  EXPECT_LT(std::abs(hosts.error(*line, 0, 1, now)), static_cast<double>(line->sigma));
  const ClockState state = hosts.service(0).state(now);
  EXPECT_EQ(state.peers[1].condition, ClockCondition::silent);
  EXPECT_FALSE(state.peers[1].line);
  EXPECT_FALSE(hosts.service(0).line(hosts.lab().address(1, false), now)) << "no peer of ours";
}

// Datagrams of clocks that come to one host from another, as they are.
class Tap {
 public:
  Tap(const ClockLab& lab, std::size_t from, std::size_t to) : from_(lab.address(from)) {
    lab.in(to, [&] { socket_ = ::socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_IP)); });
    const int room = 4'000'000;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
  }
  ~Tap() { ::close(socket_); }
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  std::vector<std::vector<std::uint8_t>> take() const {
    std::vector<std::vector<std::uint8_t>> out;
    std::array<std::uint8_t, 2'048> packet{};
    for (ssize_t size = 0; (size = ::recv(socket_, packet.data(), packet.size(), 0)) > 0;) {
      if (size < 28 || packet[9] != IPPROTO_UDP || !std::equal(&packet[12], &packet[16], from_.bytes.begin())) continue;
      out.emplace_back(packet.begin() + 28, packet.begin() + size);
    }
    return out;
  }

 private:
  Address from_;
  int socket_ = -1;
};

TEST_F(ClockServiceOnHosts, BelievesNothingForgedOrRepeated) {
  Hosts hosts(3);
  const Tap tap(hosts.lab(), 1, 0);
  ASSERT_LT(hosts.time_to_know(), 5);
  hosts.run(2 * kSecond);
  const auto recorded = tap.take();
  ASSERT_GT(recorded.size(), 300u);
  const auto of = [&](std::size_t peer) {
    for (const PeerClock& p : hosts.service(0).state(monotonic()).peers) {
      if (p.address == hosts.address(peer)) return p;
    }
    return PeerClock{};
  };
  const PeerClock before = of(1);

  // what an attacker without the keys can make, as fast as it is taken in
  clock::Random random(1);
  const auto attack = [&](std::size_t count, const std::function<std::vector<std::uint8_t>(std::size_t)>& make) {
    for (std::size_t i = 0; i < count;) {
      for (std::size_t k = 0; k < 50 && i < count; ++k, ++i) hosts.lab().forge(1, 0, kAgentPort, make(i));
      hosts.run(5 * kMillisecond);
    }
    hosts.run(50 * kMillisecond);
  };
  constexpr std::size_t count = 4'000;
  const auto repeat = [&](std::size_t i) { return recorded[i % recorded.size()]; };
  attack(count, repeat);
  EXPECT_GE(of(1).refused_repeated, before.refused_repeated + count * 9 / 10);
  attack(count, [&](std::size_t i) {  // with something changed
    auto bytes = repeat(i);
    bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
    return bytes;
  });
  attack(count, [&](std::size_t i) {  // cut short
    auto bytes = repeat(i);
    bytes.resize(random.below(bytes.size()));
    return bytes;
  });
  attack(count, [&](std::size_t i) {  // of the right form, with a key of another pair
    clock::Buffer buffer;
    const auto epoch = static_cast<std::uint64_t>(std::time(nullptr) / 3600);
    const clock::KeyRing other(test_key, hosts.address(1), hosts.address(2), epoch);
    auto header = *clock::read_header(repeat(i));
    header.number += 1'000'000;
    header.kind = clock::Kind::first;
    const auto size = clock::write_probe(buffer, header, {true, clock::Record{7, 1, 1}}, other.send());
    return std::vector<std::uint8_t>(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
  });
  const PeerClock after = of(1);
  EXPECT_GE(after.refused_tag, before.refused_tag + count * 18 / 10);
  EXPECT_GE(hosts.service(0).state(monotonic()).refused_form, count * 9 / 10);

  // a new session: recordings of the old one are those of a stranger, and bring about a few greetings at most
  hosts.switch_off(0);
  hosts.switch_on(0);
  ASSERT_LT(hosts.time_to_know(), 5);
  const std::uint64_t sent = hosts.service(0).state(monotonic()).messages_sent;
  const std::int64_t begin = monotonic();
  attack(count, repeat);
  const PeerClock fresh = of(1);
  EXPECT_GE(fresh.refused_session + fresh.refused_repeated, count * 8 / 10);
  const double seconds = static_cast<double>(monotonic() - begin) * 1e-9;
  // 500 probes of two hosts, ten greetings and some reports
  EXPECT_LT(static_cast<double>(hosts.service(0).state(monotonic()).messages_sent - sent), 1'200 * seconds + 100);

  // no clock has been moved
  EXPECT_EQ(fresh.condition, ClockCondition::synchronised);
  EXPECT_EQ(after.steps, 0u);
  EXPECT_EQ(fresh.steps, 0u);
  const Accuracy a = measure(hosts, kSecond);
  EXPECT_EQ(a.broken, 0u);
  EXPECT_EQ(a.unknown, 0u);
}

TEST_F(ClockServiceOnHosts, SaysThatItsPortIsTaken) {
  ClockLab lab(1);
  ClockSettings settings;
  settings.key = test_key;
  for (const bool v6 : {false, true}) {
    settings.peers = {{lab.address(0, v6), std::nullopt}};
    lab.in(0, [&] {
      const ClockService first(settings);
      EXPECT_THROW(ClockService second(settings), std::system_error);
    });
  }
  // one that has no peers needs no port and is well
  settings.peers.clear();
  lab.in(0, [&] {
    ClockService alone(settings);
    for (int i = 0; i < 20; ++i) alone.on_timer(monotonic() + i * kSecond);
    EXPECT_TRUE(alone.state(monotonic()).peers.empty());
  });
}

TEST(ClockSettings, AreChecked) {
  const auto refused = [](const std::function<void(ClockSettings&)>& change) {
    ClockSettings s;
    s.key = test_key;
    change(s);
    EXPECT_THROW(ClockService{s}, std::invalid_argument);
  };
  refused([](auto& s) { s.key = nullptr; });
  refused([](auto& s) { s.interval = 999'999; });
  refused([](auto& s) { s.neighbours = 1; });
  refused([](auto& s) { s.neighbours = 1'000; });
  refused([](auto& s) { s.step = 0; });
  refused([](auto& s) { s.window = 1'000; });
  refused([](auto& s) { s.key_lifetime = 0; });
  refused([](auto& s) { s.stale_after = 0; });
}

}  // namespace
}  // namespace weir::hosts
