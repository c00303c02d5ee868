#include "weir/probe/port_choice.h"

#include <gtest/gtest.h>

#include "weir/base/error.h"
#include "weir/net/model/topologies.h"

namespace weir::probe {
namespace {

using Ports = std::vector<std::uint32_t>;

// Hosts 0 and 1 on switch 4, 2 and 3 on switch 5, spine 6; two links between leaf and spine.
// Links: 0-4, 1-4, 2-5, 3-5, then 4-6 twice and 5-6 twice.
net::Topology network() {
  return net::build(net::LeafSpine{.leaves = 2, .spines = 1, .hosts_per_leaf = 2, .links_per_pair = 2});
}

TEST(PortChoice, ByKind) {
  const net::Topology t = network();
  ASSERT_EQ(t.ports(), 16u);
  EXPECT_EQ(choose_ports(t, "hosts"), (Ports{0, 2, 4, 6}));
  EXPECT_EQ(choose_ports(t, "edge down"), (Ports{1, 3, 5, 7}));
  EXPECT_EQ(choose_ports(t, "edge up"), (Ports{8, 10, 12, 14}));
  EXPECT_EQ(choose_ports(t, "edge"), (Ports{1, 3, 5, 7, 8, 10, 12, 14})) << "as in results";
  EXPECT_EQ(choose_ports(t, "edge"), choose_ports(t, "tier 1"));
  EXPECT_EQ(choose_ports(t, "fabric"), (Ports{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(choose_ports(t, "all"), (Ports{1, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(choose_ports(t, "tier 2"), (Ports{9, 11, 13, 15}));
  EXPECT_EQ(choose_ports(t, "tier 2 down"), choose_ports(t, "tier 2"));
  EXPECT_EQ(choose_ports(t, "tier 0"), choose_ports(t, "hosts"));
}

TEST(PortChoice, ByLinkAndByList) {
  const net::Topology t = network();
  EXPECT_EQ(choose_ports(t, "4->0"), (Ports{1}));
  EXPECT_EQ(choose_ports(t, "4->6"), (Ports{8, 10}));
  EXPECT_EQ(choose_ports(t, "4-6"), (Ports{8, 9, 10, 11})) << "as in network.loss";
  EXPECT_EQ(choose_ports(t, "0 - 4"), (Ports{0, 1}));
  EXPECT_EQ(choose_ports(t, " 6 -> 5 ,0->4,4->0, edge down"), (Ports{0, 1, 3, 5, 7, 13, 15}));
}

TEST(PortChoice, SaysWhatWouldBeValid) {
  const net::Topology t = network();
  const auto message = [&](const char* list) -> std::string {
    try {
      choose_ports(t, list);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("4->1, 4->2"), "there is no link 4->2; 4 is linked to 0 1 6 6");
  EXPECT_EQ(message("4-2"), "there is no link 4-2; 4 is linked to 0 1 6 6");
  EXPECT_EQ(message("9->0"), "there is no node 9; nodes are 0 to 6");
  EXPECT_EQ(message("tier 3"), "there is no tier '3'; tiers are 0 (hosts) to 2");
  EXPECT_EQ(message("tier 2 up"),
            "no port is 'tier 2 up' in this network; 'down' leads to a lower tier, 'up' to a "
            "higher one, 'across' to another node of the same");
  EXPECT_EQ(message("egde"),
            "'egde' names no ports; valid: all, fabric, hosts, edge, tier N, the last two also with down, up or across "
            "behind, or links such as 320->0, or 320-0 for both directions (did you mean 'edge'?)");
  EXPECT_NE(message(""), "");
  EXPECT_NE(message("edge,"), "");
  EXPECT_NE(message("4->x"), "");
  EXPECT_EQ(message("tier 1, 0->"),
            "'0->' is no link; write the numbers of its nodes, as 320->0, or 320-0 for both directions");
}

TEST(PortChoice, NoSuchPorts) { EXPECT_THROW(choose_ports(net::build(net::Star{.hosts = 2}), "fabric"), InputError); }

using Names = std::vector<std::string>;

// The directions of these ports in turn.
Names directions(const Tiers& tiers) {
  Names out;
  for (const auto group : tiers.of_port) out.push_back(tiers.groups[group].name);
  return out;
}

TEST(Tiers, NameThePortsOwnersAndWhereTheyLead) {
  const net::Topology t = network();
  const Tiers tiers(t, {0, 1, 8, 9});
  EXPECT_EQ(tiers.names, (Names{"hosts", "edge", "tier 2"}));
  EXPECT_EQ(directions(tiers), (Names{"hosts", "edge down", "edge up", "tier 2 down"}));
  EXPECT_EQ(tiers.tier_of(2), 1u);
  EXPECT_EQ(tiers.tier_of(3), 2u);
  EXPECT_EQ(tiers.selectable(), (Names{"hosts", "edge", "tier 2", "edge down", "edge up", "tier 2 down"}));
}

// Two switches side by side, each with a host.
TEST(Tiers, OfNeighboursOfOneTier) {
  net::Topology t{.name = "pair",
                  .hosts = 2,
                  .switches = 2,
                  .links = {{0, 2, Rate{1'000'000'000}, Time{1'000}},
                            {1, 3, Rate{1'000'000'000}, Time{1'000}},
                            {2, 3, Rate{1'000'000'000}, Time{1'000}}}};
  net::assign_tiers(t);
  EXPECT_EQ(choose_ports(t, "edge across"), (Ports{4, 5}));
  EXPECT_EQ(directions(Tiers(t, choose_ports(t, "all"))),
            (Names{"edge down", "edge down", "edge across", "edge across"}));
}

}  // namespace
}  // namespace weir::probe
