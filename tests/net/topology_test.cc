#include "weir/net/model/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "weir/base/error.h"
#include "weir/net/model/topologies.h"

namespace weir::net {
namespace {

using namespace weir::literals;

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

Topology named(std::string_view name) {
  const TopologyChoice choice = find_topology(name);
  return choice.kind->build(choice.params.get());
}

// Two racks of two hosts: nodes 0 to 3, switches 4 and 5.
Topology two_racks() {
  Topology t;
  t.hosts = 4;
  t.switches = 2;
  for (std::uint32_t h = 0; h < 4; ++h) t.links.push_back({h, 4 + h / 2, 100_Gbps, 1_us});
  t.links.push_back({4, 5, 100_Gbps, 1_us});
  return t;
}

TEST(Topology, CheckNamesWhatIsWrongAndWhatIsValid) {
  struct Case {
    std::function<void(Topology&)> spoil;
    std::string message;
  };
  const std::vector<Case> cases{
      {[](Topology& t) { t.links[2].rate = 0_bps; }, "the link 2 - 5 has the rate 0 bps; valid is 1 Kbps to 100 Tbps"},
      {[](Topology& t) { t.links[2].delay = {-1}; }, "the link 2 - 5 has the delay -1 ps; valid is 0 to 1 s"},
      {[](Topology& t) { t.links[2].delay = 2_s; }, "the link 2 - 5 has the delay 2 s; valid is 0 to 1 s"},
      {[](Topology& t) { t.links[4].b = 4; }, "the link 4 - 4 joins a node to itself; valid are two different nodes"},
      {[](Topology& t) { t.links[4].b = 6; }, "the link 4 - 6 names node 6; valid is 0 to 5"},
      {[](Topology& t) { t.links[3].b = 2; }, "the link 3 - 2 joins two hosts; valid is a host and a switch, 4 to 5"},
      {[](Topology& t) {
         t.links.insert(t.links.end(), 16, {0, 5, 1_Gbps, 1_us});
       },
       "host 0 has 17 links to switches; valid is 1 to 16"},
      {[](Topology& t) {
         t.links[4] = {0, 5, 1_Gbps, 1_us};
       },
       "host 2 cannot reach host 1; links must connect all nodes, and hosts forward nothing"},
      {[](Topology& t) {
         t.links[3] = {4, 5, 1_Gbps, 1_us};
       },
       "host 3 has 0 links to switches; valid is 1 to 16"},
      {[](Topology& t) {
         t.switches = 3, t.links.push_back({4, 5, 1_Gbps, 1_us});
       },
       "switch 6 cannot reach host 0; links must connect all nodes"},
      {[](Topology& t) { t.links.pop_back(); }, "4 links cannot connect 6 nodes; at least 5 are needed"},
      {[](Topology& t) { t.hosts = 1; }, "the network has 1 hosts; valid is 2 to 2097152"},
      {[](Topology& t) { t.switches = 0; }, "the network has 0 switches; valid is 1 to 1048576"},
      {[](Topology& t) {
         t.links.insert(t.links.end(), 65535, {4, 5, 1_Gbps, 1_us});
       },
       "switch 4 has 65538 ports; valid is at most 65535"},
  };
  EXPECT_NO_THROW(check(two_racks()));
  for (const Case& c : cases) {
    Topology t = two_racks();
    c.spoil(t);
    EXPECT_EQ(message_of([&] { check(t); }), c.message);
  }
}

TEST(Topology, ZeroDelayAndParallelSwitchLinksAreValid) {
  Topology t = two_racks();
  t.links[4].delay = {};
  t.links.push_back({5, 4, 40_Gbps, 2_us});
  EXPECT_NO_THROW(check(t));
}

TEST(Topology, HpccFatTreeIsWiredAsInTheArtifact) {
  const Topology t = named("hpcc-fat-tree-320");
  EXPECT_EQ(t.hosts, 320u);
  EXPECT_EQ(t.nodes(), 376u);
  ASSERT_EQ(t.links.size(), 480u);

  // "nodes switches links", the switches' ids, then "a b rate delay loss" in the same order
  std::ifstream in("tests/net/data/hpcc-fat320.topo.txt");
  ASSERT_TRUE(in);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "376 56 480");
  std::getline(in, line);
  for (const Link& l : t.links) {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::string rate, delay, loss;
    ASSERT_TRUE(in >> a >> b >> rate >> delay >> loss);
    EXPECT_EQ(std::tuple(l.a, l.b, l.rate, l.delay), std::tuple(a, b, parse_rate(rate), parse_time(delay)));
  }
  EXPECT_EQ(summary(t), "320 hosts, 56 switches (20 + 20 + 16), 480 links, oversubscription 1:1, 1:1");
}

TEST(Topology, HpccTestbedHasFourRacksOfEight) {
  const Topology t = named("hpcc-testbed-32");
  EXPECT_EQ(summary(t), "32 hosts, 5 switches (4 + 1), 48 links, oversubscription 0.5:1");
  EXPECT_EQ(std::count_if(t.links.begin(), t.links.end(), [](const Link& l) { return l.rate == 25_Gbps; }), 32);
}

TEST(Topology, HpccTestbedHasTwoPortsAServer) {
  const Topology t = named("hpcc-testbed-64");
  EXPECT_EQ(summary(t), "32 hosts, 5 switches (4 + 1), 80 links, oversubscription 1:1");
  EXPECT_EQ(std::count_if(t.links.begin(), t.links.end(), [](const Link& l) { return l.rate == 25_Gbps; }), 64);
}

// GPU g of a server is on leaf g mod rails of its server's segment, and every leaf has links to every spine.
TEST(Topology, RailsJoinTheGpusOfOneNumber) {
  const Topology t = build(Rail{.servers = 6, .gpus = 4, .rails = 2, .servers_per_segment = 3, .spines = 2});
  EXPECT_EQ(summary(t), "24 hosts (6 servers of 4), 6 switches (4 + 2), 32 links, oversubscription 3:1");
  EXPECT_EQ(t.hosts_per_server, 4u);
  for (std::uint32_t server = 0; server < 6; ++server)
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
      const Link& l = t.links[server * 4 + gpu];
      EXPECT_EQ(std::pair(l.a, l.b), std::pair(server * 4 + gpu, t.hosts + server / 3 * 2 + gpu % 2));
    }
  std::set<std::pair<std::uint32_t, std::uint32_t>> fabric;
  for (std::size_t l = t.hosts; l < t.links.size(); ++l) fabric.emplace(t.links[l].a, t.links[l].b);
  EXPECT_EQ(fabric.size(), 4u * 2u);
  // places are a permutation
  std::vector<std::uint32_t> places = t.place;
  std::sort(places.begin(), places.end());
  for (std::uint32_t i = 0; i < t.hosts; ++i) EXPECT_EQ(places[i], i);
  EXPECT_EQ(build(Rail{}).place.size(), 128u);
}

