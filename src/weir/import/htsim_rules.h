// What the options of uet-htsim say about how packets find their ways, and about who controls how many there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/units.h"
#include "weir/import/htsim_files.h"
#include "weir/import/htsim_options.h"
#include "weir/toml/writer.h"

namespace weir::scenario {

struct HtsimRouting {
  std::string balancing;
  std::int64_t paths = 0;
  std::string strategy;
  bool flowlets = false;
  Time flowlet_gap;
  std::string load;                  // what adaptive switches compare
  std::vector<std::string> ignored;  // options that say nothing about the run

  // In the words of the scenario.
  std::string routing() const;
  bool adaptive() const { return strategy == "ecmp_ar"; }
  // All ports mark from half of their buffer on, whatever -ecn says.
  bool marks_at_half() const;
  // Into [fidelity].
  void write(TomlWriter& toml) const;
};

struct HtsimControl {
  bool sender = true;
  bool receiver = false;
  bool sleek = false;
  bool oversubscribed = false;  // receivers adapt their rate
  double least_rate = 0;        // as a part of the link's
  double increase = 0;
  double decrease = 0;
  double gain = 0;
  std::vector<std::string> ignored;

  void write(TomlWriter& toml) const;
};

// They throw InputError that names the option.
HtsimRouting read_htsim_routing(const HtsimOptions& options);
HtsimControl read_htsim_control(const HtsimOptions& options, const HtsimTree& tree);

}  // namespace weir::scenario
