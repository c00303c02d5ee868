// The key file, the folder of the running agent, and other programs.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>

#include "hosts/agent/key_file.h"
#include "hosts/agent/program.h"
#include "hosts/agent/run_dir.h"
#include "tests/hosts/support_scratch.h"
#include "weir/base/error.h"

namespace weir::hosts {
namespace {

std::string complaint(const std::string& file) {
  try {
    read_key_file(file);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(KeyFile, IsMadeAndRead) {
  const Scratch scratch;
  const std::string file = scratch / "key";
  make_key_file(file);
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  EXPECT_EQ(read_file(file).size(), 65u);
  const MasterKey key = read_key_file(file);
  make_key_file(scratch / "other");
  EXPECT_NE(key, read_key_file(scratch / "other"));
  EXPECT_THROW(make_key_file(file), InputError);  // it is not written over
  EXPECT_EQ(read_key_file(file), key);
}

TEST(KeyFile, WhatIsNoKeyIsRefused) {
  const Scratch scratch;
  const std::string digits(64, 'a');
  const auto with = [&](const std::string& text, mode_t mode = 0600) {
    const std::string file = scratch.write("key", text);
    ::chmod(file.c_str(), mode);
    return complaint(file);
  };
  EXPECT_EQ(with(digits), "");
  EXPECT_EQ(with(digits + "\n"), "");
  EXPECT_EQ(with(digits + "\r\n"), "");
  for (const auto& text : {std::string(), digits.substr(1), digits + "a", digits + "\n\n\n", digits.substr(1) + "g",
                           "0x" + digits, std::string(1000, 'a')})
    EXPECT_NE(with(text).find("this is no key; write 64 hexadecimal digits"), std::string::npos) << text;
  EXPECT_NE(with(digits, 0640).find("the key has mode 0640, others may read it; chmod 600"), std::string::npos);
  EXPECT_NE(complaint(scratch / "none").find("make one with: weir-host key"), std::string::npos);
  EXPECT_NE(complaint(scratch.path()).find("must be a regular file"), std::string::npos);
  if (::geteuid() != 0) return;
  with(digits);
  ASSERT_EQ(::chown((scratch / "key").c_str(), 4711, 0), 0);
  EXPECT_NE(complaint(scratch / "key").find("the key belongs to user 4711"), std::string::npos);
}

TEST(RunDir, OneAgentAtATime) {
  const Scratch scratch;
  RunDir dir(scratch / "run");
  dir.make();
  EXPECT_FALSE(dir.holder());
  ASSERT_TRUE(dir.lock());
  const pid_t pid = ::fork();
  if (pid == 0) {  // another process
    RunDir other(scratch / "run");
    const bool good = !other.lock() && other.holder() == ::getppid();
    std::_Exit(good ? 0 : 1);
  }
  int status = 1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  dir.leave();
  EXPECT_NE(::access(dir.path().c_str(), F_OK), 0);
}

TEST(RunDir, LeavesWhatIsKnownOfClocksToTheNextAgent) {
  const Scratch scratch;
  RunDir dir(scratch / "run");
  dir.make();
  scratch.write("run/clocks.json", "{}");
  ASSERT_TRUE(dir.lock());
  dir.leave();
  EXPECT_EQ(::access(dir.clocks().c_str(), F_OK), 0);
  EXPECT_NE(::access((dir.path() + "/lock").c_str(), F_OK), 0);
}

TEST(RunDir, WhatOthersMayWriteIsNotTrusted) {
  const Scratch scratch;
  const RunDir dir(scratch / "run");
  dir.make();
  ::chmod(dir.path().c_str(), 0777);
  EXPECT_THROW(dir.make(), InputError);
  EXPECT_THROW(RunDir(scratch.write("file", "")).make(), InputError);
  EXPECT_THROW(RunDir(scratch / "no/such/folder").make(), InputError);
}

TEST(Program, TellsStatusAndOutput) {
  EXPECT_EQ(run_program({"no-such-program"}).status, 127);
  const auto result = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + SIGKILL);
  EXPECT_EQ(run_program({"sh", "-c", "echo $PATH$HOME"}).output, "/usr/sbin:/usr/bin:/sbin:/bin\n");
}

TEST(Program, IsKilledWhenItTakesTooLong) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run_program({"sleep", "60"}, 100).status, 128 + SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace weir::hosts
