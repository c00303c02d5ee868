// A study and its directory, for tests of weir sweep from outside.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/command.h"
#include "tests/support/star_scenario.h"

namespace weir::app {

namespace fs = std::filesystem;

// Three points and two seeds, each run of `size` per flow.
inline std::string study(const std::string& size = "20 KB", const std::string& more = "") {
  return fmt::format(
      R"([study]
title = "A test"
seeds = 2
{}
{}[[axis]]
name = "load"
key = "traffic.0.load"
values = [0.2, 0.4, 0.6]
[[measure]]
name = "p50"
of = "summary"
key = "slowdown.all.p50"
[[measure]]
name = "last"
of = "flows"
column = "finish_ps"
statistic = "max"
[[figure]]
id = "a"
kind = "lines"
measure = "p50"
x = "load"
)",
      more, star_scenario(9, fmt::format("kind = \"poisson\"\nsizes = \"{}\"\nload = 0.6\nstop = \"200 us\"\n", size)));
}

// The same without its figure, which would want to know the labels of further axes.
inline std::string study_without_figure() {
  const std::string whole = study();
  return whole.substr(0, whole.find("[[figure]]"));
}

class Sweep : public testing::Test {
 protected:
  Sweep() { write(study()); }
  void write(const std::string& text) const { std::ofstream(folder_ / "s.toml") << text; }
  Output sweep(std::vector<std::string> more) const {
    more.insert(more.begin(), {"sweep", folder_ / "s.toml"});
    return weir(more);
  }
  std::string dir(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& name) const { return read_file(folder_ / name); }
  // A run of this name cannot be done in the directory a: its result finds no place.
  void fail(const std::string& run) const {
    fs::create_directories(dir("a") + "/runs");
    fs::create_symlink("nowhere", dir("a") + "/runs/" + run);
  }
  // The names in DIR/runs.
  std::vector<std::string> runs(const std::string& name) const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(dir(name) + "/runs"))
      out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }
  // runs.csv without what differs from run to run: time and memory.
  std::string settled(const std::string& name) const {
    std::istringstream lines(file(name + "/runs.csv"));
    std::string out;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      int i = 0;
      for (std::string field; std::getline(fields, field, ','); ++i)
        if (i < 5 || i > 7) out += field + ",";
      out += "\n";
    }
    return out;
  }

  Folder folder_{"weir-sweep"};
};

inline const std::vector<std::string> kRuns{"0.2+seed1", "0.2+seed2", "0.4+seed1",
                                            "0.4+seed2", "0.6+seed1", "0.6+seed2"};

// Long enough to be met in the middle: a tenth of a second or more each.
inline std::string long_study() { return study("2 KB", "set = { \"traffic.0.stop\" = \"4 ms\" }"); }

// A shell that starts the sweep with one job, waits for the first finished run, holds a process of a later one, and
// then does as it is told. $sweep is the sweep and $child the run.
inline std::string meet(const std::string& folder, const std::string& then, const std::string& options = "") {
  return fmt::format(
      "weir={}; cd {}; \"$weir\" sweep s.toml --out a --jobs 1 -q {} >out 2>err & sweep=$!; "
      "while ! ls a/runs/*/manifest.json >/dev/null 2>&1; do sleep 0.01; done; "
      "while kill -0 $sweep; do child=; read -r child rest </proc/$sweep/task/$sweep/children; "
      "[ -n \"$child\" ] && kill -STOP $child && sleep 0.02 && grep -q 'State:.T' /proc/$child/status && break; done "
      "2>/dev/null; {}; kill -CONT $child 2>/dev/null; wait $sweep; echo $?",
      std::filesystem::absolute(command()).string(), folder, options, then);
}

}  // namespace weir::app
