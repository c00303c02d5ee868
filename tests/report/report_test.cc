// weir report: the document's values against the files they come from, the SVG, and what is refused.
#include "tests/report/helpers.h"

namespace weir::report {
namespace {

TEST(Document, TheFiguresOfARunAreItsFiles) {
  const Folder folder("weir-report");
  run(folder, "one");
  const Document document = read({folder / "one"});
  EXPECT_EQ(document.title, "Eight to one");
  ASSERT_EQ(document.runs.size(), 1u);
  EXPECT_EQ(document.runs[0].name, "one");
  EXPECT_EQ(document.runs[0].scenario, read_file(folder / "one/scenario.toml"));
  EXPECT_EQ(ids(document), (std::vector<std::string>{"slowdown", "fct-cdf", "start-finish", "queue-cdf", "queues",
                                                     "rates", "fairness", "utilisation"}));

  // four flows of each size: place floor(4 * p) of the ascending slowdowns
  std::vector<double> small, large, fct;
  for (const auto& row : rows(folder / "one/flows.csv")) {
    (row.at("size_bytes") == "8000" ? small : large).push_back(std::stod(row.at("slowdown")));
    fct.push_back(std::stod(row.at("fct_ps")));
  }
  std::sort(small.begin(), small.end());
  std::sort(large.begin(), large.end());
  ASSERT_EQ(small.size(), 4u);
  ASSERT_EQ(large.size(), 4u);
  const Figure& slowdown = figure(document, "slowdown");
  EXPECT_EQ(slowdown.x.label, "flow size, up to");
  // of four flows the 95th and the 99th percentile would be the largest
  ASSERT_EQ(slowdown.series.size(), 1u);
  EXPECT_EQ(slowdown.series[0].name, "median");
  EXPECT_EQ(slowdown.series[0].x, (std::vector<double>{10'000, 100'000}));
  EXPECT_EQ(slowdown.series[0].y, (std::vector<double>{small[2], large[2]}));
  EXPECT_EQ(slowdown.series[0].count, (std::vector<double>{4, 4}));
  EXPECT_TRUE(
      slowdown.caption.ends_with("n = 8 flows. There are too few flows of each size for the 95th percentile and "
                                 "99th percentile."))
      << slowdown.caption;
  // the same rule in what the page's tables show
  const Json shown = to_json(document).at("runs").at(0).at("summary").at("slowdown");
  EXPECT_TRUE(shown.at("all").at("p50").is_number());
  for (const char* key : {"p95", "p99", "p999"}) EXPECT_TRUE(shown.at("all").at(key).is_null()) << key;
  EXPECT_TRUE(shown.at("by_size").at(1).at("p95").is_null());
  EXPECT_EQ(shown.at("by_size").at(1).at("count"), 4);

  std::sort(fct.begin(), fct.end());
  const Series& cdf = figure(document, "fct-cdf").series.at(0);
  EXPECT_EQ(cdf.x, fct);
  EXPECT_EQ(cdf.y.front(), 1.0 / 8);
  EXPECT_EQ(cdf.y.back(), 1.0);
}

TEST(Document, TimeSeriesAreThoseOfTheFiles) {
  const Folder folder("weir-report-series");
  run(folder, "one");
  const Document document = read({folder / "one"});

  // the port towards the receiver has the longest queue: that of the switch, node 9, to node 8
  std::vector<double> time, queue;
  for (const auto& row : rows(folder / "one/queues.csv"))
    if (row.at("from") == "9" && row.at("to") == "8") {
      time.push_back(std::stod(row.at("time_ps")));
      queue.push_back(std::stod(row.at("queue_bytes")));
    }
  const Series& longest = figure(document, "queues").series.at(0);
  EXPECT_EQ(longest.name, "9 → 8");
  EXPECT_EQ(longest.x, time);
  EXPECT_EQ(longest.y, queue);

  // stacked rates hold every byte: rates times intervals are the flows' sizes
  const Figure& rates = figure(document, "rates");
  ASSERT_EQ(rates.series.size(), 8u);
  std::map<std::string, std::map<double, double>> by_flow;
  std::map<std::string, std::string> ends;
  for (const auto& row : rows(folder / "one/flows.csv"))
    ends[row.at("flow_id")] = fmt::format("flow {}: {} → {}", row.at("flow_id"), row.at("src"), row.at("dst"));
  for (const auto& row : rows(folder / "one/rates.csv"))
    by_flow[ends.at(row.at("flow_id"))][std::stod(row.at("time_ps"))] = std::stod(row.at("rate_bps"));
  for (const Series& s : rates.series) {
    // the first interval, 2 us long, begins at 0
    EXPECT_EQ(s.x[0], 0);
    EXPECT_EQ(s.x[1], 2e6);
    EXPECT_EQ(s.y[0], s.y[1]);
    for (std::size_t i = 1; i < s.x.size(); ++i) {
      const auto found = by_flow.at(s.name).find(s.x[i]);
      EXPECT_EQ(s.y[i], found == by_flow.at(s.name).end() ? 0 : found->second) << s.name << " at " << s.x[i];
    }
  }

  const auto fairness = rows(folder / "one/fairness.csv");
  const Series& jain = figure(document, "fairness").series.at(0);
  ASSERT_EQ(jain.x.size(), fairness.size());
  for (std::size_t i = 0; i < fairness.size(); ++i)
    if (!fairness[i].at("jain").empty())
      EXPECT_EQ(jain.y[i], std::stod(fairness[i].at("jain")));
    else
      EXPECT_TRUE(std::isnan(jain.y[i]));
}

TEST(Document, SeveralRunsAreCompared) {
  const Folder folder("weir-report-two");
  run(folder, "b/run");
  run(folder, "a/run", {"--set", "algorithm.name=dcqcn", "--set", "network.ecn.enabled=true"});
  const Document document = read({folder / "b/run", folder / "a/run"});
  ASSERT_EQ(document.runs.size(), 2u);
  EXPECT_EQ(document.runs[0].name, "b/run") << "names that are alike get the folder's";
  EXPECT_EQ(document.runs[1].name, "a/run");
  for (const char* id : {"slowdown-p50", "fct-cdf", "queues", "fairness"}) {
    const Figure& f = figure(document, id);
    ASSERT_EQ(f.series.size(), 2u) << id;
    EXPECT_EQ(f.series[0].name, "b/run");
  }
  const auto p50 = [&](const std::string& name) {
    const Json summary = Json::parse(read_file(folder / (name + "/summary.json")));
    std::vector<double> out;
    for (const Json& bucket : summary.at("slowdown").at("by_size"))
      if (bucket.at("count") > 0) out.push_back(bucket.at("p50").get<double>());
    return out;
  };
  EXPECT_EQ(figure(document, "slowdown-p50").series[0].y, p50("b/run"));
  EXPECT_EQ(figure(document, "slowdown-p50").series[1].y, p50("a/run"));
  EXPECT_THROW(figure(document, "slowdown-p99"), std::out_of_range) << "four flows have none";

  // a folder of results is all of them
  std::filesystem::create_directories(folder / "all");
  std::filesystem::rename(folder / "a/run", folder / "all/first");
  std::filesystem::rename(folder / "b/run", folder / "all/second");
  const Document both = read({folder / "all/"});
  ASSERT_EQ(both.runs.size(), 2u);
  EXPECT_EQ(both.title, "all");
  EXPECT_EQ(both.runs[1].name, "second");
}

// A directory as of a sweep without figures; NAME is the one run.
void sweep(const Folder& folder, const std::string& directory, const std::string& name) {
  run(folder, directory + "/runs/" + name);
  write(folder / (directory + "/runs.csv"), "run,seed,status,message\n" + name + ",1,done,\n");
}

TEST(Document, RunsOfOneNameInTwoSweepsAreToldApart) {
  const Folder folder("weir-report-sweeps");
  sweep(folder, "old", "0.3+seed1");
  sweep(folder, "new", "0.3+seed1");
  const Document document = read({folder / "old", folder / "new"});
  const Figure& median = figure(document, "slowdown-p50");
  ASSERT_EQ(median.series.size(), 2u);
  EXPECT_EQ(median.series[0].name, "old/0.3+seed1");
  EXPECT_EQ(median.series[1].name, "new/0.3+seed1");
  EXPECT_EQ(document.runs[0].name, "0.3+seed1") << "the table has a column for the study";
}

// What nobody named does not keep the rest from being shown.
TEST(Document, FoldersWithinAFolderAreShownAndWhatIsBrokenTold) {
  const Folder folder("weir-report-nested");
  run(folder, "all/paper/figure/good");
  run(folder, "all/bad");
  forget_files(folder / "all/bad");
  write(folder / "all/bad/summary.json", "{");
  std::filesystem::create_directories(folder / "all/empty");
  const Document document = read({folder / "all"});
  ASSERT_EQ(document.runs.size(), 1u);
  EXPECT_EQ(document.runs[0].name, "good");
  EXPECT_EQ(document.notices, (std::vector<std::string>{"Not shown: " + folder / "all/bad/summary.json" +
                                                        ":1: this is no whole JSON document."}));
}

TEST(Document, ASweepIsItsRunsFiguresPointsAndClaims) {
  const Folder folder("weir-report-sweep");
  run(folder, "runs/a");
  write(folder / "runs.csv", "run,algorithm,seed,status,message\na,hpcc,1,done,\nb,swift,1,failed,\"bad, really\"\n");
  write(folder / "points.csv", "algorithm,seeds,p99,p99_low,p99_high\nhpcc,1,1.5,,\n");
  Json with_legend = small_figure();
  with_legend["legend"] = "algorithm";
  write_figures(folder, Json::array({with_legend}));
  write(folder / "verdicts.json",
        Json{{"weir", version()}, {"format", 2}, {"claims", Json::array({Json{{"id", "A36"}, {"verdict", "holds"}}})}}
            .dump());
  const Document document = read({folder.path()});
  EXPECT_EQ(document.title, "A study");
  EXPECT_EQ(ids(document), std::vector<std::string>{"fig-11-a"}) << "a sweep with figures has no others";
  ASSERT_EQ(document.studies.size(), 1u);
  EXPECT_EQ(document.studies[0].runs, 2u);
  ASSERT_EQ(document.studies[0].failed.size(), 1u);
  EXPECT_EQ(document.studies[0].failed[0].second, "bad, really");
  EXPECT_EQ(document.studies[0].points.at(0).at(2), "1.5");
  ASSERT_EQ(document.runs.size(), 1u);
  EXPECT_EQ(document.runs[0].group, document.studies[0].name);
  EXPECT_EQ(document.claims.at(0).at("id"), "A36");

  const Series& printed = document.figures[0].series.at(0);
  EXPECT_TRUE(printed.printed);
  EXPECT_EQ(printed.x, (std::vector<double>{1000, 10000, 100000}));
  EXPECT_TRUE(std::isnan(printed.y[1]));
  const Json again = to_json(document.figures[0], figure::Form::drawn);
  EXPECT_EQ(again.at("series").at(0).at("y").dump(), "[1.5,null,3]");
  EXPECT_EQ(again.at("legend"), "algorithm");
}

// The authors' values often have the name of ours.
TEST(Document, SeriesOfAFigureHaveNamesOfTheirOwn) {
  const Folder folder("weir-report-names");
  Json f = small_figure();
  f["series"][0]["name"] = "HPCC";
  f["series"][0]["printed"] = false;
  f["series"][1]["name"] = "HPCC";
  f["series"][1]["printed"] = true;
  write_figures(folder, Json::array({f}));
  const Figure both = read({folder.path()}).figures.at(0);
  EXPECT_EQ(both.series.at(0).name, "HPCC");
  EXPECT_EQ(both.series.at(1).name, "HPCC, printed");
  f["series"][1]["printed"] = false;
  write_figures(folder, Json::array({f}));
  EXPECT_EQ(
      complaint({folder.path()}),
      folder / "figures.json" + ": figure 1: series 'HPCC': name: valid is a name that no other series of it has");
}

// Written with or without it in the file.
TEST(Document, PrintedSeriesStandBesideTheirs) {
  const Folder folder("weir-report-pairs");
  Json f = small_figure();
  const Json any = f["series"][1];
  f["series"] = Json::array();
  for (const char* name : {"A", "B", "C", "B", "other", "A, printed"}) {
    f["series"].push_back(any);
    f["series"].back()["name"] = name;
    if (f["series"].size() > 3) f["series"].back()["printed"] = true;
  }
  write_figures(folder, Json::array({f}));
  std::vector<std::string> names;
  const Document document = read({folder.path()});
  for (const Series& s : document.figures.at(0).series) names.push_back(s.name);
  EXPECT_EQ(names, (std::vector<std::string>{"A", "A, printed", "B", "B, printed", "C", "other"}));
}

TEST(Document, NothingIsShownTwice) {
  const Folder folder("weir-report-twice");
  run(folder, "all/sweep/runs/a");
  write(folder / "all/sweep/runs.csv", "run,seed,status,message\na,1,done,\n");
  write_figures(folder, Json::array({small_figure()}));
  std::filesystem::rename(folder / "figures.json", folder / "all/sweep/figures.json");
  const auto claims = [&](const std::string& name, const char* verdict) {
    std::filesystem::create_directories(folder / name);
    write(folder / name + "/verdicts.json",
          Json{{"weir", version()}, {"claims", Json::array({Json{{"id", "A36"}, {"verdict", verdict}}})}}.dump());
  };
  claims("one", "fails");
  claims("two", "holds");
  const std::string all = folder / "all";
  const auto once = [&](const std::vector<std::string>& directories) {
    const Document d = read(directories);
    EXPECT_EQ(d.runs.size(), 1u);
    EXPECT_EQ(d.runs.at(0).name, "a");
    EXPECT_EQ(d.runs.at(0).group, "sweep");
    EXPECT_EQ(d.studies.size(), 1u);
    return d;
  };
  EXPECT_EQ(once({all, all, all + "/", folder.path() + "/./all", all + "/sweep/.."}).title, "A study");
  EXPECT_EQ(ids(once({all, all + "/sweep"})), std::vector<std::string>{"fig-11-a"});
  EXPECT_EQ(ids(once({all + "/sweep", all})), std::vector<std::string>{"fig-11-a"});
  // named by itself, it is compared as well
  EXPECT_EQ(ids(once({all, all + "/sweep/runs/a"})).size(), 9u);
  EXPECT_EQ(ids(once({all + "/sweep/runs/a", all})).size(), 9u);

  const auto verdict = [&](const std::vector<std::string>& directories) {
    const Document d = read(directories);
    EXPECT_EQ(d.claims.size(), 1u);
    return d.claims.at(0).at("verdict").get<std::string>();
  };
  EXPECT_EQ(verdict({folder / "one", folder / "two"}), "holds");
  EXPECT_EQ(verdict({folder / "two", folder / "one"}), "fails");
}

// A sweep of many runs without a figure of its own: the true reason, and the study's title.
TEST(Document, TellsWhyThereAreNoFigures) {
  const Folder folder("weir-report-no-figures");
  std::filesystem::create_directories(folder / "sweep/runs");
  run(folder, "run");
  std::string runs = "run,seed,status,message\n";
  for (int i = 0; i < 13; ++i) {
    const auto name = fmt::format("r{}", i);
    std::filesystem::copy(folder / "run", folder / "sweep/runs/" + name);
    runs += name + ",1,done,\n";
  }
  write(folder / "sweep/runs.csv", runs);
  Json sweep{{"weir", version()}, {"format", 1}, {"title", "Many runs"}};
  sweep["runs"] = {{"planned", 13}, {"done", 13}, {"failed", 0}};
  sweep["units"] = Json::object();
  write(folder / "sweep/sweep.json", sweep.dump());
  const Document many = read({folder / "sweep"});
  const std::string why =
      "Figures that compare runs are drawn for up to 12 of them; the sweep sweep has 13, and no [[figure]] of its own. "
      "Add one to its study, or name some of its runs, " +
      folder / "sweep/runs/NAME.";
  EXPECT_EQ(many.no_figures, why);
  EXPECT_EQ(many.notices, std::vector<std::string>{why});
  EXPECT_EQ(many.title, "Many runs");
  EXPECT_EQ(to_json(many).at("no_figures"), why);
  // as many as are compared, without the files that are drawn
  write(folder / "sweep/runs.csv", "run,seed,status,message\nr0,1,done,\n");
  EXPECT_EQ(read({folder / "sweep"}).no_figures, "");
  EXPECT_FALSE(read({folder / "sweep"}).figures.empty());
}

// What is damaged in a sweep does not hide the rest of it.
TEST(Document, TellsWhatOfASweepIsNotShown) {
  const Folder folder("weir-report-damaged");
  run(folder, "runs/a");
  write(folder / "runs.csv", "run,seed,status,message\na,1,done,\n");
  const auto notices = [&](const std::string& points) {
    write(folder / "points.csv", points);
    const Document d = read({folder.path()});
    EXPECT_EQ(d.studies.at(0).done, 1u);
    EXPECT_EQ(d.studies.at(0).points.size(), d.notices.empty() ? 1u : 0u);
    return d.notices;
  };
  const std::string not_shown = "Not shown: " + folder / "points.csv";
  EXPECT_EQ(notices("load,seeds,p99\n0.3,1,1.5\n"), std::vector<std::string>{});
  EXPECT_EQ(notices("load,seeds,p99\n0.3,1,1.5\n0.5\n"),
            std::vector<std::string>{not_shown + ":3: 1 fields; the first line names 3 columns."});
  EXPECT_EQ(notices("nonsense\n1\n"), std::vector<std::string>{not_shown + ":1: column seeds is missing."});
  EXPECT_EQ(
      notices("load,seeds\xff\xfe\n"),
      std::vector<std::string>{not_shown + ":1: it has a byte 0xff where none can be, so it is no text (UTF-8); it "
                                           "should be a file of a result."});
  std::filesystem::remove(folder / "points.csv");
  forget_files(folder / "runs/a");
  write(folder / "runs/a/scenario.toml", std::string("title\0", 6));
  EXPECT_EQ(read({folder.path()}).notices,
            std::vector<std::string>{"Not shown: " + folder / "runs/a/scenario.toml" +
                                     ":1: it has a NUL character, so it is no text (UTF-8); it should "
                                     "be a file of a result."});
}

TEST(Document, OfASweepTellsItsUnitsAndWhatIsMissing) {
  const Folder folder("weir-report-units");
  write(folder / "runs.csv", "run,load,seed,status,message\nx,0.3,1,failed,no\n");
  write(folder / "points.csv", "load,seeds,wait,wait_low,wait_high,share_low\n0.3,1,2.5,,,0.5\n");
  const auto study = [&] { return read({folder.path()}).studies.at(0); };
  EXPECT_EQ(study().units, (std::vector<std::string>{"", "1", "1", "1", "1", "1"}));
  EXPECT_EQ(study().runs, 1u);
  Json sweep{{"weir", version()}, {"format", 1}};
  sweep["runs"] = {{"planned", 5}, {"done", 0}, {"failed", 1}};
  sweep["units"] = {{"wait", "us"}, {"share_low", "%"}};
  write(folder / "sweep.json", sweep.dump());
  EXPECT_EQ(study().units, (std::vector<std::string>{"", "1", "us", "us", "us", "%"}));
  EXPECT_EQ(study().runs, 5u);
  EXPECT_EQ(study().done, 0u);
  sweep["runs"] = Json::object();
  write(folder / "sweep.json", sweep.dump());
  EXPECT_EQ(complaint({folder.path()}),
            folder / "sweep.json" + ": a value is missing or of the wrong type; see docs/reference/results.md");
}

// A "*" is the sweep's; the page tells of how many values.
TEST(Document, OfASweepTellsOfHowManyValuesPercentilesAre) {
  const Folder folder("weir-report-counts");
  write(folder / "runs.csv", "run,load,seed,status,message\nx,0.3,1,failed,no\n");
  write(folder / "points.csv", "load,seeds,p99,p99_low,p99_high\n0.3,1,2.5,,\n0.5,1,3.5,,\n");
  Json sweep{{"weir", version()}, {"format", 1}};
  sweep["runs"] = {{"planned", 1}, {"done", 0}, {"failed", 1}};
  sweep["units"] = {{"p99", "1"}};
  sweep["counts"]["p99"] = {{{"fewest", 90}, {"most", 120}, {"few", true}}, nullptr};
  write(folder / "sweep.json", sweep.dump());
  const Document document = read({folder.path()});
  const Study& study = document.studies.at(0);
  ASSERT_EQ(study.counts.at(2).size(), 2u);
  EXPECT_TRUE(study.counts[2][0]->few);
  EXPECT_FALSE(study.counts[2][1]);
  EXPECT_EQ(to_json(document).at("studies").at(0).at("counts").dump(),
            R"([[],[],[{"fewest":90,"most":120,"few":true},null],[],[]])");
  sweep["counts"]["p99"] = {{{"fewest", "many"}}};
  write(folder / "sweep.json", sweep.dump());
  EXPECT_EQ(complaint({folder.path()}),
            folder / "sweep.json" + ": a value is missing or of the wrong type; see docs/reference/results.md");
}

// Of ten ports, one with a single full interval and nine that are half full all along.
TEST(Document, RanksUtilisationByItsMeanAndQueuesByTheLargest) {
  const Folder folder("weir-report-rank");
  run(folder, "one");
  forget_files(folder / "one");
  std::string links = "time_ps,port,from,to,sent_bytes,utilisation\n";
  std::string queues = "time_ps,port,from,to,queue_bytes\n";
  for (int time = 1; time <= 10; ++time)
    for (int port = 0; port < 10; ++port) {
      const bool burst = port == 0 && time == 3;
      links += fmt::format("{},{},{},9,1,{}\n", time, port, port, burst ? 1.0 : port == 0 ? 0.0 : 0.5);
      queues += fmt::format("{},{},{},9,{}\n", time, port, port, burst ? 1000 : port == 0 ? 0 : 500);
    }
  write(folder / "one/link_series.csv", links);
  write(folder / "one/queues.csv", queues);
  const Document document = read({folder / "one"});
  const Figure& utilisation = figure(document, "utilisation");
  ASSERT_EQ(utilisation.series.size(), 8u);
  for (const Series& s : utilisation.series) EXPECT_NE(s.name, "0 → 9");
  EXPECT_EQ(utilisation.caption, "The 8 of 10 ports with the largest mean utilisation, by node numbers.");
  EXPECT_EQ(figure(document, "queues").series.at(0).name, "0 → 9");
  EXPECT_EQ(figure(document, "queues").caption, "The 8 of 10 ports with the largest queue, by node numbers.");
}

// Hundreds of flows of one size and few of another: the curve has a gap where a percentile would be the largest.
TEST(Document, LeavesOutPercentilesOfTooFewFlows) {
  const Folder folder("weir-report-few");
  run(folder, "one");
  forget_files(folder / "one");
  std::string flows = "flow_id,src,dst,size_bytes,start_ps,finish_ps,fct_ps,ideal_fct_ps,slowdown,algorithm,tag\n";
  int id = 0;
  const auto add = [&](int size, int count) {
    for (int i = 1; i <= count; ++i) flows += fmt::format("{},0,8,{},0,10,10,10,{},a,web\n", id++, size, i);
  };
  add(500, 300);
  add(5'000, 100);
  add(50'000, 101);
  add(2'000'000'000, 101);
  write(folder / "one/flows.csv", flows);
  const Document document = read({folder / "one"});
  const Figure& slowdown = figure(document, "slowdown");
  ASSERT_EQ(slowdown.series.size(), 3u);
  const Series& p99 = slowdown.series[2];
  EXPECT_EQ(p99.name, "99th percentile");
  ASSERT_EQ(p99.count.size(), p99.x.size());
  EXPECT_EQ(p99.y[0], 298);
  EXPECT_TRUE(std::isnan(p99.y[1])) << "of 100 the 99th percentile is the largest";
  EXPECT_EQ(p99.count[1], 100);
  EXPECT_EQ(p99.y[2], 100);
  EXPECT_NE(slowdown.caption.find("A percentile that would be the largest of so few flows is left away."),
            std::string::npos);
  // the open bucket stands behind the last edge, and its tick says so
  ASSERT_EQ(slowdown.x.named.size(), 1u);
  EXPECT_EQ(slowdown.x.named[0].at, p99.x.back());
  EXPECT_TRUE(slowdown.x.named[0].text.starts_with("> ")) << slowdown.x.named[0].text;
  EXPECT_EQ(to_json(slowdown, figure::Form::drawn).at("series").at(2).at("count").at(1), 100);
}

TEST(Document, RefusesFilesThatTheRunHasNotWritten) {
  const Folder folder("weir-report-changed");
  const std::string dir = folder.path();
  run(folder, "good");
  const auto changed = [&](const std::string& file, const std::function<void(std::string&)>& edit) {
    std::filesystem::remove_all(dir + "/bad");
    std::filesystem::copy(dir + "/good", dir + "/bad");
    std::string text = read_file(dir + "/bad/" + file);
    edit(text);
    write(dir + "/bad/" + file, text);
    const std::string message = complaint({dir + "/bad"});
    const std::string begin = dir + "/bad/" + file + ": ";
    EXPECT_TRUE(message.starts_with(begin) &&
                message.ends_with("run it again; keep changed copies outside of the result"))
        << message;
    return message.substr(0, message.find(';')).substr(std::min(begin.size(), message.size()));
  };
  EXPECT_NE(changed("queue_cdf.csv", [](auto& text) { text.resize(text.rfind('\n', text.size() - 2) + 1); })
                .find(" bytes, and manifest.json tells "),
            std::string::npos);
  EXPECT_EQ(changed("flows.csv", [](auto& text) { text[text.find(",hpcc") - 1] = '#'; }),
            "its checksum is not that in manifest.json");
  EXPECT_EQ(changed("manifest.json", [](auto& text) { text[text.find("\"seed\": ") + 8] = '9'; }),
            "its checksum is not that of its text");
  std::filesystem::remove(dir + "/good/flows.csv");
  EXPECT_EQ(complaint({dir + "/good"}).find(dir + "/good/flows.csv: it is missing, and manifest.json lists it;"), 0);
}

TEST(Document, TellsThatAnOldResultCannotBeChecked) {
  const Folder folder("weir-report-old");
  run(folder, "one");
  forget_files(folder / "one");
  EXPECT_EQ(
      read({folder / "one"}).notices,
      std::vector<std::string>{"Not checked: " + folder / "one" +
                               ": its manifest.json lists no files, as an earlier weir wrote it, so that a changed "
                               "one goes unnoticed."});
}

TEST(Document, TellsWhatIsWrong) {
  const Folder folder("weir-report-bad");
  const std::string dir = folder.path();
  EXPECT_EQ(complaint({dir + "/none"}), dir + "/none: there is no such directory");
  EXPECT_EQ(
      complaint({dir}),
      dir +
          ": no result in it; a directory of weir run --out has manifest.json, one of weir "
          "sweep runs.csv, one of weir paper verdicts.json, one of weir train curriculum.toml, one of weir-host trace "
          "packets.csv");
  run(folder, "good");
  forget_files(folder / "good");
  const auto broken = [&](const std::string& file, const std::string& text) {
    std::filesystem::remove_all(dir + "/bad");
    std::filesystem::copy(dir + "/good", dir + "/bad");
    if (text.empty())
      std::filesystem::remove(dir + "/bad/" + file);
    else
      write(dir + "/bad/" + file, text);
    return complaint({dir + "/bad"});
  };
  EXPECT_EQ(broken("summary.json", ""),
            dir + "/bad/summary.json: cannot be read (No such file or directory); it should be a file of a result");
  EXPECT_EQ(broken("summary.json", "{\"flows\":\n  {\"finished\""),
            dir + "/bad/summary.json:2: this is no whole JSON document");
  EXPECT_EQ(broken("manifest.json", "{\"version\": \"7.3.0+abc\"}"),
            dir + "/bad/manifest.json: written by weir 7.3.0+abc, this is " + std::string(version()) +
                "; report it with that version, or run it again");
  EXPECT_EQ(broken("manifest.json", "{}"),
            dir + "/bad/manifest.json: it does not tell which weir wrote it (key version)");
  const std::string head = "flow_id,src,dst,size_bytes,start_ps,finish_ps,fct_ps,ideal_fct_ps,slowdown,algorithm,tag\n";
  EXPECT_EQ(broken("flows.csv", head + "0,0,1,1000,0,10,10,5,2,hpcc,incast\n1,0,1,1000,0,x,10,5,2,hpcc,incast\n"),
            dir + "/bad/flows.csv:3: column finish_ps: 'x' is no number");
  EXPECT_EQ(broken("flows.csv", head + "0,0,1,1000,nan,10,10,5,2,hpcc,incast\n"),
            dir + "/bad/flows.csv:2: column start_ps: 'nan' is not finite");
  EXPECT_EQ(broken("flows.csv", head + "0,0,1,1000,0,10,-5,5,2,hpcc,incast\n"),
            dir + "/bad/flows.csv:2: column fct_ps: -5 is less than 0");
  EXPECT_EQ(broken("flows.csv", head + "0,0,1\n"), dir + "/bad/flows.csv:2: 3 fields; the first line names 11 columns");
  EXPECT_EQ(broken("flows.csv", "flow_id,src\n"), dir + "/bad/flows.csv:1: column size_bytes is missing");
  EXPECT_EQ(broken("queue_cdf.csv", "samples\n"), dir + "/bad/queue_cdf.csv:1: column tier is missing");
  std::filesystem::remove_all(dir + "/bad");

  const auto figures = [&](const char* key, const Json& value) {
    Json bad = small_figure();
    bad[Json::json_pointer(key)] = value;
    write_figures(folder, Json::array({bad}));
    return complaint({dir});
  };
  const std::string place = dir + "/figures.json: figure 1: ";
  EXPECT_EQ(figures("/kind", "pie"), place + "kind: valid is lines, steps, bars, scatter, stack, radar, surface");
  EXPECT_EQ(figures("/x/scale", "category"), place + "x.categories: valid is a list of names");
  EXPECT_EQ(figures("/series/0/y", {1}), place + "series 'HPCC <1>': y: valid is a list as long as x");
  EXPECT_EQ(figures("/series/0/x/0", nullptr),
            place + "series 'HPCC <1>': x: valid is numbers; only y, low and high may be null");
  EXPECT_EQ(figures("/caption", 3), place + "a value is of the wrong type; see docs/guides/reports.md");
}

// A sweep's own figures, as those of runs.
TEST(Document, FiguresOfASweepAreThinned) {
  const Folder folder("weir-report-thinned");
  Json stack = small_figure();
  stack["kind"] = "stack";
  stack["series"] = Json::array();
  for (const char* name : {"a", "b"}) {
    Json values = Json::array();
    for (int i = 0; i < 4'000; ++i) values.push_back(i);
    stack["series"].push_back({{"name", name}, {"x", values}, {"y", values}});
  }
  write_figures(folder, Json::array({stack}));
  const Figure f = read({folder.path()}).figures.at(0);
  ASSERT_EQ(f.series.at(1).y.size(), 2'000u);
  EXPECT_EQ(f.series[1].y[1], 2.5);
  EXPECT_EQ(f.caption, "Means of 2 intervals.");
}

TEST(Svg, HasTheSeriesAndTheScales) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  const Folder folder("weir-report-svg");
  write_figures(folder, Json::array({small_figure()}));
  Figure f = read({folder.path()}).figures.at(0);
  SvgWriter writer;
  const std::string svg = writer.svg(f);
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg.substr(0, 80);
  expect_balanced(svg);
  for (const char* text : {">HPCC &lt;1&gt;<", ">DCQCN<", ">slowdown<", ">flow size<", ">1\u00a0KB<", ">100\u00a0KB<",
                           "fill=\"#ffffff\"", "#0072b2", "#d55e00", "stroke-dasharray", "&lt;/script"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  for (const char* text : {"animat", ":hover", "ecmeta"}) EXPECT_EQ(svg.find(text), std::string::npos) << text;
  EXPECT_TRUE(writer.svg(f) == svg) << "one after the other, the same";

  // a time axis is told in its unit
  f = {.id = "t",
       .title = "t",
       .caption = "",
       .kind = "bars",
       .x = {"collective", "1", "category", {"all-reduce"}},
       .y = {"time", "ps", "linear", {}}};
  f.series.push_back({.name = "measured", .x = {0}, .y = {2.5e9}});
  const std::string bars = writer.svg(f);
  expect_balanced(bars);
  for (const char* text : {">time (ms)<", ">all-reduce<", ">2.5<"})
    EXPECT_NE(bars.find(text), std::string::npos) << text;
}

// One with a linear x.
Figure lines(std::vector<double> x, std::vector<double> y) {
  Figure out{.id = "l", .title = "l"};
  out.x.label = "fan in";
  out.y.label = "wait";
  out.series.push_back({.name = "a", .x = std::move(x), .y = std::move(y)});
  return out;
}

// The numbers that stand as texts in an SVG, in its order.
std::vector<std::string> labels(const std::string& svg) {
  std::vector<std::string> out;
  for (auto at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
    const auto begin = svg.find('>', at) + 1;
    const std::string text = svg.substr(begin, svg.find('<', begin) - begin);
    if (!text.empty() && text.find_first_not_of("0123456789.") == std::string::npos) out.push_back(text);
  }
  return out;
}

TEST(Svg, TellsThatAFigureHasNoData) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  Figure f = lines({}, {});
  for (const char* kind : {"lines", "steps", "bars", "scatter", "stack"}) {
    f.kind = kind;
    EXPECT_NE(writer.svg(f).find(">no data<"), std::string::npos) << kind;
    EXPECT_EQ(labels(writer.svg(f)), std::vector<std::string>{}) << kind;
  }
  f = lines({1, 2}, {std::nan(""), std::nan("")});
  f.x.unit = "B";
  f.x.scale = "log";
  EXPECT_NE(writer.svg(f).find(">no data<"), std::string::npos);
  f.series.clear();
  EXPECT_NE(writer.svg(f).find(">no data<"), std::string::npos);
  f = lines({1, 2}, {0, -1});
  EXPECT_EQ(writer.svg(f).find(">no "), std::string::npos);
  f.y.scale = "log";
  EXPECT_NE(writer.svg(f).find(">no values above 0<"), std::string::npos);
}

TEST(Svg, TicksStandAtTheFewValuesOfX) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  const auto ticks = [&](std::vector<double> x, const std::string& scale = "linear") {
    std::vector<double> y(x.size(), 5000);
    y[0] = 2000;
    Figure f = lines(std::move(x), std::move(y));
    f.x.scale = scale;
    const auto all = labels(writer.svg(f));
    // those of y come first: 0, 1000 and so on
    return std::vector<std::string>(all.begin() + 6, all.end());
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(ticks({0.3, 0.4, 0.5, 0.6, 0.7}), (Texts{"0.3", "0.4", "0.5", "0.6", "0.7"}));
  EXPECT_EQ(ticks({4, 6, 10, 14, 16}), (Texts{"4", "6", "10", "14", "16"}));
  EXPECT_EQ(ticks({3, 9, 27, 81}, "log"), (Texts{"3", "9", "27", "81"}));
  EXPECT_EQ(ticks({100, 101, 102, 900}), (Texts{"0", "200", "400", "600", "800"})) << "they have no room";
  EXPECT_EQ(ticks({1.36727, 1.42, 1.48133}), (Texts{"1.375", "1.4", "1.425", "1.45", "1.475"})) << "too long";
  // of many, the last one is there if it is a round value, or nearly
  for (const double last : {400.0, 399.2}) {
    std::vector<double> many(100);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = last * static_cast<double>(i) / 99;
    EXPECT_EQ(ticks(many), (Texts{"0", "100", "200", "300", "400"})) << last;
  }
}

TEST(Svg, SharesEndAtTheWhole) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  const auto last = [&](Figure f, const char* unit = "1") {
    f.y.unit = unit;
    const auto all = labels(writer.svg(f));
    return all.at(all.size() - 3);  // of y; 10 and 20 are of x
  };
  EXPECT_EQ(last(lines({10, 20}, {0.2, 0.99})), "1");
  EXPECT_EQ(last(lines({10, 20}, {0.2, 1.003})), "1");
  EXPECT_EQ(last(lines({10, 20}, {1, 1})), "1");
  EXPECT_EQ(last(lines({10, 20}, {20, 101}), "%"), "100");
  Figure whisker = lines({10, 20}, {0.2, 0.98});
  whisker.series[0].low = {0.1, 0.9};
  whisker.series[0].high = {0.3, 1.06};
  EXPECT_EQ(last(whisker), "1");
  whisker.kind = "bars";
  EXPECT_EQ(last(whisker), "1");
  EXPECT_EQ(last(lines({10, 20}, {0.2, 1.3})), "1.5");
}

// Of two measured series the second one's colour.
TEST(Svg, PrintedSeriesHaveTheColourOfTheirs) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  for (const char* kind : {"lines", "steps", "bars", "scatter"}) {
    Figure f = lines({1, 2}, {3, 4});
    f.kind = kind;
    f.series.push_back({.name = "b", .x = {1, 2}, .y = {4, 5}});
    f.series.push_back({.name = "b, printed", .x = {1, 2}, .y = {4.1, 5.2}, .printed = true});
    EXPECT_EQ(writer.svg(f).find("#009e73"), std::string::npos) << kind;
    f.series.back().name = "c, printed";
    EXPECT_NE(writer.svg(f).find("#009e73"), std::string::npos) << kind << ": it has none, and a colour of its own";
    f.legend = "hops";
    EXPECT_NE(writer.svg(f).find(">hops b<"), std::string::npos) << kind;
  }
}

TEST(Page, HoldsTheDocumentWhateverItsTexts) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  const Folder folder("weir-report-page");
  write_figures(folder, Json::array({small_figure()}));
  const Document document = read({folder.path()});
  const std::string page = html(document);
  const std::string open = R"(<script type="application/json" id="document">)";
  const auto begin = page.find(open) + open.size();
  const auto end = page.find("</script", begin);
  const std::string text = page.substr(begin, end - begin);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find("\u2028"), std::string::npos);
  EXPECT_EQ(Json::parse(text), to_json(document));
  EXPECT_EQ(page.find("http://") == std::string::npos ? "" : page.substr(page.find("http://"), 26),
            "http://www.w3.org/2000/svg")
      << "names of formats, not places to fetch from";
}

TEST(ReportCommand, WritesWholeFilesOrNone) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  const Folder folder("weir-report-command");
  run(folder, "one");
  const auto o = app::weir({"report", folder / "one", "--out", folder / "new/page.html", "--svg", folder / "svg"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, folder / "new/page.html" + ": 1 run, 8 figures\n" + folder / "svg" + ": 8 figures as SVG\n");
  EXPECT_GT(read_file(folder / "new/page.html").size(), 500'000u);
  expect_balanced(read_file(folder / "svg/slowdown.svg"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "svg"), {}), 8);

  forget_files(folder / "one");
  write(folder / "one/summary.json", "{");
  const auto bad = app::weir({"report", folder / "one", "--out", folder / "bad/page.html"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(bad.out, "");
  EXPECT_EQ(bad.err, "weir: " + folder / "one/summary.json" + ":1: this is no whole JSON document\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "bad"));
}

// What is no regular file is written to, and links are followed.
TEST(ReportCommand, LeavesDevicesPipesAndLinksWhereTheyAre) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  const Folder folder("weir-report-devices");
  run(folder, "one");
  const auto o =
      app::shell("cd '" + folder.path() + R"(' && ln -s page.html link && ln -s /dev/null null && mkfifo fifo &&
    { cat fifo > piped & } && "$weir" report one --out fifo && wait &&
    "$weir" report one --out link && "$weir" report one --out null && "$weir" report one --out /dev/stdout | head -c 15 &&
    cmp piped page.html && test -L link && test -L null && test -p fifo && test -c /dev/null)");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("<!doctype html>"), std::string::npos);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"fifo", "link", "null", "one", "page.html", "piped", "scenario.toml"}));
  const auto full = app::weir({"report", folder / "one", "--out", "/dev/full"});
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(ReportCommand, TellsWhatIsNotShown) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  const Folder folder("weir-report-notices");
  run(folder, "all/one");
  run(folder, "all/two");
  forget_files(folder / "all/two");
  write(folder / "all/two/summary.json", "{");
  const auto o = app::weir({"report", folder / "all", "--out", folder / "page.html"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.err, "weir: Not shown: " + folder / "all/two/summary.json" + ":1: this is no whole JSON document.\n");
}

TEST(ReportCommand, NamesUnderWhichNothingCanBeWrittenAreBadInput) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  const Folder folder("weir-report-unwritable");
  run(folder, "one");
  const std::string name = folder / std::string(300, 'x');
  const auto page = app::weir({"report", folder / "one", "--out", name});
  EXPECT_EQ(page.status, 2);
  EXPECT_EQ(page.err, "weir: cannot create " + name + ": File name too long\n");
  EXPECT_EQ(app::weir({"report", folder / "one", "--svg", name}).status, 2);
  // too long only with the ending of a figure's file
  Json long_name = small_figure();
  long_name["id"] = std::string(300, 'x');
  write_figures(folder, Json::array({long_name}));
  const auto svg = app::weir({"report", folder.path(), "--svg", folder / "svg"});
  EXPECT_EQ(svg.status, 2);
  EXPECT_EQ(svg.err, "weir: cannot create " + folder / "svg/" + std::string(300, 'x') + ".svg: File name too long\n");
}

}  // namespace
}  // namespace weir::report
