// The systemd unit, as systemd itself looks at it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "hosts/agent/key_file.h"
#include "hosts/agent/program.h"
#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

class Unit : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("WEIR_HOST");
    program = given == nullptr ? "" : given;
    if (program.empty() || ::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "WEIR_HOST names no weir-host";
    text = read_file("hosts/package/weir-host.service");
    const std::string placeholder = "@CMAKE_INSTALL_FULL_BINDIR@/weir-host";
    for (auto at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder))
      text.replace(at, placeholder.size(), program);
    ASSERT_NE(text.find("ExecStart=" + program), std::string::npos);
  }

  Scratch scratch;
  std::string program;
  std::string text;
};

TEST_F(Unit, IsAsSystemdWantsIt) {
  const ProgramResult version = run_program({"systemd-analyze", "--version"}, 20'000);
  if (!version.ok()) GTEST_SKIP() << "systemd-analyze is missing: " << version.output;
  const std::string file = scratch.write("weir-host.service", text);
  // Manual pages need not be installed.
  const ProgramResult result = run_program({"systemd-analyze", "verify", "--man=no", "--generators=no", file}, 60'000);
  if (result.output.find("Failed to initialize manager") != std::string::npos) GTEST_SKIP() << result.output;
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output.find("weir-host.service"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace weir::hosts
