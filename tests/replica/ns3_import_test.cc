// weir import ns3: the recorded runs as the artifact's own input files, and what is wrong with such files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/replica/recorded.h"
#include "tests/support/command.h"
#include "weir/import/ns3_import.h"
#include "weir/replica/ns3_routes.h"
#include "weir/scenario/build.h"

namespace weir::replica {
namespace {

using Files = std::map<std::string, std::string>;  // by name

scenario::Ns3Import import(const Files& files, bool exact = false) {
  const scenario::Ns3ImportOptions options{
      .exact = exact, .graph_name = "a.graph", .flows_name = "a.flows.csv", .is_file = [&](const std::string& path) {
        return files.contains(path);
      }};
  return scenario::import_ns3(files.at("config.txt"), "config.txt", options,
                              [&](const std::string& path, std::string_view) { return files.at(path); });
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
  const auto traffic = scenario::build_traffic(scenario_of(run), *built.model);
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
      {"config.txt", "FLOW_FILE flows.txt", "FLOW_FILE none.txt",
       "config.txt:2: FLOW_FILE: there is no file none.txt in the folder of the config, in the one above it, and in "
       "the "
       "one where weir was started"},
      {"topology.txt", "3 1 2", "3 1 3", "topology.txt:4: the file ends before one end of a link"},
      {"topology.txt", "3 1 2", "3 1 1", "topology.txt: 1 links cannot connect 3 nodes"},
      {"topology.txt", "3 1 2\n2", "3 1 2\n1",
       "topology.txt:3: the link 0 - 1 joins two hosts; valid is a host and a switch, 2 to 2 (hosts are 0 to 1 here, "
       "and "
       "switches come after them)"},
      {"topology.txt", "1 2 100Gbps", "1 3 100Gbps", "topology.txt:4: the other end of a link: '3' is not valid"},
      {"topology.txt", "1 2 100Gbps", "0 2 100Gbps", "topology.txt: host 1 has 0 links to switches"},
      {"topology.txt", "3 1 2\n2\n", "3 1 3\n2\n0 2 100Gbps 1000ns 0\n",
       "topology.txt: host 0 has 2 links; a host has exactly one here"},
      {"topology.txt", "100Gbps 1000ns", "40Gbps 1000ns", "topology.txt:3: HPCC has no code for a link of 40 Gbps"},
      {"topology.txt", "100Gbps 1000ns", "1000000Gbps 1000ns", "topology.txt:3: rate: '1000000Gbps' is not valid"},
      {"topology.txt", "1000ns", "0.5ns", "topology.txt:3: delay: '0.5ns' is not valid"},
      {"flows.txt", "1\n0", "2\n0",
       "flows.txt:2: the file ends before the source of a flow; it holds less than its first line says"},
      {"flows.txt", "0 1 3", "0 2 3", "flows.txt:2: the destination of a flow: node 2 is a switch"},
      {"flows.txt", "0 1 3", "0 3 3", "flows.txt:2: the destination of a flow: '3' is not valid"},
      {"flows.txt", "0 1 3", "0 1 2", "flows.txt:2: the priority group of a flow: '2' is not valid"},
      {"flows.txt", "2.000001", "1.5", "flows.txt:2: the start of a flow: '1.5' is not valid"},
      {"flows.txt", "2000 ", "4294967296 ", "flows.txt:2: the size of a flow: '4294967296' is not valid"},
      {"flows.txt", "1\n0", "2\n0 1 3 100 1 2.5\n0", "flows.txt:3: the flow starts before the one above it"},
      {"trace.txt", "2", "-1", "trace.txt:2: a trace node: '-1' is not valid"},
      {"config.txt", "MULTI_RATE 0", "MULTI_RATE 1", "config.txt:7: MULTI_RATE: not possible with --exact", true},
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

// The completion time of each flow that ends.
std::map<std::uint64_t, Time> times_of(const scenario::Ns3Import& imported) {
  const app::Folder folder("import-times");
  write(folder, "a.graph", imported.graph);
  write(folder, "a.flows.csv", imported.flows);
  const scenario::Run run = scenario::build(scenario::load_scenario_file(write(folder, "a.toml", imported.toml)));
  std::map<std::uint64_t, Time> out;
  run.simulation->on_finish([&](const host::FlowRecord& r) { out[r.id] = r.finish - r.start; });
  while (!run.simulation->advance()) {
  }
  return out;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// The simulator reads as many rows as the first line counts, and no node that is not there.
TEST(Import, NamesWhatIsBehindTheCountedRows) {
  Files files = small();
  files.at("topology.txt") += "\nFirst line: how many\n";
  files.at("flows.txt") += "1 0 3 100 2000 3\n";
  files.at("trace.txt") = "4\n2 3 4 6\n\nNode IDs...\n";
  for (const bool exact : {false, true}) {
    const auto imported = import(files, exact);
    const std::vector<std::string> expected{
        "topology.txt from line 6 on, which is beyond the 2 links that its first line counts ('First line: how "
        "many'...)",
        "flows.txt from line 3 on, which is beyond the 1 flows that its first line counts ('1 0 3 100 2000 3'...)",
        "trace.txt: nodes 3-4,6, which the topology does not have",
        "trace.txt from line 4 on, which is beyond the 4 trace nodes that its first line counts ('Node IDs...'...)"};
    for (const std::string& part : expected)
      EXPECT_NE(std::find(imported.ignored.begin(), imported.ignored.end(), part), imported.ignored.end())
          << part << "\n"
          << fmt::format("{}", fmt::join(imported.ignored, "\n"));
    EXPECT_EQ(times_of(imported), times_of(import(small(), exact)));
  }
}

TEST(Import, NumbersHostsFirst) {
  Files files = small();
  replace(files.at("config.txt"), "TRACE_FILE trace.txt\n", "LINK_DOWN 1000 0 2\n");
  files.at("topology.txt") =
      "7 4 7\n0 1 2 5\n3 0 100Gbps 1us 0\n4 5 100Gbps 1us 0\n6 5 100Gbps 1us 0\n0 1 100Gbps 1us 0\n"
      "0 2 100Gbps 1us 0\n1 5 100Gbps 1us 0\n2 5 100Gbps 1us 0\n";
  files.at("flows.txt") = "2\n3 6 3 100 2000 2\n4 3 3 100 2000 2\n";
  const auto imported = import(files);
  EXPECT_EQ(imported.nodes, "node,ns3_node\n0,3\n1,4\n2,6\n3,0\n4,1\n5,2\n6,5\n");
  EXPECT_NE(imported.toml.find("\nswitches = \"0-2,5\"\n"), std::string::npos) << imported.toml;
  EXPECT_NE(imported.toml.find("\nlink_down_a = 3\nlink_down_b = 5\n"), std::string::npos) << imported.toml;
  EXPECT_NE(imported.flows.find("\n0,2,10000,"), std::string::npos) << imported.flows;
  EXPECT_NE(imported.flows.find("\n1,0,10000,"), std::string::npos) << imported.flows;
  replace(files.at("config.txt"), "LINK_DOWN 1000", "LINK_DOWN 0");
  EXPECT_EQ(import(files, true).toml.find("switches"), std::string::npos);
  EXPECT_EQ(import(files, true).nodes, imported.nodes);
  EXPECT_TRUE(import(small()).nodes.empty());
}

// Addresses and hashes follow the numbers there, so that flows take the paths that they take there: by switch 1, or by
// switch 2, which is 4 us farther.
TEST(Import, HashesTheNumbersOfTheSimulator) {
  Files files = small();
  const auto topology = [](std::string_view far) {
    return fmt::format(
        "6 4 6\n0 1 2 5\n3 0 100Gbps 1us 0\n4 5 100Gbps 1us 0\n0 1 100Gbps 1us 0\n5 1 100Gbps 1us 0\n"
        "0 2 100Gbps {0} 0\n5 2 100Gbps {0} 0\n",
        far);
  };
  constexpr std::uint16_t kFlows = 12;
  files.at("flows.txt") = fmt::format("{}\n", kFlows);
  for (std::uint16_t i = 0; i < kFlows; ++i)
    files.at("flows.txt") += fmt::format("3 4 3 {} 2000 2.000{:02}\n", 100 + i, i);
  files.at("trace.txt") = "0\n";
  files.at("topology.txt") = topology("1us");
  const auto near = times_of(import(files));
  files.at("topology.txt") = topology("3us");
  const auto times = times_of(import(files));
  ASSERT_EQ(times.size(), std::size_t{kFlows});
  for (std::uint16_t i = 0; i < kFlows; ++i) {
    const auto sport = static_cast<std::uint16_t>(10'000 + i);
    const auto dport = static_cast<std::uint16_t>(100 + i);
    // Next hops come by descending number.
    const bool data_by_2 = murmur_hash(3, 4, sport, dport, 0) % 2 == 0;
    const bool answer_by_2 = murmur_hash(4, 3, dport, sport, 5) % 2 == 0;
    EXPECT_EQ(times.at(i), near.at(i) + Time{4'000'000} * (data_by_2 + answer_by_2)) << i;
  }
}

// Of parallel links between two switches the simulator's table of neighbours keeps the last one. The others carry
// nothing, but have a part of the buffer. Weir itself uses all.
TEST(Import, UsesTheLastOfParallelLinks) {
  Files files = small();
  const std::string hosts = "5 2 6\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n";
  files.at("topology.txt") = hosts + "3 4 100Gbps 9us 0\n4 3 100Gbps 5us 0\n3 4 100Gbps 1us 0\n";
  files.at("flows.txt") = "2\n0 2 3 100 100000 2\n1 2 3 100 100000 2\n";
  files.at("trace.txt") = "1\n3\n";
  Files last = files;
  last.at("topology.txt") = hosts + "3 4 100Gbps 1us 0\n";
  replace(last.at("topology.txt"), "5 2 6", "5 2 4");
  EXPECT_EQ(times_of(import(files)), times_of(import(last)));
  EXPECT_NE(import(files).toml.find("ports = \"3->0, 3->1, 3->4\"\n"), std::string::npos) << import(files).toml;
  const auto exact = times_of(import(files, true));
  EXPECT_EQ(exact.size(), 2U);
  EXPECT_NE(exact, times_of(import(last, true)));
}

// The error rate of a link counts where it is not 0, and else that of all links.
TEST(Import, LosesPacketsOnSingleLinks) {
  Files files = small();
  replace(files.at("config.txt"), "PAUSE_TIME 5", "ERROR_RATE_PER_LINK 0.25");
  const std::string all = "loss = 0.25\n";
  const std::string row = "\n[[network.loss]]\nlinks = \"";
  EXPECT_NE(import(files).toml.find(all), std::string::npos);
  EXPECT_EQ(import(files).toml.find(row), std::string::npos);
  EXPECT_NE(import(files, true).toml.find(row + "all\"\nprobability = 0.25\n"), std::string::npos);
  replace(files.at("topology.txt"), "0.001ms 0", "0.001ms 0.5");
  for (const bool exact : {false, true}) {
    const std::string toml = import(files, exact).toml;
    EXPECT_NE(toml.find(row + "1-2\"\nprobability = 0.5\n"), std::string::npos) << toml;
    EXPECT_EQ(toml.find(row + "0-2"), std::string::npos) << toml;
    EXPECT_EQ(toml.find(all) == std::string::npos, exact) << toml;
    EXPECT_EQ(toml.find(row + "all") == std::string::npos, !exact) << toml;
  }

  // All that comes from host 1 is lost, which are the acknowledgements.
  files = small();
  replace(files.at("topology.txt"), "0.001ms 0", "0.001ms 1");
  EXPECT_TRUE(times_of(import(files)).empty());
  EXPECT_EQ(times_of(import(small())).size(), 1U);
  replace(files.at("config.txt"), "PAUSE_TIME 5", "ERROR_RATE_PER_LINK 1");
  EXPECT_EQ(import(files).toml.find(row), std::string::npos);
}

// As published: the config lies in mix/, and names are from the folder above, where the simulator starts.
TEST(Import, FindsFilesWhereTheSimulatorStarts) {
  const app::Folder folder("import-mix");
  Files files = small();
  std::filesystem::create_directory(folder / "mix");
  for (const char* name : {"topology.txt", "flows.txt", "trace.txt"})
    replace(files.at("config.txt"), fmt::format(" {}", name), fmt::format(" mix/{}", name));
  for (const auto& [name, content] : files) write(folder, "mix/" + name, content);
  const app::Output made = app::weir({"import", "ns3", folder / "mix/config.txt", "-o", folder / "a.toml"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.flows.csv", "a.graph", "a.toml", "mix"}));
}

// The keys of forks that say nothing about the run are ignored; those that do must say what this simulator does.
TEST(Import, TakesConfigsOfForks) {
  Files files = small();
  std::string& config = files.at("config.txt");
  config +=
      "FLOW_INPUT_FILE in.txt\nCNP_OUTPUT_FILE cnp.txt\nVOQ_MON_FILE a\nUPLINK_MON_FILE a\nCONN_MON_FILE a\n"
      "SW_MONITORING_INTERVAL 10000\nFLOWGEN_START_TIME 2.0\nFLOWGEN_STOP_TIME 2.1\nLB_MODE 0\nENABLE_PFC 1\n"
      "ENABLE_IRN 0\nLOAD 50\nRANDOM_SEED 7\nBW_MON_FILE bw.txt\nMON_START 0\n";
  const auto imported = import(files);
  EXPECT_EQ(fmt::format("{}", fmt::join(imported.ignored, ",")),
            "PAUSE_TIME,FLOW_INPUT_FILE,CNP_OUTPUT_FILE,VOQ_MON_FILE,UPLINK_MON_FILE,CONN_MON_FILE,"
            "SW_MONITORING_INTERVAL,FLOWGEN_START_TIME,FLOWGEN_STOP_TIME,LOAD,BW_MON_FILE,MON_START");
  EXPECT_NE(imported.toml.find("\nseed = 7\n"), std::string::npos) << imported.toml;
  EXPECT_EQ(times_of(imported), times_of(import(small())));

  replace(config, "LB_MODE 0", "LB_MODE 9");
  replace(config, "ENABLE_IRN 0", "ENABLE_IRN 1");
  config += "NEW_KEY 1\nCC_MOD 3\n";
  try {
    import(files);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "config.txt:28: LB_MODE: '9' is not possible, only 0 (DRILL, CONGA, LetFlow and ConWeave have none; 0 "
                 "is ECMP); line 30: ENABLE_IRN: '1' is not possible, only 0 (algorithm.recovery.kind = \"irn\" in a "
                 "scenario made with --exact); line 35: unknown key 'NEW_KEY'; line 36: unknown key 'CC_MOD' (did you "
                 "mean 'CC_MODE'?)");
  }
}

// conweave-ns3 has no column of ports, ns3-datacenter a first line of four numbers, rates without a unit and times from
// 0 on, SimAI a first line of six.
TEST(Import, TakesTopologiesAndFlowsOfForks) {
  const auto times = times_of(import(small()));
  Files files = small();
  files.at("flows.txt") = "1\n0 1 3 2000 2.000001\n";
  EXPECT_EQ(times_of(import(files)), times);
  EXPECT_NE(import(files).flows.find("\n0,1,10000,100,2000,"), std::string::npos) << import(files).flows;

  files.at("topology.txt") = "3 1 1 2\n2\n0 2 100000000000.0 1us 0\n1 2 100000000000 1us 0\n";
  files.at("flows.txt") = "1\n0 1 3 100 2000 0.000001\n";
  replace(files.at("config.txt"), "TIME 2.01", "TIME 0.2");
  EXPECT_EQ(times_of(import(files)), times);
  EXPECT_NE(import(files).toml.find("# Time 0 is second 0 there.\n"), std::string::npos) << import(files).toml;
  EXPECT_NE(import(files).toml.find("\nstop = \"200 ms\"\n"), std::string::npos) << import(files).toml;

  files = small();
  replace(files.at("topology.txt"), "3 1 2\n", "3 8 0 1 2 H100\n");
  EXPECT_EQ(times_of(import(files)), times);
  replace(files.at("topology.txt"), "8 0 1", "8 1 1");
  EXPECT_THROW(import(files), InputError);
}

// Sequence numbers of the simulator have 32 bits, Weir's have more. A trace file that is not there traces nothing.
TEST(Import, TakesLargeFlowsAndNoTraces) {
  Files files = small();
  replace(files.at("flows.txt"), " 2000 ", " 1000000000000 ");
  EXPECT_THROW(import(files), InputError);
  EXPECT_NE(import(files, true).flows.find(",1000000000000,"), std::string::npos);
  files = small();
  files.erase("trace.txt");
  const auto imported = import(files);
  EXPECT_NE(std::find(imported.ignored.begin(), imported.ignored.end(), "TRACE_FILE (there is no file trace.txt)"),
            imported.ignored.end());
  EXPECT_EQ(imported.toml.find("[probes"), std::string::npos);
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
