// The probes that a scenario can name, [probes.NAME]. A new one is one line in catalogue.cc, or one call of add_kind()
// in the program that embeds Weir.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/probe/probe.h"
#include "weir/result/tables.h"

namespace weir::probe {

// A probe without its type. `params` of its functions is an object of its parameters (ParamSet::make).
struct ProbeKind {
  std::string name;  // in scenarios: lower-case letters, digits, '-' and '_'
  std::string meaning;
  const ParamSet* params = nullptr;
  bool is_always_on = false;
  // Throws InputError, by Checks::of_key, if the parameters do not fit. Null: they always do.
  std::function<void(const void* params, const Checks&)> check;
  // Whether the engine has to tell single events for it (engine::RunOptions::traced): the parameter that asks for that,
  // "" if the probe always does; nothing if it does not. Null: it never does.
  std::function<std::optional<std::string_view>(const void* params)> trace_key;
  // Gives the summary some value at every place where finish() may, so that to_json() of it has every key that
  // summary.json can have. The parameters have been checked. Null: it adds nothing to the summary.
  std::function<void(const void* params, const Setting&, Summary&)> add_possible;
  std::function<std::unique_ptr<Probe>(const void* params, const Context&)> make;
};

// The kind of a class as probe.h describes it.
template <class P>
ProbeKind describe() {
  using Params = typename P::Params;
  ProbeKind k;
  k.name = P::kName;
  k.meaning = P::kMeaning;
  k.params = &params_of<Params>();
  if constexpr (requires { &P::check; })
    k.check = [](const void* params, const Checks& checks) { P::check(*static_cast<const Params*>(params), checks); };
  if constexpr (requires { &P::trace_key; })
    k.trace_key = [](const void* params) { return P::trace_key(*static_cast<const Params*>(params)); };
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

// In the order in which scenarios and references list them. Entries stay where they are when others are added.
const std::deque<ProbeKind>& probe_kinds();
// Null if there is none of this name.
const ProbeKind* find_kind(std::string_view name);

// Adds a probe and the tables that it writes, whose `probe` becomes its name. Throws InputError, and adds nothing, if
// the name of the probe or of a table is taken or not valid, or if a table has a condition (TableKind::if_set) that is
// no flag of the probe. Add all kinds before the first scenario is read, on one thread: the catalogue has no locks, and
// what has been read does not know of kinds that come later.
void add_kind(ProbeKind kind, std::vector<result::TableKind> tables = {});

}  // namespace weir::probe
