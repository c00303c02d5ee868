// Snapshots: what an algorithm answers to a fixed stream of feedback, stored as a file next to it, so that every change
// of behaviour shows in review. WEIR_UPDATE_SNAPSHOTS=1 writes the files anew.
//
// Tests run in the source folder; tests/cc/data holds the streams (name.csv) and the answers (name.expected.csv).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace weir::cc {

using Row = std::vector<std::string>;

inline std::string snapshot_path(const std::string& file) { return "tests/cc/data/" + file; }

// The rows of a stream, without comments (#) and the header.
inline std::vector<Row> read_stream(const std::string& name) {
  std::ifstream in(snapshot_path(name + ".csv"));
  EXPECT_TRUE(in) << snapshot_path(name + ".csv") << " cannot be read; tests run in the source folder";
  std::vector<Row> rows;
  bool header = true;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (header) {
      header = false;
      continue;
    }
    std::istringstream cells(line);
    Row row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::int64_t whole(const std::string& cell) { return std::stoll(cell); }

// Compares line by line with the stored answers, and stops at the first difference.
inline void expect_snapshot(const std::string& name, const std::string& actual) {
  const auto path = snapshot_path(name + ".expected.csv");
  if (std::getenv("WEIR_UPDATE_SNAPSHOTS") != nullptr) {
    std::ofstream(path) << actual;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; WEIR_UPDATE_SNAPSHOTS=1 writes it";
  std::istringstream got(actual);
  std::string want_line;
  std::string got_line;
  for (int line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(file, want_line));
    const bool more_got = static_cast<bool>(std::getline(got, got_line));
    ASSERT_EQ(more, more_got) << path << ":" << line << ": the number of lines differs";
    if (!more) return;
    ASSERT_EQ(want_line, got_line) << path << ":" << line << " (WEIR_UPDATE_SNAPSHOTS=1 if the change is wanted)";
  }
}

}  // namespace weir::cc
