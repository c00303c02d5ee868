#include "weir/scenario/fidelity.h"

#include <fmt/format.h>

#include <array>
#include <variant>

#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fluid_rules.h"
#include "weir/scenario/replica_rules.h"
#include "weir/scenario/warnings.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

// The shared buffer of a switch holds its reserves, and switches can choose paths as profiles want it.
void check_switches(const Scenario& s, const engine::Model& model) {
  at_its_place(s, "network.buffer", [&] { engine::make_buffers(model); });
  at_its_place(s, "topology", [&] { net::PathPolicies::check(model); });
}

Fidelity exact() {
  return {.name = "exact",
          .meaning = "Weir's own rules",
          .can_be_saved = true,
          .tells_events = true,
          .runs_programs = true,
          .has_ranks = true,
          .has_host_ports = true,
          .can_skip = true,
          .chooses_ecn = true,
          .chooses_nics = true,
          .check = check_switches,
          .warn = warn_of_network,
          .make = [](const Scenario&, const engine::Model& model, traffic::Traffic& traffic,
                     const engine::RunOptions& options) -> std::unique_ptr<engine::Engine> {
            return std::make_unique<engine::Simulation>(model, traffic, options);
          }};
}

}  // namespace

std::span<const Fidelity> fidelities() {
  static const std::array list{exact(), flow_level(), ns3_hpcc(), htsim_uet()};
  return list;
}

const Fidelity& exact_rules() { return fidelities().front(); }

std::string names_of(bool (*has)(const Fidelity&)) {
  std::string out;
  for (const Fidelity& f : fidelities())
    if (has(f)) out += fmt::format("{}\"{}\"", out.empty() ? "" : " or ", f.name);
  return out;
}

void check_judges_claims(const Scenario& s) {
  if (skips(s))
    throw key_error(s, "run.fast_forward",
                    "no verdict of a claim comes from a run that skips messages or time; remove it");
  if (s.run.fidelity->has_packets) return;
  throw key_error(
      s, "run.fidelity",
      fmt::format("no verdict of a claim comes from a run without packets, and this scenario has \"{}\"; write {}",
                  s.run.fidelity->name, names_of([](const Fidelity& f) { return f.has_packets; })));
}

std::string own_flows(const Scenario& s) {
  const Fidelity& f = *s.run.fidelity;
  if (f.flows_param.empty()) return "";
  const ParamValue file = f.params->find(f.flows_param)->get(s.fidelity_params.get());
  return std::get<std::string>(file).empty() ? "" : join("fidelity", f.flows_param);
}

}  // namespace weir::scenario
