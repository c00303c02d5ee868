// What weir-host selftest says: of a host on which all works, and of agents that do not do what they should.
#include "hosts/agent/selftest.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hosts/agent/program.h"
#include "hosts/agent/small_network.h"
#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

std::string agent_program() {
  const char* out = std::getenv("WEIR_HOST");
  return out == nullptr ? "" : out;
}

class SelftestSays : public testing::Test {
 protected:
  void SetUp() override {
    if (agent_program().empty() || ::access(agent_program().c_str(), X_OK) != 0)
      GTEST_SKIP() << "WEIR_HOST names no weir-host";
    try {
      const SmallNetwork network;
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
    const ProgramResult check = run_program({agent_program(), "check", "--json"}, 20'000);
    if (check.output.find("iptables is missing") != std::string::npos) GTEST_SKIP() << "iptables is missing";
  }

  // A program that does what weir-host does, but for what `script` changes before; $* are its arguments.
  std::string instead(const std::string& script) const {
    const std::string file =
        scratch.write("instead", "#!/bin/sh\n" + script + "\nexec '" + agent_program() + "' \"$@\"\n");
    ::chmod(file.c_str(), 0755);
    return file;
  }
  // By name.
  std::map<std::string, SelftestStep> run(const std::string& program, bool& good) const {
    std::map<std::string, SelftestStep> out;
    good = selftest(Mode::queue, program, [&](const SelftestStep& step) { out[step.name] = step; });
    return out;
  }

  Scratch scratch;
};

TEST_F(SelftestSays, ALineOfEachStep) {
  const ProgramResult result = run_program({agent_program(), "selftest", "--mode", "queue"}, 120'000);
  if (result.output.find("not on this host") != std::string::npos) GTEST_SKIP() << result.output;
  EXPECT_EQ(result.status, 0) << result.output;
  const std::vector<std::string> expected{
      R"(queue  clocks         good   known within [0-9.]+ [nu]s, after [0-9.]+ s)",
      R"(queue  holding        good   [1-9][0-9]* of [0-9]+ packets held, for [0-9.]+ [a-z]+ in the mean and [0-9.]+ [a-z]+ )"
      R"(at most; [1-9][0-9]* OR-ACKs)",
      R"(queue  agent stopped  good   data flows on; nothing came for [0-9.]+ [a-z]+ at most)",
      R"(queue  agent killed   good   data flows on; nothing came for [0-9.]+ [a-z]+ at most)",
      R"(queue  no trace       good   qdiscs, filters, segment sizes and rules are as before)"};
  std::istringstream lines(result.output);
  std::string line;
  for (const std::string& one : expected) {
    ASSERT_TRUE(std::getline(lines, line)) << result.output;
    EXPECT_TRUE(std::regex_match(line, std::regex(one))) << line;
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

TEST_F(SelftestSays, WhyAStepFailed) {
  // T is so long that nothing is held, and nothing is put back.
  bool good = true;
  const auto steps =
      run(instead("for f in \"$@\"; do case $f in *.toml) sed -i 's/^T = .*/T = \"900 ms\"/' \"$f\" ;; esac; "
                  "done\ncase \" $* \" in *' off '*) exit 0 ;; esac"),
          good);
  EXPECT_FALSE(good);
  ASSERT_TRUE(steps.contains("holding")) << steps.begin()->second.what;
  const SelftestStep& holding = steps.at("holding");
  EXPECT_FALSE(holding.good);
  EXPECT_EQ(holding.what.rfind("no packet was held (0 of ", 0), 0u) << holding.what;
  EXPECT_EQ(to_line(Mode::queue, holding).rfind("queue  holding        FAILED no packet was held (0 of ", 0), 0u);
  const SelftestStep& trace = steps.at("no trace");
  EXPECT_FALSE(trace.good);
  EXPECT_EQ(trace.what.rfind("before: ", 0), 0u) << trace.what;
  EXPECT_NE(trace.what.find("; after: "), std::string::npos) << trace.what;
  EXPECT_NE(trace.what.find("WEIR_ON_RAMP"), std::string::npos) << "the rule that is left is named: " << trace.what;
}

TEST_F(SelftestSays, WhyAgentsAreNotUp) {
  bool good = true;
  const auto steps = run(instead("case \" $* \" in *' up '*) echo 'there is no such thing' >&2; exit 2 ;; esac"), good);
  EXPECT_FALSE(good);
  ASSERT_TRUE(steps.contains("agents"));
  EXPECT_NE(steps.at("agents").what.find("an agent has ended: there is no such thing"), std::string::npos)
      << steps.at("agents").what;
  EXPECT_FALSE(steps.contains("holding"));
  EXPECT_TRUE(steps.at("no trace").good) << steps.at("no trace").what;
}

}  // namespace
}  // namespace weir::hosts
