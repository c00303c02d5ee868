#include "tests/validation/artifact.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/document.h"
#include "weir/base/csv.h"
#include "weir/base/text_file.h"
#include "weir/scenario/build.h"
#include "weir/scenario/fidelity.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/traffic.h"

namespace weir::validation {
namespace {

using namespace weir::literals;

const std::string kData = "data/reference/ns3-hpcc/";

}  // namespace

const std::vector<ArtifactRun>& runs() {
  static const std::vector<ArtifactRun> all = [] {
    std::vector<ArtifactRun> out;
    for (const std::string flows : {"incast_sim", "incast_stag"}) {
      out.push_back({flows + "_hp_mi0", "incast-hpcc.toml", flows, {"algorithm.max_stage=0"}, {}, true});
      out.push_back({flows + "_hp_mi5", "incast-hpcc.toml", flows, {"algorithm.max_stage=5"}, {}, true});
      out.push_back({flows + "_dcqcn", "incast-dcqcn.toml", flows, {"algorithm.window=none"}, {}, true});
      out.push_back({flows + "_dcqcn_vwin", "incast-dcqcn.toml", flows, {"algorithm.window=variable"}, {}, true});
    }
    for (const std::string flows : {"fat320_1ms_fb30", "fat320_1ms_fb50", "fat320_2ms_ws30"}) {
      const Time arrivals = flows == "fat320_2ms_ws30" ? 2_ms : 1_ms;
      const bool quick = flows == "fat320_1ms_fb30";
      out.push_back({flows + "_hp", "fat-tree-hpcc.toml", flows, {}, arrivals, quick});
      out.push_back({flows + "_dcqcn", "fat-tree-dcqcn.toml", flows, {}, arrivals, quick});
    }
    return out;
  }();
  return all;
}

bool all_runs() {
  const char* wanted = std::getenv("WEIR_VALIDATION");
  return updating_documents() || (wanted != nullptr && std::string_view(wanted) == "all");
}

Instance instance_of(const ArtifactRun& run, const std::vector<std::string>& settings) {
  std::vector<std::string> overrides = run.settings;
  overrides.insert(overrides.end(), settings.begin(), settings.end());
  overrides.push_back("traffic.0.file=../../" + kData + run.flows + ".flows.csv");
  Instance out;
  out.scenario = scenario::load_scenario_file("tests/validation/" + run.scenario, overrides);
  out.model = scenario::build_model(out.scenario);
  const auto traffic = scenario::build_traffic(out.scenario, *out.model);
  while (const auto flow = traffic->next()) out.flows.push_back(*flow);
  return out;
}

std::vector<Time> simulate(const Instance& instance, Time sample_until, const QueueSampler& sampler) {
  traffic::Traffic traffic(instance.model->topology.hosts);
  traffic.add(std::make_unique<traffic::FlowList>(instance.flows), std::nullopt);
  const scenario::Scenario& s = instance.scenario;
  const std::unique_ptr<engine::Engine> simulation = s.run.fidelity->make(s, *instance.model, traffic, {});
  std::vector<Time> times(instance.flows.size());
  simulation->on_finish([&](const host::FlowRecord& r) { times.at(r.id) = r.finish - r.start; });
  if (sampler)
    simulation->every(kSampleInterval, [&](Time now) {
      if (now > sample_until) return;
      for (std::uint32_t port = 0; port < instance.model->topology.ports(); ++port)
        sampler(port, simulation->queued_bytes(port));
    });
  while (!simulation->advance()) {
  }
  const engine::Counters c = simulation->counters();
  EXPECT_EQ(c.flows_completed, instance.flows.size());
  EXPECT_EQ(c.pauses + c.dropped + c.retransmitted, 0u);
  return times;
}

std::vector<Row> read_rows(const std::string& file) {
  const std::string text = read_text_file(kData + file, "a file of results");
  CsvReader reader(text, kData + file);
  std::vector<std::string> names;
  reader.next(names);
  std::vector<Row> rows;
  for (std::vector<std::string> fields; reader.next(fields);) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields.at(i);
  }
  return rows;
}

std::vector<Completion> artifact_results(const ArtifactRun& run) {
  const std::vector<Row> flows = read_rows(run.flows + ".flows.csv");
  const std::vector<Row> results = read_rows(run.name + ".fct.csv");
  std::vector<Completion> out;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_EQ(std::stoull(flows[i].at("flow_id")), i);
    EXPECT_EQ(std::stoull(results.at(i).at("flow_id")), i);
    out.push_back(
        {Time{1000 * std::stoll(results[i].at("fct_ns"))}, Time{1000 * std::stoll(flows[i].at("standalone_fct_ns"))}});
  }
  return out;
}

}  // namespace weir::validation
