// What the subcommands of weir theory print.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace weir::app {

inline constexpr const char* kTableIndent = "  ";  // before each line of a table

// "33.3333 Gbps"
std::string rate_text(double bits_per_second);

// To nine digits: what comes from pow or exp may differ beyond between machines. null if not finite.
nlohmann::ordered_json rounded(double x);

}  // namespace weir::app
