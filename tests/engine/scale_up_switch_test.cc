// Messages of a server that share its scale-up switch, by hand and at each instant as theory has it (theory/max_min.h),
// and drivers that move them, in all ways of running.
#include "weir/engine/model/scale_up_switch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/random_driver.h"
#include "tests/engine/scenario.h"
#include "weir/base/error.h"
#include "weir/theory/max_min.h"

namespace weir::engine::scale_up_switch_test {
namespace {

using namespace literals;

// 1 B/ns.
constexpr Rate kRate{8'000'000'000};

struct Given {
  Time start;
  std::uint32_t src;
  std::uint32_t dst;
  Bytes size;
};

// When each of them is across, in the order given.
std::vector<Time> ends(std::uint32_t hosts, const std::vector<Given>& all) {
  ScaleUpSwitch by(hosts, kRate);
  std::vector<Time> out(all.size(), Time::max());
  std::set<Time> starts;
  for (const Given& g : all) starts.insert(g.start);
  Time next = Time::max();
  for (std::size_t over = 0; over < all.size();) {
    Time now = next;
    if (!starts.empty() && *starts.begin() <= now) {
      now = *starts.begin();
      starts.erase(now);
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].start == now) by.begin({.word = i, .size = all[i].size, .src = all[i].src, .dst = all[i].dst}, 0, now);
    for (const auto& t : by.take_ended(now)) {
      out[t.message.word] = now;
      ++over;
    }
    next = by.share(now);
  }
  return out;
}

TEST(ScaleUpSwitch, SharesByHand) {
  // Alone.
  EXPECT_EQ(ends(4, {{0_us, 0, 1, 8_KB}}), (std::vector<Time>{8_us}));
  // Of one GPU to two, and of two to one: halves, until the shorter one is across.
  EXPECT_EQ(ends(4, {{0_us, 0, 1, 8_KB}, {0_us, 0, 2, 4_KB}}), (std::vector<Time>{12_us, 8_us}));
  EXPECT_EQ(ends(4, {{0_us, 1, 0, 8_KB}, {0_us, 2, 0, 4_KB}}), (std::vector<Time>{12_us, 8_us}));
  // Ways out and in are apart.
  EXPECT_EQ(ends(4, {{0_us, 0, 1, 8_KB}, {0_us, 1, 0, 8_KB}, {0_us, 2, 3, 8_KB}}),
            (std::vector<Time>{8_us, 8_us, 8_us}));
  // Three to GPU 0 have a third each, so that GPU 3 has two thirds for GPU 2 meanwhile: 8 KB in 12 us.
  EXPECT_EQ(ends(4, {{0_us, 1, 0, 8_KB}, {0_us, 2, 0, 8_KB}, {0_us, 3, 0, 8_KB}, {0_us, 3, 2, 8_KB}}),
            (std::vector<Time>{24_us, 24_us, 24_us, 12_us}));
  // One that comes later, when 2 KB of 8 are across: 2 KB of its own take 4 us, the other one has 4 KB left.
  EXPECT_EQ(ends(2, {{0_us, 0, 1, 8_KB}, {2_us, 0, 1, 2_KB}}), (std::vector<Time>{10_us, 6_us}));
}

// At each instant rates are those of max_min() of all that is under way, and no bytes are lost.
TEST(ScaleUpSwitch, IsMaxMinFairAtEachInstant) {
  const RandomStream draw(5, 0, Purpose::algorithm);
  std::uint64_t drawn = 0;
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(draw.below(drawn++, n)); };
  for (const std::uint32_t hosts : {2u, 3u, 8u}) {
    ScaleUpSwitch by(hosts, kRate);
    Time now;
    Time next = Time::max();
    std::map<std::uint64_t, double> bits;  // that are across, by message
    for (std::uint64_t step = 0; step < 400; ++step) {
      const Time before = now;
      now = std::min(next, now + Time{1 + below(3'000'000)});
      for (const auto& t : by.transfers()) bits[t.message.word] += t.rate * (now - before).seconds();
      for (const auto& t : by.take_ended(now))
        EXPECT_NEAR(bits[t.message.word], 8.0 * static_cast<double>(t.message.size.count), 0.1);
      if (by.transfers().size() < 30 && below(2) == 0) {
        const std::uint32_t src = below(hosts);
        by.begin({.word = step, .size = {1 + below(20'000)}, .src = src, .dst = (src + 1 + below(hosts - 1)) % hosts},
                 0, now);
      }
      next = by.share(now);
      theory::Network network;
      network.capacities.assign(2 * std::size_t{hosts}, static_cast<double>(kRate.bits_per_second));
      for (const auto& t : by.transfers()) network.flows.push_back({.links = {t.message.src, hosts + t.message.dst}});
      if (network.flows.empty()) continue;
      const auto wanted = theory::max_min(network).rates;
      for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(by.transfers()[i].rate, wanted[i], 1e-9 * wanted[i]);
    }
    EXPECT_GT(bits.size(), 50u);
  }
}

// Two servers of two GPUs, at two leaves each: what is moved takes half the latency to the switch and half from it.
TEST(ScaleUpSwitch, IsKnownToDrivers) {
  class Mover final : public traffic::Driver {
   public:
    std::uint64_t tasks() const override { return 3; }
    bool posts() const override { return true; }
    std::optional<traffic::ScaleUp> scale_up() const override {
      return traffic::ScaleUp{.group = 3, .rate = kRate, .latency = 1_us};
    }
    void begin(traffic::Desk& desk) override {
      if (desk.host() % 3 != 0) return;
      desk.move({.word = 1, .size = 6_KB, .dst = desk.host() + 2});
      EXPECT_THROW(desk.move({.size = 6_KB, .dst = (desk.host() + 3) % 6}), InputError);
    }
    void brought(traffic::Desk& desk, const traffic::Message& m) override {
      seen->emplace(std::pair(desk.host(), m.word), desk.now());
      desk.done(m.word == 1 ? 1 : 0);
    }
    void carried(traffic::Desk& desk, const traffic::Message& m) override {
      EXPECT_EQ(m.src, desk.host());
      seen->emplace(std::pair(desk.host(), m.word), desk.now());
      if (desk.host() == 0) desk.done();
    }
    std::unique_ptr<Driver> clone() const override { return std::make_unique<Mover>(*this); }
    void archive(Saver&, std::uint32_t) override {}
    void archive(Loader&, std::uint32_t) override {}
    std::map<std::pair<std::uint32_t, std::uint64_t>, Time>* seen = nullptr;
  };
  for (const SchedulerKind scheduler : {SchedulerKind::automatic, SchedulerKind::wheel}) {
    Scenario s;
    s.topology = build(net::LeafSpine{.leaves = 2, .spines = 1, .hosts_per_leaf = 3});
    s.profiles = {unlimited()};
    std::map<std::pair<std::uint32_t, std::uint64_t>, Time> seen;
    auto driver = std::make_shared<Mover>();
    driver->seen = &seen;
    s.driver = driver;
    run(s, {.scheduler = scheduler});
    for (const std::uint32_t host : {0u, 2u, 3u, 5u}) EXPECT_EQ(seen.at({host, 1}), 7_us) << host;
  }
}

// All that is moved is brought, with whatever else hosts do, on one and several threads.
TEST(ScaleUpSwitch, BringsAllThatIsMoved) {
  for (const std::uint32_t group : {2u, 4u, 8u})
    for (const std::uint32_t threads : {1u, 2u}) {
      Scenario s;
      s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 4});
      s.profiles = {profile("dctcp")};
      const auto model = s.model();
      const auto traffic = s.traffic();
      Simulation simulation(*model, *traffic, {.threads = threads, .stop = 1_s});
      auto driver = std::make_unique<RandomDriver>(
          RandomDriver::Params{.hosts = 8, .posts = true, .scale_up = {.group = group}, .seed = group});
      const RandomDriver& seen = *driver;
      simulation.drive(std::move(driver));
      EXPECT_TRUE(simulation.advance());
      EXPECT_GT(seen.messages_moved(), 50u);
      EXPECT_GE(seen.messages_moved(), seen.messages_brought());
      EXPECT_GT(2 * seen.messages_brought(), seen.messages_moved());
    }
}

}  // namespace
}  // namespace weir::engine::scale_up_switch_test
