// Slots that receivers free, in a network that takes its time at random: nobody waits for ever, no lane has more
// messages than slots that are not handed on, and who does not receive holds back all before it.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "tests/traffic/helpers.h"
#include "weir/traffic/calls_driver.h"
#include "weir/traffic/double_tree.h"

namespace weir::traffic::slots_test {
namespace {

using namespace literals;

// Hosts and what is between them: each message takes some time, and some time to be acknowledged. It may come before
// one that was sent earlier.
class Play {
 public:
  // Told of a message that has been sent, and of one that has been received, unless it only frees a slot.
  using Watch = std::function<void(const Message&)>;

  Play(Driver& driver, std::uint32_t hosts, std::uint64_t seed) : driver_(driver), hosts_(hosts), random_(seed) {}

  // Nothing is received at this host before `until`.
  void hold(std::uint32_t host, Time until) {
    held_ = host;
    until_ = until;
  }
  void run(const Watch& sent, const Watch& received, Time stop = Time::max()) {
    sent_ = sent;
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      At desk(*this, host);
      driver_.begin(desk);
    }
    while (!due_.empty() && due_.top().at < stop) {
      const Due next = due_.top();
      due_.pop();
      now_ = next.at;
      const bool comes = next.kind == Kind::received || next.kind == Kind::posted || next.kind == Kind::brought;
      if (comes && next.host == held_ && now_ < until_) {
        add(until_, next.kind, next.host, next.message);
        continue;
      }
      At desk(*this, next.host);
      const Message& m = next.message;
      if (comes && !CollectiveDriver::is_credit(m.word)) received(m);
      switch (next.kind) {
        case Kind::received: driver_.received(desk, m); break;
        case Kind::sent: driver_.sent(desk, m); break;
        case Kind::posted: driver_.posted(desk, m.src, m.word); break;
        case Kind::woken: driver_.woken(desk, static_cast<std::uint32_t>(m.word)); break;
        case Kind::brought: driver_.brought(desk, m); break;
        case Kind::carried: driver_.carried(desk, m); break;
      }
    }
  }
  std::uint64_t done() const { return done_; }
  Time now() const { return now_; }

 private:
  enum class Kind : std::uint8_t { received, sent, posted, woken, brought, carried };
  struct Due {
    Time at;
    std::uint64_t number = 0;
    Kind kind = Kind::woken;
    std::uint32_t host = 0;
    Message message;
    friend bool operator<(const Due& a, const Due& b) { return std::tie(a.at, a.number) > std::tie(b.at, b.number); }
  };
  class At final : public Desk {
   public:
    At(Play& play, std::uint32_t host) : play_(play), host_(host) {}
    std::uint32_t host() const override { return host_; }
    Time now() const override { return play_.now_; }
    void send(Message m) override {
      m.src = host_;
      if (!CollectiveDriver::is_credit(m.word)) play_.sent_(m);
      const Time there = play_.now_ + play_.some_time();
      play_.add(there, Kind::received, m.dst, m);
      play_.add(there + play_.some_time(), Kind::sent, host_, m);
    }
    void wake(Time at, std::uint32_t word) override { play_.add(at, Kind::woken, host_, {.word = word}); }
    void post(std::uint32_t to, std::uint64_t word, Time at) override {
      if (!CollectiveDriver::is_credit(word)) play_.sent_({.word = word, .src = host_, .dst = to});
      play_.add(std::max(at, play_.now_ + lag()), Kind::posted, to, {.word = word, .src = host_, .dst = to});
    }
    Time lag() const override { return 1_ns; }
    Time& scale_up_free() override { return play_.scale_up_free_[host_]; }
    void move(Message m) override {
      m.src = host_;
      if (!CollectiveDriver::is_credit(m.word)) play_.sent_(m);
      const Time there = play_.now_ + play_.some_time();
      play_.add(there, Kind::brought, m.dst, m);
      play_.add(there, Kind::carried, host_, m);
    }
    void done(std::uint64_t tasks) override { play_.done_ += tasks; }

   private:
    Play& play_;
    std::uint32_t host_;
  };

