// All probes together: the files of a run, their documentation, and who may disturb whom.
#include "weir/probe/probe_set.h"
#include "weir/probe/anatomy_probe.h"
#include "weir/probe/view_probe.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/probe/helpers.h"
#include "weir/base/error.h"
#include "weir/net/model/graph_file.h"
#include "weir/probe/delay_probe.h"
#include "weir/probe/flow_probe.h"
#include "weir/probe/link_probe.h"
#include "weir/probe/packet_probe.h"
#include "weir/probe/pfc_probe.h"
#include "weir/probe/queue_probe.h"
#include "weir/probe/rate_probe.h"
#include "weir/result/rows.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

ProbeParams everything() {
  ProbeParams p;
  p.set(FlowsParams{.equal_count_buckets = 4, .paths = true});
  p.set(QueuesParams{.ports = "all", .interval = 1_us, .series = true});
  p.set(RatesParams{.interval = 10_us});
  p.set(DelaysParams{});
  p.set(PfcParams{});
  p.set(LinksParams{.series = true, .interval = 7_us});
  p.set(PacketsParams{.ports = "edge down", .flows = "0-20"});
  p.set(AnatomyParams{});
  p.set(ViewParams{.follow = 10, .flows = "3"});
  return p;
}

// Four racks of four hosts, which are numbered rack by rack ...
net::Topology racks() { return net::build(net::LeafSpine{.leaves = 4, .spines = 2, .hosts_per_leaf = 4}); }

// ... or across them, so that a thread's hosts are not neighbours by number.
net::Topology dealt_out_to_racks() {
  std::string text = "hosts 16\nswitches 6\n";
  for (int host = 0; host < 16; ++host) text += fmt::format("link {} {} 100 Gbps 1 us\n", host, 16 + host % 4);
  for (int leaf = 16; leaf < 20; ++leaf)
    for (int spine = 20; spine < 22; ++spine) text += fmt::format("link {} {} 400 Gbps 1 us\n", leaf, spine);
  return net::parse_graph(text, "racks.graph");
}

