// weir import ns3: the recorded runs as the artifact's own input files, and what is wrong with such files.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/replica/recorded.h"
#include "tests/support/command.h"
#include "weir/scenario/ns3_import.h"
#include "weir/scenario/run.h"

namespace weir::replica {
namespace {

using Files = std::map<std::string, std::string>;  // by name

scenario::Ns3Import import(const Files& files, bool exact = false) {
  const scenario::Ns3ImportOptions options{.exact = exact, .graph_name = "a.graph", .flows_name = "a.flows.csv"};
  return scenario::import_ns3(files.at("config.txt"), "config.txt", options,
                              [&](const std::string& path, std::string_view) {
                                const auto known = files.find(path);
                                return known == files.end() ? fail({path, 0}, "not there"), "" : known->second;
                              });
}

// The row of params.csv as a config.
std::string config_of(const RecordedRun& run) {
  const auto rows = rows_of("params.csv");
  for (const auto& row : rows) {
    if (row.at(0) != run.name()) continue;
    std::string out = "TOPOLOGY_FILE topology.txt\nFLOW_FILE flows.txt\nFCT_OUTPUT_FILE fct.txt\n";
    for (std::size_t i = 2; i < row.size(); ++i) out += fmt::format("{} {}\n", rows.at(0).at(i), row[i]);
    return out;
  }
  ADD_FAILURE() << run.name();
  return "";
}

std::string topology_of(const net::Topology& t) {
  std::string out = fmt::format("{} {} {}\n", t.nodes(), t.switches, t.links.size());
  for (std::uint32_t s = t.hosts; s < t.nodes(); ++s) out += fmt::format("{} ", s);
  for (const net::Link& link : t.links)
    out += fmt::format("\n{} {} {}Gbps {}ns 0", link.a, link.b, link.rate.bits_per_second / 1'000'000'000,
                       link.delay.ps / 1000);
  return out + "\n";
}

// Seconds half a nanosecond beyond the start, so that it is what is left when the fraction is cut.
std::string flows_of(traffic::Traffic& traffic) {
  std::string out;
  std::size_t count = 0;
  for (; const auto flow = traffic.next(); ++count)
    out += fmt::format("{} {} 3 {} {} {}.{:09}5\n", flow->src, flow->dst, flow->dport, flow->size.count,
                       2 + flow->start.ps / 1'000'000'000'000, flow->start.ps / 1000 % 1'000'000'000);
  return fmt::format("{}\n{}", count, out);
}

Files files_of(const RecordedRun& run) {
  const scenario::Run built = scenario::build(scenario_of(run));
  std::vector<std::string> tags;
  const auto traffic = scenario::build_traffic(scenario_of(run), *built.model, tags);
  return {{"config.txt", config_of(run)},
          {"topology.txt", topology_of(built.model->topology)},
          {"flows.txt", flows_of(*traffic)}};
}

class Imported : public testing::TestWithParam<RecordedRun> {};

std::string write(const app::Folder& folder, const std::string& name, const std::string& content) {
  std::ofstream(folder / name) << content;
  return folder / name;
}

TEST_P(Imported, EveryFlowToTheNanosecond) {
  const RecordedRun& run = GetParam();
  if (!wanted(run)) GTEST_SKIP() << "takes long; WEIR_VALIDATION=all runs it";
  const app::Folder folder("import-" + run.name());
  const auto imported = import(files_of(run));
  write(folder, "a.graph", imported.graph);
  write(folder, "a.flows.csv", imported.flows);
  const auto s = scenario::load_scenario_file(write(folder, "a.toml", imported.toml));
  expect_equal(simulate(s), recorded_ns(run));
}

INSTANTIATE_TEST_SUITE_P(Runs, Imported, testing::ValuesIn(runs(false)),
                         [](const auto& of) { return test_name(of.param.name()); });

// Two hosts and a switch, one flow of two packets.
Files small() {
  return {{"config.txt",
           "TOPOLOGY_FILE topology.txt\nFLOW_FILE flows.txt\nTRACE_FILE trace.txt\nCC_MODE 3\nRATE_AI 50Mb/s\n"
           "RATE_HAI 50Mb/s\nMULTI_RATE 0\nMI_THRESH 0\nHAS_WIN 1\nVAR_WIN 1\nL2_CHUNK_SIZE 4000\nL2_ACK_INTERVAL 1\n"
           "KMAX_MAP 1 100000000000 1600\nKMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.2\n"
           "SIMULATOR_STOP_TIME 2.01\nPAUSE_TIME 5\nRP_TIMER 300\nEWMA_GAIN 0.0625\n"},
          {"topology.txt", "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 0.001ms 0\n"},
          {"flows.txt", "1\n0 1 3 100 2000 2.000001\n"},
          {"trace.txt", "1\n2\n"}};
}

// `from` replaced by `to` in one of the files; what is said about it.
struct Wrong {
  std::string file;
  std::string from;
  std::string to;
  std::string message;
  bool exact = false;
};

TEST(Import, SaysWhatIsWrong) {
  const Wrong cases[] = {
      {"config.txt", "CC_MODE 3", "CC_MOD 3", "config.txt:4: unknown key 'CC_MOD' (did you mean 'CC_MODE'?)"},
      {"config.txt", "CC_MODE 3", "CC_MODE 10", "config.txt:4: CC_MODE: 10 (HPCC-PINT) is not possible; valid is"},
      {"config.txt", "CC_MODE 3", "CC_MODE", "config.txt:4: CC_MODE: 0 values; write 1"},
      {"config.txt", "HAS_WIN 1", "VAR_WIN 1", "config.txt:10: VAR_WIN is there already, in line 9"},
      {"config.txt", "HAS_WIN 1", "HAS_WIN 0", "config.txt:9: HAS_WIN: HPCC divides by the window"},
      {"config.txt", "RATE_AI 50Mb/s\n", "\n", "config.txt: RATE_AI is missing; HPCC needs it"},
      {"config.txt", "50Mb/s", "50Mx/s", "config.txt:5: RATE_AI: rate: '50Mx/s' is not valid"},
      {"config.txt", "KMAX_MAP 1", "KMAX_MAP 2", "config.txt:13: KMAX_MAP: write how many rates there are"},
      {"config.txt", "KMAX_MAP 1 1", "KMAX_MAP 1 2", "topology.txt:3: KMAX_MAP of config.txt:13 has no value"},
      {"config.txt", "000 400", "000 2400", "config.txt:14: KMIN_MAP: more than in KMAX_MAP"},
      {"config.txt", "TIME 2.01", "TIME 1.99", "config.txt:16: SIMULATOR_STOP_TIME: write more than 2"},
      {"config.txt", "PAUSE_TIME 5", "LINK_DOWN 5 0 2", "config.txt:17: LINK_DOWN: there is no link 0 - 2 between two"},
      {"config.txt", "FLOW_FILE flows.txt", "FLOW_FILE none.txt", "none.txt: not there"},
      {"topology.txt", "3 1 2", "3 1 3", "topology.txt:4: the file ends before one end of a link"},
      {"topology.txt", "3 1 2", "3 1 1", "topology.txt:4: '1' comes after 1 links"},
      {"topology.txt", "3 1 2\n2", "3 1 2\n1", "topology.txt:2: switch 1 is numbered among the hosts"},
      {"topology.txt", "1 2 100Gbps", "1 3 100Gbps", "topology.txt:4: the other end of a link: '3' is not valid"},
      {"topology.txt", "1 2 100Gbps", "0 2 100Gbps", "topology.txt:4: a second link 0 - 2"},
      {"topology.txt", "100Gbps 1000ns", "40Gbps 1000ns", "topology.txt:3: HPCC has no code for a link of 40 Gbps"},
      {"topology.txt", "100Gbps 1000ns", "1000000Gbps 1000ns", "topology.txt:3: rate: '1000000Gbps' is not valid"},
      {"topology.txt", "1000ns", "0.5ns", "topology.txt:3: delay: '0.5ns' is not valid"},
      {"topology.txt", "1000ns 0", "1000ns 0.1", "topology.txt:4: packets are lost with probability 0 here and 0.1"},
      {"flows.txt", "1\n0", "2\n0", "flows.txt:2: the file ends before the source of a flow"},
      {"flows.txt", "0 1 3", "0 2 3", "flows.txt:2: the destination of a flow: '2' is not valid"},
      {"flows.txt", "0 1 3", "0 1 2", "flows.txt:2: the priority group of a flow: '2' is not valid"},
      {"flows.txt", "2.000001", "1.5", "flows.txt:2: the start of a flow: '1.5' is not valid"},
      {"flows.txt", "2000 ", "4294967296 ", "flows.txt:2: the size of a flow: '4294967296' is not valid"},
      {"flows.txt", "1\n0", "2\n0 1 3 100 1 2.5\n0", "flows.txt:3: the flow starts before the one above it"},
      {"trace.txt", "2", "3", "trace.txt:2: a trace node: '3' is not valid"},
      {"config.txt", "MULTI_RATE 0", "MULTI_RATE 1", "config.txt:7: MULTI_RATE: not possible with --exact", true},
      {"config.txt", "PAUSE_TIME 5", "ERROR_RATE_PER_LINK 0.1", "config.txt:17: ERROR_RATE_PER_LINK: not possible",
       true},
      {"config.txt", "VAR_WIN 1", "VAR_WIN 0", "config.txt:10: VAR_WIN: not possible with --exact", true},
  };
  for (const Wrong& wrong : cases) {
    Files files = small();
    std::string& text = files.at(wrong.file);
    const auto at = text.find(wrong.from);
    ASSERT_NE(at, std::string::npos) << wrong.from;
    text.replace(at, wrong.from.size(), wrong.to);
    try {
      import(files, wrong.exact);
      ADD_FAILURE() << wrong.from << " -> " << wrong.to << " was taken";
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(wrong.message)) << error.what() << "\n" << wrong.message;
    }
  }
}

TEST(Import, ByCommand) {
  const app::Folder folder("import-command");
  for (const auto& [name, content] : small()) write(folder, name, content);
  const app::Output made = app::weir({"import", "ns3", folder / "config.txt", "-o", folder / "a.toml"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err, "ignored: PAUSE_TIME\n");
  EXPECT_EQ(app::weir({"validate", folder / "a.toml"}).status, 0);

  // Of 1090 B at 100 Gb/s and 1 us, and acknowledgements of 88 B, in whole nanoseconds: two packets one after the other
  // 2 * 87, the second one again from the switch 87, the acknowledgement 2 * 7, and four times 1000.
  const app::Output run = app::weir({"run", folder / "a.toml", "-q", "--out", folder / "results"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(app::read_file(folder / "results/flows.csv").find("\n0,0,1,2000,1000000,"), std::string::npos)
      << app::read_file(folder / "results/flows.csv");
  EXPECT_NE(app::read_file(folder / "results/flows.csv").find(",4275000,"), std::string::npos)
      << app::read_file(folder / "results/flows.csv");
  EXPECT_NE(app::read_file(folder / "results/pfc.csv").find("2,0"), std::string::npos);

  const app::Output again = app::weir({"import", "ns3", folder / "config.txt", "-o", folder / "a.toml"});
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("exists already"), std::string::npos) << again.err;
  // The result's own scenario gives the same again.
  EXPECT_EQ(app::weir({"run", folder / "results/scenario.toml", "-q"}).status, 0);
}

TEST(Import, ByCommandExact) {
  const app::Folder folder("import-exact");
  for (const auto& [name, content] : small()) write(folder, name, content);
  for (const char* mode : {"1", "3", "7", "8"}) {
    std::string config = small().at("config.txt");
    config.replace(config.find("CC_MODE 3"), 9, fmt::format("CC_MODE {}", mode));
    write(folder, "config.txt", config);
    for (const bool exact : {false, true}) {
      const std::string out = folder / fmt::format("{}{}.toml", mode, exact ? "-exact" : "");
      std::vector<std::string> arguments{"import", "ns3", folder / "config.txt", "-o", out};
      if (exact) arguments.push_back("--exact");
      EXPECT_EQ(app::weir(arguments).status, 0) << mode;
      const app::Output run = app::weir({"run", out, "-q"});
      EXPECT_EQ(run.status, 0) << mode << run.err;
    }
  }
}

}  // namespace
}  // namespace weir::replica
