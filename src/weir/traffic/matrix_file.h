// Sizes of messages between ranks, from a CSV file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/traffic/context.h"

namespace weir::traffic {

// A line for each of so many ranks: how many bytes it has for each of `columns` others. Row by row. Throws InputError
// naming file and line.
std::vector<Bytes> parse_matrix(std::string_view text, const std::string& file, std::uint32_t rows,
                                std::uint32_t columns);

// The same of a file that is the parameter `key`.
std::vector<Bytes> read_matrix(const std::string& file, const std::string& key, std::uint32_t rows,
                               std::uint32_t columns, const Context& context);

}  // namespace weir::traffic
