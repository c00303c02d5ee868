#include "hosts/agent/restore.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

const Undo kQdisc{"qdisc of eth0", {"tc", "qdisc", "del", "dev", "eth0", "root"}, "eth0", 2};
const Undo kRule{"rule", {"iptables", "-D", "POSTROUTING"}, "", 0};
const Undo kSegment{"segment size of eth1", {"ip", "link", "set", "dev", "eth1"}, "eth1", 3};

unsigned as_before(const std::string& name) { return name == "eth0" ? 2 : 3; }

TEST(RestoreLog, IsOnDiskBeforeTheChange) {
  const Scratch scratch;
  const std::string file = scratch / "restore.json";
  RestoreLog log(file);
  EXPECT_TRUE(log.empty());
  log.add(kQdisc);
  log.add(kRule);
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);

  // another process, after a crash
  RestoreLog found(file);
  ASSERT_EQ(found.steps().size(), 2u);
  EXPECT_EQ(found.steps()[0].what, kQdisc.what);
  EXPECT_EQ(found.steps()[0].command, kQdisc.command);
  EXPECT_EQ(found.steps()[0].interface, "eth0");
  EXPECT_EQ(found.steps()[0].ifindex, 2u);
}

TEST(RestoreLog, LastChangeIsUndoneFirst) {
  const Scratch scratch;
  const std::string file = scratch / "restore.json";
  RestoreLog log(file);
  for (const auto& step : {kQdisc, kRule, kSegment}) log.add(step);
  std::vector<std::vector<std::string>> commands;
  const auto done = log.apply(
      [&](const auto& command) {
        commands.push_back(command);
        return command[0] != "iptables";  // it was never made
      },
      as_before);
  EXPECT_EQ(commands, (std::vector{kSegment.command, kRule.command, kQdisc.command}));
  EXPECT_EQ(done, (std::vector<std::string>{kSegment.what, kQdisc.what}));
  EXPECT_TRUE(log.empty());
  EXPECT_NE(::access(file.c_str(), F_OK), 0);
  EXPECT_TRUE(RestoreLog(file).empty());
}

TEST(RestoreLog, AnotherInterfaceOfTheSameNameIsLeftAlone) {
  const Scratch scratch;
  RestoreLog log(scratch / "restore.json");
  log.add(kQdisc);
  log.add(kSegment);
  std::vector<std::string> commands;
  log.apply(
      [&](const auto& command) {
        commands.push_back(command[0]);
        return true;
      },
      [](const std::string& name) { return name == "eth0" ? 7u : 0u; });  // made anew, and vanished
  EXPECT_TRUE(commands.empty());
}

TEST(RestoreLog, WhatIsNotOursIsNotRun) {
  const Scratch scratch;
  RestoreLog log(scratch / "restore.json");
  EXPECT_THROW(log.add({"x", {"rm", "-r", "x"}, "", 0}), std::logic_error);
  EXPECT_THROW(log.add({"x", {}, "", 0}), std::logic_error);
  for (const char* text :
       {"{", "[]", R"({"version": 2, "steps": []})", R"({"version": 1})",
        R"({"version": 1, "steps": [{"what": "x", "command": ["sh"], "interface": "", "ifindex": 0}]})"}) {
    const std::string file = scratch.write("bad.json", text);
    ::chmod(file.c_str(), 0600);
    try {
      const RestoreLog bad(file);
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("bad.json: this is not what an agent"), std::string::npos);
    }
  }
  const std::string file = scratch.write("open.json", R"({"version": 1, "steps": []})");
  ::chmod(file.c_str(), 0622);
  EXPECT_THROW(RestoreLog{file}, std::runtime_error);
}

TEST(RestoreLog, WithoutTheFileNothingMayChange) {
  RestoreLog log("/proc/no-such-folder/restore.json");
  EXPECT_THROW(log.add(kQdisc), std::runtime_error);
  EXPECT_TRUE(log.empty());
}

}  // namespace
}  // namespace weir::hosts
