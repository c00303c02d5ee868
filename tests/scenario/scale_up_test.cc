// Collectives whose GPUs share their scale-up links, and messages that go by them to the rail of their receiver (PXN).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/error.h"
#include "weir/probe/collective_report.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/warnings.h"
#include "weir/traffic/collectives.h"

namespace weir::scenario::scale_up_test {
namespace {

using namespace literals;

// One server of four GPUs; 100 GB/s, so that 100 KB take 1 us.
const std::string kServer = R"(
[topology]
kind = "star"
hosts = 4
rate = "400 Gbps"
[algorithm]
name = "fixed-window"
[[traffic]]
kind = "collective"
operation = "all-to-all"
size = "1600 KB"
group = 4
scale_up_rate = "800 Gbps"
scale_up_latency = "500 ns"
)";

const std::string kShared = "traffic.0.scale_up_sharing=max-min";

probe::CollectiveSummary only(const std::string& text, std::vector<std::string> set) {
  const auto run = build(load_scenario(text, "a.toml", set));
  while (!run.simulation->advance()) {
  }
  const auto all = probe::report_collectives(*run.simulation, run.tags());
  EXPECT_EQ(all.size(), 1u);
  EXPECT_TRUE(all.at(0).completion);
  EXPECT_GE(*all.at(0).completion, all.at(0).bound);
  return all.at(0);
}

// Why it is refused; "" = it is not.
std::string refusal_of(const std::string& text, const std::vector<std::string>& set) {
  try {
    build(load_scenario(text, "a.toml", set));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Time time_of(const std::string& text, std::vector<std::string> set) { return *only(text, std::move(set)).completion; }

TEST(ScaleUpSharing, TakesTheTimesByHand) {
  for (const char* fidelity : {"run.fidelity=flow", "run.fidelity=exact"}) {
    const auto time = [&](const std::string& operation, bool shared) {
      std::vector<std::string> set{fidelity, "traffic.0.operation=" + operation};
      if (shared) set.push_back(kShared);
      return time_of(kServer, set);
    };
    // Each GPU sends three parts of 400 KB and gets three: 12 us.
    EXPECT_EQ(time("all-to-all", true), 12'500_ns);
    EXPECT_EQ(time("all-to-all", false), 12'500_ns);
    // Three parts of 400 KB come to one GPU: three times as long if they share its way in.
    EXPECT_EQ(time("gather", true), 12'500_ns);
    EXPECT_EQ(time("gather", false), 4'500_ns);
    EXPECT_EQ(time("scatter", true), 12'500_ns);
    EXPECT_EQ(time("scatter", false), 12'500_ns);
    // One message of 400 KB at a time.
    EXPECT_EQ(time("ring-all-reduce", true), 6 * 4'500_ns);
    EXPECT_EQ(time("ring-all-reduce", false), 6 * 4'500_ns);
  }
}

// Within a server they are what its links take, and of an all-to-all what each NIC has to send to other servers.
TEST(ScaleUpSharing, BoundsKnowServers) {
  const auto ring = only(kServer, {kShared, "traffic.0.operation=ring-all-reduce"});
  EXPECT_EQ(ring.bound, *ring.completion);
  EXPECT_EQ(only(kServer, {kShared}).bound, 12'500_ns);
  EXPECT_EQ(only(kServer, {}).bound, 12'500_ns);
  EXPECT_EQ(only(kServer, {kShared, "traffic.0.operation=gather"}).bound, 12'500_ns);
  EXPECT_EQ(only(kServer, {"traffic.0.operation=gather"}).bound, 4'500_ns);
  // 12 parts of 100 packets, the last of which has two links of 1 us to go
  const Time packet = transmission_time(1048_B, 400_Gbps);
  EXPECT_EQ(only(kServer, {"topology.hosts=16"}).bound, 12 * 100 * packet + packet + 2_us);
  // The same with two calls, of which the second begins when the host has its acknowledgements.
  EXPECT_GT(only(kServer, {"topology.hosts=16", "traffic.0.repeat=2"}).bound, 2 * (12 * 100 * packet));
}

// Half of the latency is not sooner than an epoch may be.
TEST(ScaleUpSharing, HasALatencyOfTwoEpochsAtLeast) {
  EXPECT_EQ(time_of(kServer, {kShared, "traffic.0.scale_up_latency=0 ns"}), 12'100_ns);
  EXPECT_EQ(time_of(kServer, {kShared, "traffic.0.scale_up_latency=6 us"}), 18_us);
}

// Two collectives of the same GPUs share one switch.
TEST(ScaleUpSharing, IsOfAllTraffic) {
  const std::string two = kServer + kServer.substr(kServer.find("[[traffic]]"));
  const auto run = build(load_scenario(two, "a.toml", {kShared, "traffic.1.scale_up_sharing=max-min"}));
  while (!run.simulation->advance()) {
  }
  for (const auto& one : probe::report_collectives(*run.simulation, run.tags())) {
    EXPECT_EQ(*one.completion, 24'500_ns);
    EXPECT_EQ(one.bound, 12'500_ns);
    EXPECT_FALSE(one.excess());
    EXPECT_EQ(one.shares_hosts_with, std::vector<std::string>{"collective"});
  }
}

// Ways out are one for all tables. Of two exchanges the one that begins 1 us later sends when the other has sent all,
// and steps of two rings go in turn: each of the six takes twice as long, 8 us, but the last, which has no other behind
// it.
TEST(ScaleUpSharing, IsOfAllTrafficIfItIsSerial) {
  const std::string traffic = kServer.substr(kServer.find("[[traffic]]"));
  const auto times = [&](std::vector<std::string> set) {
    const auto run = build(load_scenario(kServer + traffic + "start = \"1 us\"\n", "a.toml", set));
    while (!run.simulation->advance()) {
    }
    std::vector<std::int64_t> out;
    for (const auto& one : probe::report_collectives(*run.simulation, run.tags())) out.push_back(one.completion->ps);
    return out;
  };
  const auto us = [](std::int64_t first, std::int64_t second) {
    return std::vector{first * 100'000, second * 100'000};
  };
  for (const std::string fidelity : {"run.fidelity=exact", "run.fidelity=flow"}) {
    EXPECT_EQ(times({fidelity}), us(125, 235));
    EXPECT_EQ(times({fidelity, "traffic.0.operation=ring-all-reduce", "traffic.1.operation=ring-all-reduce"}),
              us(445, 475));
    EXPECT_EQ(times({fidelity, "traffic.1.repeat=2"}), us(125, 360));
    EXPECT_EQ(times({fidelity, "topology.hosts=8", "traffic.0.hosts=0-3", "traffic.1.hosts=4-7"}), us(125, 125));
  }
}

// What tables at the same GPUs do not know of each other is told, with their names.
TEST(ScaleUpSharing, IsToldWhereItIsNone) {
  const std::string traffic = kServer.substr(kServer.find("[[traffic]]"));
  const std::string two = kServer + "tag = \"a\"\n" + traffic + "tag = \"b\"\n";
  const auto told = [&](std::vector<std::string> set) {
    const auto s = load_scenario(two, "a.toml", set);
    std::vector<std::string> out;
    for (const std::string& warning : warnings(s, *build_model(s)))
      if (warning.find("same GPUs") != std::string::npos) out.push_back(warning);
    return out;
  };
  const std::string apart =
      "traffic.0 ('a') and traffic.1 ('b') use scale-up links of the same GPUs (the first: host 0) and do not notice "
      "each other there; write the same scale_up_sharing in each, and with \"max-min\" the same group and "
      "scale_up_rate";
  const std::string compute =
      "traffic.0 ('a') and traffic.1 ('b') compute on the same GPUs (the first: host 0), each as if it had them for "
      "itself: where they do so at once, each computes too quickly";
  const std::vector<std::string> none;
  EXPECT_EQ(told({}), none);
  EXPECT_EQ(told({kShared, "run.stop=1 us", "traffic.1.start=1 us"}), none);  // the second never begins
  EXPECT_EQ(told({kShared}), std::vector{apart});
  EXPECT_EQ(told({kShared, "traffic.1.scale_up_sharing=max-min"}), none);
  EXPECT_EQ(told({kShared, "traffic.1.scale_up_sharing=max-min", "traffic.1.scale_up_rate=400 Gbps"}),
            std::vector{apart});
  EXPECT_EQ(told({kShared, "topology.hosts=8", "traffic.0.hosts=0-3", "traffic.1.hosts=4-7"}), none);
  EXPECT_EQ(told({"traffic.0.compute=1 us"}), none);
  EXPECT_EQ(told({"traffic.0.compute=1 us", "traffic.1.compute=1 us"}), std::vector{compute});
  EXPECT_EQ(told({"run.fidelity=flow", "traffic.0.compute=1 us", "traffic.1.compute=1 us"}), std::vector{compute});
}

// A link has one rate.
TEST(ScaleUpSharing, RefusesSerialLinksOfTwoRates) {
  const std::string traffic = kServer.substr(kServer.find("[[traffic]]"));
  std::string slower = traffic;
  slower.replace(slower.find("800 Gbps"), 8, "400 Gbps");
  const std::string two = kServer + "tag = \"a\"\n" + slower + "tag = \"b\"\n";
  const auto build_with = [&](std::vector<std::string> set) { build(load_scenario(two, "a.toml", set)); };
  try {
    build_with({});
    FAIL() << "it is taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("key 'traffic.1.scale_up_rate': 400 Gbps, but traffic.0 ('a') uses the same serial links (the "
                        "first: those of host 0) at 800 Gbps; write the same scale_up_rate in both, or give them "
                        "different hosts"),
              std::string::npos)
        << error.what();
  }
  build_with({"topology.hosts=8", "traffic.0.hosts=0-3", "traffic.1.hosts=4-7"});
}

// Of four tables two meet at some GPUs and two at others: nobody is told of whom it does not meet.
TEST(ScaleUpSharing, IsToldOfThoseThatMeet) {
  const std::string traffic = kServer.substr(kServer.find("[[traffic]]"));
  std::string four = kServer.substr(0, kServer.find("[[traffic]]"));
  for (const std::string tag : {"a", "b", "c", "d"}) four += traffic + "compute = \"1 us\"\ntag = \"" + tag + "\"\n";
  const auto s = load_scenario(
      four, "a.toml",
      {"topology.hosts=8", "traffic.0.hosts=0-3", "traffic.1.hosts=0-3", "traffic.2.hosts=4-7", "traffic.3.hosts=4-7"});
  std::vector<std::string> told;
  for (const std::string& warning : warnings(s, *build_model(s)))
    if (warning.find("same GPUs") != std::string::npos) told.push_back(warning.substr(0, warning.find(" (the first")));
  EXPECT_EQ(told, (std::vector<std::string>{"traffic.0 ('a') and traffic.1 ('b') compute on the same GPUs",
                                            "traffic.2 ('c') and traffic.3 ('d') compute on the same GPUs"}));
}

// An all-gather by the switch has all of 1,600 KB come to each GPU, and of a reduce-scatter all leaves it: 16 us by 100
// GB/s, 32 us at half of that.
TEST(InSwitchParts, TakeTheTimesByHand) {
  for (const std::string operation : {"in-switch-all-gather", "in-switch-reduce-scatter"})
    for (const std::string sharing : {"serial", "max-min"}) {
      const auto found = only(kServer, {"traffic.0.operation=" + operation, "traffic.0.scale_up_sharing=" + sharing,
                                        "traffic.0.in_switch_efficiency=0.5"});
      EXPECT_NEAR(static_cast<double>(found.completion->ps), 32'500'000, 200) << operation << ", " << sharing;
      EXPECT_NEAR(*found.bus_bandwidth() / 8e9, 0.75 * 1'600'000 / 32'500, 0.01);
    }
  EXPECT_NE(refusal_of(kServer, {"traffic.0.operation=in-switch-all-gather", "traffic.0.group=1"})
                .find("write how many GPUs they have"),
            std::string::npos);
}

// 5/4 of 1,600 KB at half the rate go out of and into each of four GPUs: 40 us, where a ring takes 24 us at the whole
// one. Each server has an operation of its own.
TEST(InSwitchAllReduce, TakesTheTimeByHand) {
  const std::vector<std::string> set{"traffic.0.operation=in-switch-all-reduce", "traffic.0.in_switch_efficiency=0.5"};
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {kShared},
                                               {"run.fidelity=flow"},
                                               {"traffic.0.chunks=4", kShared},
                                               {"topology.hosts=12", "traffic.0.ranks=4"},
                                               {"traffic.0.repeat=1", "run.threads=2", kShared}}) {
    std::vector<std::string> all = set;
    all.insert(all.end(), more.begin(), more.end());
    const auto found = only(kServer, all);
    // Parts are rounded up to whole bytes, 10 ps each.
    EXPECT_NEAR(static_cast<double>(found.completion->ps), 40'500'000, 200) << (more.empty() ? "" : more[0]);
    EXPECT_EQ(found.unfinished, 0u);
  }
  // Bus bandwidth: 2 * 3/4 of the buffer in that time.
  EXPECT_NEAR(*only(kServer, set).bus_bandwidth() / 8e9, 1.5 * 1'600'000 / 40'500, 0.01);
}

// docs/evidence/gpu-clusters.md: what SimAI prints of NVLS for 16 MiB to 512 MiB, with two constants that were fitted,
// and with the efficiency of NCCL's tuning.
TEST(InSwitchAllReduce, HasTheFormOfSimAis) {
  const double simai[] = {148.88, 178.04, 197.38, 208.70, 214.87, 218.09};
  for (int i = 0; i < 6; ++i)
    for (const auto& [efficiency, within] : {std::pair("0.837", 0.0005), {"0.85", 0.016}}) {
      const auto found = only(
          kServer, {"topology.hosts=8", "traffic.0.group=8", "run.fidelity=flow",
                    "traffic.0.operation=in-switch-all-reduce", "traffic.0.scale_up_rate=1360 Gbps",
                    "traffic.0.scale_up_latency=64.6 us", std::string("traffic.0.in_switch_efficiency=") + efficiency,
                    "traffic.0.size=" + std::to_string(16 << i) + " MiB"});
      EXPECT_NEAR(*found.bus_bandwidth() / 8e9 / simai[i], 1, within) << (16 << i) << " MiB, " << efficiency;
    }
}

TEST(InSwitchAllReduce, IsOfOneServer) {
  const auto refusal = [](const std::vector<std::string>& set) { return refusal_of(kServer, set); };
  const std::string in_switch = "traffic.0.operation=in-switch-all-reduce";
  EXPECT_EQ(refusal({in_switch}), "");
  EXPECT_NE(
      refusal({in_switch, "topology.hosts=8"}).find("host 4 is not of the server of host 0, whose switch does it"),
      std::string::npos);
  EXPECT_NE(refusal({in_switch, "traffic.0.group=1"}).find("write how many GPUs they have"), std::string::npos);
}

// Four servers of four GPUs at one switch, 50 GB/s, in which all parts of a hierarchical all-reduce can be told apart.
const std::string kFour = R"(
[topology]
kind = "star"
hosts = 16
rate = "400 Gbps"
delay = "500 ns"
[algorithm]
name = "fixed-window"
window = "100 MB"
[transport]
payload = "1000 B"
header = "0 B"
ack_header = "1 B"
min_frame = "1 B"
[run]
fidelity = "flow"
[[traffic]]
kind = "collective"
operation = "hierarchical-all-reduce"
size = "16 MB"
group = 4
scale_up_rate = "800 Gbps"
scale_up_latency = "500 ns"
in_switch_efficiency = 1
)";

double took(const std::vector<std::string>& set) { return only(kFour, set).completion->seconds() * 1e6; }

// Within servers a share is 4 MB, which takes 40 us; (g + 1) / g of 16 MB by the switch, half of it each time. Across,
// the 6 steps of a ring have 1 MB, 20 us and 1 us each; of two trees of four, in which no rank has one child less than
// the other, 2 MB go up and down two levels, and each rank sends 6 MB and receives as much.
TEST(Hierarchy, TakesWhatItsPartsTake) {
  const double by_rings = 3 * 40.5;
  const double by_switch = 16.0 * 5 / 4 / 2 * 10 + 0.5;
  const double ring = 6 * 21;
  EXPECT_NEAR(took({}), 2 * by_rings + ring, 0.5);
  EXPECT_NEAR(took({"traffic.0.within=switch"}), 2 * by_switch + ring, 0.5);
  const double tree = took({"traffic.0.across=tree"}) - 2 * by_rings;
  EXPECT_GE(tree, 4 * 41 - 0.5);
  EXPECT_LE(tree, 6 * 41 + 4 + 0.5);
  EXPECT_NEAR(took({"traffic.0.across=tree", "traffic.0.within=switch"}), 2 * by_switch + tree, 0.5);
}

// Many chunks overlap: the busiest link decides, of which both ways are used by the switch's reading and spreading.
TEST(Hierarchy, OverlapsItsParts) {
  const std::vector<std::string> set{"traffic.0.within=switch", "traffic.0.across=tree", "traffic.0.chunks=64"};
  EXPECT_LT(took(set), 0.8 * took({"traffic.0.within=switch", "traffic.0.across=tree"}));
  std::vector<std::string> slow = set;
  slow.emplace_back("traffic.0.scale_up_rate=80 Gbps");
  EXPECT_GE(took(slow), 16.0 * 5 / 4 * 100);
  EXPECT_LT(took(slow), 16.0 * 5 / 4 * 100 * 1.1);
}

// A scale-up domain may be larger than a server of the topology: two of four GPUs each add up in one switch.
TEST(Hierarchy, DomainsMaySpanServers) {
  const std::vector<std::string> set{"topology.hosts_per_server=4", "traffic.0.group=8", "traffic.0.within=switch",
                                     "traffic.0.across=tree"};
  // (g + 1) / g of 16 MB, half of it twice; 1 MB up and 1 MB down between two domains, by both trees at once.
  EXPECT_NEAR(took(set), 16.0 * 9 / 8 * 10 + 2 * 0.5 + 2 * 21, 1);
}

TEST(Hierarchy, IsTheSameOnAnyThreadsAndEndsWhole) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"traffic.0.chunks=3"},
                                               {"traffic.0.chunks=5", "traffic.0.active_chunks=2"},
                                               {"traffic.0.repeat=3", "traffic.0.compute=20 us"},
                                               {"traffic.0.ranks=8", "traffic.0.repeat=2"},
                                               {"traffic.0.slots=1", "traffic.0.chunks=4"},
                                               {"traffic.0.step_delay=3 us"},
                                               {kShared, "traffic.0.chunks=2"},
                                               {"traffic.0.messages=sums"},
                                               {"transport.connections=kept"}})
    for (const std::vector<std::string>& parts :
         {std::vector<std::string>{"traffic.0.within=switch", "traffic.0.across=tree"},
          {"traffic.0.within=ring", "traffic.0.across=tree"},
          {"traffic.0.within=switch", "traffic.0.across=ring"}}) {
      const auto with = [&](std::vector<std::string> set) {
        set.insert(set.end(), more.begin(), more.end());
        set.insert(set.end(), parts.begin(), parts.end());
        set.emplace_back("run.fidelity=exact");
        set.emplace_back("traffic.0.size=1 MB");
        return only(kFour, set);
      };
      const auto one = with({});
      EXPECT_EQ(one.unfinished, 0u) << more[0];
      for (const char* way : {"run.threads=2", "run.scheduler=wheel"}) {
        const auto other = with({way});
        EXPECT_EQ(other.completion, one.completion) << more[0] << ", " << way;
        EXPECT_EQ(other.acknowledged, one.acknowledged) << more[0] << ", " << way;
      }
    }
}

// An all-reduce whose algorithm is chosen is that algorithm, which the effective scenario has.
TEST(AllReduce, IsWhatHasBeenChosen) {
  const std::vector<std::string> set{"traffic.0.operation=all-reduce", "traffic.0.scale_up_rate=3600 Gbps"};
  const auto s = load_scenario(kFour, "a.toml", set);
  const auto& c = *static_cast<const traffic::Collective*>(s.traffic[0].params.get());
  EXPECT_NE(c.operation, traffic::Operation::all_reduce);
  ASSERT_EQ(s.notices.size(), 1u);
  EXPECT_TRUE(s.notices[0].starts_with("'collective': the all-reduce of 16 MB by 16 ranks in 4 servers of 4 is "))
      << s.notices[0];
  const std::string effective = scenario::effective(s).toml;
  EXPECT_EQ(effective.find("\"all-reduce\""), std::string::npos);
  const auto again = load_scenario(effective, "a.toml", {});
  EXPECT_TRUE(again.notices.empty());
  EXPECT_EQ(only(effective, {}).completion, only(kFour, set).completion);
}

const std::string kRails = R"(
[topology]
kind = "rail"
servers = 4
gpus = 4
servers_per_segment = 4
spines = 2
host_rate = "100 Gbps"
fabric_rate = "100 Gbps"
[algorithm]
name = "fixed-window"
[[traffic]]
kind = "collective"
operation = "all-to-all"
size = "1600 KB"
group = 4
scale_up_sharing = "max-min"
pxn = true
)";

// By PXN nothing crosses the spines: each GPU's NIC sends what all GPUs of its server have for its rail.
TEST(Pxn, KeepsMessagesToTheirRails) {
  const auto crossed = [](const std::string& pxn, const std::string& more = "traffic.0.group=4") {
    const auto run = build(load_scenario(kRails, "a.toml", {"traffic.0.pxn=" + pxn, more}));
    while (!run.simulation->advance()) {
    }
    const auto& t = run.model->topology;
    std::uint64_t bytes = 0;
    for (std::uint32_t port = 0; port < t.ports(); ++port)
      if (t.port_owner(port) >= t.hosts && t.port_peer(port) >= t.hosts)
        bytes += run.simulation->port_figures(port).sent_bytes;
    return bytes;
  };
  EXPECT_EQ(crossed("true"), 0u);
  EXPECT_GT(crossed("false"), 16u * 9 * 100'000);
  // A scale-up domain of two servers has two GPUs on each rail.
  EXPECT_EQ(crossed("true", "traffic.0.group=8"), 0u);
  EXPECT_GT(crossed("false", "traffic.0.group=8"), 16u * 6 * 100'000);
}

TEST(Pxn, IsTheSameOnAnyThreadsAndEndsWhole) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{},
        {"traffic.0.messages=sums", "traffic.0.window=3"},
        {"traffic.0.repeat=3", "traffic.0.compute=20 us"},
        {"traffic.0.ranks=8", "traffic.0.repeat=2"},
        {"traffic.0.slots=1", "traffic.0.chunks=4"},
        {"traffic.0.operation=ring-all-reduce", "traffic.0.chunks=8", "traffic.0.channels=4"},
        {"traffic.0.operation=tree-all-reduce", "traffic.0.chunks=4"},
        {"transport.connections=kept"}}) {
    const std::string what = more.empty() ? "" : more[0];
    const auto with = [&](std::vector<std::string> set) {
      set.insert(set.begin(), more.begin(), more.end());
      return only(kRails, set);
    };
    const auto one = with({});
    EXPECT_EQ(one.unfinished, 0u) << what;
    for (const std::vector<std::string>& way : {std::vector<std::string>{"run.threads=2"},
                                                {"run.threads=4"},
                                                {"run.scheduler=wheel"},
                                                {"run.scheduler=heap"}}) {
      const auto other = with(way);
      EXPECT_EQ(other.completion, one.completion) << what << ", " << way[0];
      EXPECT_EQ(other.acknowledged, one.acknowledged) << what << ", " << way[0];
      EXPECT_EQ(other.unfinished, 0u);
    }
    if (what.starts_with("transport")) continue;  // there are none without packets
    EXPECT_EQ(with({"run.fidelity=flow"}).unfinished, 0u) << what;
  }
}

TEST(Pxn, NeedsWholeServersThatShareTheirLinks) {
  const auto refusal = [](const std::vector<std::string>& set) { return refusal_of(kRails, set); };
  EXPECT_EQ(refusal({}), "");
  EXPECT_NE(refusal({"traffic.0.scale_up_sharing=serial"})
                .find("it needs servers whose GPUs share their scale-up links; write group and scale_up_sharing = "
                      "\"max-min\" as well"),
            std::string::npos);
  EXPECT_NE(refusal({"traffic.0.hosts=0-3,4,5,8-11,12,13", "traffic.0.ranks=2"})
                .find("of server 1, hosts 4 to 7, 2 take part; all of its GPUs must, since others send by them"),
            std::string::npos);
}

// What collectives that do not say it take for servers: those of the topology, where whole ones take part.
TEST(ServerChoice, IsThatOfTheTopology) {
  const auto group_of = [](const std::string& traffic, const std::vector<std::string>& set = {}) {
    const Scenario s = load_scenario(
        "[topology]\nkind = \"rail\"\nservers = 4\ngpus = 4\n[algorithm]\nname = \"fixed-window\"\n[[traffic]]\n" +
            traffic,
        "a.toml", set);
    const TrafficSource& source = s.traffic.at(0);
    const std::int64_t group = std::get<std::int64_t>(source.kind->params->find("group")->get(source.params.get()));
    const bool is_written = traffic.find("group") != std::string::npos;
    EXPECT_TRUE(!is_written || s.notices.empty());
    EXPECT_TRUE(group != 4 || s.notices.size() == 1);
    return group;
  };
  const auto told = [](const std::string& set) {
    const Scenario s = load_scenario(
        "[topology]\nkind = \"rail\"\nservers = 4\ngpus = 4\n[algorithm]\nname = \"fixed-window\"\n[[traffic]]\n"
        "kind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n" +
            set,
        "a.toml");
    return s.notices.empty() ? "" : s.notices.front();
  };
  const std::string ring = "kind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n";
  EXPECT_EQ(group_of(ring), 4);
  EXPECT_EQ(group_of(ring + "group = 1\n"), 1);
  EXPECT_EQ(group_of(ring + "group = 2\n"), 2);
  EXPECT_EQ(group_of(ring + "hosts = \"0-3,12-15\"\n"), 4);
  EXPECT_EQ(group_of(ring + "hosts = \"0-13\"\n"), 1);
  EXPECT_EQ(group_of(ring + "hosts = \"1-15:4\"\n"), 1);
  EXPECT_EQ(group_of(ring + "ranks = 8\n"), 4);
  EXPECT_EQ(group_of(ring + "ranks = 2\n"), 1);
  EXPECT_EQ(group_of(ring + "ranks = 4\nstride = 4\n"), 1);
  EXPECT_EQ(group_of(ring + "places = \"0-7\"\n"), 4);
  EXPECT_EQ(group_of(ring + "places = \"0-12\"\n"), 1);
  EXPECT_EQ(group_of(ring, {"topology.gpus=1"}), 1);
  // Messages that have a server to themselves and go by the network are told of, and those of rails are none.
  const std::string by_network =
      "messages of 'collective' within servers of 4 hosts, as the topology has them, go by the network, since its {} "
      "are no whole servers; write group = 1 if that is meant";
  const auto since = [&](const char* what) { return fmt::format(fmt::runtime(by_network), what); };
  EXPECT_EQ(told("hosts = \"0-12\"\n"), since("hosts"));
  EXPECT_EQ(told("places = \"0-12\"\n"), since("hosts"));
  EXPECT_EQ(told("ranks = 2\n"), since("process groups"));
  EXPECT_EQ(told("hosts = \"1-15:4\"\n"), "");
  EXPECT_EQ(told("ranks = 4\nstride = 4\n"), "");
  EXPECT_EQ(told("hosts = \"0-12\"\ngroup = 1\n"), "");
  EXPECT_EQ(group_of(ring, {"run.fast_forward.theta=0.05"}), 4);
  EXPECT_EQ(group_of("kind = \"training\"\ntensor = 4\ndata = 4\nactivations = \"1 MB\"\ngradients = \"1 MB\"\n"
                     "attention = \"10 us\"\nmlp = \"10 us\"\n"),
            4);
  // What is chosen stands in the effective scenario, which gives the same when it is read again.
  const Scenario s = load_scenario(
      "[topology]\nkind = \"leaf-spine\"\nhosts_per_server = 4\n[algorithm]\nname = "
      "\"fixed-window\"\n[[traffic]]\n" +
          ring,
      "a.toml");
  EXPECT_NE(effective(s).toml.find("\ngroup = 4  # "), std::string::npos);
  const Scenario again = load_scenario(effective(s).toml, "b.toml");
  EXPECT_EQ(effective(again).toml, effective(s).toml);
  EXPECT_TRUE(again.notices.empty());
}

// Rings over servers on rails go from rail to rail unless PXN keeps them to one.
TEST(Rails, AreToldOfWhereRingsChangeThem) {
  const auto is_told = [](const std::string& kind, const std::vector<std::string>& set) {
    const Scenario s = load_scenario("[topology]\nkind = \"" + kind +
                                         "\"\n[algorithm]\nname = \"fixed-window\"\n[[traffic]]\nkind = "
                                         "\"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n",
                                     "a.toml", set);
    const auto all = warnings(s, *build(s).model);
    return std::any_of(all.begin(), all.end(),
                       [](const std::string& w) { return w.find("go from rail to rail") != std::string::npos; });
  };
  EXPECT_TRUE(is_told("rail", {}));
  EXPECT_FALSE(is_told("rail", {"traffic.0.pxn=true", kShared}));
  EXPECT_FALSE(is_told("rail", {"traffic.0.group=1"}));
  EXPECT_FALSE(is_told("rail", {"traffic.0.operation=hierarchical-all-reduce"}));
  EXPECT_FALSE(is_told("leaf-spine", {"topology.hosts_per_server=4"}));
}

}  // namespace
}  // namespace weir::scenario::scale_up_test
