// The replica beside uet-htsim: the runs of data/reference/htsim, read by weir import htsim with the very options of
// each run. Finish times are equal as far as the original prints them, six digits, and single flows to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/command.h"
#include "weir/base/csv.h"
#include "weir/replica/uet_htsim.h"
#include "weir/scenario/htsim_import.h"
#include "weir/scenario/run.h"
#include "weir/traffic/text_file.h"

namespace weir::replica {
namespace {

const std::string kFolder = "data/reference/htsim/";

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  const std::string text = traffic::read_text_file(kFolder + file, "a file of results");
  CsvReader reader(text, kFolder + file);
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string> fields; reader.next(fields);) rows.push_back(fields);
  rows.erase(rows.begin());
  return rows;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

struct HtsimRun {
  std::string name;
  std::vector<std::string> arguments;
  std::uint64_t new_packets = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t requests = 0;
};

void PrintTo(const HtsimRun& run, std::ostream* out) { *out << run.name; }

std::vector<HtsimRun> runs() {
  std::vector<HtsimRun> out;
  for (const auto& row : rows_of("runs.csv")) {
    HtsimRun run{row.at(0), words(row.at(3)), std::stoull(row.at(4)), std::stoull(row.at(5)), std::stoull(row.at(6))};
    for (const std::string& word : {std::string("-tm"), kFolder + row.at(1), std::string("-topo"), kFolder + row.at(2),
                                    std::string("-end"), std::string("100000")})
      run.arguments.push_back(word);
    out.push_back(run);
  }
  return out;
}

// What takes a second each is one of its kind, unless WEIR_VALIDATION=all.
bool wanted(const std::string& name) {
  const char* all = std::getenv("WEIR_VALIDATION");
  if (all != nullptr && std::string_view(all) == "all") return true;
  const bool large = name.starts_with("perm128") || name.starts_with("eleph128");
  const std::vector<std::string> few{
      "perm128_8M_s1_ops",         "perm128_8M_s1_ar_seed2",           "perm128_8M_s2_reps",       "perm128_8M_s3_ecmp",
      "perm128_8M_s1_bitmap",      "perm128_8M_s1_mixed_trimdefaults", "perm128_8M_s1_repslegacy", "perm128_8M_s1_rr",
      "perm128_8M_s3_reps_ackall", "eleph128_s2_reps_cwnd150"};
  return !large || std::find(few.begin(), few.end(), name) != few.end();
}

// A run of htsim_uec with these options; finish times by flow.
struct Result {
  std::vector<Time> finish;
  engine::Counters counters;
};
Result simulate(const std::vector<std::string>& arguments,
                const std::function<void(const uet::Acknowledged&)>& watch = {}) {
  const app::Folder folder("htsim");
  const auto made = scenario::import_htsim(arguments, {.connections_name = "a.csv", .graph_name = "a.graph"},
                                           traffic::read_text_file);
  std::ofstream(folder / "a.csv") << made.connections;
  std::ofstream(folder / "a.graph") << made.graph;
  std::ofstream(folder / "a.toml") << made.toml;
  const scenario::Run run = scenario::build(scenario::load_scenario_file(folder / "a.toml"));
  if (watch) dynamic_cast<HtsimUet&>(*run.simulation).watch(watch);
  Result out;
  run.simulation->on_finish([&](const host::FlowRecord& r) {
    if (out.finish.size() <= r.id) out.finish.resize(r.id + 1, Time{-1});
    out.finish[r.id] = r.finish;
  });
  while (!run.simulation->advance()) {
  }
  out.counters = run.simulation->counters();
  return out;
}

std::string write(const app::Folder& folder, const std::string& name, const std::string& content) {
  std::ofstream(folder / name) << content;
  return folder / name;
}

class Htsim : public testing::TestWithParam<HtsimRun> {};

TEST_P(Htsim, EveryFlowAsItPrintsIt) {
  const HtsimRun& run = GetParam();
  if (!wanted(run.name)) GTEST_SKIP() << "takes long; WEIR_VALIDATION=all runs it";
  const auto rows = rows_of("finish_us.csv");
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.at(0) == run.name; });
  ASSERT_NE(row, rows.end());
  const auto theirs = words(row->at(1));
  const Result ours = simulate(run.arguments);
  ASSERT_EQ(ours.finish.size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double us = static_cast<double>(ours.finish[i].ps) / 1e6;
    EXPECT_EQ(std::stod(fmt::format("{:.6g}", us)), std::stod(theirs[i])) << "flow " << i + 1 << ": " << us;
  }
  EXPECT_EQ(ours.counters.retransmitted, run.retransmitted);
  EXPECT_EQ(ours.counters.data_packets, run.new_packets + run.retransmitted);
}

