// A run that has ended, for people and for the shell.
#pragma once

#include <string>

#include "weir/run/execute.h"

namespace weir::app {

// The exit status of a run that may have ended early.
int status_of(const run::Outcome& o);
// Why it ended early, and when: "interrupted at 1.250 ms"; "" if it did not.
std::string early_end_text(const run::Outcome& o);
// What the engine did and how fast.
std::string engine_text(const probe::Manifest& m);

}  // namespace weir::app
