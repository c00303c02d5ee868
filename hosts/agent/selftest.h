// Proves on this host, in seconds and without touching it, that a data path holds packets, lets them pass when its
// agent hangs or dies, and leaves no trace.
#pragma once

#include <functional>
#include <string>

#include "hosts/agent/config.h"

namespace weir::hosts {

struct SelftestStep {
  std::string name;  // "holding"
  bool good = false;
  std::string what;  // what was seen
};

// The line that the command prints for a step.
std::string to_line(Mode mode, const SelftestStep& step);

// Calls `tell` for each step. `program`: weir-host itself. Whether all were good. Throws std::runtime_error where the
// test cannot be made at all.
bool selftest(Mode mode, const std::string& program, const std::function<void(const SelftestStep&)>& tell);

}  // namespace weir::hosts
