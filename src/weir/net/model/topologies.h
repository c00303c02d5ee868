// The topologies that a scenario can name, each built from parameters that describe themselves.
//
// Hosts are numbered through: rack by rack, pod by pod; of rails, server by server. The links of the hosts come first,
// then each tier's links to the next, so that every switch has its ports down (in the order of the hosts behind them)
// before its ports up. Switches are numbered plane by plane, in a plane tier by tier, and the ToRs of a rack one after
// the other; the ports of a host stand in that order too, with parallel links side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/params.h"
#include "weir/net/model/topology.h"

namespace weir::net {

using literals::operator""_Gbps;
using literals::operator""_us;

// All hosts on one switch.
struct Star {
  std::uint32_t hosts = 17;
  Rate rate = 100_Gbps;
  Time delay = 1_us;
  std::uint32_t planes = 1;            // whole networks side by side, in each of which a host has its ports
  std::uint32_t host_links = 1;        // parallel links of a host to each of its switches
  std::uint32_t hosts_per_server = 1;  // consecutive hosts
  static void describe(ParamList<Star>& p);
};

// Two switches and the link between them; hosts 0 .. left-1 on the first, the others on the second.
struct Dumbbell {
  std::uint32_t left = 8;
  std::uint32_t right = 8;
  Rate host_rate = 100_Gbps;
  Time host_delay = 1_us;
  Rate bottleneck_rate = 100_Gbps;
  Time bottleneck_delay = 1_us;
  static void describe(ParamList<Dumbbell>& p);
};

// A chain of switches. Host 0 sits on the first and host 1 on the last, for the long path; then
// each link between neighbours has a pair of its own: hosts 2+2i on switch i and 3+2i on i+1.
//
//     0  2     3  4     5  6     7  1
//      \ |     |  |     |  |     | /
//       s0 ----- s1 ----- s2 ---- s3          switches = 4
struct ParkingLot {
  std::uint32_t switches = 3;
  Rate host_rate = 100_Gbps;
  Time host_delay = 1_us;
  Rate bottleneck_rate = 100_Gbps;
  Time bottleneck_delay = 1_us;
  static void describe(ParamList<ParkingLot>& p);
};

// Two tiers: every leaf is linked to every spine.
struct LeafSpine {
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  std::uint32_t hosts_per_leaf = 16;
  std::uint32_t links_per_pair = 1;
  Rate host_rate = 100_Gbps;
  Rate fabric_rate = 400_Gbps;
  Time host_delay = 1_us;
  Time fabric_delay = 1_us;
  std::uint32_t planes = 1;            // whole networks side by side, in each of which a host has its ports
  std::uint32_t tors = 1;              // switches of a rack, to each of which all its hosts are linked
  std::uint32_t host_links = 1;        // parallel links of a host to each of its switches
  std::uint32_t hosts_per_server = 1;  // consecutive hosts
  static void describe(ParamList<LeafSpine>& p);
};

// Two tiers under servers of several GPUs, each with a NIC of its own, which is a host. Servers form segments; GPU g of
// every server of a segment is on leaf g mod rails of that segment, and every leaf is linked to every spine. Hosts are
// numbered server by server, GPU by GPU, and leaves segment by segment, rail by rail.
struct Rail {
  std::uint32_t servers = 16;
  std::uint32_t gpus = 8;                  // of a server
  std::uint32_t rails = 0;                 // leaves of a segment; 0 = as many as gpus
  std::uint32_t servers_per_segment = 64;  // if there are fewer, they are one segment
  std::uint32_t spines = 16;               // 0 = as few as let all hosts of a leaf send by them at once
  std::uint32_t links_per_pair = 1;
  Rate host_rate = 400_Gbps;
  Rate fabric_rate = 400_Gbps;
  Time host_delay = 1_us;
  Time fabric_delay = 1_us;
  std::uint32_t planes = 1;      // whole networks side by side, in each of which a host has its ports
  std::uint32_t tors = 1;        // switches instead of each leaf, to each of which all its hosts are linked
  std::uint32_t host_links = 1;  // parallel links of a host to each of its switches
  static void describe(ParamList<Rail>& p);
};

// Three tiers: in a pod every ToR is linked to every Agg; with n = cores / aggs_per_pod, Agg k of
// every pod is linked to cores k*n .. k*n+n-1.
struct Clos {
  std::uint32_t pods = 5;
  std::uint32_t tors_per_pod = 4;
  std::uint32_t hosts_per_tor = 16;
  std::uint32_t aggs_per_pod = 4;
  std::uint32_t cores = 16;
  Rate host_rate = 100_Gbps;
  Rate fabric_rate = 400_Gbps;  // ToR - Agg
  Rate core_rate = 400_Gbps;    // Agg - core
  Time host_delay = 1_us;
  Time fabric_delay = 1_us;
  Time core_delay = 1_us;
  std::uint32_t planes = 1;            // whole networks side by side, in each of which a host has its ports
  std::uint32_t tors = 1;              // switches of a rack, to each of which all its hosts are linked
  std::uint32_t host_links = 1;        // parallel links of a host to each of its switches
  std::uint32_t hosts_per_server = 1;  // consecutive hosts
  static void describe(ParamList<Clos>& p);
};

// The k-ary fat tree of Al-Fares et al. (SIGCOMM'08): k pods of k/2 ToRs and k/2 Aggs, k^2/4 cores,
// k^3/4 hosts, all links alike.
struct FatTree {
  std::uint32_t k = 8;
  Rate rate = 100_Gbps;
  Time delay = 1_us;
  std::uint32_t planes = 1;            // whole networks side by side, in each of which a host has its ports
  std::uint32_t tors = 1;              // switches of a rack, to each of which all its hosts are linked
  std::uint32_t host_links = 1;        // parallel links of a host to each of its switches
  std::uint32_t hosts_per_server = 1;  // consecutive hosts
  static void describe(ParamList<FatTree>& p);
};

// Each throws InputError, naming the key, when the numbers make no network.
Topology build(const Star&);
Topology build(const Dumbbell&);
Topology build(const ParkingLot&);
Topology build(const LeafSpine&);
Topology build(const Rail&);
Topology build(const Clos&);
Topology build(const FatTree&);

// A kind of topology with some of its parameters set, under a name of its own.
struct TopologyPreset {
  std::string_view name;
  std::string_view meaning;
  std::string_view source;
  std::vector<std::pair<std::string_view, std::string_view>> values;  // key, text; others keep their default
};

struct TopologyKind {
  std::string_view name;
  std::string_view meaning;
  const ParamSet* params = nullptr;
  Topology (*build)(const void* params) = nullptr;
  std::vector<TopologyPreset> presets;
};

std::span<const TopologyKind> topology_kinds();

// The kind that a name means (its own or a preset's), and its parameters before any override.
// Throws InputError with the nearest name.
struct TopologyChoice {
  const TopologyKind* kind = nullptr;
  std::shared_ptr<void> params;
};
TopologyChoice find_topology(std::string_view name);

// The largest ratio, over the switches of a tier, of the capacity down to the capacity up;
// 0 if nothing is above. 1 = not oversubscribed.
double oversubscription(const Topology&, std::uint8_t tier);
// "320 hosts, 56 switches (20 + 20 + 16), 480 links, oversubscription 1:1, 1:1"; servers of several hosts are counted.
std::string summary(const Topology&);

}  // namespace weir::net
