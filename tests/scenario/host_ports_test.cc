// Hosts with several ports in scenarios: loads, what is warned of, what is refused, and that runs without packets know
// them (docs/developers/host-ports.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/scenario/build.h"
#include "weir/scenario/each_flow.h"
#include "weir/scenario/warnings.h"

namespace weir::scenario::host_ports_test {
namespace {

using namespace literals;

const std::string kPlanes = R"(
[topology]
kind = "leaf-spine"
leaves = 2
spines = 1
hosts_per_leaf = 2
planes = 2
host_rate = "100 Gbps"
fabric_rate = "100 Gbps"
[algorithm]
name = "fixed-window"
)";

// A load is a share of the rates of all links of a host, or of what its NIC takes.
TEST(HostPorts, LoadsAreOfAllPorts) {
  const auto bytes = [](const std::vector<std::string>& set) {
    const Scenario s = load_scenario(kPlanes + R"(
[[traffic]]
kind = "poisson"
sizes = "WebSearch"
load = 0.3
stop = "50 ms"
)",
                                     "a.toml", set);
    double sum = 0;
    for_each_flow(s, *build_model(s), [&](std::uint32_t, std::uint32_t, Bytes size, std::uint16_t) {
      sum += static_cast<double>(size.count);
      return true;
    });
    return sum;
  };
  const double one = bytes({"topology.planes=1"});
  // 4 hosts, 100 Gb/s, 0.3, 50 ms
  EXPECT_NEAR(one, 4 * 12.5e9 * 0.3 * 0.05, 0.15 * one);
  EXPECT_NEAR(bytes({}) / one, 2, 0.2);
  EXPECT_NEAR(bytes({"topology.planes=1", "topology.tors=3"}) / one, 3, 0.3);
  EXPECT_NEAR(bytes({"topology.host_links=2", "host.nic_rate=150 Gbps"}) / one, 1.5, 0.2);
}

std::vector<std::string> warnings_of(const std::string& events) {
  const Scenario s = load_scenario(kPlanes + R"(
[[traffic]]
kind = "flows"
flow = [
  { src = 0, dst = 3, size = "10 KB" },
  { src = 0, dst = 2, size = "10 KB" },
  { src = 1, dst = 3, size = "10 KB" },
]
[network]
link_event = [)" + events + "]\n",
                                   "a.toml");
  return warnings(s, *build_model(s));
}

// Hosts 0 to 3, leaves 4 and 5 and spine 6 of the first plane, 7, 8 and 9 of the second one.
TEST(HostPorts, FlowsBetweenPlanesThatDoNotMeetAreWarnedOf) {
  const std::string first = "{ time = \"0 us\", a = 0, b = 7, state = \"down\" },";
  EXPECT_EQ(warnings_of(first), std::vector<std::string>{});
  const auto both = warnings_of(first + "{ time = \"5 us\", a = 3, b = 5, state = \"down\" }");
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0],
            "1 flow has (the first: host 0 to 3) no path from 5 us on, since links are down for ever or lose every "
            "packet; what has not ended by then never will");
  // No port is left.
  const auto none = warnings_of(first + "{ time = \"7 us\", a = 0, b = 4, state = \"down\" }");
  ASSERT_EQ(none.size(), 1u);
  EXPECT_TRUE(none[0].starts_with("2 flows have (the first: host 0 to 3) no path from 7 us on")) << none[0];
  // A host in each plane stays, the planes' leaves are apart.
  const auto leaves = warnings_of(
      "{ time = \"1 us\", a = 4, b = 6, state = \"down\" }, { time = \"1 us\", a = 8, b = 9, state = \"down\" }");
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_TRUE(leaves[0].starts_with("3 flows have (the first: host 0 to 3) no path from 1 us on")) << leaves[0];
}

