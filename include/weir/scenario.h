// Scenario: what is to be simulated, as `weir run` takes it (docs/scenario/index.md), for programs that embed Weir.
//
//   weir::Scenario s = weir::Scenario::from_file("scenarios/incast-16.toml", {"run.seed=7"});
//   weir::Scenario t = weir::Scenario::from_values({"topology.kind=star", "topology.hosts=9", "algorithm.name=hpcc",
//                                                   "traffic=[]"});
//
// A Scenario never changes; it may be copied and used by several threads at once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

namespace scenario {
struct Scenario;
}

class Scenario {
 public:
  // Each of these functions throws InputError, with file, line and key, if something is wrong. Data files are only read
  // when a Simulation is made. `overrides` are "key=value" as for `weir run --set`, and replace what the text says.

  // Reads a TOML file. Names of data files in it are relative to its folder.
  static Scenario from_file(const std::string& file, const std::vector<std::string>& overrides = {});
  // Reads TOML text. Messages call it `name`, and names of data files are relative to the folder of `name`.
  static Scenario from_text(std::string_view toml, const std::vector<std::string>& overrides = {},
                            const std::string& name = "scenario.toml");
  // Makes a scenario from values alone, which are applied in order: "topology.kind=star", "algorithm.name=hpcc",
  // "traffic=[{kind='incast', size='1 MB'}, {kind='poisson', load=0.3}]", "traffic.0.size=2 MB". With "traffic=[]" the
  // only flows are those that the program sends.
  static Scenario from_values(const std::vector<std::string>& values);

  // A copy with more values, as `overrides`; data files are still found where they were.
  Scenario with(const std::vector<std::string>& values) const;

  // What it was made of: from_text(text(), overrides(), name()) makes it again, in another process for example.
  const std::string& text() const;
  const std::vector<std::string>& overrides() const;
  const std::string& name() const;

  // The effective scenario as TOML: all parameters with their values, defaults included.
  std::string to_toml() const;
  // The warnings of `weir validate`, one sentence each. Builds the network, and throws InputError as Simulation does.
  std::vector<std::string> warnings() const;

  // Internal: for the library itself.
  const scenario::Scenario& internal() const;

 private:
  struct Parts;
  explicit Scenario(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace weir
