// Path policies by hand, each on one fork of four ports.
#include "weir/net/switch/path_policies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "weir/base/archive.h"
#include "weir/net/model/topologies.h"

namespace weir::net::path_policies_test {
namespace {

using namespace literals;

// What policies read of a model.
struct Setting {
  std::uint64_t seed = 7;
  Topology topology = build(LeafSpine{.leaves = 2, .spines = 4, .hosts_per_leaf = 1});
  Routing routing{topology, seed};
  NetworkParams network;
  AdaptiveParams adaptive;
  struct {
    Bytes size = 100_KB;
  } buffer;
  std::vector<PathPolicy> used{PathPolicy::adaptive, PathPolicy::round_robin, PathPolicy::flowlets};

  bool uses(PathPolicy policy) const { return std::find(used.begin(), used.end(), policy) != used.end(); }
};

const std::vector<std::uint32_t> kHops{2, 4, 6, 8};

Descriptor packet_of(PathPolicy policy, std::uint32_t entropy = 1) {
  Descriptor d;
  d.flags = flags_of(policy);
  d.entropy = entropy;
  return d;
}

class Policies : public testing::Test {
 protected:
  std::uint32_t choose(const Descriptor& packet, Time now, std::span<const std::uint32_t> hops = kHops) {
    if (!policies_) policies_.emplace(setting_);
    return policies_->choose({s_, 5, hops, packet, nullptr, now}, ports_);
  }
  std::string saved() {
    Saver a;
    policies_->archive(a, s_, kHops);
    return a.take();
  }

  Setting setting_;
  std::uint32_t s_ = 0;
  // What they may ask of the switch's ports.
  struct Ports {
    std::map<std::uint32_t, std::uint32_t> bytes;

    std::uint32_t queued(std::uint32_t port) const { return bytes.at(port); }
    template <class Visit>
    void each_on_wire(std::uint32_t, Visit&&) const {}
    std::uint32_t hashed() const { return 0; }
    std::uint32_t from() const { return 0; }
  } ports_{{{2, 0}, {4, 0}, {6, 0}, {8, 0}}};
  std::optional<PathPolicies> policies_;
};

TEST_F(Policies, OnlyAHashLetsSwitchesTakeTurns) {
  EXPECT_TRUE(PathPolicies::keeps_turns(PathPolicy::hash));
  for (const PathPolicy policy : setting_.used) EXPECT_FALSE(PathPolicies::keeps_turns(policy));
}

TEST_F(Policies, AdaptiveTakesTheShortestQueueAndLooksAgainAfterRefresh) {
  setting_.adaptive = {.quantised = false, .refresh = 1_us};
  const Descriptor packet = packet_of(PathPolicy::adaptive);
  ports_.bytes = {{2, 10}, {4, 9}, {6, 8}, {8, 11}};
  EXPECT_EQ(choose(packet, 10_us), 6u);
  ports_.bytes[6] = 20;
  EXPECT_EQ(choose(packet, 11_us - Time{1}), 6u);
  EXPECT_EQ(choose(packet, 11_us), 4u);
  ports_.bytes = {{2, 30}, {4, 9}, {6, 9}, {8, 9}};
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 40; ++i) taken.insert(choose(packet, 20_us));
  EXPECT_EQ(taken, (std::set<std::uint32_t>{4, 6, 8}));
}

TEST_F(Policies, RoundRobinTakesEachOncePerRound) {
  const Descriptor packet = packet_of(PathPolicy::round_robin);
  for (int round = 0; round < 10; ++round) {
    std::set<std::uint32_t> taken;
    for (std::size_t i = 0; i < kHops.size(); ++i) taken.insert(choose(packet, 1_us));
    EXPECT_EQ(taken.size(), kHops.size());
  }
}

// As long as the gap between two packets is shorter than flowlet_gap, and not a picosecond longer.
TEST_F(Policies, AFlowletKeepsItsPortUntilTheGap) {
  setting_.network.flowlet_gap = 1_us;
  const Descriptor packet = packet_of(PathPolicy::flowlets);
  int changes = 0;
  Time now = 5_us;
  for (int flowlet = 0; flowlet < 200; ++flowlet) {
    const std::uint32_t port = choose(packet, now);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(choose(packet, now = now + 1_us - Time{1}), port);
    changes += choose(packet, now = now + 1_us) != port ? 1 : 0;
  }
  EXPECT_NEAR(changes, 200 * 3 / 4, 4 * std::sqrt(200 * 3 / 16.));  // four standard deviations
}

// LetFlow draws, whatever the queues are.
TEST_F(Policies, AFlowletsPortIsDrawnUniformly) {
  constexpr int kFlows = 4'000;
  ports_.bytes[2] = 90'000;
  std::map<std::uint32_t, int> taken;
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) ++taken[choose(packet_of(PathPolicy::flowlets, flow), 1_us)];
  for (const std::uint32_t hop : kHops) EXPECT_NEAR(taken[hop], kFlows / 4, 4 * std::sqrt(kFlows * 3 / 16.)) << hop;
}

