// A run and a figure that the tests of reports share, and what they look for.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "weir/base/error.h"
#include "weir/base/version.h"
#include "weir/figure/document.h"
#include "weir/report/document.h"
#include "weir/report/figures.h"
#include "weir/report/render.h"

namespace weir::report {

using app::Folder;
using app::read_file;

// Eight senders of two sizes at different times, all probes.
inline constexpr const char* kScenario = R"(
title = "Eight to one"
[topology]
kind = "star"
hosts = 9
[algorithm]
name = "hpcc"
[[traffic]]
kind = "incast"
size = "8 KB"
senders = "0-3"
tag = "small"
receiver = "8"
stagger = "1 us"
[[traffic]]
kind = "incast"
size = "60 KB"
senders = "4-7"
tag = "large"
receiver = "8"
stagger = "2 us"
[probes.queues]
series = true
[probes.rates]
interval = "2 us"
[probes.links]
series = true
)";

inline void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// The manifest of a result as an earlier weir wrote it: it lists no files, so that a test can change them.
inline void forget_files(const std::string& result) {
  Json manifest = Json::parse(read_file(result + "/manifest.json"));
  manifest.erase("files");
  manifest.erase("checksum");
  write(result + "/manifest.json", manifest.dump(2) + "\n");
}

inline void run(const Folder& folder, const std::string& name, const std::vector<std::string>& more = {}) {
  std::ofstream(folder / "scenario.toml") << kScenario;
  std::vector<std::string> arguments{"run", folder / "scenario.toml", "--quiet", "--out", folder / name};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto o = app::weir(arguments);
  ASSERT_EQ(o.status, 0) << o.err;
}

// Rows of a CSV file without quotes, by the names of the columns.
inline std::vector<std::map<std::string, std::string>> rows(const std::string& path) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line + ",");
    for (std::string field; std::getline(in, field, ',');) out.push_back(field);
    return out;
  };
  std::istringstream in(read_file(path));
  std::string line;
  std::getline(in, line);
  const auto names = split(line);
  std::vector<std::map<std::string, std::string>> out;
  while (std::getline(in, line)) {
    const auto fields = split(line);
    out.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) out.back()[names[i]] = fields.at(i);
  }
  return out;
}

inline const Figure& figure(const Document& document, const std::string& id) {
  for (const Figure& f : document.figures)
    if (f.id == id) return f;
  throw std::out_of_range("no figure " + id);
}

inline std::vector<std::string> ids(const Document& document) {
  std::vector<std::string> out;
  for (const Figure& f : document.figures) out.push_back(f.id);
  return out;
}

inline std::string complaint(const std::vector<std::string>& directories) {
  try {
    read(directories);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

inline Json small_figure() {
  return {{"id", "Fig 11(a)"},
          {"title", "Some </script><!-- & \u2028 values"},
          {"kind", "lines"},
          {"x", {{"label", "flow size"}, {"unit", "B"}, {"scale", "log"}}},
          {"y", {{"label", "slowdown"}, {"unit", "1"}}},
          {"series",
           {{{"name", "HPCC <1>"}, {"x", {1000, 10000, 100000}}, {"y", {1.5, nullptr, 3}}, {"printed", true}},
            {{"name", "DCQCN"}, {"x", {1000}}, {"y", {4}}, {"low", {3}}, {"high", {5}}}}}};
}

inline void write_figures(const Folder& folder, const Json& figures) {
  write(folder / "figures.json",
        Json{{"weir", version()}, {"format", 1}, {"title", "A study"}, {"figures", figures}}.dump());
}

// Well-formed as far as tags go: each is closed in order.
inline void expect_balanced(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const auto end = xml.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.starts_with('?') || tag.starts_with('!') || tag.ends_with('/')) continue;
    const std::string name = tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" \n/", 1) - (tag[0] == '/'));
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

}  // namespace weir::report
