// What the agent keeps of clocks for the next one in its run folder. A restart takes seconds, in which a clock's line
// becomes worse by some hundred ns, whereas measuring anew may be impossible just then: without On-Ramp queues stand,
// and what is measured through them says little.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hosts/clock/service.h"

namespace weir::hosts {

// Times in ns, CLOCK_MONOTONIC, which counts on as long as the host is not started anew: so the file names the boot.
// False: it cannot be written.
bool write_clock_memory(const std::string& file, const std::vector<ClockMemory>& memory, std::int64_t now);

// What is in it; nothing where there is no file. Where it does not fit, nothing, and `why`.
std::vector<ClockMemory> read_clock_memory(const std::string& file, std::int64_t now, std::string& why);

}  // namespace weir::hosts
