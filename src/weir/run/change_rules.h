// Which parts of a scenario may change while its network runs, for fork() and SteeredRun.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weir/base/units.h"
#include "weir/engine/model/faults.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/scenario.h"

namespace weir::run {

struct ChangedKey {
  std::string key;
  std::string before;  // "" = it was not there
  std::string after;   // "" = it is there no more
};

// The keys in which two effective scenarios differ.
std::vector<ChangedKey> changed_keys(const std::string& before_toml, const std::string& after_toml);

// The keys of an effective scenario that can change while its network runs, with their values.
std::vector<std::pair<std::string, std::string>> changeable_keys(const scenario::Scenario& s, const std::string& toml);

// Throws InputError that names the key and the reason if one of these changes cannot be made while the network runs.
void check_keys(const scenario::Scenario& before, const scenario::Scenario& after,
                const std::vector<ChangedKey>& changes);
// Throws InputError unless data files are the same in both.
void check_files(const std::vector<scenario::Attachment>& before, const std::vector<scenario::Attachment>& after);
// Throws InputError about the scenario `s`, to which `after` belongs, unless both have the same faults before `at`.
void check_past(const scenario::Scenario& s, Time at, const engine::Faults& before, const engine::Faults& after);

}  // namespace weir::run
