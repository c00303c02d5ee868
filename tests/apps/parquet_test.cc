// weir run --format parquet. What the files hold is python/tests/test_parquet.py's.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace weir::app::parquet_test {
namespace {

constexpr const char* kScenario = "tests/scenarios/star-incast-dcqcn.toml";

// A program instead of a Python: what the command does with one is told apart from what Python does.
std::string program(const Folder& folder, const std::string& name, const std::string& script) {
  std::ofstream(folder / name) << "#!/bin/sh\n" << script << "\n";
  EXPECT_EQ(::chmod((folder / name).c_str(), 0755), 0);
  return folder / name;
}

Output run_with(const std::string& python, const std::string& out) {
  return shell("WEIR_PYTHON='" + python + "' \"$weir\" run " + kScenario + " -q --format parquet --out '" + out + "'");
}

TEST(Parquet, WithoutPyarrowNothingIsRun) {
  const Folder folder("weir-parquet");
  const auto refuses = [&](const std::string& python, const std::string& why) {
    const Output o = run_with(python, folder / "a");
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("pip install pyarrow"), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_EQ(o.out, "");
  };
  refuses(folder / "none", "cannot be run");
  refuses(program(folder, "without", "echo lacks it >&2; exit 3"), "lacks");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"without"});
}

TEST(Parquet, NeedsADirectoryAndAKnownName) {
  const Folder folder("weir-parquet");
  const std::string python = program(folder, "python", "exit 0");
  const std::string run = "WEIR_PYTHON='" + python + "' \"$weir\" run " + kScenario + " -q --format ";
  EXPECT_EQ(shell(run + "parquet").status, 2);
  EXPECT_NE(shell(run + "parquet").err.find("--out"), std::string::npos);
  EXPECT_EQ(shell(run + "feather").status, 2);
  EXPECT_EQ(shell(run + "csv").status, 0);
}

TEST(Parquet, WhatCannotBeWrittenLeavesTheResultWhole) {
  const Folder folder("weir-parquet");
  const std::string python = program(folder, "python",
                                     "[ $# = 4 ] && exit 0\n"
                                     "echo half >\"$5/flows.parquet\"\n"
                                     "echo the disk is full\nexit 1");
  const Output o = run_with(python, folder / "a");
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.err.find("the disk is full"), std::string::npos) << o.err;
  EXPECT_EQ(shell("test -e '" + (folder / "a/flows.parquet") + "'").status, 1);
  EXPECT_EQ(weir({"report", folder / "a", "--out", folder / "report.html"}).status, 0);
}

TEST(Parquet, FilesAreTheResults) {
  const Folder folder("weir-parquet");
  const std::string python = program(folder, "python", "[ $# = 4 ] || echo whole >\"$5/flows.parquet\"");
  const Output o = run_with(python, folder / "a");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(read_file(folder / "a/flows.parquet"), "whole\n");
  EXPECT_NE(read_file(folder / "a/manifest.json").find("flows.parquet"), std::string::npos);
}

TEST(Parquet, ARunThatGoesOnLeavesNoneOfItsFormerTables) {
  const Folder folder("weir-parquet");
  const std::string python = program(
      folder, "python", "[ $# = 4 ] || for file in \"$5\"/*.csv; do echo whole >\"${file%.csv}.parquet\"; done");
  ::setenv("WEIR_PYTHON", python.c_str(), 1);
  const std::string dir = folder / "a";
  const std::vector<std::string> run{"run",
                                     "tests/scenarios/fat-tree-poisson.toml",
                                     "-q",
                                     "--set",
                                     "run.stop=\"4 ms\"",
                                     "--set",
                                     "traffic.0.stop=\"4 ms\"",
                                     "--format",
                                     "parquet",
                                     "--checkpoint",
                                     "20 us",
                                     "--out",
                                     dir};
  // until it is met in the middle
  double after = 0.02;
  for (int i = 0; i < 100 && !std::filesystem::exists(dir + "/checkpoint"); ++i) {
    std::filesystem::remove_all(dir);
    weir(run, SIGINT, after);
    after = after < 5 ? after * 1.2 : 0.02;
  }
  ASSERT_TRUE(std::filesystem::exists(dir + "/checkpoint"));
  ::unsetenv("WEIR_PYTHON");
  EXPECT_TRUE(std::filesystem::exists(dir + "/flows.parquet"));
  const Output o = weir({"resume", dir, "-q"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_FALSE(std::filesystem::exists(dir + "/flows.parquet"));
}

}  // namespace
}  // namespace weir::app::parquet_test
