// The tables of a scenario that are parameter lists and nothing else, each listed once: from this list they are read,
// written to the effective scenario, and told of by `weir list` and docs/reference.
//
// A table of a new component is one entry in tables.cc. [title], [fidelity], [topology], [algorithm], [[profile]],
// [[traffic]] and [probes] choose among catalogues and are read by scenario.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

enum class Occurs : std::uint8_t {
  always,    // with its defaults if it is not written
  optional,  // if it is written
  rows       // as often as it is written, as [[path]]
};

// A table of an Owner: the Scenario, or one of its Profiles.
template <class Owner>
struct TableKind {
  std::string_view path;     // of its owner: "network.buffer"; "" = the owner's own keys
  std::string_view section;  // of the reference
  std::string_view meaning;
  Occurs occurs;
  const ParamSet* params;
  std::size_t (*count)(const Owner&);
  const void* (*get)(const Owner&, std::size_t i);  // i below count()
  void* (*add)(Owner&);                             // the object to read the next one into
  std::span<const cc::Preset> presets = {};         // named by the table's key `preset`
  std::string (*remark)(const Owner&) = nullptr;    // stands above its values in the effective scenario, if not empty
};

// The tables in the order in which they are read and written. A table within another follows that one. The scenario's
// first is [run], which is read before and written above [fidelity] and [topology]; the profile's first is that of its
// own keys.
std::span<const TableKind<Scenario>> tables();
std::span<const TableKind<ProfileSettings>> profile_tables();

// The entry of this path; null if the list has none.
template <class Owner>
const TableKind<Owner>* find_kind(std::span<const TableKind<Owner>> list, std::string_view path) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& kind) { return kind.path == path; });
  return found == list.end() ? nullptr : &*found;
}

// The path of the table around this one: "network.ecn" -> "network"; "run" -> "".
std::string_view parent_of(std::string_view path);
// The last word of a path: "network.ecn" -> "ecn".
std::string_view last_of(std::string_view path);
// How a scenario begins the table: "[network.ecn]" or "[[network.ecn.rate]]".
std::string header_of(Occurs, std::string_view path);
// The keys under which tables of the list stand within the table at `path`, or at the root if it is "".
template <class Owner>
std::vector<std::string> children_of(std::span<const TableKind<Owner>> list, std::string_view path) {
  const std::string prefix = path.empty() ? "" : std::string(path) + ".";
  std::vector<std::string> out;
  for (const auto& kind : list) {
    if (kind.path.empty() || !kind.path.starts_with(prefix)) continue;
    std::string key(kind.path.substr(prefix.size()));
    key.resize(std::min(key.size(), key.find('.')));
    if (!key.empty() && (out.empty() || out.back() != key)) out.push_back(std::move(key));
  }
  return out;
}

}  // namespace weir::scenario
