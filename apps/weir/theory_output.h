// What the subcommands of weir theory print.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace weir::app {

// Columns as wide as they need to be, the first one flush left. Each row ends its line.
std::string to_text(const std::vector<std::vector<std::string>>& rows);

// "33.3333 Gbps"
std::string rate_text(double bits_per_second);

// To nine digits: what comes from pow or exp may differ beyond between machines. null if not finite.
nlohmann::ordered_json rounded(double x);

}  // namespace weir::app
