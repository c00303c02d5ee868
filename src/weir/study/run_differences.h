// In which values the scenarios of two results differ.
#pragma once

#include <string>
#include <vector>

#include "weir/study/result_files.h"

namespace weir::study {

struct Difference {
  std::string key;   // dotted, or a whole table like traffic.2 that only one of them has
  std::string base;  // the values; "" = there is none
  std::string other;
  bool of_load = false;  // how much is sent and when, or when the run ends: completion times differ by it alone
};

// By their scenario.toml, without titles and what is only measured or computed otherwise (probes, threads, scheduler);
// none where a result has no scenario. Throws InputError of a scenario that is no TOML.
std::vector<Difference> differences(const RunFiles& base, const RunFiles& other);

// Those of the load: "traffic.0.load (0.3 and 0.6), run.stop (0 ps and 1 ms)"; of many the first few. "" if there are
// none.
std::string load_text(const std::vector<Difference>& differences);

}  // namespace weir::study
