#include "hosts/agent/peers.h"

#include <gtest/gtest.h>

#include "tests/hosts/support_fake_path.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

// A key that shows what it was derived from.
PairKey plain_key(const Address& from, const Address& to, std::uint64_t epoch) {
  PairKey out;
  out.epoch = epoch;
  out.key = {from.bytes[3], to.bytes[3], static_cast<std::uint8_t>(epoch)};
  return out;
}

class PeersTest : public testing::Test {
 protected:
  Config config = parse_config("interface = 'eth0'\nmode = 'bpf'\n[[peer]]\naddress = '10.0.0.2'\n", "f");
  FakePath path;
  std::map<Address, ClockNews> news;
  std::optional<Address> local = host("10.0.0.1");
  const Address peer = host("10.0.0.2");

  Peers make() {
    return {config, 0, plain_key, [this](const Address&) { return local; }};
  }
  void synchronised(std::int64_t at, std::int64_t sigma = 2'000) {
    news[peer] = {ClockCondition::synchronised, ClockLine{at, 5, 0, sigma}, 20'000, at};
  }
};

TEST_F(PeersTest, IsHeldOnlyWhileItsClockIsKnown) {
  Peers peers = make();
  std::int64_t now = 10 * kSecond;
  const auto state_after = [&](std::int64_t ns) {
    now += ns;
    peers.update(now, kHour, news, path);
    EXPECT_EQ(path.peers.at(peer).held, peers.status()[0].held);
    return peers.status()[0].state;
  };
  EXPECT_EQ(state_after(0), PeerState::no_agent);
  EXPECT_FALSE(path.peers.at(peer).held);
  EXPECT_LT(path.peers.at(peer).clock.sigma, 0);
  news[peer].condition = ClockCondition::measuring;
  EXPECT_EQ(state_after(kSecond), PeerState::unsynchronised);
  synchronised(now);
  EXPECT_EQ(state_after(kSecond), PeerState::held);
  EXPECT_EQ(path.peers.at(peer).threshold, 20'000 + 2 * 2'000 + 50'000);
  EXPECT_EQ(peers.status()[0].silence, kSecond);
  for (const auto& [condition, state] : {std::pair{ClockCondition::stale, PeerState::stale},
                                         {ClockCondition::stepped, PeerState::stepped},
                                         {ClockCondition::silent, PeerState::no_agent},
                                         {ClockCondition::measuring, PeerState::unsynchronised}}) {
    news[peer] = {condition, std::nullopt, 20'000, now};
    EXPECT_EQ(state_after(0), state);
    EXPECT_FALSE(path.peers.at(peer).held);
    synchronised(now);
    EXPECT_EQ(state_after(0), PeerState::held);
    EXPECT_TRUE(path.peers.at(peer).held);
  }
  synchronised(now, 100'000);
  EXPECT_EQ(state_after(0), PeerState::held);
  EXPECT_TRUE(path.peers.at(peer).certain);
  synchronised(now, 100'001);
  EXPECT_EQ(state_after(0), PeerState::uncertain);
  EXPECT_TRUE(path.peers.at(peer).held);
  EXPECT_FALSE(path.peers.at(peer).certain);
  synchronised(now, kSecond + 1);
  EXPECT_EQ(state_after(0), PeerState::uncertain);
  EXPECT_FALSE(path.peers.at(peer).held);
}

// As if all of what makes a clock uncertain were a queue before the peer, for two seconds; then for what it rises by.
TEST_F(PeersTest, AQueueThatStoodBeforeIsDrainedFirst) {
  config.threshold = kSecond / 1'000;
  Peers peers = make();
  const auto told_after = [&](std::int64_t now) {
    news[peer] = {
        ClockCondition::synchronised, ClockLine{now, 5, 0, 30'000'000}, 20'000'000, now, std::nullopt, 29'000'000};
    peers.update(now, kHour, news, path);
    EXPECT_TRUE(path.peers.at(peer).held);
    EXPECT_EQ(peers.status()[0].threshold, 31'000'000);
    return path.peers.at(peer).threshold;
  };
  EXPECT_EQ(told_after(10 * kSecond), 31'000'000 - 2 * 29'000'000);
  EXPECT_EQ(told_after(12 * kSecond - 1), 31'000'000 - 2 * 29'000'000);
  EXPECT_EQ(told_after(12 * kSecond), 31'000'000);
  EXPECT_EQ(told_after(20 * kSecond), 31'000'000);
  // and again once it has been known meanwhile
  synchronised(21 * kSecond);
  peers.update(21 * kSecond, kHour, news, path);
  EXPECT_EQ(told_after(22 * kSecond), 31'000'000 - 2 * 29'000'000);
}

TEST_F(PeersTest, KeysAreMadeWhenTheyChangeOnly) {
  int made = 0;
  const auto count = [&](const Address& from, const Address& to, std::uint64_t epoch) {
    return ++made, plain_key(from, to, epoch);
  };
  Peers peers{config, 0, count, [this](const Address&) { return local; }};
  for (const std::int64_t time : {kHour, kHour + kSecond, 2 * kHour - 1}) peers.update(time, time, news, path);
  EXPECT_EQ(made, 6);  // of either direction: of this hour and its neighbours
  peers.update(2 * kHour, 2 * kHour, news, path);
  EXPECT_EQ(made, 12);
  EXPECT_EQ(path.peers.at(peer).send.current, plain_key(*local, peer, 2));
  local = host("10.0.0.9");
  peers.update(2 * kHour + 6 * kSecond, 2 * kHour + 6 * kSecond, news, path);
  EXPECT_EQ(made, 18);
  EXPECT_EQ(path.peers.at(peer).send.current, plain_key(*local, peer, 2));
}

TEST_F(PeersTest, ObserveHoldsNobody) {
  config.mode = Mode::observe;
  Peers peers = make();
  synchronised(0);
  peers.update(0, kHour, news, path);
  EXPECT_EQ(peers.status()[0].state, PeerState::observed);
  EXPECT_FALSE(path.peers.at(peer).held);
  synchronised(0, 200'000);
  peers.update(0, kHour, news, path);
  EXPECT_EQ(peers.status()[0].state, PeerState::uncertain);
  EXPECT_FALSE(path.peers.at(peer).held);
}

TEST_F(PeersTest, APeerMayBeLeftOut) {
  config.peers[0].hold = false;
  Peers peers = make();
  synchronised(0);
  peers.update(0, kHour, news, path);
  EXPECT_EQ(peers.status()[0].state, PeerState::observed);
}

TEST_F(PeersTest, WithoutARouteNothingIsTold) {
  local.reset();
  Peers peers = make();
  synchronised(0);
  peers.update(0, kHour, news, path);
  EXPECT_EQ(peers.status()[0].state, PeerState::no_route);
  EXPECT_TRUE(path.peers.empty());
  local = host("10.0.0.1");
  peers.update(kSecond, kHour, news, path);
  EXPECT_EQ(peers.status()[0].state, PeerState::no_route);  // routes are looked at every 5 s
  peers.update(5 * kSecond, kHour, news, path);
  EXPECT_EQ(path.peers.size(), 1u);
  local.reset();
  peers.update(10 * kSecond, kHour, news, path);
  EXPECT_TRUE(path.peers.empty());
}

TEST_F(PeersTest, ThePathIsToldOnlyChanges) {
  Peers peers = make();
  synchronised(0);
  for (int i = 0; i < 20; ++i) peers.update(i * kSecond / 10, kHour, news, path);
  EXPECT_EQ(path.told, 1);
  synchronised(2 * kSecond);
  peers.update(2 * kSecond, kHour, news, path);
  EXPECT_EQ(path.told, 2);
}

TEST_F(PeersTest, KeysRotate) {
  Peers peers = make();
  peers.update(0, 10 * kHour, news, path);
  EXPECT_EQ(path.peers.at(peer).receive.current, plain_key(peer, *local, 10));
  EXPECT_EQ(path.peers.at(peer).receive.previous, plain_key(peer, *local, 9));
  EXPECT_EQ(path.peers.at(peer).receive.next, plain_key(peer, *local, 11));
  EXPECT_EQ(path.peers.at(peer).send.current, plain_key(*local, peer, 10));
  peers.update(0, 11 * kHour - 1, news, path);
  EXPECT_EQ(path.told, 1);
  peers.update(0, 11 * kHour, news, path);
  EXPECT_EQ(path.peers.at(peer).send.current, plain_key(*local, peer, 11));
  EXPECT_EQ(path.peers.at(peer).receive.current, plain_key(peer, *local, 11));
  EXPECT_EQ(path.told, 2);
}

TEST(Keys, HostsWhoseTimesDifferByALifetimeAtMostUnderstandEachOther) {
  const Address a = host("10.0.0.1");
  const Address b = host("10.0.0.2");
  for (std::int64_t time = 100 * kHour; time < 102 * kHour; time += kHour / 16)
    for (std::int64_t difference = -kHour; difference <= kHour; difference += kHour / 16) {
      const EpochKeys sender = keys_at(time, kHour, a, b, plain_key);
      const EpochKeys receiver = keys_at(time + difference, kHour, b, a, plain_key);
      const PairKeys& accepted = sender.receive;
      const bool understood = receiver.send.current == accepted.current || receiver.send.current == accepted.previous ||
                              receiver.send.current == accepted.next;
      EXPECT_TRUE(understood) << time << ' ' << difference;
    }
}

TEST(Threshold, IsGivenOrDerivedAndWidened) {
  ClockNews news;
  EXPECT_FALSE(threshold_of(std::nullopt, 50, 0, 40, news));
  EXPECT_EQ(threshold_of(1'000, 50, 0, 40, news), 1'000);
  news.line = ClockLine{0, 0, 0, 30};
  EXPECT_FALSE(threshold_of(std::nullopt, 50, 0, 40, news));
  EXPECT_EQ(threshold_of(1'000, 50, 0, 40, news), 1'030);
  news.least = 100;
  EXPECT_EQ(threshold_of(std::nullopt, 50, 0, 40, news), 100 + 60 + 50);
  EXPECT_EQ(threshold_of(std::nullopt, 50, 70, 40, news), 100 + 60 + 70);
  news.least = -5;  // by clocks that are wrong
  EXPECT_EQ(threshold_of(std::nullopt, 50, 0, 40, news), 60 + 50);
}

// A queue that stood from the first probe on: half of it is in the least delay, and the bound.
TEST(Threshold, OfAnUncertainClockIsTheRiseAboveTheLeastDelay) {
  ClockNews news;
  news.line = ClockLine{0, 0, 0, 30'000};
  news.least = 29'000;
  news.bias = 29'500;
  EXPECT_EQ(threshold_of(1'000, 50, 0, 40, news), 1'000 + 30'000);
  EXPECT_EQ(threshold_of(std::nullopt, 50, 0, 40, news), 29'000 + 2 * 500 + 50);
  EXPECT_EQ(threshold_of(std::nullopt, 50, 0, 700, news), 29'000 + 2 * 700 + 50);
  EXPECT_EQ(threshold_of(std::nullopt, 50, 0, 40'000, news), 29'000 + 2 * 30'000 + 50) << "it is known";
}

struct SegmentCase {
  const char* keys;
  std::int64_t rate;
  std::uint32_t gso_max_size;
  std::uint32_t limit;
  std::int64_t least_threshold;
  const char* warning;  // a part; "" = none
};

TEST(Segment, TwoOfThemTakeHalfOfT) {
  // a packet of 1500 bytes is 1538 bytes on the wire, 123 us at 100 Mb/s, and carries 1460 bytes at most
  const SegmentCase cases[] = {
      {"T = '1 ms'", 100'000'000, 65'536, 2 * 1'460 + 321, 492'160, ""},
      {"T = '2 ms'", 100'000'000, 65'536, 4 * 1'460 + 321, 492'160, ""},
      {"T = '100 us'", 100'000'000, 65'536, 2 * 1'460 + 321, 492'160,
       "a super-packet of 2 packets takes 246 us, more than half of T = 100 us: On-Ramp holds too late; make T larger"},
      {"", 100'000'000, 65'536, 2 * 1'460 + 321, 492'160, ""},
      {"", 10'000'000'000, 65'536, 10 * 1'460 + 321, 4'920, ""},
      {"", 10'000'000'000, 10'000, 0, 4'920, ""},  // smaller already
      {"", 100'000'000'000, 65'536, 0, 492, ""},
      {"segment = '4344 B'\nT = '1 ms'", 100'000'000, 65'536, 4'344, 492'160, ""},
      {"segment = '64 KB'\nT = '1 ms'", 100'000'000, 65'536, 64'000, 10'581'440,
       "a super-packet of 43 packets takes 5290 us, more than half of T = 1000 us: On-Ramp holds too late; make "
       "'segment' smaller or T larger"},
      {"segment = 'keep'\nT = '1 ms'", 100'000'000, 65'536, 0, 10'827'520, "a super-packet of 44 packets takes 5413"},
      {"segment = 'keep'\nT = '1 ms'", 100'000'000, 4'665, 0, 492'160, ""},
      {"segment = 'keep'\nT = '1 ms'", 0, 65'536, 0, 0, ""},
      {"T = '1 ms'", 0, 65'536, 0, 0, "the link's rate is not known"},
      {"T = '1 ms'\n[[peer]]\naddress = '10.0.0.1'\nT = '600 us'", 100'000'000, 65'536, 2 * 1'460 + 321, 492'160, ""},
  };
  for (const auto& c : cases) {
    const SegmentChoice choice = choose_segment(parse_config(std::string("interface = 'eth0'\n") + c.keys, "f"),
                                                {c.rate, 1'500, c.gso_max_size});
    EXPECT_EQ(choice.limit, c.limit) << c.keys;
    EXPECT_EQ(choice.least_threshold, c.least_threshold) << c.keys;
    EXPECT_EQ(choice.warning.empty(), std::string(c.warning).empty()) << choice.warning;
    EXPECT_NE(choice.warning.find(c.warning), std::string::npos) << choice.warning;
  }
}

TEST(Segment, ManyFlowsAreWarnedOf) {
  const Config config = parse_config("interface = 'eth0'\nmode = 'bpf'\nT = '1 ms'\nrate = '100 Mbps'\n", "f");
  const SegmentChoice segment = choose_segment(config, {100'000'000, 1'500, 65'536});
  EXPECT_EQ(segment.duration, 2 * 123'040);
  EXPECT_EQ(too_many_flows(40, segment, config), "");
  EXPECT_EQ(
      too_many_flows(100, segment, config),
      "100 flows send at once, and a super-packet of each takes 24 ms on the link, more than the 10 ms of "
      "hold.at_most and rule.max_pause: On-Ramp shortens the queue little; mode queue does better, and larger ones "
      "help some");
  Config queue = config;
  queue.mode = Mode::queue;
  EXPECT_EQ(too_many_flows(100, segment, queue), "");
  EXPECT_EQ(too_many_flows(200, segment, queue),
            "200 flows send at once, and 3 super-packets of each take 147 ms on the link, more than the 100 ms of "
            "hold.many: On-Ramp shortens the queue little; smaller super-packets ('segment') or a longer bound help");
  EXPECT_EQ(too_many_flows(1'000'000, choose_segment(config, {0, 1'500, 65'536}), config), "")
      << "the link's rate is not known";
}

TEST(Route, OfThisHostToItself) { EXPECT_EQ(route_source(host("127.0.0.1")), host("127.0.0.1")); }

}  // namespace
}  // namespace weir::hosts
