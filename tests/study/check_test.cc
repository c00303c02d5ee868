// What is told of a study before any of its runs begins.
#include "weir/study/check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/star_scenario.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/summary_keys.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;

Plan plan_of(const std::string& text, const std::string& traffic = "") {
  return make_plan(parse_study(text + "\n" + kStarScenario + traffic, "s.toml"));
}

std::string complaint(const std::string& text, const std::string& traffic = "") {
  const auto plan = plan_of(text, traffic);
  try {
    check_runs(plan, runs_with(plan, ""));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

// Flows of 1 KB from hosts 0 to 3 to host 4, at time 0.
TEST(Check, WhatTakesNothingIsRefused) {
  const std::string measure = "[study]\n[[measure]]\nname = \"m\"\nof = ";
  const std::string summary = measure + "\"summary\"\nkey = ";
  const std::string manifest = measure + "\"manifest\"\nkey = ";
  const std::string flows = measure + "\"flows\"\ncolumn = \"fct_ps\"\nstatistic = \"max\"\n";
  const std::string cdf = "[study]\n[[figure]]\nid = \"f\"\nkind = \"cdf\"\nof = \"flows\"\ncolumn = \"fct_ps\"\n";
  const std::vector<std::pair<std::string, std::string>> list{
      {summary + "\"nope.nope\"",
       "s.toml:2: key 'key': summary.json: it has no 'nope'; valid is fidelity, sim_time_ps, flows, slowdown"},
      {summary + "\"slowdown.by_tag.incats.p99\"",
       "s.toml:2: key 'key': summary.json: 'slowdown.by_tag' has no 'incats' (did you mean 'incast'?); valid is "
       "incast"},
      {summary + "\"slowdown.by_tag.incast.p99\"", "none"},
      {summary + "\"slowdown.all\"",
       "s.toml:2: key 'key': summary.json: 'slowdown.all' is no number; go on with count, mean, p50, p95, p99, p999, "
       "max"},
      {summary + "\"slowdown.ideal\"", "s.toml:2: key 'key': summary.json: 'slowdown.ideal' is no number"},
      {summary + "\"sim_time_ps.x\"", "s.toml:2: key 'key': summary.json: 'sim_time_ps' has no parts"},
      {summary + "\"slowdown.by_size.6.p99\"",
       "s.toml:2: key 'key': summary.json: 'slowdown.by_size' is a list; valid is 0 to 5, or * for all"},
      {summary + "\"slowdown.by_size.*.p98\"",
       "s.toml:2: key 'key': summary.json: 'slowdown.by_size.*' has no 'p98' (did you mean 'p95'?); valid is "
       "above_bytes, up_to_bytes, count, mean, p50, p95, p99, p999, max"},
      {summary + "\"slowdown.by_size.*.p99\"", "none"},
      {summary + "\"queues.by_tier.edge.p99\"",
       "s.toml:2: key 'key': summary.json: no run has 'queues.by_tier.edge.p99'; add [probes.queues] to the scenario, "
       "or set \"probes.queues\" = true"},
      {summary + "\"fairness.mean_jain\"",
       "s.toml:2: key 'key': summary.json: no run has 'fairness.mean_jain'; add [probes.rates] to the scenario, or set "
       "\"probes.rates\" = true"},
      {manifest + "\"pauses\"", "s.toml:2: key 'key': manifest.json: it has no 'pauses'"},
      {manifest + "\"digest\"", "s.toml:2: key 'key': manifest.json: 'digest' is no number"},
      {manifest + "\"pfc_pauses\"", "none"},
      {flows + "src = 99", "s.toml:2: key 'src': host 99 sends nothing; senders are among hosts 0 to 3"},
      {flows + "dst = 0", "s.toml:2: key 'dst': host 0 receives nothing; receivers are among hosts 4 to 4"},
      {flows + "dst = 4\nsrc = 3", "none"},
      {flows + "algorithm = \"nope\"",
       "s.toml:2: key 'algorithm': no traffic has the algorithm or profile 'nope'; valid is hpcc"},
      {flows + "above = \"1 KB\"", "s.toml:2: key 'above': no flow has such a size; sizes are 1 KB to 1 KB"},
      {flows + "above = \"2 KB\"\nup_to = \"1 KB\"",
       "s.toml:8: key 'measure.0.up_to': 1 KB is not above 2 KB, which 'above' says: no size is between them"},
      {flows + "from = \"1 us\"", "s.toml:2: key 'from': no flow starts then; starts are 0 ps to 0 ps"},
      {flows + "from = \"1 us\"\nuntil = \"1 us\"",
       "s.toml:8: key 'measure.0.until': 1 us is not after 1 us, which 'from' says: no time is between them"},
      {cdf + "src = 99", "s.toml:2: key 'src': host 99 sends nothing; senders are among hosts 0 to 3"},
      {cdf + "tag = \"incats\"",
       "s.toml:2: key 'tag': no traffic has the tag 'incats' (did you mean 'incast'?); valid is incast"},
  };
  for (const auto& [text, message] : list) {
    try {
      const auto found = complaint(text);
      EXPECT_EQ(found.substr(0, message.size()), message) << text;
    } catch (const InputError& error) {  // already when it is read
      EXPECT_EQ(error.what(), message) << text;
    }
  }
}

// Each filter alone lets some flow through, and no flow passes both.
TEST(Check, FiltersThatExcludeEachOther) {
  const std::string more =
      "[[scenario.traffic]]\nkind = \"incast\"\ntag = \"late\"\nsize = \"9 KB\"\nstart = \"5 us\"\n";
  const std::string flows =
      "[study]\n[[measure]]\nname = \"m\"\nof = \"flows\"\ncolumn = \"fct_ps\"\nstatistic = \"max\"\ntag = \"late\"\n";
  EXPECT_EQ(complaint(flows + "above = \"8 KB\"", more), "none");
  EXPECT_EQ(complaint(flows + "up_to = \"2 KB\"", more),
            "s.toml:2: no flow passes all of these filters together; take one away");
}

// What only one point has is enough, even if other points are asked for.
TEST(Check, OnePointThatHasItIsEnough) {
  const std::string text =
      "[study]\n[[axis]]\nname = \"tag\"\nkey = \"traffic.0.tag\"\nvalues = [\"a\", \"b\"]\n[[measure]]\nname = \"m\"\n"
      "of = \"summary\"\nkey = \"slowdown.by_tag.b.p99\"\n";
  const auto plan = plan_of(text);
  EXPECT_NO_THROW(check_runs(plan, runs_with(plan, "tag=a")));
}

TEST(Check, EachSeedHasItsOwnEstimate) {
  const auto plan = plan_of("[study]\nseeds = 3\n", R"([[scenario.traffic]]
kind = "poisson"
sizes = "20 KB"
load = 0.5
stop = "100 us"
)");
  const auto all = check_runs(plan, runs_with(plan, ""));
  ASSERT_EQ(all.size(), 3);
  EXPECT_NE(all[0].packets, all[1].packets);
  EXPECT_NE(all[1].packets, all[2].packets);
  for (std::size_t run = 0; run < all.size(); ++run) {
    const auto s = plan.scenario(run);
    EXPECT_EQ(all[run].packets, static_cast<double>(scenario::expect(s, *scenario::build_model(s)).packets));
  }
}

// Flows of one byte whose headers are many times what the links carry: nearly all of them wait. More of them than are
// drawn are told by when arrivals end.
TEST(Check, FlowsThatPileUpAreCounted) {
  const auto estimate_of = [](const std::string& stop) {
    const auto plan = plan_of(
        "[study]\n", "[[scenario.traffic]]\nkind = \"poisson\"\nsizes = \"1 B\"\nload = 1\nstop = \"" + stop + "\"\n");
    return check_runs(plan, {0}).front();
  };
  const auto some = estimate_of("100 us");  // 6 million
  EXPECT_NEAR(some.packets, 5 * 12.5e9 * 100e-6, 0.01 * some.packets);
  EXPECT_GT(some.bytes, 0.9 * 600 * some.packets);
  const auto many = estimate_of("10 ms");
  EXPECT_NEAR(many.packets, 100 * some.packets, 0.01 * many.packets);
  EXPECT_GT(many.bytes, 300'000'000'000);
}

// Of messages that are only added up, nothing is kept but of those that are on their way.
TEST(Check, MessagesThatAreNoRowsTakeNoMemory) {
  const auto estimate_of = [](const std::string& messages) {
    const auto plan = plan_of("[study]\n",
                              "[[scenario.traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\n"
                              "size = \"100 MB\"\nchunks = 2000\nactive_chunks = 4\nmessages = \"" +
                                  messages + "\"\n");
    return check_runs(plan, {0}).front();
  };
  const auto rows = estimate_of("rows");
  const auto sums = estimate_of("sums");
  EXPECT_EQ(sums.packets, rows.packets);
  EXPECT_GT(rows.bytes, 600 * 80'000);
  EXPECT_LT(sums.bytes, 20'000'000);
}

// Ratios are of the same flows.
TEST(Check, PairsHaveTheSameTraffic) {
  const std::string ratio =
      "[[measure]]\nname = \"m\"\nof = \"ratio\"\nstatistic = \"geomean\"\nagainst = { a = \"x\" }\n";
  const auto axis = [](const std::string& set) {
    return "[study]\nseeds = 2\n[[axis]]\nname = \"a\"\n[[axis.point]]\nlabel = \"x\"\nset = { \"run.threads\" = 1 }\n"
           "[[axis.point]]\nlabel = \"y\"\nset = { " +
           set + " }\n";
  };
  EXPECT_EQ(complaint(axis("\"algorithm.name\" = \"timely\"") + ratio), "none");
  EXPECT_EQ(complaint(axis("\"traffic.0.size\" = \"2 KB\"") + ratio),
            "s.toml:11: key 'against': a=y, seed 1 has not the flows of a=x, seed 1; compare points whose traffic is "
            "the same");
}

void expect_keys(const Json& found, const std::string& path, const Json& possible) {
  if (found.is_structured()) {
    for (const auto& item : found.items())
      expect_keys(item.value(), path + (path.empty() ? "" : ".") + item.key(), possible);
  } else if (found.is_number() || found.is_boolean()) {
    EXPECT_EQ(missing_key(possible, path), "") << path;
  }
}

// Every number that runs leave in summary.json is at a place that is known before.
TEST(Check, SummariesHaveNoOtherKeys) {
  for (const std::string name : {"clos-incast-and-load", "collective-ring", "pfc-small-buffer", "mixed-profiles"}) {
    const auto s = scenario::load_scenario_file("tests/scenarios/" + name + ".toml",
                                                {"probes.queues=true", "probes.rates=true", "probes.pfc=true",
                                                 "probes.links=true", "probes.flows.equal_count_buckets=5"});
    auto run = scenario::build(s);
    const Json possible =
        Json::parse(probe::to_json(probe::possible_summary(s.probes, *run.model, run.tags(), *run.traffic)));
    probe::ProbeSet probes(s.probes, *run.simulation, run.tags());
    while (!run.simulation->advance()) {
    }
    expect_keys(Json::parse(probe::to_json(probes.finish())), "", possible);
  }
}

}  // namespace
}  // namespace weir::study
