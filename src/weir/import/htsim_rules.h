// How packets of a run of uet-htsim find their ways: what its options say about balancing and routing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/units.h"
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

// Throws InputError that names the option.
HtsimRouting read_htsim_routing(const HtsimOptions& options);

}  // namespace weir::scenario
