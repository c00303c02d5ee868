// How much memory the runs of a sweep may take together.
#pragma once

#include <cstdint>
#include <string>

namespace weir::app {

// In bytes; "" = 80 % of what is left. Throws InputError that names --memory.
std::uint64_t memory_limit(const std::string& text);

// What this machine, and the groups of processes that this one is in, have left, in bytes. `root` is where /proc and
// /sys are.
std::uint64_t memory_left(const std::string& root = "");

}  // namespace weir::app
