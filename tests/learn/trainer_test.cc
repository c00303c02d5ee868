#include "weir/learn/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "weir/base/error.h"
#include "weir/policy/policy_file.h"

namespace weir::learn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSmall = R"(
title = "small"
[learner]
updates = 7
rollout = 6
reset_every = 3
[scenario.topology]
rate = "100 Gbps"
delay = "2 us"
[validation]
flows = [3]
every = 3
duration = "300 us"
[[environment]]
flows = 2
[[environment]]
flows = 4
)";

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

class Training : public testing::Test {
 protected:
  Training()
      : folder_(fs::temp_directory_path() /
                ("weir_learn_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
  }
  ~Training() override { fs::remove_all(folder_); }

  std::string directory(const std::string& name) const { return (folder_ / name).string(); }
  // Trains up to so many updates, and finishes if that are all.
  void train(const Curriculum& c, const std::string& name, unsigned threads, std::uint32_t until, bool resume) const {
    Trainer trainer(c, {.directory = directory(name), .threads = threads, .resume = resume});
    while (!trainer.done() && trainer.updates() < until) trainer.step();
    if (trainer.done()) trainer.finish();
  }
  void expect_same(const std::string& a, const std::string& b) const {
    for (const char* file :
         {"policy.toml", "last.toml", "progress.csv", "inputs.csv", "curriculum.toml", "checkpoint"}) {
      const std::string content = content_of(folder_ / a / file);
      EXPECT_FALSE(content.empty()) << file;
      EXPECT_EQ(content, content_of(folder_ / b / file)) << file;
    }
  }

  fs::path folder_;
};

TEST_F(Training, GivesTheSameBytesOnAnyNumberOfThreads) {
  const Curriculum c = parse_curriculum(kSmall, "small.toml");
  train(c, "one", 1, 100, false);
  train(c, "two", 2, 100, false);
  expect_same("one", "two");
  EXPECT_EQ(policy::read_policy(directory("one") + "/policy.toml").provenance.at("seed"), "1");
  const std::string inputs = content_of(folder_ / "one" / "inputs.csv");
  EXPECT_GE(std::count(inputs.begin(), inputs.end(), '\n'), 10'001);
}

TEST_F(Training, GoesOnToTheSameBytes) {
  const Curriculum c = parse_curriculum(kSmall, "small.toml");
  train(c, "whole", 2, 100, false);
  train(c, "pieces", 2, 2, false);  // between two beginnings of the environments
  train(c, "pieces", 1, 3, true);   // at one
  train(c, "pieces", 2, 5, true);
  train(c, "pieces", 1, 100, true);
  expect_same("whole", "pieces");
  train(c, "whole", 1, 100, true);  // nothing is left to do
  expect_same("whole", "pieces");
}

// Methods that give no policy file, and have more to remember than weights.
TEST_F(Training, GoesOnToTheSameStateWithEveryMethod) {
  for (const char* method : {"ppo-continuous", "aurora", "dqn", "ddpg"}) {
    Curriculum c = parse_curriculum(kSmall, "small.toml");
    params_of<LearnerParams>().find("method")->set(&c.learner, std::string(method));
    const std::string whole = method + std::string("/whole"), pieces = method + std::string("/pieces");
    train(c, whole, 2, 100, false);
    train(c, pieces, 2, 2, false);
    train(c, pieces, 1, 4, true);
    train(c, pieces, 2, 100, true);
    for (const char* file : {"progress.csv", "checkpoint"})
      EXPECT_EQ(content_of(folder_ / whole / file), content_of(folder_ / pieces / file)) << method;
  }
}

TEST_F(Training, RefusesTheCheckpointOfAnotherCurriculum) {
  Curriculum c = parse_curriculum(kSmall, "small.toml");
  train(c, "a", 1, 1, false);
  EXPECT_THROW(Trainer(c, {.directory = directory("a")}), InputError);  // is there, and --resume is not
  c.learner.seed = 2;
  EXPECT_THROW(Trainer(c, {.directory = directory("a"), .resume = true}), InputError);
  c = parse_curriculum(std::string(kSmall) + "set = ['network.buffer.size=9 MB']\n", "small.toml");
  EXPECT_THROW(Trainer(c, {.directory = directory("a"), .resume = true}), InputError);
  c = parse_curriculum(kSmall, "small.toml");
  const fs::path file = folder_ / "a" / "checkpoint";
  std::string content = content_of(file);
  content[content.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << content;
  EXPECT_THROW(Trainer(c, {.directory = directory("a"), .resume = true}), InputError);
}

TEST_F(Training, RunsEveryMethodAndNetwork) {
  for (const char* method : {"adpg", "ppo-continuous", "ppo-discrete", "aurora", "dqn", "ddpg"})
    for (const NetworkKind network : {NetworkKind::mlp, NetworkKind::lstm}) {
      Curriculum c = parse_curriculum(kSmall, "small.toml");
      params_of<LearnerParams>().find("method")->set(&c.learner, std::string(method));
      c.learner.network = network;
      c.learner.updates = 3;
      Trainer one(c, {.directory = "", .threads = 1}), two(c, {.directory = "", .threads = 2});
      while (!one.done()) {
        const Update u = one.step(), v = two.step();
        EXPECT_EQ(u.loss, v.loss) << method;
        EXPECT_EQ(u.reward, v.reward) << method;
        EXPECT_GT(u.decisions, 0u) << method;
      }
      EXPECT_EQ(one.learner().policy().has_value(), c.learner.method == Method::adpg);
      EXPECT_GT(one.best().runs.at(0).decisions, 0u);
    }
}

// Flows that end and flows that come later, from a scenario of its own with a decision latency.
TEST_F(Training, TakesScenariosWithFlowsThatComeAndGo) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "s.toml") << R"(
[topology]
kind = "star"
hosts = 5
[algorithm]
name = "pcc_rl"
decision_latency = "1 us"
first_rate = 0.2
[[traffic]]
kind = "incast"
size = "200 KB"
stagger = "30 us"
)";
  std::ofstream(folder_ / "c.toml") << R"(
[learner]
updates = 5
rollout = 5
[validation]
flows = [2]
duration = "100 us"
[[environment]]
file = "s.toml"
)";
  Trainer trainer(read_curriculum((folder_ / "c.toml").string()), {});
  std::uint64_t before = 0;
  while (!trainer.done()) {
    const Update u = trainer.step();
    EXPECT_GT(u.decisions, before);
    before = u.decisions;
  }
}

}  // namespace
}  // namespace weir::learn