// Without a number of spines there are as few as a leaf needs that is not to be oversubscribed.
TEST(Topology, RailsHaveTheSpinesThatTheirLeavesNeed) {
  const auto spines = [](Rail rail) {
    rail.spines = 0;
    const Topology t = build(rail);
    const std::uint32_t leaves = (rail.rails == 0 ? rail.gpus : rail.rails) * rail.tors * rail.planes * rail.servers /
                                 std::min(rail.servers, rail.servers_per_segment);
    return (t.nodes() - t.hosts - leaves) / rail.planes;
  };
  EXPECT_EQ(spines({.servers = 16}), 16u);
  EXPECT_EQ(spines({.servers = 64}), 64u);
  EXPECT_EQ(spines({.servers = 64, .servers_per_segment = 32}), 32u);
  EXPECT_EQ(spines({.servers = 16, .rails = 4}), 32u);
  EXPECT_EQ(spines({.servers = 16, .links_per_pair = 4}), 4u);
  EXPECT_EQ(spines({.servers = 15, .fabric_rate = 800_Gbps}), 8u);
  EXPECT_EQ(spines({.servers = 16, .host_links = 2}), 32u);
  EXPECT_EQ(spines({.servers = 16, .host_rate = 200_Gbps, .planes = 2, .tors = 2}), 8u);
}