// Of a collective all ranks that talk are looked at, wherever its longest chain goes: hosts 1 and 2 do in each of
// these.
TEST(HostPorts, RanksWithoutAPlaneInCommonAreWarnedOf) {
  const auto warned = [](const std::string& traffic, const std::string& more) {
    const Scenario s = load_scenario(kPlanes + "[[traffic]]\nsize = \"64 KB\"\n" + traffic + R"(
[network]
link_event = [
  { time = "1 us", a = 1, b = 7, state = "down" },
  { time = "1 us", a = 2, b = 5, state = "down" },
])",
                                     "a.toml", {more});
    const auto all = warnings(s, *build_model(s));
    return std::any_of(all.begin(), all.end(), [](const std::string& w) {
      return w.find("(the first: host 1 to 2) no path from 1 us on") != std::string::npos;
    });
  };
  for (const char* rows : {"traffic.0.messages=rows", "traffic.0.messages=sums"})
    for (const char* operation :
         {"all-to-all", "ring-all-reduce", "tree-all-reduce", "barrier", "bruck-all-to-all", "ring-broadcast"})
      EXPECT_TRUE(warned("kind = \"collective\"\noperation = \"" + std::string(operation) + "\"\n", rows))
          << operation << ", " << rows;
}

std::string refusal(const std::string& text, const std::vector<std::string>& set) {
  try {
    const Scenario s = load_scenario(text, "a.toml", set);
    build(s);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(HostPorts, WhatIsNotPossibleIsSaidBeforeTheRun) {
  const std::string ring =
      kPlanes + "[[traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n";
  EXPECT_EQ(refusal(ring, {}), "");
  // A rank without a NIC.
  EXPECT_EQ(refusal(ring, {"traffic.0.hosts=0-4"}),
            "--set traffic.0.hosts: '0-4': host 4 does not exist: hosts are 0 to 3");
  for (const char* replica : {"ns3-hpcc", "htsim-uet"})
    EXPECT_EQ(refusal(ring, {std::string("run.fidelity=") + replica, "algorithm.name=hpcc"}),
              "a.toml:3: key 'topology.kind': hosts have up to 2 ports, and run.fidelity = \"" + std::string(replica) +
                  "\" knows hosts of one port only; valid with several is \"exact\" or \"flow\"");
  EXPECT_EQ(refusal(ring, {"run.fidelity=flow", "host.nic_rate=150 Gbps"}),
            "--set host.nic_rate: NICs are as fast as their links: remove it under run.fidelity = \"flow\"");
}

// Without packets too a flow keeps to its port, and planes have nothing in common but hosts.
TEST(HostPorts, FlowsKeepToTheirPlanesWithoutPackets) {
  const auto finishes = [](const std::string& planes, const std::string& file) {
    const Scenario s = load_scenario(kPlanes + "[[traffic]]\nkind = \"flows\"\nflow = [" + file + "]\n", "a.toml",
                                     {"run.fidelity=flow", "topology.planes=" + planes});
    const auto run = build(s);
    std::map<std::uint32_t, Time> out;
    run.simulation->on_finish([&](const host::FlowRecord& f) { out[f.src * 4 + f.dst] = f.finish; });
    while (!run.simulation->advance()) {
    }
    return out;
  };
  const std::string two = "{ src = 0, dst = 2, size = \"1 MB\" }, { src = 1, dst = 3, size = \"1 MB\" }";
  const Time alone = finishes("1", "{ src = 0, dst = 2, size = \"1 MB\" }").at(2);
  // One spine: both share it. Of several planes they share one, or none.
  EXPECT_GT(finishes("1", two).at(2), alone * 19 / 10);
  std::uint32_t apart = 0;
  for (const char* planes : {"2", "3", "4", "5", "6"}) {
    const auto found = finishes(planes, two);
    const bool shared = found.at(2) > alone * 19 / 10;
    EXPECT_EQ(found.at(2), shared ? finishes("1", two).at(2) : alone) << planes;
    EXPECT_EQ(found.at(7), found.at(2)) << planes;
    apart += !shared;
  }
  EXPECT_GT(apart, 0u);
}

}  // namespace
}  // namespace weir::scenario::host_ports_test
