// The scenarios on disk that tests run, as parameters of tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace weir::scenario {

// Tests as data (docs/developers/testing.md).
inline const std::string kTestScenarios = "tests/scenarios/";

// The names of a folder's scenarios, sorted and without ".toml".
inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".toml") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

// As the name of a test, which may have no dashes.
inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string out = info.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace weir::scenario
