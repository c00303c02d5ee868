// How much memory a run, or the runs of a sweep together, may take.
#pragma once

#include <cstdint>
#include <string>

namespace weir::run {

// The limit that a text such as "8 GB" gives, in bytes; "" = 80 % of what is left. Throws InputError that names
// --memory.
std::uint64_t memory_limit(const std::string& text);

// What this machine, and the groups of processes that this one is in, have left, in bytes. `root` is where /proc and
// /sys are.
std::uint64_t memory_left(const std::string& root = "");

// What this process takes now, in bytes; 0 if the system does not tell.
std::uint64_t memory_resident();

// Throws InputError that names --memory if an estimate, in bytes, is beyond the limit. `what` is the run.
void refuse_beyond(std::uint64_t limit, std::uint64_t estimate, const std::string& what);

}  // namespace weir::run
