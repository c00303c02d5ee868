// The probes that a scenario can name in a table [probes.NAME]. A new probe is added by one line in
// src/weir/probe/catalogue.cc, or by a call of add_kind() in a program that embeds Weir.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/probe/probe.h"
#include "weir/result/tables.h"

namespace weir::probe {

// A kind of probe, without the type of its class. `params` is an object of its parameters (ParamSet::make).
struct ProbeKind {
  std::string name;  // in scenarios: lower-case letters, digits, '-' and '_'
  std::string meaning;
  const ParamSet* params = nullptr;
  bool is_always_on = false;
  // Whether it measures what only packets have, such as queues: a run without packets (run.fidelity = "flow") then
  // refuses it.
  bool needs_packets = false;
  // Throws InputError, through Checks::of_key, if the parameters do not fit the setting. Null: they always do.
  std::function<void(const void* params, const Checks&)> check;
  // Tells whether the probe needs single events (engine::Engine::trace): the name of the parameter that asks for them,
  // "" if the probe always needs them, nothing if it does not need them. Null: it never does.
  std::function<std::optional<std::string_view>(const void* params)> trace_key;
  // The shortest interval at which the probe asks to be called (engine::Engine::every), above 0; Time::max() if it does
  // not ask. Null: that is not known. The engine chooses a quick scheduler by it; results do not depend on it.
  std::function<Time(const void* params)> interval;
  // Puts some value into the summary wherever finish() may put one, so that to_json() of it has every key that
  // summary.json can have. The parameters have been checked. Null: the probe adds nothing to the summary.
  std::function<void(const void* params, const Setting&, Summary&)> add_possible;
  std::function<std::unique_ptr<Probe>(const void* params, const Context&)> make;
};

// Makes the kind of a probe class P, which probe.h describes.
template <class P>
ProbeKind describe() {
  using Params = typename P::Params;
  ProbeKind k;
  k.name = P::kName;
  k.meaning = P::kMeaning;
  k.params = &params_of<Params>();
  if constexpr (requires { P::kNeedsPackets; }) k.needs_packets = P::kNeedsPackets;
  if constexpr (requires { &P::check; })
    k.check = [](const void* params, const Checks& checks) { P::check(*static_cast<const Params*>(params), checks); };
  if constexpr (requires { &P::trace_key; })
    k.trace_key = [](const void* params) { return P::trace_key(*static_cast<const Params*>(params)); };
  if constexpr (requires { &P::interval; })
    k.interval = [](const void* params) { return P::interval(*static_cast<const Params*>(params)); };
  if constexpr (requires { &P::add_possible; })
    k.add_possible = [](const void* params, const Setting& setting, Summary& out) {
      P::add_possible(*static_cast<const Params*>(params), setting, out);
    };
  k.make = [](const void* params, const Context& context) -> std::unique_ptr<Probe> {
    const auto& own = *static_cast<const Params*>(params);
    if constexpr (requires { &P::make; })
      return P::make(own, context);
    else
      return std::make_unique<P>(own, context);
  };
  return k;
}

// All kinds, in the order in which the reference page lists them. Entries stay in place when others are added.
const std::list<ProbeKind>& probe_kinds();
// The kind of this name; null if there is none.
const ProbeKind* find_kind(std::string_view name);

// Adds a probe and the tables that it writes, and sets `probe` of each table to the probe's name. Throws InputError,
// and adds nothing, if the name of the probe or of a table is taken or not valid, or if TableKind::if_set of a table is
// no flag of the probe. Add all kinds before the first scenario is read, on one thread: the catalogue has no locks, and
// a scenario does not know of kinds that are added after it was read.
void add_kind(ProbeKind kind, std::vector<result::TableKind> tables = {});

}  // namespace weir::probe
