// What a command makes of input and surroundings that are out to break it: it ends with a status and a message, and
// nothing of the input acts on the terminal.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "weir/base/text.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

const std::string kHostile = "tests/scenarios/ring-graph.toml";

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// Status and message of bad input, which is one line of no more than a screen.
void expect_told(const Output& o, const std::string& part, int status = 2) {
  EXPECT_EQ(o.status, status) << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err.find('\n') + 1, o.err.size()) << o.err;
  EXPECT_LT(o.err.size(), 2'200u);
  EXPECT_NE(o.err.find(part), std::string::npos) << o.err << "\nlacks: " << part;
}

TEST(StandardError, MayBeClosedOrFull) {
  struct Case {
    std::string command;
    int status;
  };
  const std::vector<Case> cases{
      {"run nothing.toml", 2},
      {"nonsense", 2},
      {"run " + kHostile, 0},
      {"validate nothing.toml", 2},
      {"import ns3 nothing -o a.toml", 2},
      {"report nothing", 2},
      {"run scenarios/incast-16.toml --set run.stop='100 us' --set algorithm.name=dcqcn --set network.ecn.enabled=true",
       0},
  };
  for (const auto& [command, status] : cases)
    for (const char* where : {"2>&-", "2>/dev/full", "0<&- 2>&-"}) {
      const Output o = shell("\"$weir\" " + command + " " + where);
      EXPECT_EQ(o.status, status) << command << ' ' << where;
      EXPECT_EQ(o.err, "");
    }
}

TEST(StandardOutput, ThatIsClosedIsTold) {
  const std::vector<std::string> commands{"list", "run " + kHostile, "list --json", "--help", "--version"};
  for (const std::string& command : commands) {
    EXPECT_EQ(shell("\"$weir\" " + command + " >&-").status, 1) << command;
    EXPECT_EQ(shell("\"$weir\" " + command + " >&- 2>&-").status, 1) << command;
    EXPECT_EQ(shell("\"$weir\" " + command + " 0<&- >&- 2>&-").status, 1) << command;
    EXPECT_EQ(shell("\"$weir\" " + command + " >/dev/full 2>&-").status, 1) << command;
  }
}

// The numbers of closed descriptors are free for the next file, which is the result's.
TEST(StandardOutput, ThatIsClosedDoesNotEndInAResult) {
  const Folder folder("weir-closed-descriptors");
  const std::string out = folder / "out";
  shell("\"$weir\" run " + kHostile + " --out " + out + " 0<&- >&- 2>&-");
  EXPECT_EQ(read_file(out + "/flows.csv").substr(0, 8), "flow_id,");
  EXPECT_EQ(read_file(out + "/flows.csv").find("results "), std::string::npos);
  EXPECT_EQ(read_file(out + "/flows.csv").find("slowdown  "), std::string::npos);
}

