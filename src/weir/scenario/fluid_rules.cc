// run.fidelity = "flow": what a scenario may ask of a run without packets.
#include "weir/scenario/fluid_rules.h"

#include <fmt/format.h>

#include "weir/fluid/flow_level.h"
#include "weir/scenario/replica_rules.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

using fluid::FluidParams;

// What would change rates or times, and is not known here. What only shapes packets (algorithms, marking, buffers,
// recovery) is left unread.
void check_flow_level(const Scenario& s, const engine::Model& model) {
  const auto none = [&](bool any, const std::string& key, std::string_view why) {
    if (any) throw replica_error(s, key, why);
  };
  none(!s.faults.loss.empty(), "network.loss.0", "there are no packets to lose: remove it");
  none(!s.faults.failures.empty(), "network.failure.0", "links do not fail: remove it");
  none(!s.faults.link_events.empty(), "network.link_event.0", "links do not go down or up: remove it");
  none(!s.faults.host_pauses.empty(), "host.pause.0", "hosts do not pause: remove it");
  none(s.host.nic_rate > Rate{}, "host.nic_rate", "NICs are as fast as their links: remove it");
  none(!s.faults.slow_hosts.empty(), "host.slow.0", "hosts take all that arrives: remove it");
  none(model.data_classes() > 1, "network.class.1", "all flows share links alike, whatever their class: remove it");
  none(s.transport.connections == host::ConnectionKind::kept, "transport.connections",
       "all messages share links at once, whatever their connections: write connections = \"message\"");
  const double alpha = fidelity_params<FluidParams>(s).alpha;
  none(alpha > 0 && alpha < theory::kLeastAlpha, "fidelity.alpha",
       fmt::format("{} is not possible; valid is {} to {}, or 0", alpha, theory::kLeastAlpha, theory::kLargestAlpha));
  for (std::size_t i = 0; i < s.profiles.size(); ++i)
    none(cc::has(s.profiles[i].algorithm->about.needs, cc::Needs::decisions),
         i == 0 ? "algorithm.name" : fmt::format("profile.{}.algorithm", i - 1),
         "rates are fair and not decided by anyone, so it would never be asked: take another algorithm");
}

void warn_of_flow_level(const Scenario&, const engine::Model&, std::vector<std::string>& out) {
  out.emplace_back(
      "run.fidelity = \"flow\": flows have fair rates whatever their algorithms, without queues, marks, losses "
      "and pauses; docs/guides/flow-level.md tells which results that gives");
}

std::unique_ptr<engine::Engine> make_flow_level(const Scenario& s, const engine::Model& model,
                                                traffic::Traffic& traffic, const engine::RunOptions& options) {
  return std::make_unique<fluid::FlowLevel>(model, fidelity_params<FluidParams>(s), traffic, options);
}

}  // namespace

Fidelity flow_level() {
  return {
      .name = "flow",
      .meaning = "no packets: flows share links fairly, so that long flows and collectives take milliseconds to run",
      .source = "docs/guides/flow-level.md",
      .params = &params_of<FluidParams>(),
      .has_packets = false,
      .runs_programs = true,
      .has_host_ports = true,
      .check = check_flow_level,
      .warn = warn_of_flow_level,
      .make = make_flow_level};
}

}  // namespace weir::scenario
