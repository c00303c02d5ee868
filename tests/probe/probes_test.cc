// All probes together: the files of a run, their documentation, and who may disturb whom.
#include "weir/probe/probes.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/probe/helpers.h"
#include "weir/base/error.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

ProbeParams everything() {
  ProbeParams p;
  p.flows.equal_count_buckets = 4;
  p.queues = QueuesParams{.ports = "all", .interval = 1_us, .series = true};
  p.flows.paths = true;
  p.rates = RatesParams{.interval = 10_us};
  p.delays.emplace();
  p.pfc.emplace();
  p.links = LinksParams{.series = true, .interval = 7_us};
  return p;
}

// A crowded fabric: every host to all others in turn, and an incast.
Lab fabric(std::uint32_t threads, const std::string& algorithm) {
  const net::Topology t = net::build(net::LeafSpine{.leaves = 4, .spines = 2, .hosts_per_leaf = 4});
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
  return Lab(t, flows, algorithm, edit, {.threads = threads});
}

std::map<std::string, std::string> results_of(Lab lab, const ProbeParams& params, const std::string& directory) {
  ResultDirectory out(directory);
  const Summary summary = lab.run(params, &out);
  lab.manifest.title = "a \"test\"";
  store(out, summary, lab.manifest);
  out.commit();
  return files_in(directory);
}

TEST(Probes, WriteTheSameFilesOnAnyNumberOfThreads) {
  const Scratch scratch;
  for (const std::string algorithm : {"hpcc", "dcqcn"}) {
    auto one = results_of(fabric(1, algorithm), everything(), scratch / (algorithm + "1"));
    auto two = results_of(fabric(2, algorithm), everything(), scratch / (algorithm + "2"));
    auto first = nlohmann::ordered_json::parse(one.at("manifest.json"));
    auto second = nlohmann::ordered_json::parse(two.at("manifest.json"));
    EXPECT_EQ(first["threads"], 1);
    EXPECT_EQ(second["threads"], 2);
    for (auto* m : {&first, &second})
      for (const char* own : {"threads", "wall_s", "cpu_s", "max_rss_bytes", "checksum"}) EXPECT_EQ(m->erase(own), 1u);
    EXPECT_EQ(first, second);
    one.erase("manifest.json");
    two.erase("manifest.json");
    EXPECT_EQ(one.size(), 12u);
    EXPECT_EQ(one.size(), two.size());
    // not EXPECT_EQ: gtest would look for the shortest edit of these long texts
    for (const auto& [name, text] : one) EXPECT_TRUE(text == two[name]) << algorithm << ": " << name << " differs";
  }
}

TEST(Probes, DoNotDisturbTheRun) {
  const Scratch scratch;
  for (const std::string algorithm : {"hpcc", "dcqcn"}) {
    const auto with = results_of(fabric(1, algorithm), everything(), scratch / (algorithm + "-with"));
    const auto without = results_of(fabric(1, algorithm), {}, scratch / (algorithm + "-without"));
    EXPECT_TRUE(with.at("flows.csv") == without.at("flows.csv")) << algorithm;
    EXPECT_EQ(without.size(), 3u);  // flows.csv, summary.json, manifest.json
  }
}

TEST(Probes, SummaryIsTheSameWithoutADirectory) {
  const Scratch scratch;
  const auto files = results_of(fabric(1, "hpcc"), everything(), scratch / "a");
  EXPECT_TRUE(to_json(fabric(1, "hpcc").run(everything())) == files.at("summary.json"));
}

TEST(Probes, AnErrorInTheRunLeavesNothing) {
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

TEST(Probes, AnInterruptedRunSaysSo) {
  const Scratch scratch;
  {
    Lab lab = fabric(1, "hpcc");
    ResultDirectory out(scratch / "a");
    const RunClock clock;
    Probes probes(everything(), *lab.simulation, lab.tags, &out);
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

void collect_keys(const nlohmann::json& json, std::set<std::string>& keys) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(key);
    if (value.is_structured()) collect_keys(value, keys);
  }
}

// Every file, column and key that a run with all probes writes has its place in docs/results.md.
TEST(Probes, AreDocumented) {
  const Scratch scratch;
  const std::string docs = text_of("docs/results.md");
  const auto expect_documented = [&](const std::string& what, const std::string& name) {
    EXPECT_NE(docs.find("`" + name + "`"), std::string::npos) << what << " " << name;
  };
  for (const auto& [file, text] : results_of(fabric(1, "hpcc"), everything(), scratch / "a")) {
    expect_documented("file", file);
    if (file.ends_with(".csv")) {
      std::stringstream header(text.substr(0, text.find('\n')));
      for (std::string column; std::getline(header, column, ',');) expect_documented(file, column);
    } else {
      std::set<std::string> keys;
      collect_keys(nlohmann::json::parse(text), keys);
      for (const char* of_the_run : {"web", "incast", "hpcc", "tier 2"}) keys.erase(of_the_run);
      for (const auto& key : keys) expect_documented(file, key);
    }
  }
}

TEST(Probes, AreCheckedBeforeTheRun) {
  const Lab lab(net::build(net::Star{.hosts = 4}), {});
  const auto message = [&](auto&& edit) -> std::string {
    ProbeParams params;
    edit(params);
    try {
      check(params, lab.model, {"web", "incast"}, [](auto probe, auto key) {
        return Where{std::string(probe) + "-" + std::string(key) + ".toml", 7};
      });
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_EQ(message([](auto& p) { p.queues.emplace().ports = "0->1"; }),
            "queues-ports.toml:7: probes.queues.ports: there is no link 0->1; 0 is linked to 4");
  EXPECT_EQ(message([](auto& p) { p.rates.emplace().tag = "wbe"; }),
            "rates-tag.toml:7: probes.rates.tag: no traffic has the tag 'wbe'; tags are web, incast");
  EXPECT_EQ(message([](auto& p) { p.pfc.emplace().ports = "fabric"; }),
            "pfc-ports.toml:7: probes.pfc.ports: this network has no such ports");
  EXPECT_TRUE(message([](auto& p) { p.links.emplace().ports = "x"; }).starts_with("links-ports.toml:7: "));
  EXPECT_TRUE(message([](auto& p) { p.flows.buckets = "1"; }).starts_with("flows-buckets.toml:7: probes.flows."));
}

TEST(ProbeKinds, TurnProbesOnByName) {
  ProbeParams params;
  for (const ProbeKind& kind : probe_kinds()) {
    EXPECT_EQ(kind.get(params) != nullptr, kind.name == "flows") << kind.name;
    void* object = kind.enable(params);
    EXPECT_EQ(kind.get(params), object);
    EXPECT_EQ(kind.enable(params), object);  // what has been set stays
    EXPECT_FALSE(kind.params->params().empty()) << kind.meaning;
  }
  EXPECT_TRUE(params.queues && params.rates && params.pfc && params.links);
}

TEST(Summary, IsTextForPeople) {
  const std::string text = to_text(fabric(1, "hpcc").run(everything()));
  for (const char* part : {"255 flows finished, 0 unfinished", "slowdown ", "  web ", " by size\n  <= 1 KB",
                           "queues, bytes", " by direction\n  edge down", "  edge up", "  tier 2 down",
                           "  the busiest port", "longest: ", "fairness: Jain's index", "PFC: ", "links: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
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
