// A scenario of a test in a folder of its own, and runs of it that are killed behind a checkpoint.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace weir::app {

class KilledRun : public testing::Test {
 protected:
  // The scenario's flows are those of more.csv, among others.
  KilledRun(const std::string& name, const char* scenario) : folder_(name) {
    std::ofstream(file()) << scenario;
    std::ofstream(folder_ / "more.csv") << "src,dst,size_bytes,start_us\n0,5,300000,10\n3,9,2000000,500\n";
  }

  std::string file() const { return folder_ / "s.toml"; }
  static std::string partial(const std::string& dir) { return dir + ".partial-run"; }
  std::vector<std::string> run(const std::string& dir, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> out{"run", file(), "-q", "--out", dir, "--checkpoint", "100 us"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  // What this command, whose result is `dir`, leaves when it is killed behind a checkpoint.
  static void kill(const std::string& dir, const std::vector<std::string>& command) {
    namespace fs = std::filesystem;
    for (double after = 0.02; !fs::exists(partial(dir) + "/checkpoint"); after = after < 30 ? after * 1.2 : 0.02) {
      fs::remove_all(dir);
      weir(command, SIGKILL, after);
    }
  }
  // A run of this name that has been killed so.
  std::string killed(const std::string& name) const {
    const std::string dir = folder_ / name;
    kill(dir, run(dir));
    return dir;
  }

  Folder folder_;
};

}  // namespace weir::app