// The same draws in the same run, others with another seed and at another switch.
TEST_F(Policies, FlowletsFollowTheSeedAndTheSwitch) {
  const auto ports = [this](std::uint64_t seed, std::uint32_t s) {
    setting_.seed = seed;
    s_ = s;
    policies_.reset();
    std::vector<std::uint32_t> out;
    for (std::uint32_t flow = 0; flow < 50; ++flow) out.push_back(choose(packet_of(PathPolicy::flowlets, flow), 1_us));
    return out;
  };
  EXPECT_EQ(ports(7, 0), ports(7, 0));
  EXPECT_NE(ports(7, 0), ports(8, 0));
  EXPECT_NE(ports(7, 0), ports(7, 1));
}

// With one place in the table all flows are one, and one towards another destination gets a port that leads there.
TEST_F(Policies, FlowsShareAPlaceOfTheTable) {
  setting_.network.flowlet_entries = 1;
  const std::uint32_t first = choose(packet_of(PathPolicy::flowlets, 0), 1_us);
  for (std::uint32_t flow = 1; flow < 50; ++flow) EXPECT_EQ(choose(packet_of(PathPolicy::flowlets, flow), 2_us), first);
  const std::vector<std::uint32_t> others{10, 12};
  std::set<std::uint32_t> taken;
  for (int i = 1; i < 40; ++i) {
    choose(packet_of(PathPolicy::flowlets), 1_s * i);
    taken.insert(choose(packet_of(PathPolicy::flowlets), 1_s * i, others));
  }
  EXPECT_EQ(taken, (std::set<std::uint32_t>{10, 12}));
}

// What is restored goes on as what was saved would have.
TEST_F(Policies, AnArchiveHasAllState) {
  setting_.adaptive.refresh = 10_us;
  const auto use = [this](int rounds) {
    std::vector<std::uint32_t> out;
    for (int i = 0; i < rounds; ++i)
      for (const PathPolicy policy : setting_.used)
        for (std::uint32_t flow = 0; flow < 5; ++flow) out.push_back(choose(packet_of(policy, flow), 1_us * (i + 1)));
    return out;
  };
  use(7);
  const std::string before = saved();
  const auto expected = use(20);
  const std::string after = saved();
  EXPECT_NE(before, after);
  policies_.emplace(setting_);
  Loader a(before);
  policies_->archive(a, s_, kHops);
  EXPECT_EQ(saved(), before);
  EXPECT_EQ(use(20), expected);
  EXPECT_EQ(saved(), after);
}

// A place beyond the table's end is refused.
TEST_F(Policies, AnArchiveOfAnotherTableIsRefused) {
  for (std::uint32_t flow = 0; flow < 50; ++flow) choose(packet_of(PathPolicy::flowlets, flow), 1_us);
  const std::string of_large = saved();
  setting_.network.flowlet_entries = 1;
  policies_.emplace(setting_);
  Loader a(of_large);
  EXPECT_THROW(policies_->archive(a, s_, kHops), InputError);
}

// A policy that no packet names has no state.
TEST_F(Policies, WithoutUseThereIsNoState) {
  setting_.used.clear();
  policies_.emplace(setting_);
  EXPECT_EQ(saved(), "");
}

// One of a small network.
class OfSixSwitches : public PlainPathPolicy {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::adaptive;
  static constexpr bool kKeepsTurns = true;

  template <class Model>
  static void check(const Model& m) {
    if (m.topology.switches > 6) throw InputError("too many switches");
  }
  template <class Model>
  void start(const Model&) {}
  template <class Ports>
  std::uint32_t choose(const Fork& f, const Ports&) {
    return f.hops.back();
  }
  template <class A>
  void archive(A&, std::uint32_t, std::span<const std::uint32_t>) {}
};

TEST_F(Policies, AreCheckedIfSomePacketsNameThem) {
  using List = PathPolicyList<OfSixSwitches, RoundRobin>;
  EXPECT_NO_THROW(List::check(setting_));
  setting_.topology.switches = 7;
  EXPECT_THROW(List::check(setting_), InputError);
  setting_.used = {PathPolicy::round_robin};
  EXPECT_NO_THROW(List::check(setting_));
  EXPECT_TRUE(List::keeps_turns(PathPolicy::adaptive));
}

// Where a packet has one port to go by, no policy is asked.
TEST_F(Policies, OnePortIsNoChoice) {
  const std::vector<std::uint32_t> only{6};
  setting_.used = {};
  for (const PathPolicy policy : {PathPolicy::adaptive, PathPolicy::round_robin, PathPolicy::flowlets})
    EXPECT_EQ(choose(packet_of(policy), 1_us, only), 6u);
}

}  // namespace
}  // namespace weir::net::path_policies_test
