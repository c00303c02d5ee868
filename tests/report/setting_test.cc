// What a report says of the experiment: whose flows, which setting, what differs between runs.
#include <algorithm>

#include <fmt/ranges.h>

#include "tests/report/helpers.h"
#include "weir/report/setting.h"

namespace weir::report {
namespace {

// Web flows of three sizes beside incasts of one of them.
TEST(Document, TagsThatWouldMixHaveFiguresOfTheirOwn) {
  const Folder folder("weir-report-tags");
  const auto more = [&](const std::string& size) {
    run(folder, "one");
    run(folder, "two", {"--set", "algorithm.name=dcqcn", "--set", "network.ecn.enabled=true"});
    for (const char* name : {"one", "two"}) {
      forget_files(folder / name);
      // three flows of each kind: a median, and no higher percentile
      std::string flows = "flow_id,src,dst,size_bytes,start_ps,finish_ps,fct_ps,ideal_fct_ps,slowdown,algorithm,tag\n";
      int id = 0;
      for (const auto& [bytes, slowdown, tag] :
           {std::tuple{std::string("500"), 1, "web"}, {"50000", 2, "web"}, {"500000", 3, "web"}, {size, 40, "incast"}})
        for (int i = 0; i < 3; ++i) flows += fmt::format("{},0,8,{},0,10,10,10,{},a,{}\n", id++, bytes, slowdown, tag);
      write(folder / (std::string(name) + "/flows.csv"), flows);
    }
    const Document document = read({folder / "one", folder / "two"});
    for (const char* name : {"one", "two"}) std::filesystem::remove_all(folder / name);
    return document;
  };
  const Document mixed = more("50000");
  const Figure& web = figure(mixed, "slowdown-web-p50");
  EXPECT_EQ(web.title, "Slowdown of web by flow size, median");
  EXPECT_EQ(web.series.at(1).y.at(2), 2);
  EXPECT_NE(web.caption.find("Flows of web alone. n = 9 flows of each run."), std::string::npos);
  EXPECT_EQ(figure(mixed, "slowdown-incast-p50").series.at(0).y, std::vector<double>{40});
  EXPECT_THROW(figure(mixed, "slowdown-p50"), std::out_of_range);
  // of sizes of their own they say who they are by that
  const Document apart = more("5000");
  EXPECT_EQ(figure(apart, "slowdown-p50").series.at(0).y, (std::vector<double>{1, 40, 2, 3}));
  EXPECT_NE(figure(apart, "slowdown-p50").caption.find("Flows of all tags: incast, web."), std::string::npos);
  EXPECT_NE(figure(apart, "slowdown-p50").caption.find("n = 12 flows of each run."), std::string::npos);
}

// A result calls its copy of a graph by the graph's own name.
TEST(Document, TellsTheNameOfAGraph) {
  const Folder folder("weir-report-graph");
  const auto o = app::weir({"run", "scenarios/graph-file.toml", "--quiet", "--out", folder / "ring"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "ring/topology-ring.graph"));
  const std::string setting = read({folder / "ring"}).figures.at(0).setting;
  EXPECT_TRUE(setting.starts_with("graph ring.graph · ")) << setting;
}

TEST(Document, TellsTheSettingAndWhatDiffers) {
  const Folder folder("weir-report-setting");
  run(folder, "hpcc");
  run(folder, "dcqcn", {"--set", "algorithm.name=dcqcn", "--set", "network.ecn.enabled=true"});
  run(folder, "reps",
      {"--set", "algorithm.load_balancing.kind=reps", "--set", "algorithm.recovery.kind=irn", "--set", "run.seed=7",
       "--set", "network.buffer.size=8 MB", "--set", "network.ecn.enabled=true"});
  const auto of = [](const Document& document, std::size_t run) {
    std::string out;
    for (const auto& [key, value] : document.runs.at(run).differences) out += fmt::format("{}={};", key, value);
    return out;
  };
  const Document two = read({folder / "hpcc", folder / "dcqcn"});
  EXPECT_EQ(of(two, 0), "network.ecn.enabled=false;") << "an algorithm's parameters differ with it";
  EXPECT_EQ(of(two, 1), "network.ecn.enabled=true;");
  const Document three = read({folder / "hpcc", folder / "dcqcn", folder / "reps"});
  EXPECT_EQ(of(three, 0),
            "run.seed=1;network.buffer.size=32 "
            "MB;network.ecn.enabled=false;algorithm.recovery.kind=go-back-n;algorithm.load_balancing.kind=ecmp;");
  EXPECT_EQ(of(three, 2),
            "run.seed=7;network.buffer.size=8 "
            "MB;network.ecn.enabled=true;algorithm.recovery.kind=irn;algorithm.load_balancing.kind=reps;");
  EXPECT_EQ(to_json(two).at("runs").at(1).at("differences").dump(), R"([["network.ecn.enabled","true"]])");
  const std::string& setting = figure(two, "fct-cdf").setting;
  EXPECT_EQ(setting.find("star, hosts 9"), 0u) << setting;
  for (const char* part : {" · small of 8 KB + large of 60 KB · ECN off (hpcc) / ECN 400 KB to 1.6 MB, p_max 0.2, at "
                           "100 Gbps (dcqcn)",
                           " · buffer 32 MB, lossless"})
    EXPECT_NE(setting.find(part), std::string::npos) << setting;
  EXPECT_EQ(of(read({folder / "hpcc"}), 0), "");
}

// Runs of one algorithm with other policies are told apart, also beside those of another.
TEST(Document, TellsAlgorithmsWithTheirPolicies) {
  const Folder folder("weir-report-policies");
  std::filesystem::copy_file("data/policies/wide.toml", folder / "mine.toml");
  run(folder, "hpcc");
  run(folder, "wide", {"--set", "algorithm={name=\"pcc_rl\",policy=\"wide\"}"});
  run(folder, "mine", {"--set", "algorithm={name=\"pcc_rl\",policy=\"./mine.toml\"}"});
  run(folder, "two",
      {"--set", "profile=[{name=\"own\",algorithm=\"pcc_rl\",policy=\"./mine.toml\"}]", "--set",
       "traffic.1.profile=own"});
  run(folder, "none", {"--set", "algorithm={name=\"pcc_rl\",policy=\"wide\"}", "--set", "run.stop=1 us"});
  const Document document = read({folder / "hpcc", folder / "wide", folder / "mine", folder / "two", folder / "none"});
  std::vector<std::string> told;
  for (const auto& run : document.runs) told.push_back(fmt::format("{}", fmt::join(run.algorithms, ", ")));
  EXPECT_EQ(told,
            (std::vector<std::string>{"hpcc", "pcc_rl (wide)", "pcc_rl (mine)", "hpcc, own (mine)", "pcc_rl (wide)"}));
  EXPECT_EQ(to_json(document).at("runs").at(1).at("algorithms"), Json::array({"pcc_rl (wide)"}));
}

// Thresholds are told at the rates of the links, and with the algorithm whose they are.
TEST(SettingLine, TellsWhatHoldsAtTheLinksAndForWhom) {
  using Runs = std::vector<Settings>;
  const auto run = [](const std::string& algorithm, const Settings& more) {
    Settings out{{"topology.host_rate", "100 Gbps"}, {"topology.fabric_rate", "400 Gbps"},
                 {"topology.fabric_delay", "1 us"},  {"algorithm.name", algorithm},
                 {"network.ecn.enabled", "true"},    {"network.buffer.size", "32 MB"},
                 {"network.buffer.mode", "lossless"}};
    for (const auto& setting : more) {
      const auto known =
          std::find_if(out.begin(), out.end(), [&](const auto& entry) { return entry.first == setting.first; });
      known == out.end() ? out.emplace_back(setting) : * known = setting;
    }
    return out;
  };
  const auto marking = [](const char* low, const char* high, const char* p_max, const char* at_rate) {
    return Settings{{"network.ecn.k_min", low},
                    {"network.ecn.k_max", high},
                    {"network.ecn.p_max", p_max},
                    {"network.ecn.at_rate", at_rate}};
  };
  const Settings off{{"network.ecn.enabled", "false"}};
  const Settings dctcp = marking("97.5 KB", "97.5 KB", "1.0", "10 Gbps");
  const Settings dcqcn = marking("100 KB", "400 KB", "0.2", "25 Gbps");
  const Settings alike = marking("40 KB", "40 KB", "1.0", "0 bps");
  Settings own = dcqcn;
  for (const auto& [key, value] :
       {std::pair{"rate", "400 Gbps"}, {"k_min", "5 KB"}, {"k_max", "7 KB"}, {"p_max", "1.0"}})
    own.emplace_back(std::string("network.ecn.rate.0.") + key, value);
  const Runs of_file{{{"topology.kind", "file"}, {"topology.file", "a.graph"}, {"network.ecn.enabled", "true"}}};
  Runs in_file = of_file;
  in_file[0].insert(in_file[0].end(), dcqcn.begin(), dcqcn.end());
  const std::vector<std::pair<Runs, std::string>> cases{
      {{run("dctcp", dctcp)}, " · ECN above 975 KB at 100 Gbps; above 3.9 MB at 400 Gbps · "},
      {{run("dcqcn", dcqcn)},
       " · ECN 400 KB to 1.6 MB, p_max 0.2, at 100 Gbps; 1.6 MB to 6.4 MB, p_max 0.2, at 400 Gbps · "},
      {{run("dcqcn", own)}, " · ECN 400 KB to 1.6 MB, p_max 0.2, at 100 Gbps; 5 KB to 7 KB, p_max 1, at 400 Gbps · "},
      {{run("nscc", alike)}, " · ECN above 40 KB · "},
      {in_file, " · ECN 100 KB to 400 KB, p_max 0.2 per 25 Gbps · "},
      {{run("hpcc", off), run("nscc", alike), run("swift", off)},
       " · ECN off (hpcc, swift) / ECN above 40 KB (nscc) · buffer 32 MB, lossless"},
      // an algorithm with two of them has none of its own
      {{run("dctcp", off), run("dctcp", alike)}, " · ECN off / ECN above 40 KB · "},
      {{run("dctcp", alike), run("nscc", alike)}, " · ECN above 40 KB · "},
      {{run("dctcp", {{"network.buffer.mode", "lossy"}}), run("hpcc", {})},
       " · buffer 32 MB, lossy (dctcp) / buffer 32 MB, lossless (hpcc)"},
  };
  for (const auto& [runs, part] : cases) {
    const std::string line = setting_line(runs);
    EXPECT_NE(line.find(part), std::string::npos) << line << "\n is without\n" << part;
  }
}

// Whatever valid scenarios have: thresholds that no queue gets to, rates with units that are not known here.
TEST(SettingLine, BoundsThresholdsAndTakesWhatItDoesNotKnow) {
  const auto line = [](const std::string& rate, const std::string& at_rate) {
    const Settings one{
        {"topology.kind", "star"},        {"topology.rate", rate},          {"network.ecn.enabled", "true"},
        {"network.ecn.k_min", "4 GB"},    {"network.ecn.k_max", "4 GB"},    {"network.ecn.p_max", "0.2"},
        {"network.ecn.at_rate", at_rate}, {"network.buffer.size", "32 MB"}, {"network.buffer.mode", "lossless"}};
    return setting_line({&one, 1});
  };
  EXPECT_NE(line("100 Gbps", "1 bps").find("ECN above 4294967294 B at 100 Gbps"), std::string::npos)
      << line("100 Gbps", "1 bps");
  EXPECT_NE(line("fast", "slow").find("ECN above 4 GB"), std::string::npos);
}

TEST(Document, BarsOfOnePercentileSayWhich) {
  const Folder folder("weir-report-median");
  run(folder, "a", {"--set", "traffic.1.size=8 KB", "--set", "traffic.1.tag=small"});
  const Document document = read({folder / "a"});
  const Figure& f = figure(document, "slowdown");
  ASSERT_EQ(f.series.size(), 1u);
  EXPECT_EQ(f.kind, "bars");
  EXPECT_EQ(f.title, "Slowdown by flow size, median");
  EXPECT_EQ(f.y.label, "FCT slowdown, median");
}

// All that PFC has paused, the longest first.
TEST(Document, TellsThePortsThatPfcHasPaused) {
  const Folder folder("weir-report-paused");
  const auto o = app::weir({"run", "tests/scenarios/pfc-small-buffer.toml", "--quiet", "--out", folder / "a"});
  ASSERT_EQ(o.status, 0) << o.err;
  const Document document = read({folder / "a"});
  const auto& paused = document.runs.at(0).paused;
  std::size_t expected = 0;
  double longest = 0;
  for (const auto& row : rows(folder / "a/pfc.csv")) {
    expected += row.at("paused_ps") != "0";
    longest = std::max(longest, std::stod(row.at("paused_ps")));
  }
  ASSERT_GT(expected, 1u);
  ASSERT_EQ(paused.size(), expected);
  EXPECT_EQ(paused[0].paused_ps, longest);
  for (std::size_t i = 1; i < paused.size(); ++i) EXPECT_LE(paused[i].paused_ps, paused[i - 1].paused_ps);
  const Json of_run = to_json(document).at("runs").at(0);
  EXPECT_EQ(of_run.at("paused_ports"), expected);
  EXPECT_EQ(of_run.at("paused").size(), std::min<std::size_t>(expected, 10));
  EXPECT_EQ(of_run.at("paused").at(0).at("port"), paused[0].port);
}

TEST(SettingLine, LinkEventsSayWhatBecomesOfPackets) {
  Settings one{
      {"network.reroute", "true"},      {"network.link_event.0.time", "30 us"}, {"network.link_event.0.a", "8"},
      {"network.link_event.0.b", "11"}, {"network.link_event.0.state", "down"}, {"network.link_event.1.time", "200 us"},
      {"network.link_event.1.a", "8"},  {"network.link_event.1.b", "11"},       {"network.link_event.1.state", "up"}};
  EXPECT_EQ(
      link_events(one),
      (std::vector<std::string>{"At 30 us every link between nodes 8 and 11 goes down; what is on it is lost, and from "
                                "then on switches take the paths that are left, if any.",
                                "At 200 us every link between nodes 8 and 11 comes up again."}));
  one[0].second = "false";
  EXPECT_EQ(link_events(one).at(0),
            "At 30 us every link between nodes 8 and 11 goes down; switches go on sending over it, and all of that is "
            "lost.");
  EXPECT_TRUE(link_events({}).empty());
}

// A study's figure is of the runs that it names.
TEST(Document, AFigureOfASweepTellsTheSettingOfItsRuns) {
  const Folder folder("weir-report-where");
  run(folder, "runs/a", {"--set", "network.buffer.size=8 MB"});
  run(folder, "runs/b", {"--set", "network.buffer.size=16 MB"});
  write(folder / "runs.csv", "run,buffer,seed,status,message\na,small,1,done,\nb,large,1,done,\n");
  Json all = small_figure();
  Json one = small_figure();
  one["runs"] = {"b"};
  one["x"]["named"] = Json::array({{{"at", 1000}, {"text", "up to 1 KB"}}});
  one["whiskers"] = "what they are";
  write_figures(folder, Json::array({all, one}));
  const Document document = read({folder.path()});
  EXPECT_NE(document.figures.at(0).setting.find("buffer 8 MB, lossless / buffer 16 MB, lossless"), std::string::npos)
      << document.figures[0].setting;
  EXPECT_NE(document.figures.at(1).setting.find(" · buffer 16 MB, lossless"), std::string::npos);
  const Json again = to_json(document.figures[1], figure::Form::drawn);
  EXPECT_EQ(again.at("x").at("named"), one["x"]["named"]);
  EXPECT_EQ(again.at("whiskers"), "what they are");
}

// Figures that a run has nothing for do not speak of it.
TEST(Document, TheSettingOfAFigureIsThatOfTheRunsItShows) {
  const Folder folder("weir-report-shown");
  run(folder, "small", {"--set", "network.buffer.size=8 MB"});
  forget_files(folder / "small");
  for (const char* file : {"queue_cdf.csv", "queues.csv"})
    std::filesystem::remove(folder / ("small/" + std::string(file)));
  run(folder, "large", {"--set", "network.buffer.size=16 MB"});
  const Document document = read({folder / "small", folder / "large"});
  EXPECT_NE(figure(document, "fct-cdf").setting.find("buffer 8 MB"), std::string::npos);
  for (const char* id : {"queue-cdf", "queues", "rates-large"})
    EXPECT_EQ(figure(document, id).setting.find("buffer 8 MB"), std::string::npos) << id;
  EXPECT_EQ(figure(document, "rates-small").setting.find("buffer 16 MB"), std::string::npos);
}

// Flows without a finish are in no curve of times: the figures of flows say how many, those of other things do not.
TEST(Document, FiguresOfFlowsTellWhichHadNotFinished) {
  const Folder folder("weir-report-unfinished");
  run(folder, "runs/short", {"--set", "run.stop=20 us"});
  run(folder, "runs/whole");
  const auto left = [](const report::Run& of) { return of.summary.at("flows").at("unfinished").get<int>(); };
  const Document alone = read({folder / "runs/short"});
  ASSERT_GT(left(alone.runs[0]), 0);
  const std::string told = fmt::format("{} of 8", left(alone.runs[0]));
  for (const char* id : {"fct-cdf", "start-finish"})
    EXPECT_EQ(figure(alone, id).left_out,
              "Flows that had not finished when the run ended are not in it: " + told + ".");
  EXPECT_EQ(figure(alone, "queue-cdf").left_out, "");

  const std::string of_both = "Flows that had not finished when their run ended are not in it: " + told + " of short.";
  const Document both = read({folder / "runs/short", folder / "runs/whole"});
  EXPECT_EQ(figure(both, "fct-cdf").left_out, of_both);
  EXPECT_EQ(to_json(figure(both, "fct-cdf"), figure::Form::drawn).at("left_out"), of_both);

  write(folder / "runs.csv", "run,buffer,seed,status,message\nshort,small,1,done,\nwhole,large,1,done,\n");
  Json of_flows = small_figure();
  of_flows["of_flows"] = true;
  Json whole = of_flows;
  whole["runs"] = {"whole"};
  write_figures(folder, Json::array({of_flows, whole, small_figure()}));
  const Document sweep = read({folder.path()});
  EXPECT_EQ(sweep.figures.at(0).left_out, of_both);
  EXPECT_EQ(sweep.figures.at(1).left_out, "");
  EXPECT_EQ(sweep.figures.at(2).left_out, "");
  if (!available()) GTEST_SKIP() << "this build has no report";
  EXPECT_NE(SvgWriter().svg(sweep.figures[0]).find("had not finished"), std::string::npos);
}

}  // namespace
}  // namespace weir::report
