// run.fidelity: by whose rules a scenario is simulated, and how closely: by Weir's own, packet by packet; without
// packets; or by those of another simulator, which stand for rules and sizes that cannot be set.
//
// Each set of rules is one entry of the list in fidelity.cc. Code that depends on what an engine can do asks for the
// fact, and never for the entry.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/engine/time/simulation.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/traffic.h"

namespace weir::scenario {

// Receives a flow as the engine gets it. A flow that `waits` for others has no start.
using VisitFlow = std::function<void(const traffic::Flow& flow, bool waits)>;

struct Fidelity {
  std::string_view name;  // in run.fidelity
  std::string_view meaning;
  std::string_view source;
  const ParamSet* params = nullptr;  // of [fidelity]; null: there is no such table

  // Facts about the engine, which can be asked for before there is one.
  bool has_packets = true;      // false: there are no queues, marks and losses, and no verdict of a claim comes of it
  bool can_be_saved = false;    // Engine::save
  bool tells_events = false;    // Engine::trace
  bool runs_programs = false;   // messages that wait for each other
  bool has_ranks = false;       // engine::RunOptions::ranks
  bool has_host_ports = false;  // hosts may have several ports
  bool can_skip = false;        // [run.fast_forward]
  // ECN thresholds that nobody has written are those that come with the algorithms (scenario/ecn_choice.h).
  bool chooses_ecn = false;
  // NICs of which nobody has written anything are as real ones where switches drop (scenario/nic_choice.h).
  bool chooses_nics = false;
  // The parameter that may name a file with all flows, instead of [[traffic]]; "" = there is none.
  std::string_view flows_param;

  // Sets network and transport to what these rules stand for, before the scenario's own values are read. Null: nothing.
  void (*set_defaults)(Scenario&) = nullptr;
  // Throws InputError that names file, line and key if the scenario asks for something that these rules do not have.
  void (*check)(const Scenario&, const engine::Model&) = nullptr;
  // Adds what may surprise about a run of this model. Null: nothing.
  void (*warn)(const Scenario&, const engine::Model&, std::vector<std::string>& out) = nullptr;
  // Draws all flows, from the traffic or from the file that `flows_param` names, and shows them. Throws InputError that
  // names file, line and key if the engine cannot take one. Null: it takes all that [[traffic]] gives, one by one.
  void (*for_each_flow)(const Scenario&, const engine::Model&, traffic::Traffic&, const VisitFlow&) = nullptr;
  // Model and traffic must outlive the engine. `check` has passed. An engine that knows only some of the options leaves
  // the others alone.
  std::unique_ptr<engine::Engine> (*make)(const Scenario&, const engine::Model&, traffic::Traffic&,
                                          const engine::RunOptions&) = nullptr;
};

// All sets of rules. Weir's own come first.
std::span<const Fidelity> fidelities();
// The names of the sets of rules that have a fact, each in quotes, with "or" between them.
std::string names_of(bool (*has)(const Fidelity&));

// Throws InputError that names file, line and key unless a run of this scenario may judge a claim of a paper: it must
// simulate all packets.
void check_judges_claims(const Scenario&);

// The key of the file that has all flows instead of [[traffic]]; "" if the flows are those of [[traffic]].
std::string own_flows(const Scenario&);

// The parameters of [fidelity], of the type that the caller knows.
template <class Params>
const Params& fidelity_params(const Scenario& s) {
  return *static_cast<const Params*>(s.fidelity_params.get());
}

}  // namespace weir::scenario
