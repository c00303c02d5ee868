// TOML text to our own tree of values. Nothing else knows the library that parses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weir/toml/document.h"

namespace weir::scenario {

// The root table. Throws InputError with file:line.
Value parse_toml(std::string_view text, const std::string& file);

// A single value, all of it at one place; nothing if the text is not one. Dates do not count.
std::optional<Value> parse_toml_value(std::string_view text, const Where& where);

}  // namespace weir::scenario
