// What a scenario can write for each topology: parameters, kinds and presets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/base/error.h"
#include "weir/base/suggestion.h"
#include "weir/net/model/topologies.h"

namespace weir::net {
namespace {

template <class T>
Topology build_from(const void* params) {
  return build(*static_cast<const T*>(params));
}

template <class T>
TopologyKind kind(std::string_view name, std::string_view meaning, std::vector<TopologyPreset> presets = {}) {
  return {name, meaning, &params_of<T>(), &build_from<T>, std::move(presets)};
}

template <class T>
void rate_param(ParamList<T>& p, const char* name, Rate T::*field, const char* meaning) {
  p.rate(name, field, meaning, "", kMinRate);
}

template <class T>
void delay_param(ParamList<T>& p, const char* name, Time T::*field, const char* meaning) {
  p.time(name, field, meaning, "", {}, kMaxDelay);
}

template <class T>
void port_params(ParamList<T>& p) {
  p.integer("planes", &T::planes, 1, kMaxHostPorts,
            "separate networks side by side; a host has ports in each of them, planes x tors x host_links in all");
  if constexpr (requires(T t) { t.tors; })
    p.integer("tors", &T::tors, 1, kMaxHostPorts, "switches of a rack, each of them linked to all its hosts");
  p.integer("host_links", &T::host_links, 1, kMaxHostPorts, "parallel links of a host to each of its switches");
  if constexpr (requires(T t) { t.hosts_per_server; })
    p.integer("hosts_per_server", &T::hosts_per_server, 1, kMaxHosts,
              "GPUs of a server, which are consecutive hosts; a divisor of the number of hosts");
}

}  // namespace

void Star::describe(ParamList<Star>& p) {
  p.integer("hosts", &Star::hosts, 2, kMaxSwitchPorts, "hosts on the switch");
  rate_param(p, "rate", &Star::rate, "rate of every link");
  delay_param(p, "delay", &Star::delay, "propagation delay of every link");
  port_params(p);
}

void Dumbbell::describe(ParamList<Dumbbell>& p) {
  p.integer("left", &Dumbbell::left, 1, kMaxSwitchPorts - 1, "hosts on the first switch");
  p.integer("right", &Dumbbell::right, 1, kMaxSwitchPorts - 1, "hosts on the second switch");
  rate_param(p, "host_rate", &Dumbbell::host_rate, "rate of a host's link");
  delay_param(p, "host_delay", &Dumbbell::host_delay, "propagation delay of a host's link");
  rate_param(p, "bottleneck_rate", &Dumbbell::bottleneck_rate, "rate of the link between the switches");
  delay_param(p, "bottleneck_delay", &Dumbbell::bottleneck_delay, "propagation delay of the link between the switches");
}

void ParkingLot::describe(ParamList<ParkingLot>& p) {
  p.integer("switches", &ParkingLot::switches, 2, kMaxSwitches, "switches in the chain; twice as many hosts");
  rate_param(p, "host_rate", &ParkingLot::host_rate, "rate of a host's link");
  delay_param(p, "host_delay", &ParkingLot::host_delay, "propagation delay of a host's link");
  rate_param(p, "bottleneck_rate", &ParkingLot::bottleneck_rate, "rate of the links between the switches");
  delay_param(p, "bottleneck_delay", &ParkingLot::bottleneck_delay,
              "propagation delay of the links between the switches");
}

void LeafSpine::describe(ParamList<LeafSpine>& p) {
  p.integer("leaves", &LeafSpine::leaves, 1, kMaxSwitchPorts, "leaf switches");
  p.integer("spines", &LeafSpine::spines, 1, kMaxSwitchPorts, "spine switches");
  p.integer("hosts_per_leaf", &LeafSpine::hosts_per_leaf, 1, kMaxSwitchPorts, "hosts on a leaf");
  p.integer("links_per_pair", &LeafSpine::links_per_pair, 1, kMaxSwitchPorts,
            "parallel links between a leaf and a spine");
  rate_param(p, "host_rate", &LeafSpine::host_rate, "rate of a host's link");
  rate_param(p, "fabric_rate", &LeafSpine::fabric_rate, "rate of a link between leaf and spine");
  delay_param(p, "host_delay", &LeafSpine::host_delay, "propagation delay of a host's link");
  delay_param(p, "fabric_delay", &LeafSpine::fabric_delay, "propagation delay between leaf and spine");
  port_params(p);
}

void Rail::describe(ParamList<Rail>& p) {
  p.integer("servers", &Rail::servers, 1, kMaxHosts, "servers");
  p.integer("gpus", &Rail::gpus, 1, kMaxSwitchPorts, "GPUs of a server, each a host; host = server * gpus + GPU");
  p.integer("rails", &Rail::rails, 0, kMaxSwitchPorts,
            "leaves of a segment, a divisor of gpus: GPU g is on leaf g mod rails; 0 = as many as gpus");
  p.integer("servers_per_segment", &Rail::servers_per_segment, 1, kMaxHosts,
            "servers that share leaves, a divisor of servers; more than there are = all");
  p.integer("spines", &Rail::spines, 0, kMaxSwitchPorts,
            "spine switches; 0 = as few as let all hosts of a leaf send by them at once");
  p.integer("links_per_pair", &Rail::links_per_pair, 1, kMaxSwitchPorts, "parallel links between a leaf and a spine");
  rate_param(p, "host_rate", &Rail::host_rate, "rate of a host's link");
  rate_param(p, "fabric_rate", &Rail::fabric_rate, "rate of a link between leaf and spine");
  delay_param(p, "host_delay", &Rail::host_delay, "propagation delay of a host's link");
  delay_param(p, "fabric_delay", &Rail::fabric_delay, "propagation delay between leaf and spine");
  port_params(p);
}

void Clos::describe(ParamList<Clos>& p) {
  p.integer("pods", &Clos::pods, 1, kMaxSwitchPorts, "pods");
  p.integer("tors_per_pod", &Clos::tors_per_pod, 1, kMaxSwitchPorts, "ToR switches in a pod");
  p.integer("hosts_per_tor", &Clos::hosts_per_tor, 1, kMaxSwitchPorts, "hosts on a ToR");
  p.integer("aggs_per_pod", &Clos::aggs_per_pod, 1, kMaxSwitchPorts,
            "Agg switches in a pod, each linked to all its ToRs");
  p.integer("cores", &Clos::cores, 0, kMaxSwitches,
            "core switches, a multiple of aggs_per_pod; 0 = none, with one pod");
  rate_param(p, "host_rate", &Clos::host_rate, "rate of a host's link");
  rate_param(p, "fabric_rate", &Clos::fabric_rate, "rate of a link between ToR and Agg");
  rate_param(p, "core_rate", &Clos::core_rate, "rate of a link between Agg and core");
  delay_param(p, "host_delay", &Clos::host_delay, "propagation delay of a host's link");
  delay_param(p, "fabric_delay", &Clos::fabric_delay, "propagation delay between ToR and Agg");
  delay_param(p, "core_delay", &Clos::core_delay, "propagation delay between Agg and core");
  port_params(p);
}

void FatTree::describe(ParamList<FatTree>& p) {
  p.integer("k", &FatTree::k, 2, 202, "ports of a switch, an even number; k^3/4 hosts", "Al-Fares et al., SIGCOMM'08");
  rate_param(p, "rate", &FatTree::rate, "rate of every link");
  delay_param(p, "delay", &FatTree::delay, "propagation delay of every link");
  port_params(p);
}

std::span<const TopologyKind> topology_kinds() {
  static const std::vector<TopologyKind> kinds{
      kind<Star>("star", "all hosts on one switch"),
      kind<Dumbbell>("dumbbell", "two groups of hosts, one link between them"),
      kind<ParkingLot>("parking-lot",
                       "a chain of switches: one long path, and one pair of hosts per link of the chain"),
      kind<LeafSpine>("leaf-spine", "two tiers, every leaf linked to every spine",
                      {{"hpcc-testbed-32",
                        // Servers there have two 25G ports, one to each of two ToRs. A host here is one server with
                        // one of them: 8 hosts on each of 4 ToRs; hosts_per_leaf = 16 makes each port a host. The
                        // Agg's "four 100Gbps links" are read as four to each ToR, which carry its 16 ports of 25G
                        // without oversubscription (as in the paper's simulated network; one link each could not
                        // carry its 50% load). Delays give the paper's base RTTs for packets of 1000 B and their
                        // headers, with or without INT: 5.4 us in a rack, 8.5 us across; the time spent in NICs
                        // and switches is part of them.
                        "HPCC's testbed: 32 servers, each by one 25G port on 4 ToRs, one Agg with 4 x 100G to each ToR",
                        "HPCC 5.1",
                        {{"leaves", "4"},
                         {"spines", "1"},
                         {"hosts_per_leaf", "8"},
                         {"links_per_pair", "4"},
                         {"host_rate", "25 Gbps"},
                         {"fabric_rate", "100 Gbps"},
                         {"host_delay", "1165 ns"},
                         {"fabric_delay", "730 ns"}}},
                       {"hpcc-testbed-64",
                        "HPCC's testbed with both ports of its 32 servers: two pairs of ToRs, one Agg with 4 x 100G to "
                        "each ToR",
                        "HPCC 5.1",
                        {{"leaves", "2"},
                         {"spines", "1"},
                         {"hosts_per_leaf", "16"},
                         {"links_per_pair", "4"},
                         {"tors", "2"},
                         {"host_rate", "25 Gbps"},
                         {"fabric_rate", "100 Gbps"},
                         {"host_delay", "1165 ns"},
                         {"fabric_delay", "730 ns"}}}}),
      // SimAI's templates have NVLink switches, too, which are no part of this network. Its delays are 500 ns, and its
      // ToRs (ASW) and spines (PSW) are numbered in another order.
      kind<Rail>("rail", "servers of several GPUs, GPU i of all servers on one leaf, every leaf linked to every spine",
                 {{"rail-optimised",
                   "16 servers of 8 GPUs with 400G each, a leaf for every rail, without oversubscription",
                   "NVIDIA DGX SuperPOD reference architecture",
                   {{"servers", "16"},
                    {"gpus", "8"},
                    {"servers_per_segment", "16"},
                    {"spines", "0"},
                    {"host_rate", "400 Gbps"},
                    {"fabric_rate", "400 Gbps"}}},
                  {"dgx-superpod-512",
                   "two scalable units of 32 DGX servers with 8 ports of 400G each: 8 leaves a unit, 8 spines, "
                   "switches of 64 ports",
                   "NVIDIA DGX SuperPOD reference architecture",
                   {{"servers", "64"},
                    {"gpus", "8"},
                    {"servers_per_segment", "32"},
                    {"spines", "8"},
                    {"links_per_pair", "4"},
                    {"host_rate", "400 Gbps"},
                    {"fabric_rate", "400 Gbps"}}},
                  {"simai-spectrum-x-128",
                   "SimAI's template Spectrum-X with 128 GPUs: rails of 400G, 64 spines",
                   "SimAI, gen_Topo_Template.py",
                   {{"servers", "16"},
                    {"gpus", "8"},
                    {"servers_per_segment", "64"},
                    {"spines", "64"},
                    {"host_rate", "400 Gbps"},
                    {"fabric_rate", "400 Gbps"},
                    {"host_delay", "500 ns"},
                    {"fabric_delay", "500 ns"}}},
                  {"simai-hpn-single-plane-128",
                   "SimAI's template AlibabaHPN with 128 GPUs and one plane: each rail has two ToRs, 120 spines",
                   "SimAI, gen_Topo_Template.py",
                   {{"servers", "16"},
                    {"gpus", "8"},
                    {"servers_per_segment", "128"},
                    {"spines", "120"},
                    {"tors", "2"},
                    {"host_rate", "200 Gbps"},
                    {"fabric_rate", "400 Gbps"},
                    {"host_delay", "500 ns"},
                    {"fabric_delay", "500 ns"}}},
                  {"simai-hpn-dual-plane-128",
                   "SimAI's template AlibabaHPN with 128 GPUs and two planes of 60 spines",
                   "SimAI, gen_Topo_Template.py",
                   {{"servers", "16"},
                    {"gpus", "8"},
                    {"servers_per_segment", "128"},
                    {"spines", "60"},
                    {"planes", "2"},
                    {"host_rate", "200 Gbps"},
                    {"fabric_rate", "400 Gbps"},
                    {"host_delay", "500 ns"},
                    {"fabric_delay", "500 ns"}}},
                  {"simai-dcn-single-tor-128",
                   "SimAI's template DCN+ with 128 GPUs: a ToR for all GPUs of 8 servers, 8 spines",
                   "SimAI, gen_Topo_Template.py",
                   {{"servers", "16"},
                    {"gpus", "8"},
                    {"rails", "1"},
                    {"servers_per_segment", "8"},
                    {"spines", "8"},
                    {"host_rate", "400 Gbps"},
                    {"fabric_rate", "400 Gbps"},
                    {"host_delay", "500 ns"},
                    {"fabric_delay", "500 ns"}}},
                  {"simai-dcn-dual-tor-128",
                   "SimAI's template DCN+ with 128 GPUs: two ToRs for all GPUs of 16 servers, 8 spines",
                   "SimAI, gen_Topo_Template.py",
                   {{"servers", "16"},
                    {"gpus", "8"},
                    {"rails", "1"},
                    {"servers_per_segment", "16"},
                    {"spines", "8"},
                    {"tors", "2"},
                    {"host_rate", "200 Gbps"},
                    {"fabric_rate", "400 Gbps"},
                    {"host_delay", "500 ns"},
                    {"fabric_delay", "500 ns"}}}}),
      kind<Clos>("clos", "three tiers: ToRs and Aggs in pods, cores above",
                 {{"hpcc-fat-tree-320",
                   "HPCC's simulated network: 320 hosts at 100G, fabric at 400G, 1 us per link",
                   "HPCC 5.1",
                   {{"pods", "5"},
                    {"tors_per_pod", "4"},
                    {"hosts_per_tor", "16"},
                    {"aggs_per_pod", "4"},
                    {"cores", "16"},
                    {"host_rate", "100 Gbps"},
                    {"fabric_rate", "400 Gbps"},
                    {"core_rate", "400 Gbps"},
                    {"host_delay", "1 us"},
                    {"fabric_delay", "1 us"},
                    {"core_delay", "1 us"}}}}),
      kind<FatTree>("fat-tree", "k-ary fat tree of equal switches and links"),
  };
  return kinds;
}

TopologyChoice find_topology(std::string_view name) {
  std::vector<std::string> names;
  for (const TopologyKind& k : topology_kinds()) {
    if (k.name == name) return {&k, k.params->make()};
    names.emplace_back(k.name);
    for (const TopologyPreset& preset : k.presets) {
      names.emplace_back(preset.name);
      if (preset.name != name) continue;
      TopologyChoice out{&k, k.params->make()};
      for (const auto& [key, text] : preset.values) {
        const Param& param = *k.params->find(key);
        param.set(out.params.get(), parse_value(param, text));
      }
      return out;
    }
  }
  throw InputError(
      fmt::format("unknown topology '{}'{}; valid is {}", name, did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace weir::net
