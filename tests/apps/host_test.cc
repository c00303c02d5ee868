// weir host runs the program weir-host, wherever it is.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "tests/support/command.h"

namespace weir::app {
namespace {

// A folder with a copy of the command, so that nothing is beside it but what a test puts there.
class HostCommand : public testing::Test {
 protected:
  HostCommand() { std::filesystem::copy_file(command(), folder_ / "weir"); }

  // A program that tells its name and its arguments.
  void put(const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "#!/bin/sh\necho \"" << name << ":\"; printf '[%s]' \"$@\"; exit 7\n";
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }
  Output host(const std::string& arguments) const {
    return shell(fmt::format("PATH={}/path:/bin {}/weir host {}", folder_.path(), folder_.path(), arguments));
  }

  Folder folder_{"weir-host-command"};
};

TEST_F(HostCommand, IsTheProgramBesideIt) {
  put("path/weir-host");
  put("weir-host");
  const Output o = host("up --mode 'a b' --help -v");
  EXPECT_EQ(o.out, "weir-host:\n[up][--mode][a b][--help][-v]");
  EXPECT_EQ(o.status, 7);
}

TEST_F(HostCommand, OrTheOneInPath) {
  put("path/weir-host");
  EXPECT_EQ(host("--help").out, "path/weir-host:\n[--help]");
  EXPECT_EQ(host("status").out, "path/weir-host:\n[status]");
}

TEST_F(HostCommand, OrAMessage) {
  const Output o = host("status");
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(
      o.err,
      "weir: host: there is no weir-host beside this command or in PATH; install the Debian package weir-host, or "
      "build it with ./dev build weir_host\n");
}

}  // namespace
}  // namespace weir::app
