// Traces from outside: what `weir run --trace` refuses, and that it changes nothing. What is in them is held against
// the summary by sums.py.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace weir::perfetto {
namespace {

using Json = nlohmann::json;

constexpr const char* kScenario = "tests/scenarios/irn-lossy.toml";

std::string traced(const std::string& scenario, const std::vector<std::string>& more, std::string* digest = nullptr) {
  const app::Folder folder("weir-traces");
  std::vector<std::string> arguments{"run", scenario, "--json", "--quiet", "--trace", folder / "t.pftrace"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const app::Output o = app::weir(arguments);
  EXPECT_EQ(o.status, 0) << o.err;
  if (o.status != 0) return "";
  if (digest != nullptr) *digest = Json::parse(o.out).at("manifest").at("digest");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"t.pftrace"});
  return app::read_file(folder / "t.pftrace");
}

TEST(Traces, AreTheSameOnAnyNumberOfThreads) {
  for (const char* scenario : {"tests/scenarios/mixed-recovery.toml", "scenarios/incast-dcqcn-pfc.toml",
                               "tests/scenarios/fat-tree-poisson.toml"}) {
    const std::string one = traced(scenario, {"--threads", "1"});
    EXPECT_GT(one.size(), 10'000u);
    EXPECT_TRUE(one == traced(scenario, {"--threads", "2"})) << scenario;
    EXPECT_TRUE(one == traced(scenario, {"--set", "run.scheduler=heap"})) << scenario;
    EXPECT_TRUE(one != traced(scenario, {"--seed", "9"})) << scenario;
  }
}

TEST(Traces, ChangeNothing) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--trace-engine", "--trace-interval", "700 ns"}}) {
    std::string digest;
    traced(kScenario, more, &digest);
    const app::Output plain = app::weir({"run", kScenario, "--json", "--quiet"});
    EXPECT_EQ(digest, Json::parse(plain.out).at("manifest").at("digest"));
  }
}

TEST(Traces, TakeThePlaceOfWhatIsThere) {
  const app::Folder folder("weir-traces");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(app::weir({"run", kScenario, "--quiet", "--trace", folder / "t.pftrace"}).status, 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"t.pftrace"});
}

struct Refusal {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(Traces, AreRefusedWithWhatWouldBeValid) {
  const app::Folder folder("weir-traces");
  const std::string file = folder / "t.pftrace";
  for (const Refusal& refusal : {
           Refusal{{"--trace", file, "--trace-at", "99"},
                   "--trace-at: there is no node 99; hosts are 0 to 16, switches 17 to 17"},
           {{"--trace", file, "--trace-flow", "3,99"}, "--trace-flow: there is no flow 99; flows are 0 to 15"},
           {{"--trace", file, "--trace-flow", "x"},
            "--trace-flow: 'x' is no flow id; valid is a list of ids and ranges, as \"0, 17, 200-299\""},
           {{"--trace", file, "--trace-from", "2 us", "--trace-until", "1 us"},
            "--trace-until: 1 us is not after --trace-from, 2 us"},
           {{"--trace", file, "--trace-interval", "0"}, "--trace-interval: write a time of at least 1 ns, like '1 us'"},
           {{"--trace", folder.path()}, "--trace: cannot create " + folder.path() + ": Is a directory"},
           {{"--trace", folder / "no/t.pftrace"},
            "--trace: cannot create " + folder / "no/t.pftrace" + ": No such file or directory"},
           {{"--trace-at", "0"}, "there is no --trace FILE; the other options of traces only say what goes there"},
           {{"--trace-engine"}, "there is no --trace FILE; the other options of traces only say what goes there"},
           {{"--trace", file, "--checkpoint", "1 us", "--out", folder / "o"},
            "--trace: traces do not go on from a checkpoint; leave out one of the two"},
           {{"--trace", folder / "o/t.pftrace", "--out", folder / "o"},
            "--trace: the directory of the results (--out) holds nothing else; write the file elsewhere"},
       }) {
    std::vector<std::string> arguments{"run", kScenario, "--quiet"};
    arguments.insert(arguments.end(), refusal.arguments.begin(), refusal.arguments.end());
    const app::Output o = app::weir(arguments);
    EXPECT_EQ(o.status, 2) << refusal.message;
    EXPECT_EQ(o.err, "weir: " + refusal.message + "\n");
    EXPECT_EQ(folder.names(), std::vector<std::string>{}) << refusal.message;
  }
}

TEST(Traces, AreNotOfReplicas) {
  const app::Folder folder("weir-traces");
  const app::Output o = app::weir({"run", "scenarios/demo-hpcc.toml", "--set", "run.fidelity=ns3-hpcc", "--quiet",
                                   "--trace", folder / "t.pftrace"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("single packets are only told by run.fidelity = \"exact\""), std::string::npos) << o.err;
}

TEST(Traces, EndWithAClearErrorWhenTheDiskIsFull) {
  const app::Folder folder("weir-traces");
  // a file may not become longer than so many blocks of 512 bytes
  const app::Output o =
      app::shell("echo earlier > '" + folder / "t.pftrace" +
                 "'; ulimit -f 100; trap '' XFSZ; \"$weir\" run tests/scenarios/cubic-lossy.toml --quiet --trace '" +
                 folder / "t.pftrace" + "'");
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.err.find("t.pftrace"), std::string::npos) << o.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"t.pftrace"});
  EXPECT_EQ(app::read_file(folder / "t.pftrace"), "earlier\n");
}

}  // namespace
}  // namespace weir::perfetto