INSTANTIATE_TEST_SUITE_P(Runs, Htsim, testing::ValuesIn(runs()), [](const auto& of) { return of.param.name; });

class Acknowledgements : public testing::TestWithParam<std::string> {};

// Each one of flow 1: when, round trip, mark, entropy, what is acknowledged, and the window after it. Their log has six
// digits of times, and no window where quick adapt took the acknowledgement.
TEST_P(Acknowledgements, AreTheirs) {
  const auto all = runs();
  const auto run = std::find_if(all.begin(), all.end(), [&](const HtsimRun& r) { return r.name == GetParam(); });
  ASSERT_NE(run, all.end());
  const auto theirs = rows_of("acks_" + GetParam() + ".csv");
  std::size_t i = 0;
  simulate(run->arguments, [&](const uet::Acknowledged& ack) {
    if (ack.flow != 1 || i >= theirs.size()) return i += ack.flow == 1 ? 1 : 0, void();
    const auto& row = theirs[i++];
    const auto printed = [](Time t) { return std::stod(fmt::format("{:.6g}", static_cast<double>(t.ps) / 1e6)); };
    ASSERT_EQ(printed(ack.now), std::stod(row.at(0))) << i;
    ASSERT_EQ(printed(ack.rtt), std::stod(row.at(1))) << i;
    ASSERT_EQ(ack.marked, row.at(2) == "1") << i;
    ASSERT_EQ(std::to_string(ack.entropy), row.at(3)) << i;
    ASSERT_EQ(std::to_string(ack.expected), row.at(4)) << i;
    ASSERT_EQ(std::to_string(ack.packet), row.at(5)) << i;
    if (!row.at(6).empty()) {
      ASSERT_EQ(std::to_string(ack.window.count), row.at(6)) << i;
    }
  });
  EXPECT_EQ(i, theirs.size());
}

INSTANTIATE_TEST_SUITE_P(Traces, Acknowledgements,
                         testing::Values("one128_2M_ops", "one128_8M_ecmp", "inc8_2M_ecmp", "inc8_2M_ops",
                                         "two128_2M_ops", "stagger3_4M_ops"),
                         [](const auto& of) { return of.param; });

const std::vector<std::string> kOptions{"-linkspeed",
                                        "800000",
                                        "-mtu",
                                        "4160",
                                        "-q",
                                        "192",
                                        "-ecn",
                                        "10",
                                        "10",
                                        "-disable_trim",
                                        "-topo",
                                        kFolder + "ft128.topo",
                                        "-target_q_delay",
                                        "1"};

std::vector<std::string> with_matrix(const std::string& file, std::vector<std::string> arguments = kOptions) {
  arguments.push_back("-tm");
  arguments.push_back(file);
  return arguments;
}

