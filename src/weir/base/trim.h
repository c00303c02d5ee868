// Text without the blanks around it.
#pragma once

#include <string_view>

namespace weir {

// Without the spaces and tabs before and behind it.
inline std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace weir
