// weir policy from outside.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace weir::app {
namespace {

class PolicyCommand : public testing::Test {
 protected:
  std::string shown(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "policy");
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }
  void expect_refused(std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "policy");
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 2) << message;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, "weir: " + message + "\n");
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  Folder folder_{"weir-policy"};
};

TEST_F(PolicyCommand, ShowsWhatAPolicyIs) {
  const std::string out = shown({"show", "standard"});
  EXPECT_TRUE(has(out, "memory of a flow")) << out;
  EXPECT_TRUE(has(out, "(max(RTT / 8192 ns - 1.5, 0) sqrt(rate) - 0.064) 12.5")) << out;
  EXPECT_TRUE(has(out, "\n  131.072 us")) << out;
  EXPECT_EQ(shown({"show", "data/policies/standard.toml"}), out);
}

TEST_F(PolicyCommand, QuantisesAndComparesAndTimes) {
  const std::string file = folder_ / "int8.toml";
  const std::string out = shown({"quantise", "standard", "--out", file});
  EXPECT_TRUE(out.starts_with(file + ": 4 - ")) << out;
  EXPECT_TRUE(has(out, "int8\ndifferences of factors\n")) << out;
  EXPECT_TRUE(has(read_file(file), "arithmetic = \"int8\"\n"));
  EXPECT_TRUE(has(read_file(file), "parent = \"")) << read_file(file);
  const std::string compared = shown({"compare", "standard", file});
  EXPECT_TRUE(has(compared, "where the first decides       largest 0.0")) << compared;
  EXPECT_TRUE(has(shown({"compare", file, file}), "largest 0.000000, mean 0.000000, above 0.01 in 0.00 %"));
  EXPECT_TRUE(has(shown({"bench", file}), " ns per decision with 8 flows"));
  expect_refused({"quantise", "standard", "--out", file}, file + " exists already; name another file");
  expect_refused({"quantise", file, "--out", folder_ / "twice.toml"},
                 file + ": arithmetic: the policy has int8 weights already");
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"int8.toml"}));
}

TEST_F(PolicyCommand, DistilsFromATable) {
  const std::string table = folder_ / "inputs.csv";
  std::ofstream csv(table);
  csv << "in1,in2,in3,in4\n";
  for (int i = -50; i < 50; ++i) csv << "1," << i * 0.1 << ",1,0\n";
  csv.close();
  const std::string file = folder_ / "tree.toml";
  const std::string out =
      shown({"distil", "standard", "--out", file, "--calibration", table, "--depth", "2", "--leaf", "1"});
  EXPECT_TRUE(out.starts_with(file + ": tree of 4 leaves\n")) << out;
  EXPECT_TRUE(has(shown({"show", file}), "tree of 4 leaves"));
}

TEST_F(PolicyCommand, RefusesWithPlaces) {
  expect_refused({"show", "standart"},
                 "policy: unknown policy 'standart' (did you mean 'standard'?); valid is loose-int8, loose, "
                 "lstm-int8, lstm, plain-int8, plain, "
                 "standard-int8, standard, strict-int8, strict, wide-int8, wide, or a file like \"./mine.toml\"");
  const std::string bad = folder_ / "bad.toml";
  std::ofstream(bad) << "format = 2\n";
  expect_refused({"show", bad}, bad + ":1: key 'format': version 2 is not known here; valid is 1");
  expect_refused({"show", "./none.toml"},
                 "./none.toml: cannot be read (No such file or directory); it should be a policy, a TOML file");
  expect_refused({"distil", "standard", "--out", "x"}, "--out x: write a name that ends in .toml");
  expect_refused({"distil", "standard", "--out", folder_ / "no/x.toml"},
                 "--out " + (folder_ / "no/x.toml") + ": there is no folder " + (folder_ / "no"));
  const std::string table = folder_ / "inputs.csv";
  std::ofstream(table) << "in1,in2\n";
  expect_refused({"quantise", "standard", "--out", folder_ / "x.toml", "--calibration", table},
                 table + ":1: there is no column in3; the policy has the inputs in1 to in4");
}

}  // namespace
}  // namespace weir::app
