// How texts of what was measured tell a range.
#pragma once

#include <string>

#include <fmt/format.h>

namespace weir::study {

// "542 to 549" of "{:.0f}"; "542" where both ends read alike.
template <class T>
std::string range_text(fmt::format_string<const T&> form, const T& least, const T& most) {
  std::string text = fmt::format(form, least);
  const std::string end = fmt::format(form, most);
  return text == end ? text : text + " to " + end;
}

}  // namespace weir::study
