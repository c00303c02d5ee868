#include "weir/scenario.h"

#include <utility>

#include "weir/scenario/effective.h"
#include "weir/scenario/run.h"
#include "weir/scenario/scenario.h"
#include "weir/scenario/warnings.h"

namespace weir {

Scenario::Scenario(scenario::Scenario&& s) : scenario_(std::make_shared<const scenario::Scenario>(std::move(s))) {}

Scenario Scenario::from_file(const std::string& file, const std::vector<std::string>& overrides) {
  return Scenario(scenario::load_scenario_file(file, overrides));
}

Scenario Scenario::from_text(std::string_view toml, const std::vector<std::string>& overrides,
                             const std::string& name) {
  return Scenario(scenario::load_scenario(toml, name, overrides));
}

Scenario Scenario::from_values(const std::vector<std::string>& values) { return from_text("", values); }

std::string Scenario::to_toml() const { return scenario::effective(*scenario_).toml; }

std::vector<std::string> Scenario::warnings() const {
  return scenario::warnings(*scenario_, *scenario::build_model(*scenario_));
}

}  // namespace weir
