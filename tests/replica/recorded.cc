#include "tests/replica/recorded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "weir/base/csv.h"
#include "weir/base/text_file.h"
#include "weir/scenario/build.h"

namespace weir::replica {
namespace {

struct Network {
  std::string flows;
  std::vector<std::string> settings;
};

const std::vector<Network>& networks() {
  static const std::vector<Network> all{
      {"incast_sim", {}},
      {"incast_stag", {}},
      {"pfc16_buf4", {"network.buffer.size=4 MiB"}},
      {"fair4", {"topology.hosts=5"}},
      {"loss1e-3", {"topology.hosts=3", "fidelity.loss=0.001"}},
      {"park3", {"topology={kind = \"file\", file = \"parking3.graph\"}"}},
      {"ls8_fb50", {"topology={kind = \"file\", file = \"leafspine2x8.graph\"}"}},
      {"ls8_ws50", {"topology={kind = \"file\", file = \"leafspine2x8.graph\"}"}},
      {"single_fat", {"topology={kind = \"hpcc-fat-tree-320\"}"}},
      {"fat320_1ms_fb30", {"topology={kind = \"hpcc-fat-tree-320\"}"}},
      {"fat320_1ms_fb50", {"topology={kind = \"hpcc-fat-tree-320\"}"}},
      {"fat320_2ms_ws30", {"topology={kind = \"hpcc-fat-tree-320\"}"}},
  };
  return all;
}

// As the artifact's run.py configures them for hosts of 100 Gb/s.
const std::map<std::string, std::vector<std::string>>& ways() {
  const std::string timely = "algorithm={name = \"timely\", preset = \"hpcc\", window = \"";
  const std::string dcqcn = "algorithm={name = \"dcqcn\", preset = \"hpcc\", window = \"";
  static const std::map<std::string, std::vector<std::string>> all{
      {"hp", {}},
      {"hp_mi0", {}},
      {"hp_mi5", {"algorithm.max_stage=5"}},
      {"timely", {timely + "none\"}", "fidelity.ack_high_prio=true"}},
      {"timely_vwin", {timely + "variable\"}", "fidelity.ack_high_prio=true"}},
      {"dcqcn", {dcqcn + "none\"}", "fidelity.ack_high_prio=true"}},
      {"dcqcn_vwin", {dcqcn + "variable\"}"}},
      {"dctcp",
       {"algorithm={name = \"dctcp\", preset = \"hpcc\"}", "fidelity.dctcp_rate_ai=615 Mbps",
        "fidelity.dctcp_r_min=1000 Mbps", "network.ecn.k_min=300 KB", "network.ecn.k_max=300 KB",
        "network.ecn.p_max=1"}}};
  return all;
}

bool exists(const std::string& file) { return std::ifstream(file).good(); }

}  // namespace

std::vector<RecordedRun> runs(bool random) {
  std::vector<RecordedRun> out;
  for (const Network& network : networks())
    for (const auto& [way, settings] : ways()) {
      RecordedRun run{network.flows, way, network.settings};
      if (!exists(kData + run.name() + ".fct.csv")) continue;
      run.settings.insert(run.settings.end(), settings.begin(), settings.end());
      run.settings.push_back("traffic.0.file=../../" + kData + run.flows + ".flows.csv");
      run.random = way.starts_with("dcqcn") || run.flows == "loss1e-3";
      run.large = run.flows.starts_with("fat320") || (run.random && run.flows.starts_with("ls8"));
      if (run.random == random) out.push_back(run);
    }
  return out;
}

bool wanted(const RecordedRun& run) {
  const char* all = std::getenv("WEIR_VALIDATION");
  return !run.large || run.name() == "fat320_1ms_fb30_hp" || (all != nullptr && std::string_view(all) == "all");
}

std::string test_name(const std::string& run) {
  std::string out = run;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

scenario::Scenario scenario_of(const RecordedRun& run, unsigned seed) {
  std::vector<std::string> settings = run.settings;
  settings.push_back(fmt::format("run.seed={}", seed));
  return scenario::load_scenario_file("tests/replica/runs.toml", settings);
}

Result simulate(const scenario::Scenario& s) {
  const scenario::Run built = scenario::build(s);
  Result out;
  built.simulation->on_finish([&](const host::FlowRecord& r) {
    EXPECT_EQ((r.finish - r.start).ps % 1000, 0);
    if (out.fct_ns.size() <= r.id) out.fct_ns.resize(r.id + 1, -1);
    out.fct_ns[r.id] = (r.finish - r.start).ps / 1000;
  });
  while (!built.simulation->advance()) {
  }
  out.counters = built.simulation->counters();
  return out;
}

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  const std::string text = read_text_file(kData + file, "a file of results");
  CsvReader reader(text, kData + file);
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string> fields; reader.next(fields);) rows.push_back(fields);
  return rows;
}

std::vector<std::int64_t> recorded_ns(const RecordedRun& run) {
  std::vector<std::int64_t> out;
  for (const auto& row : rows_of(run.name() + ".fct.csv"))
    if (row.at(0) != "flow_id") out.push_back(std::stoll(row.at(1)));
  return out;
}

void expect_equal(const Result& result, const std::vector<std::int64_t>& theirs) {
  ASSERT_EQ(result.fct_ns.size(), theirs.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (result.fct_ns[i] != theirs[i] && ++different <= 3)
      ADD_FAILURE() << "flow " << i << ": " << result.fct_ns[i] << " ns, theirs " << theirs[i] << " ns";
  EXPECT_EQ(different, 0u);
}

}  // namespace weir::replica
