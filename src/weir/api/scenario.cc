#include "weir/scenario.h"

#include <utility>

#include "weir/base/text_file.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/scenario.h"
#include "weir/scenario/warnings.h"

namespace weir {

struct Scenario::Parts {
  std::string text;
  std::vector<std::string> overrides;
  std::string name;
  scenario::Scenario scenario;
};

Scenario Scenario::from_file(const std::string& file, const std::vector<std::string>& overrides) {
  return from_text(read_document(file, "a scenario, a TOML file"), overrides, file);
}

Scenario Scenario::from_text(std::string_view toml, const std::vector<std::string>& overrides,
                             const std::string& name) {
  return Scenario(std::make_shared<const Parts>(
      Parts{std::string(toml), overrides, name, scenario::load_scenario(toml, name, overrides)}));
}

Scenario Scenario::from_values(const std::vector<std::string>& values) { return from_text("", values); }

Scenario Scenario::with(const std::vector<std::string>& values) const {
  std::vector<std::string> all = overrides();
  all.insert(all.end(), values.begin(), values.end());
  return from_text(text(), all, name());
}

const std::string& Scenario::text() const { return parts_->text; }
const std::vector<std::string>& Scenario::overrides() const { return parts_->overrides; }
const std::string& Scenario::name() const { return parts_->name; }
const scenario::Scenario& Scenario::internal() const { return parts_->scenario; }

std::string Scenario::to_toml() const { return scenario::effective(internal()).toml; }

std::vector<std::string> Scenario::warnings() const {
  return scenario::warnings(internal(), *scenario::build_model(internal()));
}

}  // namespace weir