// Of links of 500 ns at 800 Gb/s, packets of 4160 B and acknowledgements of 64 B: 2 n (500 ns) + n (41.6 + 0.64) ns for
// n links; and then 41.6 ns for each further packet.
TEST(Htsim, SingleFlowsToThePicosecond) {
  const app::Folder folder("htsim-single");
  const auto matrix = [&](int to, int size) {
    return write(folder, fmt::format("{}-{}.cm", to, size),
                 fmt::format("Nodes 128\nConnections 1\n0->{} id 1 start 0 size {}\n", to, size));
  };
  for (const auto& [to, ps] : std::map<int, std::int64_t>{{127, 6'253'440}, {15, 4'168'960}, {3, 2'084'480}}) {
    EXPECT_EQ(simulate(with_matrix(matrix(to, 4096))).finish, std::vector{Time{ps}});
    EXPECT_EQ(simulate(with_matrix(matrix(to, 2'097'152))).finish, std::vector{Time{ps + 511 * 41'600}});
  }
  EXPECT_EQ(simulate(with_matrix(matrix(127, 8'388'608))).finish, std::vector{Time{91'408'640}});
}

// Finish times of uet-htsim for this matrix (seed 13). By hand: the second flow begins as the first ends, at 27.511 us,
// and so does the third; the fourth when both have ended; the fifth with the fourth's end.
TEST(Htsim, TriggersStartFlows) {
  const app::Folder folder("htsim-triggers");
  const std::string matrix = write(folder, "a.cm",
                                   "Nodes 128\nConnections 6\nTriggers 3\n"
                                   "0->127 id 1 start 0 size 2097152 send_done_trigger 1\n"
                                   "3->100 id 2 trigger 1 size 2097152 send_done_trigger 2\n"
                                   "5->90 id 3 trigger 1 size 1000000 send_done_trigger 2\n"
                                   "7->20 id 4 trigger 2 size 2097152 send_done_trigger 3\n"
                                   "8->21 id 5 trigger 3 size 5000\n"
                                   "9->22 id 6 start 60 size 5000\n"
                                   "trigger id 1 oneshot\ntrigger id 2 barrier count 2\ntrigger id 3 multishot\n");
  std::vector<std::string> arguments = with_matrix(matrix);
  for (const char* word : {"-load_balancing_algo", "oblivious", "-seed", "1"}) arguments.emplace_back(word);
  const Result result = simulate(arguments);
  const std::vector<double> theirs{27.511, 55.0637, 43.9213, 82.5747, 88.8282, 66.2534};
  ASSERT_EQ(result.finish.size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i)
    EXPECT_EQ(std::stod(fmt::format("{:.6g}", static_cast<double>(result.finish[i].ps) / 1e6)), theirs[i]) << i;
}

using Files = std::map<std::string, std::string>;

Files small() {
  return {{"a.cm",
           "Nodes 16\nConnections 2\nTriggers 1\n0->15 id 1 start 0 size 5000 send_done_trigger 1\n"
           "1->2 id 2 trigger 1 size 5000\ntrigger id 1 oneshot\n"},
          {"a.topo", traffic::read_text_file(kFolder + "ft16.topo", "")},
          {"options", "-tm a.cm -topo a.topo -linkspeed 800000 -mtu 4160 -q 192 -ecn 10 10 -strat ecmp_host"}};
}

scenario::HtsimImport import(const Files& files) {
  return scenario::import_htsim(words(files.at("options")), {.connections_name = "a.csv", .graph_name = "a.graph"},
                                [&](const std::string& path, std::string_view) { return files.at(path); });
}

TEST(Htsim, ImportSaysWhatIsWrong) {
  struct Wrong {
    std::string file;
    std::string from;
    std::string to;
    std::string message;
  };
  const Wrong cases[] = {
      {"options", "-mtu 4160", "-mtuu 4160", "-mtuu: not an option of htsim_uec (did you mean '-mtu'?); valid is -tm"},
      {"options", "-mtu 4160", "-mtu 10", "-mtu: '10' is not valid; write a whole number from 65 to 60000"},
      {"options", "-strat ecmp_host", "-strat", "-strat: 0 values follow; write 1"},
      {"options", "-strat ecmp_host", "-strat pull", "-strat: 'pull' is not possible; valid is ecmp_host, ecmp_ar"},
      {"options", "-strat ecmp_host", "-paths 3", "-paths: 3 is no power of two, which mixed needs"},
      {"options", "-strat ecmp_host", "-sleek", "-sleek: SLEEK is not possible; leave it out"},
      {"options", "-strat ecmp_host", "-conn_reuse",
       "-conn_reuse: several messages on one connection are not possible"},
      {"options", "-strat ecmp_host", "-receiver_cc_only",
       "-receiver_cc_only: the receiver's congestion control is not"},
      {"options", "-strat ecmp_host", "-nodes 8", "-nodes: 8, but a.cm:1 says 16"},
      {"options", "-ecn 10 10", "-ecn 20 10", "-ecn: the first one is above the second one"},
      {"options", "-ecn 10 10", "-ecn 10 193", "-ecn: the threshold of 802880 B is above the buffer of 780 KiB"},
      {"options", "-tm a.cm", "", "-tm: missing; name the connection matrix"},
      {"options", "-linkspeed 800000", "-linkspeed 400000", "a.topo:6: hosts' links have 800 Gbps, but NICs 400 Gbps"},
      {"options", "-topo a.topo", "-tiers 2", "a.cm:1: no fat tree of 2 tiers has 16 hosts; valid is 2 n^2"},
      {"a.cm", "Nodes 16", "Nodes 15", "a.cm:4: the destination: '15' is not valid; write a whole number from 0 to 14"},
      {"a.cm", "Nodes 16\n", "", "a.cm:3: a connection before 'Nodes N'; write that first"},
      {"a.cm", "Connections 2", "Connections 3", "a.cm:2: Connections is 3, but there are 2"},
      {"a.cm", "Triggers 1", "Triggers 2", "a.cm:3: Triggers is 2, but there are 1"},
      {"a.cm", "Triggers 1", "Trigers 1", "a.cm:3: 'Trigers' is not known (did you mean 'Triggers'?)"},
      {"a.cm", "id 2", "id 1", "a.cm:5: id 1 is there already"},
      {"a.cm", "0->15", "3->3", "a.cm:4: connection of host 3 to itself"},
      {"a.cm", "start 0", "start 0.5", "a.cm:4: start, in microseconds: '0.5' is not valid"},
      {"a.cm", "start 0 ", "", "a.cm:4: write either start MICROSECONDS or trigger N"},
      {"a.cm", "size 5000 send", "size 3000000000 send", "a.cm:4: size: '3000000000' is not valid"},
      {"a.cm", "start 0", "begin 0", "a.cm:4: 'begin' is not valid here; valid is id, start, size"},
      {"a.cm", "trigger 1 size", "trigger 2 size", "a.cm:4: trigger 1 starts no connection"},
      {"a.cm", "trigger id 1 oneshot\n", "", "a.cm:3: Triggers is 1, but there are 0"},
      {"a.cm", "oneshot", "barrier count 2", "a.cm:4: trigger 1 waits for 2 calls, but 1 connections call it"},
      {"a.cm", "oneshot", "barrier", "a.cm:6: a count, which a barrier needs, and the others have not"},
      {"a.cm", "trigger 1 size 5000\n", "trigger 1 size 5000 send_done_trigger 1\n",
       "a.cm:4: trigger 1 waits for 1 calls, but 2 connections call it"},
      {"a.cm", "5000 send_done_trigger 1\n1->2 id 2 trigger 1 size 5000\n",
       "5000\n1->2 id 2 trigger 1 size 5 send_done_trigger 1\n",
       "a.cm:5: the connection never starts: what triggers it waits for it"},
      {"a.cm", "5000 send_done_trigger", "5000 recv_done_trigger",
       "a.cm:4: recv_done_trigger: htsim_uec calls it only"},
      {"a.cm", "trigger id 1", "failure switch_type AGG switch_id 0 link_id 0\ntrigger id 1",
       "a.cm:6: failures are not possible"},
      {"a.topo", "Radix_Down 2", "Radix_Down 3", "a.topo:8: 3 links down of 800 Gbps and 2 up"},
      {"a.topo", "Podsize 4", "Podsize 5", "a.topo:3: 5 does not divide Nodes, 16"},
      {"a.topo", "Nodes 16", "Nodes 32", "a.topo:22: 4, but there are 8 links from pods to each core; valid is 8"},
      {"a.cm", "Nodes 16", "Nodes 17", "a.topo: 16 nodes, but a.cm:1 says 17"},
      {"a.topo", "Tiers 3", "Tiers 4", "a.topo:2: tiers: '4' is not valid; write a whole number from 2 to 3"},
      {"a.topo", "Downlink_Latency_ns 500", "Downlink_Latency 500", "a.topo:9: 'downlink_latency' is not valid here"},
  };
  for (const Wrong& wrong : cases) {
    Files files = small();
    std::string& text = files.at(wrong.file);
    const auto at = text.find(wrong.from);
    ASSERT_NE(at, std::string::npos) << wrong.from;
    text.replace(at, wrong.from.size(), wrong.to);
    try {
      import(files);
      ADD_FAILURE() << wrong.from << " -> " << wrong.to << " was taken";
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(wrong.message)) << error.what() << "\n" << wrong.message;
    }
  }
}

TEST(Htsim, ImportByCommand) {
  const app::Folder folder("htsim-command");
  Files files = small();
  for (const char* name : {"a.cm", "a.topo"}) write(folder, name, files.at(name));
  std::vector<std::string> arguments{"import", "htsim", "-o", folder / "a.toml", "--"};
  for (const std::string& word : words(files.at("options") + " -o log.dat"))
    arguments.push_back(word.starts_with("a.") ? folder / word : word);
  const app::Output made = app::weir(arguments);
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err, "ignored: -o\n");
  EXPECT_EQ(app::weir({"validate", folder / "a.toml"}).status, 0);
  const app::Output run = app::weir({"run", folder / "a.toml", "-q", "--out", folder / "results"});
  EXPECT_EQ(run.status, 0) << run.err;
  // The result's own scenario gives the same again.
  const app::Output again = app::weir({"run", folder / "results/scenario.toml", "-q", "--out", folder / "again"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(app::read_file(folder / "again/flows.csv"), app::read_file(folder / "results/flows.csv"));
  EXPECT_EQ(app::weir(arguments).status, 2);
}

}  // namespace
}  // namespace weir::replica
