// Sizes of messages between ranks, from a CSV file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/traffic/context.h"

namespace weir::traffic {

// Reads one line for each of `rows` ranks: the bytes it sends to each of `columns` ranks. The result is row by row.
// Throws InputError naming file and line.
std::vector<Bytes> parse_matrix(std::string_view text, const std::string& file, std::uint32_t rows,
                                std::uint32_t columns);

// The same for a file that the parameter `key` names.
std::vector<Bytes> read_matrix(const std::string& file, const std::string& key, std::uint32_t rows,
                               std::uint32_t columns, const Context& context);

}  // namespace weir::traffic
