#include "tests/engine/random_driver.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::engine {
namespace {

// splitmix64
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

RandomDriver::RandomDriver(const Params& params) : params_(params), hosts_(params.hosts) {
  for (std::uint32_t h = 0; h < params.hosts; ++h) {
    hosts_[h].told = mixed(params.seed << 20 | h);
    hosts_[h].left = params.messages;
    for (auto* all : {&hosts_[h].numbers, &hosts_[h].known, &hosts_[h].ended})
      all->resize(std::size_t{params.hosts} * kPorts * params.profiles);
  }
}

std::size_t RandomDriver::place(std::uint32_t other, std::uint16_t sport, std::uint16_t profile) const {
  return (std::size_t{other} * kPorts + sport) * params_.profiles + profile;
}

std::uint64_t RandomDriver::draw(OfHost& own) const { return own.told = mixed(own.told); }

void RandomDriver::begin(traffic::Desk& desk) { hear(desk, 0, 0, 0); }

void RandomDriver::check(const traffic::Message& message, std::uint32_t& next) const {
  EXPECT_EQ(message.word >> 32, static_cast<std::uint64_t>(message.size.count));
  EXPECT_TRUE(!params_.in_order || static_cast<std::uint32_t>(message.word) == next);
  ++next;
}

void RandomDriver::received(traffic::Desk& desk, const traffic::Message& message) {
  EXPECT_EQ(message.dst, desk.host());
  OfHost& own = hosts_[desk.host()];
  check(message, own.known[place(message.src, message.sport, message.profile)]);
  ++own.received;
  own.bytes += message.size;
  hear(desk, 1, message.id, message.word);
}

void RandomDriver::sent(traffic::Desk& desk, const traffic::Message& message) {
  EXPECT_EQ(message.src, desk.host());
  OfHost& own = hosts_[desk.host()];
  check(message, own.ended[place(message.dst, message.sport, message.profile)]);
  ++own.sent;
  --own.active;
  desk.done();
  hear(desk, 2, message.id, static_cast<std::uint64_t>(message.started.ps));
}

void RandomDriver::woken(traffic::Desk& desk, std::uint32_t word) {
  --hosts_[desk.host()].awake;
  hear(desk, 3, word, 0);
}

void RandomDriver::posted(traffic::Desk& desk, std::uint32_t from, std::uint64_t word) { hear(desk, 4, from, word); }

void RandomDriver::brought(traffic::Desk& desk, const traffic::Message& message) {
  EXPECT_EQ(message.dst, desk.host());
  EXPECT_TRUE(params_.scale_up.joins(message.src, message.dst));
  EXPECT_EQ(message.word, static_cast<std::uint64_t>(message.size.count) << 32 | message.src);
  EXPECT_GE(desk.now() - message.started,
            transmission_time(message.size, params_.scale_up.rate) + params_.scale_up.latency - Time{1});
  ++hosts_[desk.host()].brought;
  hear(desk, 5, message.src, message.word);
}

void RandomDriver::carried(traffic::Desk& desk, const traffic::Message& message) {
  EXPECT_EQ(message.src, desk.host());
  --hosts_[desk.host()].awake;
  hear(desk, 6, message.dst, message.word);
}

void RandomDriver::move(traffic::Desk& desk, OfHost& own) {
  const traffic::ScaleUp& by = params_.scale_up;
  const auto other = static_cast<std::uint32_t>(draw(own) % (by.group - 1));
  const std::uint32_t place = desk.host() % by.group;
  const auto size = static_cast<std::int64_t>(1 + draw(own) % 300'000);
  ++own.moved;
  ++own.awake;
  desk.move({.word = static_cast<std::uint64_t>(size) << 32 | desk.host(),
             .size = {size},
             .dst = by.first_of(desk.host()) + other + (other >= place ? 1 : 0)});
}

void RandomDriver::hear(traffic::Desk& desk, std::uint64_t kind, std::uint64_t a, std::uint64_t b) {
  OfHost& own = hosts_[desk.host()];
  own.told = mixed(mixed(mixed(own.told ^ kind) ^ a ^ static_cast<std::uint64_t>(desk.now().ps)) ^ b);
  if (own.left == 0) return;
  std::uint64_t n = draw(own) % 3;
  if (own.active + own.awake == 0) n = std::max<std::uint64_t>(n, 1);
  for (n = std::min<std::uint64_t>(n, own.left); n > 0; --n) send(desk, own);
  if (draw(own) % 4 == 0) {
    ++own.awake;
    const std::uint64_t wait = draw(own);
    desk.wake(desk.now() + Time{static_cast<std::int64_t>(wait % 8 * (wait % 3 == 0 ? 0 : 777'000))},
              static_cast<std::uint32_t>(draw(own)));
  }
  if (params_.scale_up.is_there() && draw(own) % 2 == 0) move(desk, own);
  if (params_.posts && draw(own) % 4 == 0) {
    const std::uint32_t to = another(desk.host(), own);
    desk.post(to, draw(own));
  }
}

std::uint32_t RandomDriver::another(std::uint32_t host, OfHost& own) const {
  const auto other = static_cast<std::uint32_t>(draw(own) % (params_.hosts - 1));
  return other + (other >= host ? 1 : 0);
}

void RandomDriver::send(traffic::Desk& desk, OfHost& own) {
  traffic::Message m;
  m.dst = another(desk.host(), own);
  m.sport = static_cast<std::uint16_t>(draw(own) % kPorts);
  m.profile = static_cast<std::uint16_t>(draw(own) % params_.profiles);
  const auto largest = static_cast<std::uint64_t>(params_.largest.count);
  const std::uint64_t kind = draw(own) % 4;
  const std::uint64_t most = kind == 0 ? 64 : kind == 1 ? std::max<std::uint64_t>(1, largest / 16) : largest;
  m.size = {static_cast<std::int64_t>(1 + draw(own) % most)};
  if (draw(own) % 8 == 0) m.id = traffic::kAnyUnlistedId;
  m.word = static_cast<std::uint64_t>(m.size.count) << 32 | own.numbers[place(m.dst, m.sport, m.profile)]++;
  --own.left;
  ++own.active;
  desk.send(m);
}

std::uint64_t RandomDriver::messages_received() const {
  std::uint64_t sum = 0;
  for (const OfHost& own : hosts_) sum += own.received;
  return sum;
}

std::uint64_t RandomDriver::messages_sent() const {
  std::uint64_t sum = 0;
  for (const OfHost& own : hosts_) sum += own.sent;
  return sum;
}

std::uint64_t RandomDriver::messages_moved() const {
  std::uint64_t sum = 0;
  for (const OfHost& own : hosts_) sum += own.moved;
  return sum;
}

std::uint64_t RandomDriver::messages_brought() const {
  std::uint64_t sum = 0;
  for (const OfHost& own : hosts_) sum += own.brought;
  return sum;
}

Bytes RandomDriver::bytes_received() const {
  Bytes sum;
  for (const OfHost& own : hosts_) sum += own.bytes;
  return sum;
}

}  // namespace weir::engine
