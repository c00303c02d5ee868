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

  void add(std::uint64_t pauses, Time paused, const engine::Storms& storms, Rate rate) {
    tier.storms += storms.begun;
    tier.storm_dropped += storms.dropped;
    ++tier.ports;
    tier.pauses += pauses;
    tier.paused += paused;
    paused_bits += paused.seconds() * static_cast<double>(rate.bits_per_second);
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
    const std::uint32_t pauses = simulation_.pauses(ports[i]);
    const Time paused = simulation_.paused_time(ports[i]);
    const Rate rate = topology.links[ports[i] / 2].rate;
    const engine::Storms storms = simulation_.storms(ports[i]);
    all.add(pauses, paused, storms, rate);
    by_tier[tiers.tier_of(i)].add(pauses, paused, storms, rate);
    by_direction[tiers.of_port[i]].add(pauses, paused, storms, rate);
    if (file)
      file->print("{},{},{},{},{},{},{:.9g},{},{}\n", ports[i], topology.port_owner(ports[i]),
                  topology.port_peer(ports[i]), tiers.names[tiers.tier_of(i)], pauses, paused.ps,
                  run.ps > 0 ? paused.seconds() / run.seconds() : 0.0, storms.begun, storms.dropped);
  }
  if (file) file->close();

  PfcSummary& summary = out.pfc.emplace();
  summary.all = all.result("all", run);
  for (std::size_t i = 0; i < by_tier.size(); ++i) summary.by_tier.push_back(by_tier[i].result(tiers.names[i], run));
  for (std::size_t i = 0; i < by_direction.size(); ++i)
    summary.by_direction.push_back(by_direction[i].result(tiers.groups[i].name, run));
}

}  // namespace weir::probe
