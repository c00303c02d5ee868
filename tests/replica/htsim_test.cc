// The replica beside uet-htsim: the runs of data/reference/htsim, read by weir import htsim with the very options of
// each run. Finish times are equal as far as the original prints them, six digits, and single flows to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/replica/htsim_recorded.h"
#include "tests/support/command.h"
#include "weir/base/text_file.h"
#include "weir/import/htsim_files.h"
#include "weir/import/htsim_import.h"

namespace weir::replica::htsim_test {
namespace {

std::vector<HtsimRun> runs() {
  std::vector<HtsimRun> out;
  for (const auto& row : rows_of("runs.csv")) {
    out.push_back(recorded_run(row));
    out.back().arguments.insert(out.back().arguments.end(), {"-end", "100000"});
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

// With Weir's physics.
const scenario::HtsimImportOptions kExact{.exact = true, .program_name = "a.csv", .graph_name = "a.graph"};
Result simulate_exactly(const std::vector<std::string>& arguments) {
  return run_of(scenario::import_htsim(arguments, kExact, read_text_file));
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

class ExactMatrices : public testing::TestWithParam<HtsimRun> {};

std::string word_after(const std::vector<std::string>& all, const std::string& option) {
  const auto at = std::find(all.begin(), all.end(), option);
  return at == all.end() ? "" : *(at + 1);
}

// With Weir's physics each flow completes, and none earlier than its bytes pass its host's link at 800 Gb/s. Each
// packet has 64 B of headers.
TEST_P(ExactMatrices, EveryFlowCompletes) {
  const HtsimRun& run = GetParam();
  if (!wanted(run.name)) GTEST_SKIP() << "takes long; WEIR_VALIDATION=all runs it";
  const std::string balancing = word_after(run.arguments, "-load_balancing_algo");
  if (balancing != "oblivious" && balancing != "reps") {
    EXPECT_THROW(simulate_exactly(run.arguments), InputError) << balancing;
    return;
  }
  const std::string file = word_after(run.arguments, "-tm");
  const auto flows = scenario::parse_htsim_matrix(read_text_file(file, "a connection matrix"), file).connections.rows;
  const std::int64_t payload = std::stoll(word_after(run.arguments, "-mtu")) - 64;
  const Result result = simulate_exactly(run.arguments);
  ASSERT_EQ(result.finish.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_EQ(result.start[i], flows[i].start) << "flow " << i + 1;
    const std::int64_t wire = flows[i].size.count + (flows[i].size.count + payload - 1) / payload * 64;
    EXPECT_GT(result.finish[i], flows[i].start + transmission_time(Bytes{wire}, Rate{800'000'000'000}))
        << "flow " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, ExactMatrices, testing::ValuesIn(runs()), [](const auto& of) { return of.param.name; });

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

// As the replica's, which has no other sums: 6 (500 + 41.6) ns for the first packet, 2047 * 41.6 ns for the others, and
// 6 (500 + 0.64) ns for the last acknowledgement.
TEST(HtsimExact, SingleFlowToThePicosecond) {
  const auto of = [](const std::string& words_of_paths) {
    std::vector<std::string> arguments = with_matrix(kFolder + "one128_8M.cm");
    for (const std::string& word : words(words_of_paths)) arguments.push_back(word);
    return simulate_exactly(arguments).finish;
  };
  const std::vector<Time> expected{Time{6 * 541'600 + 2047 * 41'600 + 6 * 500'640}};
  EXPECT_EQ(of("-load_balancing_algo oblivious -paths 1"), expected);
  EXPECT_EQ(of("-load_balancing_algo oblivious"), expected);
  EXPECT_EQ(of("-load_balancing_algo reps"), expected);
  EXPECT_EQ(of("-strat ecmp_ar"), expected);
  EXPECT_EQ(of("-strat ecmp_rr"), expected);
}

// 1 us in each of the five switches, both ways, is in the delays of the links.
TEST(HtsimExact, SwitchLatenciesAreInTheLinks) {
  const app::Folder folder("htsim-latency");
  const std::string matrix = write(folder, "a.cm", "Nodes 16\nConnections 1\n0->15 id 1 start 0 size 4096\n");
  const std::vector<std::string> arguments = words(
      "-linkspeed 800000 -mtu 4160 -q 192 -ecn 10 10 -hop_latency 0.5 -switch_latency 1 -paths 1 -end 100000 -tm " +
      matrix);
  EXPECT_EQ(simulate_exactly(arguments).finish, std::vector{Time{6'253'440 + 2 * 5 * 1'000'000}});
}

// Other hosts learn of what has been sent one epoch later, which is 500 ns: the shortest link between switches. All
// flows but the second and the third are alone; those two share no link of hosts.
TEST(HtsimExact, TriggersStartFlows) {
  const app::Folder folder("htsim-exact-triggers");
  const std::string matrix = write(folder, "a.cm",
                                   "Nodes 128\nConnections 7\nTriggers 4\n"
                                   "0->127 id 1 start 0 size 2097152 send_done_trigger 1\n"
                                   "3->100 id 2 trigger 1 size 2097152 send_done_trigger 2\n"
                                   "5->90 id 3 trigger 1 size 1000000 send_done_trigger 2\n"
                                   "7->20 id 4 trigger 2 size 2097152 send_done_trigger 3\n"
                                   "8->21 id 5 trigger 3 size 4096 send_done_trigger 4\n"
                                   "8->22 id 6 trigger 4 size 4096\n"
                                   "9->22 id 7 start 200 size 4096 prio 7\n"
                                   "trigger id 1 oneshot\ntrigger id 2 barrier count 2\n"
                                   "trigger id 3 multishot\ntrigger id 4 oneshot\n");
  std::vector<std::string> arguments = with_matrix(matrix);
  for (const char* word : {"-load_balancing_algo", "oblivious"}) arguments.emplace_back(word);
  const Result r = simulate_exactly(arguments);
  const Time epoch{500'000};
  ASSERT_EQ(r.start.size(), 7u);
  EXPECT_EQ(r.finish[0], Time{6'253'440 + 511 * 41'600});
  EXPECT_EQ(r.start[1], r.finish[0] + epoch);
  EXPECT_EQ(r.start[2], r.finish[0] + epoch);
  EXPECT_EQ(r.start[3], std::max(r.finish[1], r.finish[2]) + epoch);
  EXPECT_EQ(r.start[4], r.finish[3] + epoch);
  EXPECT_EQ(r.finish[4], r.start[4] + Time{6'253'440});
  EXPECT_EQ(r.start[5], r.finish[4]);  // the same host's
  EXPECT_EQ(r.start[6], Time{200'000'000});
  EXPECT_EQ(r.profile, (std::vector<std::uint16_t>{0, 0, 0, 0, 0, 0, 1}));
}

using Files = std::map<std::string, std::string>;

Files small() {
  return {{"a.cm",
           "Nodes 16\nConnections 2\nTriggers 1\n0->15 id 1 start 0 size 5000 send_done_trigger 1\n"
           "1->2 id 2 trigger 1 size 5000\ntrigger id 1 oneshot\n"},
          {"a.topo", read_text_file(kFolder + "ft16.topo", "")},
          {"a.goal",
           "num_ranks 16\nrank 0 {\na: calc 3\nb: send 4096b to 15\nb requires a\n}\n"
           "rank 15 {\nrecv 4096b from 0\n}\n"},
          {"options", "-tm a.cm -topo a.topo -linkspeed 800000 -mtu 4160 -q 192 -ecn 10 10 -strat ecmp_host"}};
}

scenario::HtsimImport import(const Files& files, const scenario::HtsimImportOptions& options = {
                                                     .connections_name = "a.csv", .graph_name = "a.graph"}) {
  return scenario::import_htsim(words(files.at("options")), options,
                                [&](const std::string& path, std::string_view) { return files.at(path); });
}

void replace(Files& files, const std::string& file, const std::string& from, const std::string& to) {
  std::string& text = files.at(file);
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
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
      // zeros that would pass for an option that is not there
      {"options", "-strat ecmp_host", "-end 0", "-end: '0' is not valid; write a whole number from 1 to 2147483647"},
      {"options", "-strat ecmp_host", "-cwnd 0", "-cwnd: '0' is not valid; write a whole number from 1 to 1000000"},
      {"options", "-strat ecmp_host", "-nodes 0", "-nodes: '0' is not valid; write a whole number from 1"},
      {"options", "-strat ecmp_host", "-qa_gate -1", "-qa_gate: '-1' is not valid; write a whole number from 0 to 30"},
      {"options", "-strat ecmp_host", "-target_q_delay 0",
       "-target_q_delay: '0' is not valid; write a number of microseconds from 1e-06 to 1000000"},
      {"options", "-q 192", "-queue_size_bdp_factor 0",
       "-queue_size_bdp_factor: '0' is not valid; write a whole number from 1 to 1000"},
      {"options", "-strat ecmp_host", "-strat pull", "-strat: 'pull' is not possible; valid is ecmp_host, ecmp_ar"},
      {"options", "-strat ecmp_host", "-strat ecmp_host -strat ecmp_ar", "-strat: it is there twice, at which"},
      {"options", "-strat ecmp_host", "-strat rr_ecmp -queue_type composite",
       "-queue_type: htsim_uec stops if it stands behind -strat rr_ecmp"},
      {"options", "-strat ecmp_host", "-strat ecmp_ar -ar_method pause",
       "-ar_method: 'pause' is not possible; valid is queue"},
      {"options", "-strat ecmp_host", "-planes 2", "-planes: htsim_uec stops with an assertion at all but 1"},
      {"options", "-strat ecmp_host", "-paths 3", "-paths: 3 is no power of two, which mixed needs"},
      {"options", "-strat ecmp_host", "-conn_reuse", "a.cm:4: send_done_trigger: with -conn_reuse htsim_uec stops at"},
      {"a.cm", "id 2", "id 2 msg 1", "a.cm:5: msg: htsim_uec knows messages only with -conn_reuse; add that"},
      {"options", "-strat ecmp_host", "-oversubscribed_cc -Ai 2", "-Ai: '2' is not valid; write a number from 0 to 1"},
      {"options", "-strat ecmp_host", "-Md half", "-Md: 'half' is not valid; write a number from 0 to 1"},
      {"options", "-strat ecmp_host", "-nodes 8", "-nodes: 8, but a.cm:1 says 16"},
      {"options", "-ecn 10 10", "-ecn 20 10", "-ecn: the first one is above the second one"},
      {"options", "-ecn 10 10", "-ecn 10 193", "-ecn: the threshold of 802880 B is above the buffer of 780 KiB"},
      {"options", "-tm a.cm", "", "-tm: missing; name the connection matrix"},
      {"options", "-tm a.cm", "-goal a.goal", "-goal: possible only with --exact; write that, or -tm"},
      {"options", "-linkspeed 800000", "-linkspeed 400000", "a.topo:6: hosts' links have 800 Gbps, but NICs 400 Gbps"},
      {"options", "-topo a.topo", "-tiers 2", "a.cm:1: no fat tree of 2 tiers has 16 hosts; valid is 2 n^2"},
      {"a.cm", "Nodes 16", "Nodes 15", "a.cm:4: the destination: '15' is not valid; write a whole number from 0 to 14"},
      {"a.cm", "Nodes 16\n", "", "a.cm:3: a connection before 'Nodes N'; write that first"},
      {"a.cm", "Connections 2", "Connections 3", "a.cm:2: Connections is 3, but there are 2"},
      {"a.cm", "Triggers 1", "Triggers 2", "a.cm:3: Triggers is 2, but there are 1"},
      {"a.cm", "Triggers 1", "Trigers 1", "a.cm:3: 'Trigers' is not known (did you mean 'Triggers'?)"},
      {"a.cm", "id 2", "id 1", "a.cm:5: id 1 is there already"},
      {"a.cm", "0->15", "3->3", "a.cm:4: connection of host 3 to itself"},
      {"a.cm", "0->15", "3 -> 3", "a.cm:4: connection of host 3 to itself"},
      {"a.cm", "0->15", "0 15", "a.cm:4: '0' is not known; valid is Nodes, Connections, Triggers, Failures, trigger"},
      {"a.cm", "0->15", "0 ->", "a.cm:4: the destination: 'id' is not valid; write a whole number from 0 to 15"},
      {"a.cm", "start 0", "start 0.5", "a.cm:4: start, in microseconds: '0.5' is not valid; write a whole number"},
      {"a.cm", "start 0", "start 1us", "a.cm:4: start, in microseconds: '1us' is not valid"},
      {"a.cm", "start 0", "start -1", "a.cm:4: start, in microseconds: '-1' is not valid"},
      {"a.cm", "start 0", "start 16777217", "a.cm:4: start, in microseconds: '16777217' is not valid"},
      {"a.cm", "size 5000 send", "size 0 send", "a.cm:4: size 0, of which htsim_uec sends nothing"},
      {"options", "-strat ecmp_host", "-failed -1", "-failed: '-1' is not valid; write a whole number from 0"},
      {"a.cm", "start 0 ", "", "a.cm:4: write either start MICROSECONDS or trigger N"},
      {"a.cm", "size 5000 send", "size 3000000000 send", "a.cm:4: size: '3000000000' is not valid"},
      {"a.cm", "start 0", "begin 0", "a.cm:4: 'begin' is not valid here; valid is id, msg, start, size"},
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
    replace(files, wrong.file, wrong.from, wrong.to);
    try {
      import(files);
      ADD_FAILURE() << wrong.from << " -> " << wrong.to << " was taken";
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(wrong.message)) << error.what() << "\n" << wrong.message;
    }
  }
}

TEST(HtsimExact, ImportSaysWhatIsWrong) {
  struct Wrong {
    std::string file;
    std::string from;
    std::string to;
    std::string message;
    std::string unit = {};
  };
  const std::string spraying = "-load_balancing_algo oblivious";
  const Wrong cases[] = {
      {"options", spraying, "",
       "-load_balancing_algo: mixed, the default, is not possible with --exact; valid is oblivious, reps"},
      {"options", "oblivious", "mixed", "-load_balancing_algo: mixed is not possible with --exact; valid is oblivious"},
      {"options", "oblivious", "bitmap", "-load_balancing_algo: bitmap is not possible with --exact"},
      {"options", "oblivious", "reps_legacy", "-load_balancing_algo: reps_legacy is not possible with --exact"},
      {"options", spraying, spraying + " -receiver_cc", "-receiver_cc: not possible with --exact; leave one of"},
      {"options", spraying, spraying + " -receiver_cc_only", "-receiver_cc_only: not possible with --exact"},
      {"options", spraying, spraying + " -sleek", "-sleek: not possible with --exact; leave one of them out"},
      {"options", spraying, spraying + " -failed 1", "-failed: not possible with --exact; leave one of them out"},
      {"options", "-strat ecmp_host", "-strat rr_ecmp", "-strat: 'rr_ecmp' is not possible"},
      {"options", "-strat ecmp_host", "-strat ecmp_ar -ar_method bandwidth", "-ar_method: not possible with --exact"},
      {"options", "-strat ecmp_host", "-strat ecmp_ar -ar_granularity flow", "-ar_granularity: not possible with"},
      {"options", spraying, spraying + " -trimsize 2000",
       "-trimsize: '2000' is not valid; write a whole number from 64"},
      // 1.5 * 6.25344 us * 100 GB/s / 4160 B = 225.48
      {"options", spraying, spraying + " -cwnd 226",
       "-cwnd: 226 packets are more than NSCC's largest window, which counts from the start with --exact; valid is up "
       "to 225"},
      {"options", "-q 192", "-q 500000", "-q: a buffer of 2.08 GB is not possible with --exact; valid is up to 2 GB"},
      {"options", "-topo a.topo -linkspeed 800000", "-linkspeed 1",
       "-q: the timeout that follows, 38.338575 s, is not possible with --exact"},
      {"a.cm",
       "Connections 2\nTriggers 1\n0->15 id 1 start 0 size 5000 send_done_trigger 1\n1->2 id 2 trigger 1 size 5000\n"
       "trigger id 1 oneshot\n",
       "Connections 3\nTriggers 1\n0->15 id 1 start 0 size 5000 send_done_trigger 1\n1->2 id 2 trigger 1 size 5000\n"
       "2->3 id 3 start 0 size 5000 send_done_trigger 1\ntrigger id 1 multishot\n",
       "a.cm:7: multishot, called by 2 connections"},
      {"options", "-tm a.cm", "-tm a.cm -goal a.goal", "-goal: -tm stands there too; write one of them"},
      {"options", "-tm a.cm -topo a.topo", "-goal a.goal", "-goal: the number of hosts is not known; name a topology"},
      {"options", "-tm a.cm -topo a.topo", "-goal a.goal -nodes 17", "-nodes: no fat tree of 3 tiers has 17 hosts"},
      {"options", "-tm a.cm", "-goal a.goal -nodes 8", "a.topo: 16 nodes, but -nodes says 8"},
      {"options", "-tm a.cm -topo a.topo", "-goal a.goal -nodes 2", "a.goal:1: num_ranks 16, but there are 2 hosts"},
      {"options", "-tm a.cm", "-goal a.goal", "--goal-unit: 'hours' is not valid; write ps, ns, us, ms, s, or",
       "hours"},
      {"options", "-tm a.cm", "-goal a.goal", "--goal-unit: '0 ns' is not valid; write ps, ns, us, ms, s, or", "0 ns"},
      {"options", "-tm a.cm", "-tm a.cm", "--goal-unit: possible only with -goal; leave it out", "us"},
  };
  for (const Wrong& wrong : cases) {
    Files files = small();
    files.at("options") += " " + spraying;
    replace(files, wrong.file, wrong.from, wrong.to);
    scenario::HtsimImportOptions options = kExact;
    options.goal_unit = wrong.unit;
    try {
      import(files, options);
      ADD_FAILURE() << wrong.from << " -> " << wrong.to << " was taken";
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(wrong.message)) << error.what() << "\n" << wrong.message;
    }
  }
}

TEST(Htsim, BlanksMayStandAroundTheArrow) {
  const std::string plain = import(small()).connections;
  for (const char* arrow : {"0 -> 15", "0 ->15", "0-> 15", "0\t->\t15"}) {
    Files files = small();
    replace(files, "a.cm", "0->15", arrow);
    EXPECT_EQ(import(files).connections, plain) << arrow;
  }
}

// As in the examples of csg-htsim.
TEST(HtsimExact, StartsWithFractionsAndConnectionsWithoutEnd) {
  Files files = small();
  files.at("options") += " -load_balancing_algo oblivious -failed 0";
  replace(files, "a.cm", "start 0", "start 0.000000");
  EXPECT_NE(import(files).connections.find(",0,15,5000,0,"), std::string::npos) << import(files).connections;
  replace(files, "a.cm", "start 0.000000 size 5000", "start 12.5 size 0");
  EXPECT_EQ(import(files, kExact).connections,
            "id,src,dst,size_bytes,delay,after\n1,0,15,1000000000000000,12.5 us,\n2,1,2,5000,,1.sent\n");
}

// 8321 B are three packets of 4160 B, whose headers do not count here.
TEST(HtsimExact, OptionsAndTheirValues) {
  Files files = small();
  files.at("options") +=
      " -load_balancing_algo reps -paths 100 -sack_threshold 8321 -cwnd 75 -qa_gate 2 -trimsize 80 "
      "-target_q_delay 1.5 -disable_base_rtt_update_on_nack";
  const auto made = import(files, kExact);
  EXPECT_EQ(made.ignored, std::vector<std::string>{"-disable_base_rtt_update_on_nack"});
  EXPECT_EQ(made.connections, "id,src,dst,size_bytes,delay,after\n1,0,15,5000,,\n2,1,2,5000,,1.sent\n");
  // 75 * 4160 B of 6.25344 us at 100 GB/s = 0.4989...
  for (const char* line :
       {"\nack_every = \"12 KiB\"\n", "\ninitial_window = 0.4989", "\nqa_gate = 2\n", "\ntrimmed_frame = \"80 B\"\n",
        "\ntarget_qdelay = \"1.5 us\"\n", "\nkind = \"reps\"\nentropies = 100\nmemory = \"flow\"\n",
        "\ntrimming = true\n", "\nreordering = \"12.50688 us\"\n", "\nmin_rto = \"62.9232 us\"\n"})
    EXPECT_NE(made.toml.find(line), std::string::npos) << line << "\n" << made.toml;
}

// The calc of 3 us, and then a packet and its acknowledgement.
TEST(HtsimExact, GoalSchedules) {
  Files files = small();
  replace(files, "options", "-tm a.cm", "-goal a.goal");
  files.at("options") += " -load_balancing_algo oblivious";
  scenario::HtsimImportOptions options = kExact;
  options.goal_unit = "us";
  options.folder = "out";
  const auto made = import(files, options);
  EXPECT_TRUE(made.connections.empty());
  EXPECT_NE(made.toml.find("\nkind = \"goal\"\nfile = \"../a.goal\"\ntime_unit = \"1 us\"\n"), std::string::npos)
      << made.toml;
  EXPECT_EQ(made.toml.find("\nstop"), std::string::npos) << made.toml;

  const app::Folder folder("htsim-goal");
  for (const char* name : {"a.goal", "a.topo"}) write(folder, name, files.at(name));
  std::vector<std::string> arguments{"import",  "htsim", "--exact",         "--goal-unit",
                                     "1000 ns", "-o",    folder / "b.toml", "--"};
  for (const std::string& word : words(files.at("options")))
    arguments.push_back(word.starts_with("a.") ? folder / word : word);
  const app::Output done = app::weir(arguments);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.goal", "a.topo", "b.toml"}));
  const app::Output run = app::weir({"run", folder / "b.toml", "-q", "--out", folder / "results"});
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string flows = app::read_file(folder / "results/flows.csv");
  EXPECT_NE(flows.find("0,15,4096,3000000,9253440,6253440,"), std::string::npos) << flows;
}

TEST(HtsimExact, ImportByCommand) {
  const app::Folder folder("htsim-exact-command");
  Files files = small();
  for (const char* name : {"a.cm", "a.topo"}) write(folder, name, files.at(name));
  std::vector<std::string> arguments{"import", "htsim", "--exact", "-o", folder / "a.toml", "--"};
  for (const std::string& word : words(files.at("options") + " -load_balancing_algo reps"))
    arguments.push_back(word.starts_with("a.") ? folder / word : word);
  const app::Output made = app::weir(arguments);
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.cm", "a.program.csv", "a.toml", "a.topo"}));
  const app::Output run = app::weir({"run", folder / "a.toml", "-q", "--out", folder / "results"});
  EXPECT_EQ(run.status, 0) << run.err;
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
}  // namespace weir::replica::htsim_test
