// CONGA by hand, at the leaves and spines of a small network.
#include "weir/net/switch/conga.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "weir/base/archive.h"
#include "weir/net/model/topologies.h"
#include "weir/net/switch/path_policies.h"

namespace weir::net::conga_test {
namespace {

using namespace literals;

// Two leaves, 4 and 5, of two hosts each, and three spines, 6 to 8; all links of 80 Gb/s, which are 1,600 KB in tau.
struct Network {
  Topology topology =
      build(LeafSpine{.leaves = 2, .spines = 3, .hosts_per_leaf = 2, .host_rate = 80_Gbps, .fabric_rate = 80_Gbps});
  std::uint64_t seed = 7;
  Routing routing{topology, 7};
  NetworkParams network;
  struct {
    bool some_links_retry = false;
  } faults;
};
constexpr std::uint32_t kLeaf = 0, kSpine = 2;  // as switches; the other leaf is 1
constexpr std::uint32_t kHost = 0, kOtherHost = 2;

class Leaves : public testing::Test {
 protected:
  Leaves() { conga_.start(net_); }

  // What a switch may ask of its ports.
  struct Ports {
    std::map<std::uint32_t, std::vector<Descriptor>> wires;
    std::uint32_t by_hash = 0;
    std::uint32_t sender = 0;

    std::uint32_t from() const { return sender; }
    template <class Visit>
    void each_on_wire(std::uint32_t port, Visit&& visit) const {
      if (const auto wire = wires.find(port); wire != wires.end())
        for (const Descriptor& packet : wire->second) visit(packet);
    }
    std::uint32_t hashed() const { return by_hash; }
  };

