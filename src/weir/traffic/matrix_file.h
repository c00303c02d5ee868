// Sizes of messages between ranks, from a CSV file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/traffic/context.h"

namespace weir::traffic {

// A line for each of n ranks: how many bytes it has for rank 0, 1, 2, ..., itself included; 0 = no message. Row by row.
// Throws InputError naming file and line.
std::vector<Bytes> parse_matrix(std::string_view text, const std::string& file, std::uint32_t n);

// The same of a file, which is the parameter `sizes`.
std::vector<Bytes> read_matrix(const std::string& file, std::uint32_t n, const Context& context);

}  // namespace weir::traffic
