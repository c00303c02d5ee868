// What is to be simulated, for programs that embed Weir: a scenario as `weir run` takes it (docs/scenario.md).
//
//   weir::Scenario s = weir::Scenario::from_file("scenarios/incast.toml", {"run.seed=7"});
//   weir::Scenario t = weir::Scenario::from_values({"topology.kind=star", "topology.hosts=9", "algorithm.name=hpcc",
//                                                   "traffic=[]"});
//
// A Scenario is a constant value that may be copied and used by several threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

namespace scenario {
struct Scenario;
}

class Scenario {
 public:
  // Each of these throws InputError, with the file, the line and the key, if something cannot be used; data files are
  // read when a run is made. `overrides` are "key=value" as for `weir run --set`, and win over the text.

  // A TOML file. Names of data files in it are relative to its folder.
  static Scenario from_file(const std::string& file, const std::vector<std::string>& overrides = {});
  // TOML text; `name` is what messages call it, and its folder is where names of data files start.
  static Scenario from_text(std::string_view toml, const std::vector<std::string>& overrides = {},
                            const std::string& name = "scenario.toml");
  // Values alone, in the order given: "topology.kind=star", "algorithm.name=hpcc", "traffic=[{kind='incast', size='1
  // MB'}, {kind='poisson', load=0.3}]", "traffic.0.size=2 MB". With "traffic=[]" there are no flows but those that the
  // program sends.
  static Scenario from_values(const std::vector<std::string>& values);

  // The scenario in full, as TOML: all parameters with their values, defaults included.
  std::string to_toml() const;
  // What `weir validate` warns of, one sentence each. Builds the network; throws InputError like Simulation.
  std::vector<std::string> warnings() const;

  // For the library itself.
  const scenario::Scenario& internal() const { return *scenario_; }

 private:
  explicit Scenario(scenario::Scenario&& s);
  std::shared_ptr<const scenario::Scenario> scenario_;
};

}  // namespace weir