// Links of NICs to ToRs and of ToRs to spines, ToRs and spines of SimAI's generator, at 128 and 1,024 GPUs.
TEST(Topology, RailsHaveTheLinksOfSimAisTemplates) {
  struct Case {
    std::string_view preset;
    std::string_view servers;
    std::uint32_t tors, spines;
    std::size_t nic_links, spine_links;
  };
  for (const Case& c : {Case{"simai-spectrum-x-128", "16", 8, 64, 128, 512},
                        {"simai-spectrum-x-128", "128", 16, 64, 1024, 1024},
                        {"simai-hpn-single-plane-128", "16", 16, 120, 256, 1920},
                        {"simai-hpn-single-plane-128", "128", 16, 120, 2048, 1920},
                        {"simai-hpn-dual-plane-128", "16", 16, 120, 256, 960},
                        {"simai-hpn-dual-plane-128", "128", 16, 120, 2048, 960},
                        {"simai-dcn-single-tor-128", "16", 2, 8, 128, 16},
                        {"simai-dcn-single-tor-128", "128", 16, 8, 1024, 128},
                        {"simai-dcn-dual-tor-128", "16", 2, 8, 256, 16},
                        {"simai-dcn-dual-tor-128", "128", 16, 8, 2048, 128}}) {
    SCOPED_TRACE(std::string(c.preset) + ", servers = " + std::string(c.servers));
    const TopologyChoice choice = find_topology(c.preset);
    const Param& servers = *choice.kind->params->find("servers");
    servers.set(choice.params.get(), parse_value(servers, c.servers));
    const Topology t = choice.kind->build(choice.params.get());
    const auto of_tier = [&](int tier) { return std::count(t.tier.begin(), t.tier.end(), tier); };
    EXPECT_EQ(of_tier(1), c.tors);
    EXPECT_EQ(of_tier(2), c.spines);
    const auto nics = std::count_if(t.links.begin(), t.links.end(), [&](const Link& l) { return l.a < t.hosts; });
    EXPECT_EQ(static_cast<std::size_t>(nics), c.nic_links);
    EXPECT_EQ(t.links.size() - static_cast<std::size_t>(nics), c.spine_links);
  }
}

// "SU count 2: 64 nodes, 512 GPUs, 16 leaves, 8 spines, 512 cables and 512 cables"
TEST(Topology, DgxSuperPodIsThatOfTheReference) {
  EXPECT_EQ(summary(named("dgx-superpod-512")),
            "512 hosts (64 servers of 8), 24 switches (16 + 8), 1024 links, oversubscription 1:1");
}

TEST(Topology, HostsAreNamedByTheirServer) {
  EXPECT_EQ(name_of_host(build(Rail{.servers = 2, .gpus = 4, .spines = 1}), 7), "host 7 (1.3)");
  EXPECT_EQ(name_of_host(build(Star{}), 7), "host 7");
  EXPECT_EQ(name_of_host(build(Star{.hosts = 12, .hosts_per_server = 6}), 7), "host 7 (1.1)");
  EXPECT_EQ(build(FatTree{.k = 4, .hosts_per_server = 8}).hosts_per_server, 8u);
}

