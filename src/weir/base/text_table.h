// Tables for people, as lines of text.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

using TextRows = std::vector<std::vector<std::string>>;

inline constexpr std::size_t kAllColumns = std::numeric_limits<std::size_t>::max();

// Each column is as wide as its longest word, with two spaces between columns and `indent` before each line. The first
// `left` columns are flush left, the others flush right. Rows may be shorter than others. Each line ends with a line
// feed, and none with a space.
std::string text_table(const TextRows& rows, std::size_t left = 1, std::string_view indent = "");

}  // namespace weir
