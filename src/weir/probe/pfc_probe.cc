#include "weir/probe/pfc_probe.h"

#include <optional>
#include <string>
#include <vector>

#include "weir/engine/model/model.h"

namespace weir::probe {
namespace {

struct PauseSums {
  PfcTier tier;
  double paused_bits = 0;  // paused time * rate
  double capacity = 0;     // rates

  void add(const engine::PortFigures& port, Rate rate) {
    tier.storms += port.storms;
    tier.storm_dropped += port.storm_dropped;
    ++tier.ports;
    tier.pauses += port.pauses;
    tier.paused += port.paused;
    paused_bits += port.paused.seconds() * static_cast<double>(rate.bits_per_second);
    capacity += static_cast<double>(rate.bits_per_second);
  }
  PfcTier result(std::string name, Time run) {
    tier.name = std::move(name);
    if (run.ps > 0) {
      tier.share = tier.paused.seconds() / (tier.ports * run.seconds());
      tier.capacity_share = paused_bits / (capacity * run.seconds());
    }
    return tier;
  }
};

}  // namespace

void PfcProbe::check(const Params& params, const Checks& checks) { check_ports(params.ports, checks); }

void PfcProbe::add_possible(const Params& params, const Setting& setting, Summary& out) {
  add_possible_tiers(out.pfc.emplace(), model_of(setting.network).topology, params.ports);
}

PfcProbe::PfcProbe(const Params& params, const Context& context)
    : params_(params), simulation_(context.engine), out_(context.out) {}

void PfcProbe::finish(Summary& out) {
  const auto& topology = model_of(simulation_).topology;
  const std::vector<std::uint32_t> ports = choose_ports(topology, params_.ports);
  const Tiers tiers(topology, ports);
  const Time run = simulation_.now();

  std::optional<ResultFile> file;
  if (out_ != nullptr) file.emplace(out_->table("pfc.csv"));
  PauseSums all;
  std::vector<PauseSums> by_tier(tiers.names.size());
  std::vector<PauseSums> by_direction(tiers.groups.size());
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const engine::PortFigures port = simulation_.port_figures(ports[i]);
    const Rate rate = topology.links[ports[i] / 2].rate;
    all.add(port, rate);
    by_tier[tiers.tier_of(i)].add(port, rate);
    by_direction[tiers.of_port[i]].add(port, rate);
    if (file)
      file->print("{},{},{},{},{},{},{:.9g},{},{}\n", ports[i], topology.port_owner(ports[i]),
                  topology.port_peer(ports[i]), tiers.names[tiers.tier_of(i)], port.pauses, port.paused.ps,
                  run.ps > 0 ? port.paused.seconds() / run.seconds() : 0.0, port.storms, port.storm_dropped);
  }
  if (file) file->close();

  PfcSummary& summary = out.pfc.emplace();
  summary.all = all.result("all", run);
  for (std::size_t i = 0; i < by_tier.size(); ++i) summary.by_tier.push_back(by_tier[i].result(tiers.names[i], run));
  for (std::size_t i = 0; i < by_direction.size(); ++i)
    summary.by_direction.push_back(by_direction[i].result(tiers.groups[i].name, run));
}

}  // namespace weir::probe
