// Scenarios that come with the command (scenarios/*.toml).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::app {

struct EmbeddedScenario {
  std::string_view name;
  std::string_view toml;
};

std::span<const EmbeddedScenario> embedded_scenarios();

// One of them, with overrides and options. Throws logic_error if there is none of this name.
scenario::Scenario embedded_scenario(std::string_view name, const std::vector<std::string>& overrides,
                                     const std::vector<scenario::Option>& options = {});

}  // namespace weir::app
