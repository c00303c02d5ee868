#include "weir/engine/model/flow_network.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "weir/net/link/packet.h"
#include "weir/net/model/topologies.h"
#include "weir/theory/max_min.h"

namespace weir::engine {
namespace {

using namespace weir::literals;

// Host 0 to 1 over both links between switches; 2 to 3 and 4 to 5 over one each.
TEST(FlowNetwork, LinksArePorts) {
  const Model model(net::build(net::ParkingLot{.switches = 3, .bottleneck_rate = 40_Gbps}), 1);
  const std::vector<traffic::Flow> flows{{.src = 0, .dst = 1}, {.src = 2, .dst = 3}, {.src = 4, .dst = 5}};
  const theory::Network n = flow_network(model, flows);
  theory::check(n);
  ASSERT_EQ(n.capacities.size(), model.topology.ports());
  ASSERT_EQ(n.flows.size(), 3u);
  for (std::size_t j = 0; j < flows.size(); ++j) {
    const auto& links = n.flows[j].links;
    EXPECT_EQ(model.topology.port_owner(links.front()), flows[j].src);
    EXPECT_EQ(model.topology.port_peer(links.back()), flows[j].dst);
    EXPECT_EQ(links.size(), j == 0 ? 4u : 3u);
  }
  EXPECT_EQ(n.capacities[n.flows[0].links[0]], 100e9);
  EXPECT_EQ(n.capacities[n.flows[0].links[1]], 40e9);
  EXPECT_EQ(theory::max_min(n).rates, (std::vector<double>{20e9, 20e9, 20e9}));
}

// The two directions of a link do not share it: 0 <-> 1 leave each other alone, but 2 -> 1 halves what 0 -> 1 gets.
TEST(FlowNetwork, DirectionsAreApart) {
  const Model model(net::build(net::Star{.hosts = 3}), 1);
  const std::vector<traffic::Flow> flows{{.src = 0, .dst = 1}, {.src = 1, .dst = 0}, {.src = 2, .dst = 1}};
  EXPECT_EQ(theory::max_min(flow_network(model, flows)).rates, (std::vector<double>{50e9, 100e9, 50e9}));
}

// Flows of one pair of hosts take the paths that their ports hash to.
TEST(FlowNetwork, PathsAreThoseOfThePackets) {
  const Model model(net::build(net::Clos{}), 3);
  std::vector<traffic::Flow> flows;
  for (std::uint16_t sport = 10'000; sport < 10'032; ++sport)
    flows.push_back({.src = 0, .dst = 319, .sport = sport, .dport = 100});
  const theory::Network n = flow_network(model, flows);
  std::set<std::uint32_t> to_aggs;
  for (std::size_t j = 0; j < flows.size(); ++j) {
    const auto& links = n.flows[j].links;
    EXPECT_EQ(links, model.routing.path(0, 319, net::flow_entropy(0, 319, flows[j].sport, 100)));
    to_aggs.insert(links[1]);
  }
  EXPECT_EQ(to_aggs.size(), 4u);
}

}  // namespace
}  // namespace weir::engine
