// The replica beside uet-htsim where its options ask for more than sender control: the runs of
// data/reference/htsim/features.csv, with all finish times to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/replica/htsim_recorded.h"
#include "weir/base/error.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::replica::htsim_test {
namespace {

struct Feature {
  HtsimRun run;
  std::vector<std::string> finish_ps;
  friend void PrintTo(const Feature& f, std::ostream* out) { *out << f.run.name; }
};

std::vector<Feature> features() {
  std::vector<Feature> out;
  for (const auto& row : rows_of("features.csv")) out.push_back({recorded_run(row), words(row.at(7))});
  return out;
}

class HtsimFeatures : public testing::TestWithParam<Feature> {};

TEST_P(HtsimFeatures, EveryFlowToThePicosecond) {
  const auto& [run, theirs] = GetParam();
  const Result ours = simulate(run.arguments);
  ASSERT_EQ(ours.finish.size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) EXPECT_EQ(std::to_string(ours.finish[i].ps), theirs[i]) << i;
  EXPECT_EQ(ours.counters.retransmitted, run.retransmitted);
  EXPECT_EQ(ours.counters.data_packets, run.new_packets + run.retransmitted);
}

INSTANTIATE_TEST_SUITE_P(Runs, HtsimFeatures, testing::ValuesIn(features()),
                         [](const auto& of) { return of.param.run.name; });

// When all of a message is acknowledged, and how long after its first packet was made.
TEST(HtsimMessages, EachOneToThePicosecond) {
  std::size_t messages = 0;
  for (const Feature& f : features()) {
    std::vector<std::vector<std::string>> theirs = rows_of("messages.csv");
    std::erase_if(theirs, [&](const auto& row) { return row.at(0) != f.run.name; });
    if (theirs.empty()) continue;
    const Result ours = simulate(f.run.arguments);
    for (const auto& row : theirs) {
      const uet::Message& m = ours.messages.at(std::stoul(row.at(1)) - 1).at(std::stoul(row.at(2)) - 1);
      EXPECT_EQ(std::to_string(m.done), row.at(3)) << f.run.name << " " << row.at(1) << " " << row.at(2);
      EXPECT_EQ(std::to_string(m.done - m.first_sent), row.at(4)) << f.run.name << " " << row.at(1) << " " << row.at(2);
      ++messages;
    }
  }
  EXPECT_EQ(messages, rows_of("messages.csv").size());
}

TEST(HtsimMessages, ImportSaysWhatIsWrong) {
  const auto message = [](const std::string& rows, const scenario::HtsimImportOptions& options = {}) {
    try {
      scenario::import_htsim({"-tm", "a.cm", "-conn_reuse", "-load_balancing_algo", "reps"}, options,
                             [&](const std::string&, std::string_view) { return "Nodes 16\nConnections 2\n" + rows; });
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string first = "0->5 id 1 start 0 size 5000\n";
  EXPECT_EQ(message(first + "0->5 id 1 msg 2 start 1 size 5000\n"), "");
  EXPECT_EQ(message(first + "0->5 id 1 msg 2 start 1 size 5000\n", {.exact = true}),
            "-conn_reuse: not possible with --exact; leave one of them out");
  EXPECT_EQ(message(first + "0->5 id 1 start 1 size 5000\n"),
            "a.cm:4: id 1 is there already; with -conn_reuse write msg NUMBER for a further message of the same "
            "connection");
  EXPECT_EQ(message(first + "1->5 start 1 size 5000\n"),
            "a.cm:4: no id, which -conn_reuse needs in each row; write id NUMBER");
  EXPECT_EQ(message(first + "0->6 id 1 msg 2 start 1 size 5000\n"),
            "a.cm:4: a message of connection 1, which leads from host 0 to host 5; write the same in all its rows");
  EXPECT_EQ(message(first + "0->6 id 2 start 0 size 5000\n"),
            "a.cm:4: connection 1 of host 0 starts at the same time, at which htsim_uec stops with -conn_reuse; write "
            "another start");
  EXPECT_EQ(message(first + "0->5 id 1 start 1 size 5000 msg\n"), "a.cm:4: the line ends before msg");
}

// What htsim_uec stops at (-conn_reuse) and only the run can tell.
TEST(HtsimMessages, RunsThatTheProgramStopsAt) {
  const app::Folder folder("htsim-messages");
  const auto message = [&](const std::string& rows) {
    const auto count = std::count(rows.begin(), rows.end(), '\n');
    const std::string matrix = write(folder, "a.cm", "Nodes 16\nConnections " + std::to_string(count) + "\n" + rows);
    try {
      simulate({"-tm", matrix, "-conn_reuse"});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("0->5 id 1 msg 1 start 0 size 100000\n0->5 id 1 msg 2 start 5 size 100000\n"), "");
  EXPECT_EQ(message("0->5 id 1 msg 1 start 0 size 100000\n0->5 id 1 msg 2 start 500 size 100000\n").substr(0, 40),
            "connection 1: its message at 500 us star");
  EXPECT_EQ(message("0->5 id 1 msg 1 start 0 size 100000\n0->6 id 2 msg 1 start 1 size 100000\n").substr(0, 40),
            "connection 2: it starts at 1 us, when th");
}

// The scenario's own keys, and its file of connections.
TEST(HtsimFeatures, ScenariosSayWhatIsWrong) {
  const app::Folder folder("htsim-scenarios");
  const std::string head = "number,src,dst,size_bytes,start_ns,started_by,starts,one_path\n1,0,1,1000,0,,,no\n";
  const auto message = [&](const std::string& setting, const std::string& row) {
    write(folder, "a.csv", head + row);
    write(
        folder, "a.toml",
        "[run]\nfidelity = \"htsim-uet\"\n[fidelity]\nconnections = \"a.csv\"\n[topology]\nkind = \"star\"\nhosts = 4\n"
        "[network.ecn]\nenabled = true\n[algorithm]\nname = \"nscc\"\n");
    try {
      scenario::build(scenario::load_scenario_file(folder / "a.toml", {setting}));
    } catch (const InputError& error) {
      const std::string text = error.what();
      return text.substr(text.find(text.starts_with("--set") ? "fidelity." : "a.csv"));
    }
    return std::string();
  };
  const std::string kept = "transport.connections=kept";
  EXPECT_EQ(message(kept, "1,0,1,5000,0,,,no\n"), "");
  EXPECT_EQ(message(kept, "1,0,2,5000,0,,,no\n"),
            "a.csv:3: a message of connection 1, which leads from host 0 to host 1; write the same in all its rows");
  EXPECT_EQ(message(kept, "1,0,1,5000,0,,,yes\n"),
            "a.csv:3: a message of connection 1, which leads from host 0 to host 1; write the same in all its rows");
  EXPECT_EQ(message(kept, "2,0,1,5000,,1,,no\n"),
            "a.csv:3: kept connections have no triggers; leave started_by and starts empty");
  EXPECT_EQ(message("run.seed=1", "1,0,1,5000,0,,,no\n"), "a.csv:3: number 1 is there already");
  EXPECT_EQ(
      message("fidelity.sender_cc=false", ""),
      "fidelity.sender_cc: nothing holds the senders; set receiver_cc to true under run.fidelity = \"htsim-uet\"");
}

}  // namespace
}  // namespace weir::replica::htsim_test
