#include "weir/reference.h"

#include <fmt/format.h>

#include "weir/cc/algorithm.h"
#include "weir/cc/marking.h"
#include "weir/engine/model.h"
#include "weir/host/transport.h"
#include "weir/net/switch_buffer.h"
#include "weir/net/topologies.h"
#include "weir/probe/probes.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/catalogue.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/size_distribution.h"
#include "weir/traffic/workloads.h"

namespace weir::app {
namespace {

ReferenceItem item(std::string name, std::string meaning, std::string header, const ParamSet* params) {
  return {.name = std::move(name), .meaning = std::move(meaning), .tables = {{std::move(header), params}}};
}

ReferenceSection algorithms() {
  ReferenceSection out{"algorithms", "congestion control, [algorithm] and [[profile]]", {}};
  for (const auto& a : cc::catalogue()) {
    auto& entry = out.items.emplace_back(item(std::string(a.about.name), std::string(a.about.title),
                                              fmt::format("[algorithm] name = \"{}\"", a.about.name), a.params));
    entry.source = a.about.source;
    if (const auto* marking = cc::marking_of(a, "")) entry.marking = to_text(*marking);
    for (const auto& preset : a.presets) {
      ReferencePreset p{std::string(preset.name), "", std::string(preset.source), {}, {}};
      for (const auto& [key, value] : preset.values) p.values.emplace_back(key, value);
      if (const auto* marking = cc::marking_of(a, preset.name); marking != cc::marking_of(a, ""))
        p.marking = to_text(*marking);
      entry.presets.push_back(std::move(p));
    }
  }
  return out;
}

ReferenceSection topologies() {
  ReferenceSection out{"topologies", "networks, [topology]; a preset's name is a kind as well", {}};
  for (const auto& kind : net::topology_kinds()) {
    auto& entry = out.items.emplace_back(item(std::string(kind.name), std::string(kind.meaning),
                                              fmt::format("[topology] kind = \"{}\"", kind.name), kind.params));
    for (const auto& preset : kind.presets) {
      ReferencePreset p{std::string(preset.name), std::string(preset.meaning), std::string(preset.source), {}, {}};
      for (const auto& [key, value] : preset.values) p.values.emplace_back(key, value);
      entry.presets.push_back(std::move(p));
    }
  }
  out.items.push_back(item(std::string(scenario::kGraphKind), "any network, from a graph file",
                           fmt::format("[topology] kind = \"{}\"", scenario::kGraphKind),
                           &params_of<scenario::GraphParams>()));
  return out;
}

ReferenceSection workloads() {
  ReferenceSection out{"workloads", "flow sizes, [[traffic]] sizes", {}};
  for (const auto& w : traffic::workloads()) {
    const auto sizes = traffic::SizeDistribution::named(w.name);
    auto& entry = out.items.emplace_back();
    entry.name = w.name;
    // the first comment of the file says where it is from
    const auto end = w.cdf.find('\n');
    if (w.cdf.starts_with("# ")) entry.meaning = w.cdf.substr(2, end - 2);
    entry.facts.emplace_back("mean", fmt::format("{:.0f} B", sizes.mean()));
    for (const auto& [name, u] :
         {std::pair{"p1", 0.01}, {"p10", 0.1}, {"p25", 0.25}, {"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p99", 0.99}})
      entry.facts.emplace_back(name, format_value(sizes.quantile(u)));
    entry.facts.emplace_back("largest", format_value(sizes.largest()));
  }
  return out;
}

ReferenceSection traffic_kinds() {
  ReferenceSection out{"traffic", "sources of flows, [[traffic]]; each also takes tag, profile and completion", {}};
  for (const auto& kind : traffic::kinds()) {
    auto& entry = out.items.emplace_back(
        item(kind.name, kind.meaning, fmt::format("[[traffic]] kind = \"{}\"", kind.name), kind.params));
    if (kind.params == &params_of<traffic::FlowList::Params>())
      entry.tables.push_back({"or [[traffic.flow]], one per flow", &params_of<scenario::InlineFlow>()});
  }
  return out;
}

ReferenceSection probes() {
  ReferenceSection out{"probes", "what is observed, [probes.NAME]", {}};
  for (const auto& kind : probe::probe_kinds())
    out.items.push_back(
        item(std::string(kind.name), std::string(kind.meaning), fmt::format("[probes.{}]", kind.name), kind.params));
  return out;
}

}  // namespace

std::vector<ReferenceSection> reference() {
  ReferenceSection network{"network", "switches, [network]", {}};
  network.items.push_back(item("network", "all ports", "[network]", &params_of<net::NetworkParams>()));
  network.items.push_back(item("buffer", "shared buffer and PFC", "[network.buffer]", &params_of<net::BufferParams>()));
  network.items.push_back(
      item("watchdog", "breaks deadlocks of PFC", "[network.pfc.watchdog]", &params_of<net::WatchdogParams>()));
  network.items.push_back(item("ecn",
                               "marking; thresholds that are not written are the algorithm's (weir list algorithms)",
                               "[network.ecn]", &params_of<net::EcnParams>()));
  network.items.back().tables.push_back({"[[network.ecn.rate]]", &params_of<net::EcnOverride>()});
  network.items.push_back(item("adaptive",
                               "how switches measure queues for flows with load_balancing.kind = \"adaptive\"",
                               "[network.adaptive]", &params_of<net::AdaptiveParams>()));
  network.items.push_back(item("class", "data classes", "[[network.class]]", &params_of<net::ClassRow>()));
  network.items.back().tables.push_back({"[algorithm] and [[profile]]", &params_of<scenario::Sending>()});
  network.items.push_back(item("loss", "packets that links lose", "[[network.loss]]", &params_of<engine::LossRow>()));
  network.items.push_back(
      item("link_event", "links that go down and up", "[[network.link_event]]", &params_of<engine::LinkEventRow>()));
  network.items.push_back(item("failure", "links between switches that fail at random", "[[network.failure]]",
                               &params_of<engine::FailureRow>()));
  ReferenceSection host{"host", "hosts, [host]", {}};
  host.items.push_back(item("pause", "hosts that stall", "[[host.pause]]", &params_of<engine::HostPauseRow>()));
  ReferenceSection transport{"transport", "framing and recovery, [transport]", {}};
  transport.items.push_back(
      item("transport", "framing, acknowledgements, timeouts", "[transport]", &params_of<host::TransportParams>()));
  transport.items.push_back(item("recovery", "what is sent again; of each way of sending",
                                 "[algorithm.recovery] or [profile.recovery]", &params_of<host::RecoveryParams>()));
  transport.items.push_back(item("load_balancing", "which path each packet takes; of each way of sending",
                                 "[algorithm.load_balancing] or [profile.load_balancing]",
                                 &params_of<host::BalancingParams>()));
  transport.items.push_back(
      item("on_ramp",
           "an underlay that holds flows back while their packets queue; of each way of sending, if the table is there",
           "[algorithm.on_ramp] or [profile.on_ramp]", &params_of<cc::OnRamp::Params>()));
  transport.items.push_back(
      item("clocks", "the hosts' clocks, which On-Ramp needs", "[clocks]", &params_of<host::ClockParams>()));
  ReferenceSection run{"run", "the run itself, [run]", {}};
  run.items.push_back(item("run", "the run itself", "[run]", &params_of<scenario::RunParams>()));
  run.items.push_back(item("fidelity", "what the simulator of HPCC's authors can be told beyond, with run.fidelity",
                           "[fidelity]", &params_of<replica::Ns3Params>()));
  run.items.push_back(item("fidelity-htsim", "what uet-htsim can be told beyond, with run.fidelity = \"htsim-uet\"",
                           "[fidelity]", &params_of<replica::UetParams>()));
  return {algorithms(), topologies(), workloads(), traffic_kinds(), probes(), transport, host, network, run};
}

std::string default_text(const Param& p) {
  if (p.required) return "required";
  const auto text = format_value(p.fallback);
  return p.type_name() == "text" ? fmt::format("\"{}\"", text) : text;
}

}  // namespace weir::app
