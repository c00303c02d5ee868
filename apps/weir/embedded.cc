#include "weir/embedded.h"

#include <stdexcept>

namespace weir::app {

scenario::Scenario embedded_scenario(std::string_view name, const std::vector<std::string>& overrides,
                                     const std::vector<scenario::Option>& options) {
  for (const auto& s : embedded_scenarios())
    if (s.name == name) return scenario::load_scenario(s.toml, std::string(name) + ".toml", overrides, options);
  throw std::logic_error("no scenario " + std::string(name) + " in this build");
}

}  // namespace weir::app