TEST(ControlCharacters, DoNotReachTheTerminal) {
  const Folder folder("weir-control-characters");
  const std::string scenario = folder / "a.toml";
  write(scenario,
        "title = \"t\\u001b[31m\\u0000\\u009b\\n\\u007f\"\n[topology]\nkind = \"star\"\nhosts = 4\n[algorithm]\nname = "
        "\"hpcc\"\n[[profile]]\nname = \"p\\u001b[31m\"\nalgorithm = \"hpcc\"\n[[traffic]]\nkind = \"incast\"\nsize = "
        "\"1 "
        "KB\"\ntag = \"a\\u001b\\nb\"\nprofile = \"p\\u001b[31m\"\n[[traffic]]\nkind = \"incast\"\nsize = \"1 "
        "KB\"\ntag = "
        "\"\\u202e\"\n");
  const std::string study = folder / "study.toml";
  write(
      study,
      "[study]\ntitle = \"s\\u001b[31m\"\nscenario = \"a.toml\"\n[[axis]]\nname = \"x\"\nkey = \"run.seed\"\nvalues = "
      "[1]\n[[measure]]\nname = \"m\"\nof = \"flows\"\ncolumn = \"slowdown\"\nstatistic = \"median\"\n");
  const std::string bad = folder / "bad.toml";
  write(bad, "\"k\\u001b[31m\" = 1\n");
  const std::string escape = "\x1b[31m\xc2\x9b\x7f";
  const std::vector<std::vector<std::string>> commands{
      {"run", scenario},
      {"run", scenario, "-q", "--json"},
      {"run", scenario, "--out", folder / ("r" + escape)},
      {"validate", scenario},
      {"validate", scenario, "--json"},
      {"validate", scenario, "--effective"},
      {"validate", bad},
      {"run", scenario, "--set", "title" + escape + "=1"},
      {"run", scenario, "--set", "traffic.0.tag=" + escape},
      {"run", scenario, "--set", escape},
      {"run", folder / escape},
      {"sweep", study, "--out", folder / "sweep"},
      {"sweep", study, "--list"},
      {"report", folder / escape},
      {"report", folder / ("r" + escape), "--out", folder / ("page" + escape + ".html")},
      {"import", "htsim", "-o", folder / "b.toml", "--", escape},
      {"import", "ns3", bad, "-o", folder / "b.toml"},
      {"list", escape},
      {escape},
      {"run", scenario, "--" + escape},
  };
  for (const auto& arguments : commands) {
    const Output o = weir(arguments);
    EXPECT_LE(o.status, 2) << arguments[0];
    EXPECT_EQ(printable(o.out), o.out);
    EXPECT_EQ(printable(o.err), o.err);
    EXPECT_FALSE(o.out.empty() && o.err.empty()) << arguments[0];
  }
  // and JSON is JSON for all that
  const Output json = weir({"run", scenario, "-q", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("manifest").at("title"), std::string("t\x1b[31m\0\xc2\x9b\n\x7f", 11));
}

TEST(LongInput, IsNotEchoedWhole) {
  const Folder folder("weir-long-input");
  const std::string key(5'000'000, 'k');
  write(folder / "a.toml", key + " = 1\n");
  expect_told(weir({"validate", folder / "a.toml"}), "unknown key; valid is title, run");
  write(folder / "a.toml", "[topology]\nkind = \"" + key + "\"\n[algorithm]\nname = \"hpcc\"\n[[traffic]]\n");
  expect_told(weir({"validate", folder / "a.toml"}), "unknown topology");
  write(folder / "ns3", key + " 1\n");
  expect_told(weir({"import", "ns3", folder / "ns3", "-o", folder / "b.toml"}), "unknown key");
  write(folder / "long.toml", std::string(17 << 20, '#'));
  expect_told(weir({"run", folder / "long.toml"}),
              "cannot be read (more than 16 MiB, which is the most that is read of such a file)");
  expect_told(weir({"run", "/dev/zero"}), "/dev/zero:1: it has a NUL character");
  expect_told(shell("yes '#' | \"$weir\" run /dev/stdin"),
              "cannot be read (more than 16 MiB, and it is no regular file)");
}

// File names that no file can have, places that cannot be read.
TEST(FileNames, ThatCannotBeAreTold) {
  const Folder folder("weir-file-names");
  const std::string name(300, 'a');
  const std::vector<std::vector<std::string>> commands{
      {"run", kHostile, "-q", "--out", folder / name},
      {"run", name},
      {"validate", name},
      {"report", name},
      {"report", folder.path(), "--out", folder / name},
      {"sweep", "scenarios/studies/incast.toml", "--out", folder / name},
      {"sweep", name, "--out", folder / "s"},
      {"paper", "check", "--papers", name},
      {"paper", "run", name},
      {"import", "ns3", "tests/fuzz/corpus", "-o", folder / (name + ".toml")},
      {"import", "htsim", "-o", folder / (name + ".toml"), "--", "-tm", "x"},
      {"import", "htsim", "-o", folder / "a.toml", "--", "-tm", name},
      {"theory", "max-min", name},
      {"demo", "--out", folder / name},
  };
  for (const auto& arguments : commands) {
    SCOPED_TRACE(arguments[0] + " " + arguments[1]);
    const Output o = weir(arguments);
    expect_told(o, "");
    EXPECT_EQ(o.err.find("filesystem error"), std::string::npos) << o.err;
  }
}

TEST(Import, SaysHowItIsCalled) {
  expect_told(weir({"import", "htsim", "--", "-tm", "x"}),
              "--out is missing; write weir import htsim -o FILE.toml -- OPTIONS");
  expect_told(weir({"import", "htsim", "-o", "x.toml"}),
              "the options of htsim_uec are missing; write weir import htsim");
  expect_told(weir({"import", "htsim", "-tm", "x", "-o", "x.toml"}), "");
  expect_told(weir({"import", "ns3", "x"}), "--out is missing; write weir import ns3 -o FILE.toml CONFIG");
}

TEST(Run, TellsWhatWasChosenForIt) {
  const Output o = weir({"run", "scenarios/incast-16.toml", "--set", "algorithm.name=dcqcn", "--set",
                         "network.ecn.enabled=true", "--set", "run.stop=100 us"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(o.err.starts_with("weir: --set algorithm.name: 'dcqcn' instead of 'hpcc', for which")) << o.err;
  const Output plain = weir({"run", "scenarios/incast-16.toml", "--set", "run.stop=100 us"});
  EXPECT_EQ(plain.err.find("instead of"), std::string::npos) << plain.err;
}

// What the system allows too little of is an error with a message, after which nothing is left.
TEST(Limits, AreToldAndLeaveNothing) {
  const Folder folder("weir-limits");
  const std::string run =
      "exec \"$weir\" run tests/scenarios/star-incast-hpcc.toml -q --set probes.queues.series=true --out " +
      (folder / "a");
  expect_told(shell("ulimit -f 2; " + run), "File too large", 1);
  EXPECT_TRUE(folder.names().empty());
  bool is_told = false;
  for (int descriptors = 3; folder.names().empty(); ++descriptors) {
    const Output o = shell("ulimit -n " + std::to_string(descriptors) + "; " + run);
    ASSERT_EQ(folder.names().empty(), o.status != 0) << descriptors << ": " << o.err;
    is_told = is_told || o.err.find("Too many open files") != std::string::npos;
  }
  EXPECT_TRUE(is_told);
}

// From where a second signal would kill, and leave a result and its checkpoint.
TEST(Signals, AreHeldWhileSomethingIsDoneWhole) {
  EXPECT_EXIT(
      {
        catch_signals();
        {
          const HeldSignals held;
          for (int i = 0; i < 3; ++i) ::raise(SIGTERM);
        }
        if (pending_signal() == SIGTERM) ::raise(SIGTERM);  // noted again, and then it kills
        std::fputs("held", stderr);
        ::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "held");
}

}  // namespace
}  // namespace weir::app