// A crowded fabric: every host to all others in turn, and an incast.
Lab fabric(std::uint32_t threads, const std::string& algorithm, const net::Topology& t = racks()) {
  Lab::Flows flows;
  for (std::uint32_t i = 0; i < 15; ++i)
    for (std::uint32_t h = 0; h < 16; ++h)
      flows.push_back(flow(Time{i * 3'000'000 + h * 1'234}, h, (h + 1 + i) % 16, Bytes{700 * (1 + h) * (1 + i * i)}));
  for (std::uint32_t h = 1; h < 16; ++h) flows.push_back(flow(20_us, h, 0, 100_KB, 1));
  const auto edit = [](engine::Model& m) {
    m.buffer.size = 1_MB;
    m.ecn.enabled = true;
    m.clocks = host::ClockParams{.offset = 200_ns};
    m.profiles[0].on_ramp = {.T = 20_us};
  };
  return Lab(t, flows, algorithm, edit, {.threads = threads, .traced = true});
}

std::map<std::string, std::string> results_of(Lab lab, const ProbeParams& params, const std::string& directory) {
  ResultDirectory out(directory);
  const Summary summary = lab.run(params, &out);
  lab.manifest.title = "a \"test\"";
  store(out, summary, lab.manifest);
  out.commit();
  return files_in(directory);
}

TEST(ProbeSet, WriteTheSameFilesOnAnyNumberOfThreads) {
  const Scratch scratch;
  struct Case {
    std::string hosts;
    net::Topology topology;
    std::string algorithm;
    std::vector<std::uint32_t> threads;
  };
  for (const Case& c : {Case{"by-rack", racks(), "dcqcn", {2}}, Case{"across", dealt_out_to_racks(), "hpcc", {2, 3}}}) {
    const auto files_of = [&](std::uint32_t threads) {
      const std::string name = fmt::format("{}-{}", c.hosts, threads);
      auto files = results_of(fabric(threads, c.algorithm, c.topology), everything(), scratch / name);
      auto manifest = nlohmann::ordered_json::parse(files.at("manifest.json"));
      EXPECT_EQ(manifest["threads"], threads);
      for (const char* own : {"threads", "wall_s", "cpu_s", "max_rss_bytes", "checksum"})
        EXPECT_EQ(manifest.erase(own), 1u);
      EXPECT_EQ(manifest["regime"].erase("on_one_thread"), 1u);
      files["manifest.json"] = manifest.dump();
      return files;
    };
    const auto one = files_of(1);
    EXPECT_EQ(one.size(), 24u);
    for (const std::uint32_t threads : c.threads) {
      const auto others = files_of(threads);
      EXPECT_EQ(one.size(), others.size());
      // not EXPECT_EQ: gtest would look for the shortest edit of these long texts
      for (const auto& [name, text] : one)
        EXPECT_TRUE(text == others.at(name)) << c.hosts << ", " << threads << " threads: " << name << " differs";
    }
  }
}

TEST(ProbeSet, DoNotDisturbTheRun) {
  const Scratch scratch;
  for (const std::string algorithm : {"hpcc", "dcqcn"}) {
    const auto with = results_of(fabric(1, algorithm), everything(), scratch / (algorithm + "-with"));
    const auto without = results_of(fabric(1, algorithm), {}, scratch / (algorithm + "-without"));
    EXPECT_TRUE(with.at("flows.csv") == without.at("flows.csv")) << algorithm;
    EXPECT_EQ(without.size(), 3u);  // flows.csv, summary.json, manifest.json
  }
}

TEST(ProbeSet, SummaryIsTheSameWithoutADirectory) {
  const Scratch scratch;
  const auto files = results_of(fabric(1, "hpcc"), everything(), scratch / "a");
  EXPECT_TRUE(to_json(fabric(1, "hpcc").run(everything())) == files.at("summary.json"));
}

TEST(ProbeSet, AnErrorInTheRunLeavesNothing) {
  const Scratch scratch;
  EXPECT_THROW(
      {
        Lab lab = fabric(1, "hpcc");
        ResultDirectory out(scratch / "a");
        lab.simulation->every(30_us, [](Time now) {
          if (now.ps > 0) throw std::runtime_error("disk full");
        });
        lab.run(everything(), &out);
      },
      std::runtime_error);
  EXPECT_TRUE(scratch.content().empty());
}

TEST(ProbeSet, AnInterruptedRunSaysSo) {
  const Scratch scratch;
  {
    Lab lab = fabric(1, "hpcc");
    ResultDirectory out(scratch / "a");
    const RunClock clock;
    ProbeSet probes(everything(), *lab.simulation, lab.tags, &out);
    ASSERT_FALSE(lab.simulation->advance(25_us));
    const Summary summary = probes.finish();
    lab.manifest = probes.manifest(clock);
    lab.manifest.interrupted = true;
    store(out, summary, lab.manifest);
    out.commit();
  }
  const auto manifest = nlohmann::json::parse(text_of(scratch / "a/manifest.json"));
  EXPECT_EQ(manifest["complete"], false);
  EXPECT_EQ(manifest["interrupted"], true);
  EXPECT_EQ(manifest["sim_time_ps"], 25'000'000);
  const auto summary = nlohmann::json::parse(text_of(scratch / "a/summary.json"));
  EXPECT_GT(summary["flows"]["unfinished"], 0);
  EXPECT_EQ(summary["flows"]["unfinished"],
            manifest["flows_started"].get<int>() - manifest["flows_completed"].get<int>());
}

// The part of docs/reference/results.md below a heading that has this in it, up to the next one.
std::string section_of(const std::string& docs, const std::string& name) {
  const auto from = docs.find(name);
  return from == std::string::npos ? "" : docs.substr(from, docs.find("\n## ", from + 1) - from);
}

// Each table of the list stands in the list of files of docs/reference/results.md, with what it needs to be written,
// and each of its columns in the section of the file or of its probe.
TEST(Tables, AreDocumented) {
  const std::string docs = text_of("docs/reference/results.md");
  for (const result::TableKind& table : result::table_kinds()) {
    const auto row_at = docs.find("\n| `" + table.file + "` | ");
    ASSERT_NE(row_at, std::string::npos) << table.file;
    const std::string row = docs.substr(row_at + 1, docs.find('\n', row_at + 1) - row_at - 1);
    const ProbeKind& kind = *find_kind(table.probe);
    const std::string of_probe = "probe `" + table.probe + "`";
    if (!table.if_set.empty()) {
      const bool fallback = std::get<bool>(kind.params->find(table.if_set)->fallback);
      const std::string condition =
          of_probe + (fallback ? ", unless `" + table.if_set + " = false`" : ", `" + table.if_set + " = true`");
      EXPECT_NE(row.find("| " + condition + " |"), std::string::npos) << row << " lacks " << condition;
    } else {
      EXPECT_NE(row.find(kind.is_always_on ? "| always |" : "| " + of_probe + " |"), std::string::npos) << row;
    }
    std::string section = section_of(docs, "\n## `" + table.file + "`\n");
    if (section.empty()) section = section_of(docs, "\n## Probe `" + table.probe + "`\n");
    ASSERT_NE(section, "") << table.file;
    for (const result::Column& column : table.columns)
      EXPECT_NE(section.find("`" + column.name + "`"), std::string::npos) << table.file << " " << column.name;
  }
}

void collect_keys(const nlohmann::json& json, std::set<std::string>& keys) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(key);
    if (value.is_structured()) collect_keys(value, keys);
  }
}

// Every key that a run with all probes writes has its place in docs/reference/results.md.
TEST(ProbeSet, AreDocumented) {
  const Scratch scratch;
  const std::string docs = text_of("docs/reference/results.md");
  for (const auto& [file, text] : results_of(fabric(1, "hpcc"), everything(), scratch / "a")) {
    if (!file.ends_with(".json")) continue;
    std::set<std::string> keys;
    collect_keys(nlohmann::json::parse(text), keys);
    for (const char* of_the_run : {"web", "incast", "hpcc", "tier 2"}) keys.erase(of_the_run);
    for (const auto& key : keys) EXPECT_NE(docs.find("`" + key + "`"), std::string::npos) << file << " " << key;
  }
}

TEST(ProbeSet, AreCheckedBeforeTheRun) {
  const Lab lab(net::build(net::Star{.hosts = 4}), {});
  const auto message = [&](auto&& edit) -> std::string {
    ProbeParams params;
    edit(params);
    try {
      check(params, lab.model, {"web", "incast"});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_EQ(message([](auto& p) { p.set(QueuesParams{.ports = "0->1"}); }),
            "queues.ports: there is no link 0->1; 0 is linked to 4");
  EXPECT_EQ(message([](auto& p) { p.set(RatesParams{.tag = "wbe"}); }),
            "rates.tag: no traffic has the tag 'wbe'; tags are web, incast");
  EXPECT_EQ(message([](auto& p) { p.set(PfcParams{.ports = "fabric"}); }), "pfc.ports: this network has no such ports");
  EXPECT_TRUE(message([](auto& p) { p.set(LinksParams{.ports = "x"}); }).starts_with("links.ports: "));
  EXPECT_TRUE(message([](auto& p) { p.set(FlowsParams{.buckets = "1"}); }).starts_with("flows.buckets: "));
}

TEST(ProbeKinds, TurnProbesOnByName) {
  ProbeParams params;
  for (const ProbeKind& kind : probe_kinds()) {
    EXPECT_EQ(find_kind(kind.name), &kind);
    EXPECT_EQ(params.get(kind) != nullptr, kind.is_always_on) << kind.name;
    EXPECT_EQ(kind.is_always_on, kind.name == "flows");
    const std::shared_ptr<void> object = kind.params->make();
    params.set(kind, object);
    EXPECT_EQ(params.get(kind), object.get());
    EXPECT_FALSE(kind.params->params().empty()) << kind.meaning;
  }
  EXPECT_EQ(find_kind("queue"), nullptr);
}

TEST(ProbeParams, AreAValue) {
  ProbeParams params;
  params.set(QueuesParams{.ports = "hosts"});
  ProbeParams other = params;
  other.set(QueuesParams{.ports = "edge"});
  other.set(FlowsParams{.paths = true});
  EXPECT_EQ(params.get<QueuesParams>()->ports, "hosts");
  EXPECT_EQ(other.get<QueuesParams>()->ports, "edge");
  EXPECT_FALSE(params.get<FlowsParams>()->paths);
  EXPECT_EQ(params.get<LinksParams>(), nullptr);
}

TEST(ProbeParams, TellWhatAsksForSingleEvents) {
  ProbeParams params;
  params.set(QueuesParams{});
  EXPECT_FALSE(params.need_trace());
  params.set(PacketsParams{});
  EXPECT_TRUE(params.need_trace());
  EXPECT_EQ(params.trace_key(), "probes.packets");
}

TEST(ProbeParams, TellHowOftenTheRunIsLookedAt) {
  ProbeParams params;
  EXPECT_EQ(params.shortest_interval(), Time::max());
  LinksParams links;
  links.interval = 10_us;
  links.series = false;
  params.set(links);
  EXPECT_EQ(params.shortest_interval(), Time::max());
  links.series = true;
  params.set(links);
  EXPECT_EQ(params.shortest_interval(), 10_us);
  QueuesParams queues;
  queues.interval = 100_ns;
  params.set(queues);
  EXPECT_EQ(params.shortest_interval(), 100_ns);
}

// Each table of the list belongs to a probe, which writes it with exactly the columns of the list and with values that
// readers take, and a run with all probes writes no other one.
TEST(Tables, AreThoseThatProbesWrite) {
  const Scratch scratch;
  const auto files = results_of(fabric(1, "hpcc"), everything(), scratch / "a");
  std::set<std::string> written;
  for (const auto& [file, text] : files)
    if (file.ends_with(".csv")) written.insert(file);
  std::set<std::string> listed;
  for (const result::TableKind& table : result::table_kinds()) {
    listed.insert(table.file);
    const ProbeKind* kind = find_kind(table.probe);
    ASSERT_NE(kind, nullptr) << table.file;
    if (!table.if_set.empty()) {
      const Param* flag = kind->params->find(table.if_set);
      EXPECT_TRUE(flag != nullptr && flag->type_name() == "boolean") << table.file;
    }
    ASSERT_TRUE(files.contains(table.file)) << table.file;
    result::Rows rows(files.at(table.file), table.file, {});
    std::vector<std::string> columns;
    for (const result::Column& column : table.columns) columns.push_back(column.name);
    EXPECT_EQ(rows.columns(), columns) << table.file;
    std::size_t count = 0;
    while (rows.next()) ++count;  // throws for a row that does not fit the columns
    // No packet is lost in a lossless network, no link is down, and hosts do nothing but send.
    const bool is_empty =
        table.file == "view_events.csv" || table.file == "view_activities.csv" || table.file == "view_outages.csv";
    EXPECT_EQ(count > 0, !is_empty) << table.file;
  }
  EXPECT_EQ(written, listed);
}

// A table that is written only if a flag of its probe is set is not there without.
TEST(Tables, AreWrittenIfTheirFlagIsSet) {
  for (const result::TableKind& table : result::table_kinds()) {
    if (table.if_set.empty()) continue;
    const ProbeKind& kind = *find_kind(table.probe);
    for (const bool set : {false, true}) {
      const Scratch scratch;
      ProbeParams params;
      const std::shared_ptr<void> of_kind = kind.params->make();
      kind.params->find(table.if_set)->set(of_kind.get(), set);
      params.set(kind, of_kind);
      EXPECT_EQ(results_of(fabric(1, "hpcc"), params, scratch / "a").contains(table.file), set) << table.file;
    }
  }
}

TEST(Summary, IsTextForPeople) {
  const std::string text = to_text(fabric(1, "hpcc").run(everything()));
  for (const char* part : {"255 flows finished, 0 unfinished", "slowdown ", "  web ", " by size\n  <= 1 KB",
                           "queues, bytes", " by direction\n  edge down", "  edge up", "  tier 2 down",
                           "  the busiest port", "longest: ", "fairness: Jain's index", "PFC: ", "links: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Nothing is so many times above a bound of 0.
TEST(Summary, LeavesOutBoundsThatAreNotKnown) {
  Summary s;
  CollectiveSummary& c = s.collectives.emplace_back();
  c.tag = "ring";
  c.messages = 2;
  c.start = Time{};
  c.completion = c.acknowledged = 5_us;
  EXPECT_NE(to_text(s).find("collective ring: 2 messages, received after 5.000 us\n  acknowledged after 5.000 us\n"),
            std::string::npos)
      << to_text(s);
  EXPECT_NE(to_json(s).find("\"excess\": null"), std::string::npos);
  c.bound = c.acknowledged_bound = 4_us;
  EXPECT_NE(to_text(s).find("received after 5.000 us, 25.00 % above the bound of 4.000 us"), std::string::npos)
      << to_text(s);
  // What others take is no excess of its own.
  c.shares_hosts_with = {"job B", "job C"};
  EXPECT_NE(to_text(s).find("received after 5.000 us, alone it takes at least 4.000 us, but it shares hosts with job "
                            "B, job C\n  acknowledged after 5.000 us\n"),
            std::string::npos)
      << to_text(s);
  EXPECT_NE(to_json(s).find("\"excess\": null"), std::string::npos);
  EXPECT_NE(to_json(s).find("\"shares_hosts_with\": ["), std::string::npos);
  c.messages = 20'000'000;
  c.bound = c.acknowledged_bound = {};
  EXPECT_NE(to_text(s).find("received after 5.000 us, no bound: more than 10000000 messages\n"), std::string::npos)
      << to_text(s);
}

// Tags and algorithms of one name are told apart, and long numbers do not run together.
TEST(Summary, NamesItsRowsAndSeparatesItsColumns) {
  Summary s;
  s.flows.finished = 2;
  const Distribution d{
      .count = 1'234'567'890, .mean = 2e9, .p50 = 2e9, .p95 = 3e9, .p99 = 3e9, .p999 = 3e9, .max = 4e9};
  s.flows.slowdown = d;
  s.flows.by_tag = {{"hpcc", d}, {"dcqcn", d}};
  s.flows.by_algorithm = {{"hpcc", d}, {"slow", d}};
  s.queues.emplace().all = d;
  const std::string text = to_text(s);
  EXPECT_NE(text.find(" by tag\n  hpcc "), std::string::npos) << text;
  EXPECT_NE(text.find(" by algorithm\n  hpcc "), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "  all ports            1234567890 2000000000 2000000000 3000000000 3000000000 3000000000 4000000000\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace weir::probe
