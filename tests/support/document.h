// Tables in documents that tests keep true.
//
// A table follows a line `<!-- table: NAME -->`. A test computes the last cells of a row, which it names by its first
// cell; with WEIR_UPDATE_SNAPSHOTS=1 it writes them instead of comparing. Run the test program itself for that, not
// ctest, whose processes would write at the same time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir {

inline bool updating_documents() { return std::getenv("WEIR_UPDATE_SNAPSHOTS") != nullptr; }

inline std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// "| a | b |" as {"a", "b"}; no cell has a bar in it.
inline std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row.remove_prefix(1);
  while (!row.empty()) {
    const std::size_t bar = row.find('|');
    if (bar == std::string_view::npos) break;
    std::string_view cell = row.substr(0, bar);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.emplace_back(cell);
    row.remove_prefix(bar + 1);
  }
  return cells;
}

inline void expect_row(const std::string& document, std::string_view table, std::string_view key,
                       const std::vector<std::string>& last_cells) {
  std::vector<std::string> lines = lines_of(document);
  auto line = std::find(lines.begin(), lines.end(), fmt::format("<!-- table: {} -->", table));
  ASSERT_NE(line, lines.end()) << document << " has no table " << table;
  ++line;
  line = std::find_if(line, lines.end(),
                      [&](const std::string& l) { return !l.starts_with('|') || cells_of(l).at(0) == key; });
  ASSERT_TRUE(line != lines.end() && line->starts_with('|'))
      << document << ", table " << table << " has no row " << key;
  std::vector<std::string> cells = cells_of(*line);
  ASSERT_GT(cells.size(), last_cells.size()) << document << ", table " << table << ", row " << key;
  std::copy(last_cells.begin(), last_cells.end(), cells.end() - static_cast<std::ptrdiff_t>(last_cells.size()));
  const std::string wanted = fmt::format("| {} |", fmt::join(cells, " | "));
  if (!updating_documents()) {
    EXPECT_EQ(*line, wanted) << document << ", table " << table << "; its update script writes it anew";
    return;
  }
  *line = wanted;
  std::ofstream(document) << fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace weir
