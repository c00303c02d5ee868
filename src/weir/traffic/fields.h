// Fields of input files.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "weir/base/error.h"

namespace weir::traffic {

inline std::int64_t whole_number(std::string_view field, std::string_view column, std::int64_t min, std::int64_t max,
                                 const Where& where) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size() || value < min || value > max)
    throw InputError(
        where, fmt::format("{} = '{}' is not valid; write a whole number from {} to {}", column, field, min, max));
  return value;
}

}  // namespace weir::traffic
