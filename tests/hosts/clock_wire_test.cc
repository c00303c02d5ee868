#include "hosts/clock/wire.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <cmath>

#include "hosts/clock/keyring.h"
#include "hosts/clock/session.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock {
namespace {

constexpr Key kKey{1, 2, 3};

Report full_report() {
  Report r{.hops = 3, .origin = {{10, 77, 0, 1}, false}, .started = 1'700'000'000'000'000'000, .number = 7, .at = -5};
  for (std::uint8_t i = 0; i < kMostEdges; ++i) {
    r.edges.push_back({{{0xfd, 0x77, i}, true}, -1'000'000'000'000 * i, 30e-6, 12.2 + i, 1e-9});
  }
  return r;
}

// With as many edges as there is room for beside the time of day.
Report timed_report() {
  Report r = full_report();
  r.edges.pop_back();
  r.time_of_day = TimeOfDay{1'700'000'000'123'456'789, 37};
  return r;
}

std::vector<std::uint8_t> bytes(const Buffer& buffer, std::size_t size) {
  return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size)};
}

std::vector<std::vector<std::uint8_t>> one_of_each() {
  Buffer b;
  std::vector<std::vector<std::uint8_t>> out;
  out.push_back(bytes(b, write_greeting(b, {Kind::greeting, 1, 2, 0, 3}, kKey)));
  out.push_back(bytes(b, write_probe(b, {Kind::first, 1, 2, 9, 4}, {false, std::nullopt}, kKey)));
  out.push_back(bytes(b, write_probe(b, {Kind::second, 1, 2, 9, 5}, {true, Record{17, -123'456'789, 10'000}}, kKey)));
  out.push_back(bytes(b, write_report(b, {Kind::report, 1, 2, 9, 6}, full_report(), kKey)));
  out.push_back(bytes(b, write_report(b, {Kind::report, 1, 2, 9, 7}, timed_report(), kKey)));
  return out;
}

TEST(ClockWire, SaysWhatItWasTold) {
  const auto messages = one_of_each();
  EXPECT_EQ(messages[0].size(), kHeaderBytes + kTagBytes);
  EXPECT_EQ(messages[1].size(), kProbeBytes);
  EXPECT_EQ(messages[2].size(), kProbeBytes);
  EXPECT_EQ(messages[3].size(), kLargestMessage);
  EXPECT_LE(kLargestMessage + 48, 1'280u);

  const auto second = read_message(messages[2]);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->header.kind, Kind::second);
  EXPECT_EQ(second->header.key_id, 1);
  EXPECT_EQ(second->header.from, 2u);
  EXPECT_EQ(second->header.to, 9u);
  EXPECT_EQ(second->header.number, 5u);
  const auto& probe = std::get<Probe>(second->body);
  EXPECT_TRUE(probe.eager);
  ASSERT_TRUE(probe.record);
  EXPECT_EQ(probe.record->number, 17u);
  EXPECT_EQ(probe.record->time, -123'456'789);
  EXPECT_EQ(probe.record->apart, 10'000u);
  EXPECT_FALSE(std::get<Probe>(read_message(messages[1])->body).record);

  const auto report = read_message(messages[3]);
  ASSERT_TRUE(report);
  const auto& told = std::get<Report>(report->body);
  const Report meant = full_report();
  EXPECT_EQ(told.hops, meant.hops);
  EXPECT_EQ(told.origin, meant.origin);
  EXPECT_EQ(told.started, meant.started);
  EXPECT_EQ(told.number, meant.number);
  EXPECT_EQ(told.at, meant.at);
  ASSERT_EQ(told.edges.size(), meant.edges.size());
  for (std::size_t i = 0; i < told.edges.size(); ++i) {
    EXPECT_EQ(told.edges[i].to, meant.edges[i].to);
    EXPECT_EQ(told.edges[i].offset, meant.edges[i].offset);
    EXPECT_NEAR(told.edges[i].drift, meant.edges[i].drift, 1e-12);
    // errors are rounded up
    EXPECT_EQ(told.edges[i].error, std::ceil(meant.edges[i].error));
    EXPECT_GE(told.edges[i].growth, meant.edges[i].growth);
    EXPECT_NEAR(told.edges[i].growth, meant.edges[i].growth, 1e-12);
  }
  EXPECT_FALSE(told.time_of_day);

  EXPECT_LE(messages[4].size(), kLargestMessage);
  const auto timed = read_message(messages[4]);
  ASSERT_TRUE(timed);
  const auto& with_time = std::get<Report>(timed->body);
  ASSERT_TRUE(with_time.time_of_day);
  EXPECT_EQ(with_time.time_of_day->ahead, 1'700'000'000'123'456'789);
  EXPECT_EQ(with_time.time_of_day->error, 37u);
  EXPECT_EQ(with_time.at, meant.at);
  ASSERT_EQ(with_time.edges.size(), kMostEdges - 1);
  EXPECT_EQ(with_time.edges.back().offset, meant.edges[kMostEdges - 2].offset);
}

TEST(ClockWire, TheTimeOfDayTakesThePlaceOfAnEdge) {
  Report r = full_report();
  r.time_of_day = TimeOfDay{};
  Buffer b;
  const auto told = read_message(bytes(b, write_report(b, {Kind::report, 0, 1, 1, 1}, r, kKey)));
  ASSERT_TRUE(told);
  EXPECT_EQ(std::get<Report>(told->body).edges.size(), kMostEdges - 1);
}

TEST(ClockWire, ErrorsWithoutBoundsStayLarge) {
  Report r{.origin = {{10, 77, 0, 1}, false}};
  r.edges.push_back({{{10, 77, 0, 2}, false}, 0, 0, 1e30, 1e30});
  Buffer b;
  const auto told = read_message(bytes(b, write_report(b, {Kind::report, 0, 1, 1, 1}, r, kKey)));
  ASSERT_TRUE(told);
  EXPECT_GT(std::get<Report>(told->body).edges[0].error, 4e9);
}

TEST(ClockWire, RefusesOtherLengths) {
  for (const auto& message : one_of_each()) {
    auto longer = message;
    longer.push_back(0);
    EXPECT_FALSE(read_message(longer));
    for (std::size_t size = 0; size < message.size(); ++size) {
      EXPECT_FALSE(read_message(std::span(message).first(size))) << size;
      EXPECT_FALSE(is_signed(std::span(message).first(size), kKey)) << size;
    }
  }
}

TEST(ClockWire, RefusesWhatNobodyWouldSay) {
  const auto messages = one_of_each();
  const auto with = [](std::vector<std::uint8_t> message, std::size_t at, std::uint8_t value) {
    message[at] = value;
    return read_message(message).has_value();
  };
  for (const std::size_t i : {0u, 1u, 2u, 3u}) EXPECT_FALSE(with(messages[i], 0, 2)) << i;  // version
  EXPECT_FALSE(with(messages[3], 0, 3));
  EXPECT_FALSE(with(messages[4], 0, 1));
  EXPECT_FALSE(with(messages[0], 1, 0));  // kind
  EXPECT_FALSE(with(messages[0], 1, 5));
  EXPECT_FALSE(with(messages[0], 1, 2));                    // a probe without a record
  EXPECT_FALSE(with(messages[1], 1, 1));                    // a greeting with one
  EXPECT_FALSE(with(messages[0], 11, 0));                   // nonce 0: the only byte of it that is not 0
  EXPECT_FALSE(with(messages[1], kHeaderBytes, 2));         // neither eager nor not
  EXPECT_FALSE(with(messages[2], kHeaderBytes + 5, 0x40));  // the time of no clock
  const std::size_t edges = kHeaderBytes + kReportBytes;
  EXPECT_FALSE(with(messages[3], kHeaderBytes + 1, 2));   // a family of addresses
  EXPECT_FALSE(with(messages[3], kHeaderBytes + 10, 1));  // IPv4 with more than four bytes
  EXPECT_FALSE(with(messages[3], edges - 1, kMostEdges + 1));
  EXPECT_FALSE(with(messages[3], edges - 1, kMostEdges - 1));
  EXPECT_FALSE(with(messages[3], edges + 17, 0x40));  // an offset of centuries
  EXPECT_FALSE(with(messages[3], edges + 25, 0x7f));  // a drift of 2 ms/s
  EXPECT_FALSE(with(messages[4], edges - 1, 0x40));   // a time of day of centuries
  EXPECT_FALSE(with(messages[4], edges + kTimeOfDayBytes - 1, kMostEdges));
  auto sure = messages[3];
  std::fill_n(sure.begin() + edges + 29, 4, 0);  // without error
  EXPECT_FALSE(read_message(sure));
}

TEST(ClockWire, RefusesWhatWasChanged) {
  for (const auto& message : one_of_each()) {
    EXPECT_TRUE(is_signed(message, kKey));
    EXPECT_FALSE(is_signed(message, Key{1, 2, 4}));
    for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
      auto changed = message;
      changed[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      EXPECT_FALSE(is_signed(changed, kKey)) << bit;
    }
  }
}

TEST(NumberWindow, TakesEachNumberOnce) {
  NumberWindow w;
  EXPECT_TRUE(w.is_new(5));
  EXPECT_FALSE(w.is_new(5));
  EXPECT_TRUE(w.is_new(4));
  EXPECT_FALSE(w.is_new(4));
  EXPECT_TRUE(w.is_new(100));
  EXPECT_FALSE(w.is_new(36));
  EXPECT_TRUE(w.is_new(37));
  EXPECT_FALSE(w.is_new(37));
  EXPECT_TRUE(w.is_new(UINT64_MAX));
  EXPECT_FALSE(w.is_new(100));
  Random random(1);
  NumberWindow other;
  std::vector<bool> seen(5'000);
  std::uint64_t largest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t number =
        1 + std::min<std::uint64_t>(4'998, static_cast<std::uint64_t>(i) / 20 + random.below(90));
    const bool late = number + 64 <= largest;
    EXPECT_EQ(other.is_new(number), !late && !seen[number]) << number;
    if (!late) seen[number] = true;
    largest = std::max(largest, number);
  }
}

// Hands a header of `from` to `to`, and answers as the service does.
bool talk(Session& from, Session& to, int depth = 0) {
  if (depth > 20) return false;
  switch (to.heard(from.next(Kind::greeting))) {
    case Session::Verdict::good: return true;
    case Session::Verdict::begins:
    case Session::Verdict::stranger: return talk(to, from, depth + 1);
    case Session::Verdict::repeated: return false;
  }
  return false;
}

TEST(Session, IsEstablishedByTwoGreetings) {
  ASSERT_EQ(sodium_init() < 0, false);
  Session a;
  Session b;
  EXPECT_FALSE(a.established());
  EXPECT_TRUE(talk(a, b));
  EXPECT_TRUE(a.established() && b.established());
  EXPECT_EQ(a.heard(b.next(Kind::first)), Session::Verdict::good);
  EXPECT_EQ(b.heard(a.next(Kind::first)), Session::Verdict::good);
}

TEST(Session, StartsAnewWithAHostThatDoes) {
  Session a;
  auto b = std::make_unique<Session>();
  ASSERT_TRUE(talk(a, *b));
  for (int i = 0; i < 10; ++i) {
    b = std::make_unique<Session>();
    EXPECT_TRUE(talk(i % 2 == 0 ? a : *b, i % 2 == 0 ? *b : a));
    EXPECT_EQ(a.heard(b->next(Kind::first)), Session::Verdict::good);
    EXPECT_EQ(b->heard(a.next(Kind::first)), Session::Verdict::good);
  }
}

TEST(Session, RecordingsAreWorthNothing) {
  Session a;
  auto b = std::make_unique<Session>();
  std::vector<Header> recorded;
  ASSERT_TRUE(talk(a, *b));
  for (int i = 0; i < 100; ++i) {
    recorded.push_back(b->next(i % 5 == 0 ? Kind::greeting : Kind::first));
    EXPECT_EQ(a.heard(recorded.back()), Session::Verdict::good);
  }
  // in this session
  for (const Header& h : recorded) EXPECT_EQ(a.heard(h), Session::Verdict::repeated);
  // in later ones, of either host
  const std::uint64_t before = a.ours();
  b = std::make_unique<Session>();
  ASSERT_TRUE(talk(*b, a));
  EXPECT_NE(a.ours(), before);
  for (const Header& h : recorded) EXPECT_EQ(a.heard(h), Session::Verdict::stranger);
  EXPECT_EQ(a.heard(b->next(Kind::first)), Session::Verdict::good);
  Session c;
  for (const Header& h : recorded) EXPECT_EQ(c.heard(h), Session::Verdict::stranger);
  EXPECT_FALSE(c.established());
}

PairKey pair(const Address& from, const Address& to, std::uint64_t epoch) {
  PairKey k{epoch, {}};
  k.key[0] = from.bytes[3];
  k.key[1] = to.bytes[3];
  k.key[2] = static_cast<std::uint8_t>(epoch);
  return k;
}

TEST(KeyRing, TheTwoEndsAgree) {
  const Address a{{10, 77, 0, 1}, false};
  const Address b{{10, 77, 0, 2}, false};
  KeyRing ours(pair, a, b, 1'000'000);
  KeyRing theirs(pair, b, a, 1'000'000);
  EXPECT_EQ(theirs.receive(ours.id()), ours.send());
  EXPECT_EQ(ours.receive(theirs.id()), theirs.send());
  EXPECT_NE(ours.send(), theirs.send());
  // it is not the key of OR-ACKs
  EXPECT_NE(ours.send(), pair(a, b, 1'000'000).key);
  // times of day that differ by up to an epoch
  for (const std::uint64_t epoch : {999'999u, 1'000'001u}) {
    theirs.at(epoch);
    EXPECT_EQ(ours.receive(theirs.id()), theirs.send());
    EXPECT_EQ(theirs.receive(ours.id()), ours.send());
  }
  theirs.at(1'000'002);
  EXPECT_FALSE(ours.receive(theirs.id()));
  theirs.at(999'998);
  EXPECT_FALSE(ours.receive(theirs.id()));
  // where the id turns over
  KeyRing last(pair, a, b, 65'535);
  KeyRing next(pair, b, a, 65'536);
  EXPECT_EQ(next.receive(last.id()), last.send());
  EXPECT_EQ(last.receive(next.id()), next.send());
}

}  // namespace
}  // namespace weir::hosts::clock
