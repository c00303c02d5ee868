// The ECN thresholds with which the sources of algorithms, and of presets, run them.
#pragma once

#include <string>
#include <string_view>

#include "weir/base/units.h"
#include "weir/cc/algorithm.h"

namespace weir::cc {

// RED marking of a queue: nothing up to k_min, up to p_max at k_max, everything above. Thresholds are for links of
// at_rate and grow in proportion to the rate; 0 = they are the same on all links.
struct Marking {
  Bytes k_min;
  Bytes k_max;
  double p_max = 1;
  Rate at_rate;
  std::string_view source;
  Rate links = {};  // where at_rate is 0: the rate of the links that the source has; 0 = any

  bool operator==(const Marking&) const = default;
};

// Those of an algorithm under one of its presets, "" = under none; null if it comes with none.
const Marking* marking_of(const Algorithm& algorithm, std::string_view preset);

// "k_min = 30 KB, k_max = 30 KB, p_max = 1, at_rate = 10 Gbps (HPCC 5.1)"
std::string to_text(const Marking&);

}  // namespace weir::cc
