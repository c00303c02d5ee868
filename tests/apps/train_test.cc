// weir train from outside: from a curriculum to an int8 policy that a run takes, killed and resumed.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace weir::app {
namespace {

constexpr const char* kCurriculum = R"(
[learner]
updates = 30
horizon = 4
delay = 3
rollout = 16

[scenario.topology]
rate = "100 Gbps"
delay = "2 us"

[validation]
flows = [3]
every = 10
duration = "1 ms"

[[environment]]
flows = 2

[[environment]]
flows = 4
)";

class TrainCommand : public testing::Test {
 protected:
  TrainCommand() { std::ofstream(curriculum_) << kCurriculum; }

  std::vector<std::string> command(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> out{"train", curriculum_, "--out", folder_ / name, "-q"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  std::string file(const std::string& name, const char* of) const { return folder_ / (name + "/" + of); }

  Folder folder_{"weir-train"};
  std::string curriculum_ = folder_ / "c.toml";
};

TEST_F(TrainCommand, GivesAPolicyThatIsQuantisedAndRuns) {
  const Output trained = weir(command("a"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  // after so few updates
  EXPECT_TRUE(trained.err.starts_with("weir: the best policy's score is -")) << trained.err;
  EXPECT_NE(trained.out.find("\nbest     update "), std::string::npos) << trained.out;
  const std::string int8 = folder_ / "int8.toml";
  const Output quantised =
      weir({"policy", "quantise", file("a", "policy.toml"), "--calibration", file("a", "inputs.csv"), "--out", int8});
  EXPECT_EQ(quantised.status, 0) << quantised.err;
  const std::string scenario = folder_ / "s.toml";
  std::ofstream(scenario) << "[topology]\nkind = \"star\"\nhosts = 5\n[algorithm]\nname = \"pcc_rl\"\n"
                             "[[traffic]]\nkind = \"incast\"\nsize = \"100 KB\"\n";
  for (const std::string& policy : {file("a", "policy.toml"), int8}) {
    const Output run = weir({"run", scenario, "-q", "--set", "algorithm.policy=" + policy});
    EXPECT_EQ(run.status, 0) << run.err;
  }
}

// Whenever it is killed, the same command goes on, and the files are the same in the end.
TEST_F(TrainCommand, GoesOnAfterItWasKilled) {
  ASSERT_EQ(weir(command("a")).status, 0);
  Output last{.status = 128 + SIGKILL};
  int kills = 0;
  for (double after = 0.05; last.status == 128 + SIGKILL; after *= 1.3) {
    last = weir(command("b", {"--resume", "--threads", "1"}), SIGKILL, after);
    if (last.status == 128 + SIGKILL) ++kills;
  }
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_GE(kills, 1);
  for (const char* name : {"policy.toml", "last.toml", "progress.csv", "inputs.csv", "curriculum.toml"})
    EXPECT_EQ(read_file(file("a", name)), read_file(file("b", name))) << name;
}

TEST_F(TrainCommand, RefusesWithPlaces) {
  ASSERT_EQ(weir(command("a")).status, 0);
  const auto expect_refused = [](const Output& o, const std::string& part) {
    EXPECT_EQ(o.status, 2) << part;
    EXPECT_EQ(o.out, "");
    EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
  };
  expect_refused(weir(command("a", {"--resume", "--seed", "7"})), "it is of another curriculum or seed");
  std::filesystem::create_directory(folder_ / "full");
  std::ofstream(folder_ / "full/policy.toml") << "somebody's";
  for (const std::vector<std::string>& more : {std::vector<std::string>(), {"--resume"}})
    expect_refused(weir(command("full", more)), "it is not empty, and no training has left a checkpoint there");
  EXPECT_EQ(read_file(file("full", "policy.toml")), "somebody's");
  std::ofstream(curriculum_, std::ios::app) << "hots = 3\n";
  expect_refused(weir(command("b")), "c.toml:22: key 'environment.1.hots': unknown key (did you mean 'hosts'?)");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b"));
}

}  // namespace
}  // namespace weir::app