  static Descriptor packet_to(std::uint32_t dst, std::uint32_t flow = 1, Time departs = {},
                              std::uint16_t wire = 1'000) {
    Descriptor d;
    d.dst = dst;
    d.entropy = flow;
    d.flags = flags_of(PathPolicy::conga);
    d.departs = departs;
    d.wire = wire;
    return d;
  }
  // The port by which a switch sends a packet on that comes from this node.
  std::uint32_t forward(std::uint32_t s, std::uint32_t from, const Descriptor& packet, Time now) {
    ports_.sender = from;
    return conga_.choose({s, net_.routing.salt(s), net_.routing.next_hops(s, packet.dst), packet, &note_, now}, ports_);
  }
  // The uplinks of a leaf, by the spine that they lead to.
  std::vector<std::uint32_t> uplinks(std::uint32_t leaf) const {
    const auto hops = net_.routing.next_hops(leaf, leaf == kLeaf ? kOtherHost : kHost);
    return {hops.begin(), hops.end()};
  }
  // Keeps a port busy up to `end`, at this share of its rate, with packets of 60 KB.
  void load(std::uint32_t port, double share, Time end) {
    const auto apart = static_cast<std::int64_t>(6'000'000 / share);
    for (Time at; at < end; at += Time{apart}) conga_.departed(port, packet_to(kOtherHost, 0, at, 60'000), nullptr);
  }
  // A packet of a new flow goes all the way, by spine links of this use. Returns the uplink that it takes.
  std::uint32_t cross(std::uint32_t from_host, std::uint32_t to_host, Time now) {
    const std::uint32_t from_leaf = from_host / 2, to_leaf = to_host / 2;
    const Descriptor packet = packet_to(to_host, flow_++, now, 64);
    const std::uint32_t up = forward(from_leaf, from_host, packet, now);
    conga_.departed(up, packet, &note_);
    const std::uint32_t spine = net_.topology.port_peer(up) - net_.topology.hosts;
    const std::uint32_t down = net_.routing.next_hops(spine, to_host)[0];
    ports_.by_hash = down;
    EXPECT_EQ(forward(spine, net_.topology.hosts + from_leaf, packet, now), down);
    conga_.departed(down, packet, &note_);
    forward(to_leaf, net_.topology.hosts + spine, packet, now);
    return up;
  }

  Network net_;
  Conga conga_;
  Ports ports_;
  PathNote note_{};
  std::uint32_t flow_ = 100;
};

TEST_F(Leaves, WithoutCongestionAnyUplinkIsTaken) {
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 50; ++i) taken.insert(forward(kLeaf, kHost, packet_to(kOtherHost, flow_++), 1_us));
  EXPECT_EQ(taken.size(), 3u);
}

// 3.5: of its own ports, and what is on the wire counts.
TEST_F(Leaves, TheLeastUsedUplinkIsTaken) {
  const auto up = uplinks(kLeaf);
  load(up[0], 0.9, 1_ms);
  load(up[1], 0.5, 1_ms);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(forward(kLeaf, kHost, packet_to(kOtherHost, flow_++), 1_ms), up[2]);
  for (std::int64_t i = 0; i < 16; ++i) ports_.wires[up[2]].push_back(packet_to(kOtherHost, 0, 1_ms, 65'000));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(forward(kLeaf, kHost, packet_to(kOtherHost, flow_++), 1_ms), up[1]);
  // what leaves later does not
  for (Descriptor& packet : ports_.wires[up[2]]) packet.departs = 1_ms + Time{1};
  EXPECT_EQ(forward(kLeaf, kHost, packet_to(kOtherHost, flow_++), 1_ms), up[2]);
}

// 3.2: after some tau without a packet nothing is left.
TEST_F(Leaves, TheEstimatorForgets) {
  const auto up = uplinks(kLeaf);
  load(up[0], 1, 1_ms);
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 50; ++i) taken.insert(forward(kLeaf, kHost, packet_to(kOtherHost, flow_++), 1_ms));
  EXPECT_FALSE(taken.contains(up[0]));
  for (int i = 0; i < 50; ++i) taken.insert(forward(kLeaf, kHost, packet_to(kOtherHost, flow_++), 2_ms));
  EXPECT_TRUE(taken.contains(up[0]));
}

// 3.3: the leaf cannot see the link from spine to leaf. The packets that have crossed it tell the other leaf, whose
// packets tell this one.
TEST_F(Leaves, CongestionFarAwayIsFedBack) {
  const auto up = uplinks(kLeaf);
  const std::uint32_t spine = net_.topology.port_peer(up[1]) - net_.topology.hosts;
  load(net_.routing.next_hops(spine, kOtherHost)[0], 0.9, 1_ms);
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 30; ++i) taken.insert(cross(kHost, kOtherHost, 1_ms));
  EXPECT_TRUE(taken.contains(up[1]));  // it does not know yet
  for (int i = 0; i < 3; ++i) cross(kOtherHost, kHost, 1_ms);
  taken.clear();
  for (int i = 0; i < 30; ++i) taken.insert(cross(kHost, kOtherHost, 1_ms));
  EXPECT_EQ(taken, (std::set<std::uint32_t>{up[0], up[2]}));
  // the way to the other hosts of this leaf is not concerned, and after 20 ms of silence the metric has aged
  taken.clear();
  for (int i = 0; i < 30; ++i) taken.insert(cross(kHost, kOtherHost, 21'001_us));
  EXPECT_TRUE(taken.contains(up[1]));
}

// 3.5: a flow that has paused goes by another uplink only if that is better.
TEST_F(Leaves, AFlowletStaysWhereItIsAmongEquals) {
  const Descriptor packet = packet_to(kOtherHost);
  const std::uint32_t first = forward(kLeaf, kHost, packet, 1_ms);
  for (std::int64_t i = 2; i < 40; ++i) EXPECT_EQ(forward(kLeaf, kHost, packet, i * 1_ms), first);
  load(first, 0.9, 40_ms);
  EXPECT_NE(forward(kLeaf, kHost, packet, 40_ms), first);
}

// Within a flowlet it stays, however congested the way becomes.
TEST_F(Leaves, AFlowletKeepsItsUplink) {
  const Descriptor packet = packet_to(kOtherHost);
  const std::uint32_t first = forward(kLeaf, kHost, packet, 1_us);
  load(first, 1, 400_us);
  EXPECT_EQ(forward(kLeaf, kHost, packet, 400_us), first);
}

TEST_F(Leaves, SpinesChooseByHashAndHostsOfOneLeafMeetThere) {
  ports_.by_hash = 77;
  EXPECT_EQ(forward(kSpine, net_.topology.hosts + kLeaf, packet_to(kOtherHost), 1_us), 77u);
  EXPECT_EQ(forward(kLeaf, kHost, packet_to(1), 1_us), net_.routing.next_hops(kLeaf, 1)[0]);
}

TEST_F(Leaves, AnArchiveHasAllState) {
  const auto use = [this](std::int64_t rounds) {
    std::vector<std::uint32_t> out;
    for (std::int64_t i = 0; i < rounds; ++i) {
      out.push_back(cross(kHost, kOtherHost, (i + 1) * 100_us));
      out.push_back(cross(kOtherHost, kHost, (i + 1) * 100_us));
    }
    return out;
  };
  const auto saved = [this] {
    Saver a;
    for (std::uint32_t s = 0; s < net_.topology.switches; ++s) conga_.archive(a, s, net_.routing.ports(s));
    return a.take();
  };
  load(uplinks(kLeaf)[1], 0.6, 1_ms);
  use(20);
  const std::string before = saved();
  const std::uint32_t flow = flow_;
  const auto expected = use(40);
  const std::string after = saved();
  EXPECT_NE(before, after);
  conga_ = Conga();
  conga_.start(net_);
  Loader a(before);
  for (std::uint32_t s = 0; s < net_.topology.switches; ++s) conga_.archive(a, s, net_.routing.ports(s));
  flow_ = flow;
  EXPECT_EQ(saved(), before);
  EXPECT_EQ(use(40), expected);
  EXPECT_EQ(saved(), after);
}

TEST_F(Leaves, HostsHaveOneLeaf) {
  EXPECT_NO_THROW(Conga::check(net_));
  Network two;
  two.topology = build(LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2, .tors = 2});
  two.routing = Routing(two.topology, 7);
  EXPECT_THROW(Conga::check(two), InputError);
}

}  // namespace
}  // namespace weir::net::conga_test