  Time some_time() { return Time{1 + static_cast<std::int64_t>(random_() % 100'000)}; }
  void add(Time at, Kind kind, std::uint32_t host, const Message& message) {
    due_.push({at, number_++, kind, host, message});
  }

  Driver& driver_;
  const std::uint32_t hosts_;
  std::mt19937_64 random_;
  std::uint32_t held_ = kNobody;
  Time until_;
  Watch sent_;
  Time now_;
  std::uint64_t number_ = 0;
  std::uint64_t done_ = 0;
  std::priority_queue<Due> due_;
  std::map<std::uint32_t, Time> scale_up_free_;  // by host
};

std::unique_ptr<Driver> driver_of(const Collective& given, std::uint32_t hosts) {
  const Context context = uniform_hosts(hosts);
  const Collective c = in_chunks(given, context);
  if (c.is_series()) return std::make_unique<CallsDriver>(c, context);
  return make_driver(c, context, plan_collective(c, context), 0);
}

// What is under way on each lane and has not been handed on, of operations without servers. A message is handed on when
// what `hands_on` says of it has been sent; `ends` are those that go no farther.
class Lanes {
 public:
  using IsHandedOn = std::function<bool(const Message& came, const Message& sent)>;
  using Ends = std::function<bool(const Message&)>;
  Lanes(IsHandedOn is_handed_on, Ends ends, std::uint32_t slots)
      : is_handed_on_(std::move(is_handed_on)), ends_(std::move(ends)), slots_(slots) {}

  void sent(const Message& m) {
    for (auto& [lane, held] : held_)
      if (std::get<1>(lane) == m.src) std::erase_if(held, [&](const Message& came) { return is_handed_on_(came, m); });
    auto& held = held_[{m.src, m.dst, m.sport}];
    held.push_back(m);
    most_ = std::max<std::uint64_t>(most_, held.size());
    EXPECT_LE(held.size(), slots_) << m.src << " to " << m.dst;
  }
  void received(const Message& m) {
    if (ends_(m)) std::erase_if(held_[{m.src, m.dst, m.sport}], [&](const Message& o) { return o.word == m.word; });
  }
  std::uint64_t most() const { return most_; }
  std::uint64_t left() const {
    std::uint64_t out = 0;
    for (const auto& [lane, held] : held_) out += held.size();
    return out;
  }

 private:
  const IsHandedOn is_handed_on_;
  const Ends ends_;
  const std::uint32_t slots_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, std::vector<Message>> held_;
  std::uint64_t most_ = 0;
};

std::uint32_t chunk_in_ring(const Message& m) { return static_cast<std::uint32_t>(m.word >> 22); }
std::uint32_t step_in_ring(const Message& m) { return static_cast<std::uint32_t>(m.word & 0x3f'ffff); }

TEST(SlotsOfReceivers, AreNotTakenBeforeAMessageIsHandedOn) {
  constexpr std::uint32_t kHosts = 7;
  for (const Operation operation : {Operation::ring_all_reduce, Operation::ring_all_gather, Operation::ring_broadcast,
                                    Operation::ring_reduce, Operation::tree_all_reduce})
    for (const std::uint32_t slots : {1u, 2u, 5u}) {
      const bool is_ring = operation == Operation::ring_all_reduce || operation == Operation::ring_all_gather;
      const bool is_tree = operation == Operation::tree_all_reduce;
      if (is_ring && slots == 1) continue;
      const Collective c{.operation = operation,
                         .size = 1_MB,
                         .chunks = 24,
                         .slots = slots,
                         .slots_freed_by = SlotsFreedBy::receiver,
                         .channels = 2};
      // In a tree: how many messages down a rank has sent of a tree's chunk, and to how many it has to.
      std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> down;
      const auto children = [](std::uint32_t rank, std::uint64_t word) {
        const TreePlace place = double_tree(rank, kHosts, static_cast<std::uint32_t>(word >> 1 & 1));
        return std::uint32_t{place.children[0] != kNoRank} + std::uint32_t{place.children[1] != kNoRank};
      };
      const auto is_handed_on = [&](const Message& came, const Message& sent) {
        if (is_ring) return chunk_in_ring(came) == chunk_in_ring(sent) && step_in_ring(came) + 1 == step_in_ring(sent);
        if (!is_tree) return came.word == sent.word;
        if ((sent.word & 1) == 0) return came.word == sent.word;
        return came.word >> 1 == sent.word >> 1 && down[{sent.src, sent.word}] == children(sent.src, sent.word);
      };
      const auto ends = [&](const Message& m) {
        if (is_ring) return step_in_ring(m) + 1 == (operation == Operation::ring_all_reduce ? 2u : 1u) * (kHosts - 1);
        if (is_tree) return (m.word & 1) != 0 && children(m.dst, m.word) == 0;
        return m.dst == (operation == Operation::ring_broadcast ? kHosts - 1 : 0u);
      };
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto driver = driver_of(c, kHosts);
        Lanes lanes(is_handed_on, ends, slots);
        down.clear();
        Play play(*driver, kHosts, seed);
        const auto sent = [&](const Message& m) {
          if (is_tree && (m.word & 1) != 0) ++down[{m.src, m.word}];
          lanes.sent(m);
        };
        play.run(sent, [&](const Message& m) { lanes.received(m); });
        EXPECT_EQ(play.done(), driver->tasks()) << static_cast<int>(operation) << ' ' << slots;
        EXPECT_EQ(lanes.most(), slots) << static_cast<int>(operation);
        EXPECT_EQ(lanes.left(), 0u) << static_cast<int>(operation) << ' ' << slots;
      }
    }
}

// How many messages each host has sent while one receives nothing.
std::vector<std::uint32_t> sent_while_held(const Collective& c, std::uint32_t hosts, std::uint32_t held) {
  const auto driver = driver_of(c, hosts);
  Play play(*driver, hosts, 1);
  play.hold(held, 1_s);
  std::vector<std::uint32_t> out(hosts);
  play.run([&](const Message& m) { ++out[m.src]; }, [](const Message&) {}, 1_s);
  return out;
}

TEST(SlotsOfReceivers, HoldBackWhoIsBeforeASlowRank) {
  Collective c{.operation = Operation::ring_broadcast, .size = 1_MB, .chunks = 50, .slots = 3};
  // Acknowledged, all is sent to it.
  EXPECT_EQ(sent_while_held(c, 6, 4), (std::vector<std::uint32_t>{50, 50, 50, 50, 0, 0}));
  // As many as it has slots, and those before can have handed on what is in the slots behind them.
  c.slots_freed_by = SlotsFreedBy::receiver;
  EXPECT_EQ(sent_while_held(c, 6, 4), (std::vector<std::uint32_t>{12, 9, 6, 3, 0, 0}));
  // In servers of two, too: from host 2 to 3 by the scale-up links, and from 4 to 5.
  c.group = 2;
  for (const Sharing sharing : {Sharing::serial, Sharing::max_min}) {
    c.scale_up_sharing = sharing;
    EXPECT_EQ(sent_while_held(c, 6, 4), (std::vector<std::uint32_t>{12, 9, 6, 3, 0, 0}));
    EXPECT_EQ(sent_while_held(c, 6, 5), (std::vector<std::uint32_t>{15, 12, 9, 6, 3, 0}));
  }
  c.group = 1;
  // With 4 slots a rank of a ring has two of its own chunks under way.
  c.operation = Operation::ring_all_gather;
  c.slots = 4;
  const auto ring = sent_while_held(c, 6, 4);
  EXPECT_EQ(ring[3], 4u);
  EXPECT_EQ(ring[4], 2u);
  c.slots_freed_by = SlotsFreedBy::acknowledgement;
  EXPECT_GT(sent_while_held(c, 6, 4)[3], 50u);
}

// NCCL's kernel goes through the steps of a ring (nccl_ring_chunks.csv has what each sends) with two slices in each,
// and then begins with the next two.
TEST(SlotsOfReceivers, AreTakenInTheOrderOfNcclsSteps) {
  constexpr std::uint32_t kHosts = 5;
  const Collective c{.operation = Operation::ring_all_reduce,
                     .size = 1_MB,
                     .chunks = 5,
                     .slots = 4,
                     .slots_freed_by = SlotsFreedBy::receiver};
  const std::vector<std::vector<std::uint32_t>> pairs{{0, 1}, {2, 3}, {4}};
  std::vector<std::uint64_t> order;
  for (const auto& pair : pairs)
    for (std::uint64_t step = 0; step < 2 * (kHosts - 1); ++step)
      for (const std::uint64_t chunk : pair) order.push_back(chunk << 22 | step);
  const auto driver = driver_of(c, kHosts);
  std::vector<std::vector<std::uint64_t>> sent(kHosts);
  Play play(*driver, kHosts, 3);
  play.run([&](const Message& m) { sent[m.src].push_back(m.word); }, [](const Message&) {});
  for (const auto& of_host : sent) EXPECT_EQ(of_host, order);
}

// Whatever is cut and how, all of it arrives: parameters at random, and servers.
TEST(SlotsOfReceivers, NeverWaitForEver) {
  std::mt19937_64 random(7);
  const auto any = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  const std::array operations{
      Operation::ring_all_reduce, Operation::ring_reduce_scatter,     Operation::ring_all_gather,
      Operation::tree_all_reduce, Operation::hierarchical_all_reduce, Operation::ring_broadcast,
      Operation::ring_reduce};
  for (std::uint32_t run = 0; run < 600; ++run) {
    Collective c{.operation = operations[any(operations.size())], .size = 1_MB};
    const bool is_hierarchical = c.operation == Operation::hierarchical_all_reduce;
    c.group = is_hierarchical ? 2 + any(3) : 1 + any(4);
    const std::uint32_t servers = 2 + any(5);
    const std::uint32_t hosts = c.group * servers;
    c.channels = 1 + any(c.group + 1);  // of which a hierarchy takes no notice
    c.chunks = c.channels + any(20);
    c.slots = 2 + any(4);
    c.slots_freed_by = SlotsFreedBy::receiver;
    if (any(3) == 0) c.active_chunks = c.channels * (1 + any(5));
    if (any(2) == 0) c.scale_up_sharing = Sharing::max_min;
    c.pxn = c.group > 1 && c.scale_up_sharing == Sharing::max_min && any(2) == 0;
    c.within = any(2) == 0 ? Within::ring : Within::in_switch;
    c.across = any(2) == 0 ? Across::ring : Across::tree;
    if (any(3) == 0) c.repeat = 1 + any(3);
    if (any(3) == 0) c.step_delay = 40_ns;
    if (any(3) == 0) {
      c.slow = std::to_string(any(hosts));
      c.slow_factor = 20;
    }
    if (any(4) == 0) c.root = any(hosts);
    const bool has_ring = (is_hierarchical && c.across == Across::ring) ||
                          (!is_hierarchical && c.operation <= Operation::ring_all_gather);
    if (!has_ring && any(3) == 0 && !is_hierarchical) c.slots = 1;
    const auto driver = driver_of(c, hosts);
    Play play(*driver, hosts, run);
    play.run([](const Message&) {}, [](const Message&) {});
    ASSERT_EQ(play.done(), driver->tasks()) << fmt::format(
        "operation {}, {} servers of {}, {} channels, {} chunks of which {} active, {} slots, {} times",
        static_cast<int>(c.operation), servers, c.group, c.channels, c.chunks, c.active_chunks, c.slots, c.repeat);
  }
}

TEST(SlotsOfReceivers, AreRefusedWhereTheyWouldBeWaitedForForEver) {
  const auto refusal = [](const Collective& c) { return error_of([&] { driver_of(c, 4); }); };
  Collective c{.operation = Operation::ring_all_reduce, .size = 1_MB, .chunks = 4};
  c.slots_freed_by = SlotsFreedBy::receiver;
  EXPECT_NE(refusal(c).find("there are no slots that receivers could free"), std::string::npos) << refusal(c);
  c.slots = 1;
  EXPECT_NE(refusal(c).find("would wait for each other for ever"), std::string::npos) << refusal(c);
  c.slots = 2;
  EXPECT_EQ(refusal(c), "");
  c.operation = Operation::tree_all_reduce;
  c.slots = 1;
  EXPECT_EQ(refusal(c), "");
  // What is sent straight to whom it is for is not handed on, and the key has no effect.
  c.operation = Operation::all_to_all;
  for (const std::uint32_t slots : {0u, 1u}) {
    c.slots = slots;
    const auto driver = driver_of(c, 4);
    Play play(*driver, 4, 1);
    play.run([](const Message&) {}, [](const Message&) {});
    EXPECT_EQ(play.done(), driver->tasks());
  }
}

}  // namespace
}  // namespace weir::traffic::slots_test
