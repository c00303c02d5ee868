// What the probe view keeps of what hosts do, and of links that are down.
#include "weir/view/host_activities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weir/probe/flow_probe.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/view_probe.h"
#include "weir/result/rows.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::probe {
namespace {

struct Told {
  std::string tag;
  std::string activity;
  std::uint32_t host = 0;
  Time begin;
  Time end;
  std::optional<std::uint32_t> waited_for;
};

struct Result {
  std::map<std::string, std::string> files;
  Summary summary;
};

Result recorded(const std::string& file, const std::vector<std::string>& set) {
  scenario::Scenario s = scenario::load_scenario_file("tests/scenarios/" + file + ".toml", set);
  s.probes.set(FlowsParams());
  s.probes.set(ViewParams());
  const auto out = ResultDirectory::in_memory();
  scenario::Run run = scenario::build(s);
  ProbeSet probes(s.probes, *run.simulation, run.tags(), out.get());
  while (!run.simulation->advance()) {
  }
  Summary summary = probes.finish();
  return {out->take_texts(), std::move(summary)};
}

std::vector<Told> activities(const Result& result) {
  std::vector<Told> out;
  const std::string& text = result.files.at("view_activities.csv");
  result::Rows rows(text, "view_activities.csv",
                    {"tag", "activity", "host", "begin_ps", "end_ps", "waited_for", "parts"});
  while (rows.next()) {
    Told& told = out.emplace_back();
    told.tag = rows.text(0);
    told.activity = rows.text(1);
    told.host = static_cast<std::uint32_t>(rows.number(2));
    told.begin = Time{std::stoll(rows.text(3))};
    told.end = Time{std::stoll(rows.text(4))};
    if (!rows.text(5).empty()) told.waited_for = static_cast<std::uint32_t>(rows.number(5));
    EXPECT_EQ(rows.text(6), "1");
  }
  return out;
}

// Rows of a host and driver follow each other without gaps, and are as long together as the summary says.
TEST(HostsSay, WhatTheSummaryAddsUp) {
  const Result result = recorded("training", {});
  std::map<std::string, std::map<std::string, std::map<std::uint32_t, Time>>> sums;  // by tag, activity and host
  std::map<std::string, std::map<std::uint32_t, Time>> ends;
  for (const Told& row : activities(result)) {
    EXPECT_LT(row.begin, row.end);
    auto& of_tag = ends[row.tag];
    if (const auto known = of_tag.find(row.host); known != of_tag.end()) {
      EXPECT_EQ(row.begin, known->second) << row.tag << ", host " << row.host;
    }
    if (row.waited_for) {
      EXPECT_NE(*row.waited_for, row.host);
      EXPECT_NE(row.activity, "computation");
    }
    of_tag[row.host] = row.end;
    sums[row.tag][row.activity][row.host] += row.end - row.begin;
  }
  ASSERT_EQ(result.summary.collectives.size(), 2u);
  EXPECT_EQ(ends.size(), 1u);
  for (const CollectiveSummary& c : result.summary.collectives) {
    if (c.tag == "other") continue;  // a collective operation says nothing
    ASSERT_TRUE(ends.contains(c.tag)) << c.tag;
    Time last;
    for (const auto& [host, end] : ends[c.tag]) last = std::max(last, end);
    EXPECT_EQ(last, *c.start + *c.acknowledged) << c.tag;
    for (const ActivitySummary& a : c.activities) {
      Time total;
      for (const auto& [host, time] : sums[c.tag][a.name]) total += time;
      EXPECT_EQ(total / static_cast<std::int64_t>(ends[c.tag].size()), a.mean) << a.name;
      if (a.longest > Time{}) {
        EXPECT_EQ(sums[c.tag][a.name].at(a.host), a.longest) << a.name;
      }
    }
  }
}

// All other hosts of its tensor-parallel group wait for the one that computes longer, and so do others that wait for
// these.
TEST(HostsSay, ForWhomTheyWaited) {
  const Result result = recorded("training", {"traffic.0.slow=1", "traffic.0.slow_factor=2"});
  std::map<std::uint32_t, Time> awaited;
  for (const Told& row : activities(result))
    if (row.waited_for) awaited[*row.waited_for] += row.end - row.begin;
  ASSERT_FALSE(awaited.empty());
  const auto most = std::max_element(awaited.begin(), awaited.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_EQ(most->first, 1u);
}

TEST(HostsSay, TheSameOnAnyNumberOfThreads) {
  const Result one = recorded("training", {});
  for (const char* threads : {"run.threads=2", "run.threads=4"}) {
    const Result other = recorded("training", {threads});
    EXPECT_TRUE(other.files.at("view_activities.csv") == one.files.at("view_activities.csv")) << threads;
  }
}

TEST(HostActivities, StayFewAndKeepTheirSums) {
  constexpr std::uint32_t kHosts = 50;
  constexpr std::uint32_t kActivities = 3;
  view::HostActivities kept;
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::int64_t> expected;
  std::int64_t at = 0;
  std::uint64_t parts = 0;
  for (std::size_t i = 0; i < 2 * view::HostActivities::kMostRows; ++i) {
    net::TraceEvent event;
    event.kind = net::EventKind::did;
    event.src = static_cast<std::uint32_t>(i % kHosts);
    event.queued = static_cast<std::uint32_t>(i / kHosts * 7 % kActivities);
    event.not_before = Time{at};
    event.time = Time{at + 300'000 + static_cast<std::int64_t>(i % 11) * 1'000};
    event.packet.dst = event.src;
    expected[{event.src, event.queued}] += (event.time - event.not_before).ps;
    if (i % kHosts == kHosts - 1) at += 400'000;
    kept.add(event);
    ++parts;
    ASSERT_LE(kept.rows().size(), view::HostActivities::kMostRows);
  }
  EXPECT_GT(kept.span(), Time{});
  EXPECT_EQ(kept.omitted(), 0u);
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::int64_t> sums;
  const view::ActivityRow* before = nullptr;
  const auto rows = kept.sorted_rows();
  for (const view::ActivityRow& row : rows) {
    sums[{row.host, row.activity}] += (row.end - row.begin).ps;
    parts -= row.parts;
    EXPECT_EQ(row.waited_for, traffic::kNobody);
    if (before != nullptr && before->host == row.host) {
      EXPECT_LE(before->end, row.begin);
    }
    before = &row;
  }
  EXPECT_EQ(sums, expected);
  EXPECT_EQ(parts, 0u);
}

// Messages of a training step are no rows of flows.csv: they have no course and no anatomy, and what waits of them
// counts with all others. Readers take every table.
TEST(ViewProbe, NamesFlowsThatAreRowsAlone) {
  const Result result = recorded("training", {});
  std::set<double> known;
  const std::string& flows = result.files.at("flows.csv");
  for (result::Rows rows(flows, "flows.csv", {"flow_id"}); rows.next();) known.insert(rows.number(0));
  std::size_t others = 0;
  for (const char* file : {"view_queues.csv", "view_paths.csv", "view_courses.csv", "view_events.csv"}) {
    const std::string& text = result.files.at(file);
    for (result::Rows rows(text, file, {"flow_id"}); rows.next();)
      if (!std::isnan(rows.number(0))) {
        EXPECT_TRUE(known.contains(rows.number(0))) << file;
      } else {
        ++others;
      }
  }
  EXPECT_GT(others, 0u);
  std::set<std::string> of_port;
  const std::string& queues = result.files.at("view_queues.csv");
  for (result::Rows rows(queues, "view_queues.csv", {"time_ps", "port", "flow_id"}); rows.next();)
    EXPECT_TRUE(of_port.insert(rows.text(0) + " " + rows.text(1) + " " + rows.text(2)).second);
}

TEST(ViewProbe, TellsWhichLinksWereDown) {
  const Result result = recorded("link-down", {});
  const std::string& text = result.files.at("view_outages.csv");
  result::Rows rows(text, "view_outages.csv", {"time_ps", "port", "until_ps"});
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> ends;
  const std::string& ports = result.files.at("view_ports.csv");
  result::Rows facts(ports, "view_ports.csv", {"port", "from", "to"});
  while (facts.next())
    ends[static_cast<std::uint32_t>(facts.number(0))] = {static_cast<std::uint32_t>(facts.number(1)),
                                                         static_cast<std::uint32_t>(facts.number(2))};
  std::vector<std::string> told;
  while (rows.next()) {
    const auto [from, to] = ends.at(static_cast<std::uint32_t>(rows.number(1)));
    told.push_back(std::to_string(from) + "-" + std::to_string(to) + " " + rows.text(0) + " " + rows.text(2));
  }
  EXPECT_EQ(told, std::vector<std::string>{"8-11 30000000 200000000"});
}

}  // namespace
}  // namespace weir::probe