TEST(Topology, ParkingLotIsTheChainOfTheArtifact) {
  const Topology t = build(ParkingLot{});
  // parking3.topo.txt
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected{{0, 6}, {1, 8}, {2, 6}, {3, 7},
                                                                      {4, 7}, {5, 8}, {6, 7}, {7, 8}};
  ASSERT_EQ(t.links.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(std::pair(t.links[i].a, t.links[i].b), expected[i]);
}

TEST(Topology, CountsFollowFromParameters) {
  const Topology ft = build(FatTree{.k = 8});
  EXPECT_EQ(ft.hosts, 128u);
  EXPECT_EQ(ft.switches, 80u);
  EXPECT_EQ(ft.links.size(), 3u * 128u);
  const Topology big = build(FatTree{.k = 32});
  EXPECT_EQ(big.hosts, 8192u);
  EXPECT_EQ(big.switches, 1280u);
  const Topology clos = build(Clos{.hosts_per_tor = 32, .cores = 8});
  EXPECT_DOUBLE_EQ(oversubscription(clos, 1), 2);
  EXPECT_DOUBLE_EQ(oversubscription(clos, 2), 2);
  EXPECT_DOUBLE_EQ(oversubscription(clos, 3), 0);
  EXPECT_EQ(summary(build(Star{.hosts = 3})), "3 hosts, 1 switch (1), 3 links");
}

// Down ports first, in the order of the hosts behind them; then up ports.
TEST(Topology, PortsOfRegularTreesFollowTheirRule) {
  for (const Topology& t :
       {build(Star{}), build(Dumbbell{.left = 3, .right = 5}), build(FatTree{.k = 4}), build(Clos{}),
        build(LeafSpine{.leaves = 3, .spines = 2, .hosts_per_leaf = 5, .links_per_pair = 3}),
        build(Rail{.servers = 6, .gpus = 4, .rails = 2, .servers_per_segment = 3, .spines = 2})}) {
    SCOPED_TRACE(t.name);
    ASSERT_EQ(t.tree.size(), t.switches);
    std::vector<std::vector<std::uint32_t>> peers(t.nodes());
    for (std::uint32_t p = 0; p < t.ports(); ++p) peers[t.port_owner(p)].push_back(t.port_peer(p));
    for (std::uint32_t s = 0; s < t.switches; ++s) {
      const TreeRule& rule = t.tree[s];
      const auto& mine = peers[t.hosts + s];
      const auto down = rule.host_count / rule.hosts_per_port * rule.ports_per_child;
      ASSERT_EQ(mine.size(), down + rule.up_ports);
      for (std::uint32_t i = 0; i < down; ++i) {
        const std::uint32_t first = rule.first_host + i / rule.ports_per_child * rule.hosts_per_port;
        if (mine[i] < t.hosts) {
          EXPECT_EQ(t.place.empty() ? mine[i] : t.place[mine[i]], first);
        } else {
          EXPECT_EQ(t.tree[mine[i] - t.hosts].first_host, first);
          EXPECT_EQ(t.tree[mine[i] - t.hosts].host_count, rule.hosts_per_port);
          EXPECT_LT(t.tier[mine[i]], t.tier[t.hosts + s]);
        }
      }
    }
  }
}

TEST(Topology, TiersOfBuildersAreThoseOfTheGraph) {
  for (Topology t : {build(Star{}), build(Dumbbell{}), build(ParkingLot{}), build(LeafSpine{}), build(Rail{}),
                     build(Clos{}), build(FatTree{.k = 4})}) {
    const auto built = t.tier;
    assign_tiers(t);
    EXPECT_EQ(t.tier, built) << t.name;
  }
}

// Every link goes from one side to the other, where that is possible.
TEST(Topology, SidesAreThoseOfTheLinks) {
  for (const Topology& t : {build(Star{}), build(Dumbbell{}), build(ParkingLot{}), build(LeafSpine{}), build(Clos{}),
                            build(FatTree{.k = 4}), two_racks()}) {
    const std::vector<bool> side = sides(t);
    ASSERT_EQ(side.size(), t.nodes()) << t.name;
    for (const Link& l : t.links) EXPECT_NE(side[l.a], side[l.b]) << t.name;
  }
  // three switches in a ring, each with a host
  Topology ring;
  ring.hosts = ring.switches = 3;
  for (std::uint32_t i = 0; i < 3; ++i) {
    ring.links.push_back({i, 3 + i, 100_Gbps, 1_us});
    ring.links.push_back({3 + i, 3 + (i + 1) % 3, 100_Gbps, 1_us});
  }
  EXPECT_TRUE(sides(ring).empty());
}

TEST(Topology, ImpossibleParametersNameTheirKey) {
  struct Case {
    std::function<void()> build;
    std::string message;
  };
  const std::vector<Case> cases{
      {[] { build(FatTree{.k = 5}); }, "k: 5 makes no fat tree; valid is an even number from 2 to 202"},
      {[] { build(FatTree{.k = 0}); }, "k: 0 makes no fat tree; valid is an even number from 2 to 202"},
      {[] { build(Clos{.cores = 18}); },
       "cores: 18 cannot be shared out to aggs_per_pod = 4; valid is a multiple of 4"},
      {[] { build(Clos{.cores = 0}); }, "cores: 0 cannot be shared out to aggs_per_pod = 4; valid is a multiple of 4"},
      {[] { build(Clos{.pods = 1, .cores = 3}); },
       "cores: 3 cannot be shared out to aggs_per_pod = 4; valid is a multiple of 4 or 0"},
      {[] { build(Clos{.aggs_per_pod = 0}); }, "aggs_per_pod: 0 is out of range; valid is at least 1"},
      {[] { build(Clos{.pods = 0}); },
       "pods: pods, tors_per_pod and hosts_per_tor make 0 hosts; valid is 2 to 2097152"},
      {[] { build(Clos{.pods = 60000, .tors_per_pod = 60000, .hosts_per_tor = 60000}); },
       "pods: pods, tors_per_pod and hosts_per_tor make over 4294967296 hosts; valid is 2 to 2097152"},
      {[] { build(Clos{.hosts_per_tor = 65533}); },
       "hosts_per_tor: hosts_per_tor and aggs_per_pod give a switch 65537 ports; valid is at most 65535"},
      {[] { build(LeafSpine{.spines = 0}); }, "spines: 0 is out of range; valid is at least 1"},
      {[] { build(LeafSpine{.hosts_per_leaf = 0}); },
       "leaves: leaves and hosts_per_leaf make 0 hosts; valid is 2 to 2097152"},
      {[] { build(LeafSpine{.links_per_pair = 0}); }, "links_per_pair: 0 is out of range; valid is at least 1"},
      {[] { build(Dumbbell{.right = 0}); }, "right: 0 is out of range; valid is at least 1"},
      {[] { build(ParkingLot{.switches = 1}); }, "switches: 1 makes no chain; valid is at least 2"},
      {[] { build(Rail{.gpus = 6, .rails = 4}); },
       "rails: 6 gpus cannot be dealt out to 4 rails; valid is a divisor of 6, or 0"},
      {[] { build(Rail{.servers = 16, .servers_per_segment = 5}); },
       "servers_per_segment: 16 servers make no segments of 5; valid is a divisor of 16, or more for one segment"},
      {[] { build(Rail{.servers_per_segment = 0}); }, "servers_per_segment: 0 is out of range; valid is at least 1"},
      {[] { build(Rail{.gpus = 0}); }, "servers: servers and gpus make 0 hosts; valid is 2 to 2097152"},
      {[] { build(Rail{.servers = 70000, .servers_per_segment = 70000}); },
       "servers_per_segment: servers_per_segment, gpus, rails, spines and links_per_pair give a switch 70016 ports; "
       "valid is at most 65535"},
      {[] { build(Rail{.tors = 17}); },
       "planes: planes, tors and host_links give a host 17 ports; valid is at most 16"},
      {[] { build(LeafSpine{.hosts_per_server = 7}); },
       "hosts_per_server: 64 hosts make no servers of 7; valid is a divisor of 64"},
      {[] { build(Star{.hosts = 1}); }, "hosts: hosts make 1 hosts; valid is 2 to 2097152"},
      {[] { build(Star{.rate = 0_bps}); }, "the link 0 - 17 has the rate 0 bps; valid is 1 Kbps to 100 Tbps"},
      {[] { find_topology("fat-tre"); },
       "unknown topology 'fat-tre' (did you mean 'fat-tree'?); valid is star, dumbbell, parking-lot, leaf-spine, "
       "hpcc-testbed-32, hpcc-testbed-64, rail, rail-optimised, dgx-superpod-512, simai-spectrum-x-128, "
       "simai-hpn-single-plane-128, simai-hpn-dual-plane-128, simai-dcn-single-tor-128, simai-dcn-dual-tor-128, clos, "
       "hpcc-fat-tree-320, fat-tree"},
  };
  for (const Case& c : cases) EXPECT_EQ(message_of(c.build), c.message);
}

TEST(Topology, EveryKindAndPresetBuilds) {
  for (const TopologyKind& kind : topology_kinds()) {
    EXPECT_NO_THROW(check(named(kind.name))) << kind.name;
    EXPECT_EQ(named(kind.name).name, kind.name);
    for (const TopologyPreset& preset : kind.presets) EXPECT_NO_THROW(check(named(preset.name))) << preset.name;
  }
}

TEST(Topology, ParametersApplyByName) {
  const TopologyChoice choice = find_topology("hpcc-fat-tree-320");
  const Param* pods = choice.kind->params->find("pods");
  ASSERT_NE(pods, nullptr);
  pods->set(choice.params.get(), parse_value(*pods, "2"));
  EXPECT_EQ(choice.kind->build(choice.params.get()).hosts, 128u);
  EXPECT_THROW(parse_value(*pods, "0"), InputError);
}

}  // namespace
}  // namespace weir::net
