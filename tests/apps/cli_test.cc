// Every subcommand from outside: what it prints, what it leaves, how it exits.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "weir/base/sanitized.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

const std::string kScenario = "tests/scenarios/ring-graph.toml";

std::string expected_digest() { return Json::parse(read_file("tests/scenarios/ring-graph.expect.json")).at("digest"); }

std::string digest_of(const Output& o) { return Json::parse(o.out).at("manifest").at("digest"); }

// Bad input: status 2, one line on standard error, nothing on standard output.
void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
  const Output o = weir(arguments);
  EXPECT_EQ(o.status, 2) << message;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err, "weir: " + message + "\n");
}

// The names in a section of `weir list`.
std::vector<std::string> listed(const std::string& section) {
  const Json all = Json::parse(weir({"list", section, "--json"}).out);
  std::vector<std::string> out;
  for (const Json& item : all.at(section)) out.push_back(item.at("name"));
  return out;
}

TEST(CommandLine, VersionAndHelp) {
  const Output version = weir({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("weir 0.")) << version.out;
  const Output help = weir({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* name : {"run", "validate", "list", "demo", "bench", "theory", "report"})
    EXPECT_NE(help.out.find(name), std::string::npos) << name;
}

TEST(CommandLine, RefusesWithTheNearestWord) {
  const std::string valid =
      "; valid is run, resume, fork, validate, list, demo, bench, theory, import, sweep, compare, report, view, paper, "
      "policy, train, host; see weir --help";
  expect_refused({"rnu", "a.toml"}, "unknown command 'rnu' (did you mean 'run'?)" + valid);
  expect_refused({}, "no command is named" + valid);
  expect_refused({"import", "htsim", "-tm", "a.cm"},
                 "unexpected argument '-tm'; options of htsim_uec stand after --; see weir import htsim --help");
  expect_refused({"run"}, "FILE is required; see weir run --help");
  expect_refused({"run", kScenario, "--thread", "2"},
                 "unexpected argument '--thread' (did you mean '--threads'?); see weir run --help");
  expect_refused({"run", kScenario, "more"}, "unexpected argument 'more'; see weir run --help");
  expect_refused({"list", "algoritms"},
                 "list: unknown section 'algoritms' (did you mean 'algorithms'?); valid is algorithms, topologies, "
                 "workloads, traffic, probes, transport, host, network, run, fidelities, curricula");
  expect_refused({"list", "traffic", "incas"},
                 "list: unknown name 'incas' (did you mean 'incast'?); valid is poisson, incast, incast_poisson, "
                 "permutation, flows, collective, calls, training, hsdp, program, goal");
  expect_refused({"list", "algorithms", "hpcx"},
                 fmt::format("list: unknown name 'hpcx' (did you mean 'hpcc'?); valid is {}",
                             fmt::join(listed("algorithms"), ", ")));
  expect_refused(
      {"bench", "--case", "incast-16-hpc"},
      "--case: unknown case 'incast-16-hpc' (did you mean 'incast-16-hpcc'?); valid is fat-tree-320-hpcc, "
      "fat-tree-320-dcqcn, fat-tree-320-hpcc-2-threads, incast-16-hpcc, one-host-10-flows, "
      "one-host-1000-flows, permutation-128, permutation-128-ecmp, permutation-128-priority, permutation-1024, "
      "permutation-1024-priority, permutation-8192, incast-8192-pcc-rl-1k, incast-8192-pcc-rl-4k");
}

// What has an option of its own is told by it, whatever it stands for.
TEST(CommandLine, ErrorsNameTheOption) {
  expect_refused({"run", kScenario, "--threads", "0"}, "--threads: 0 is out of range; valid is 1 to 1024");
  expect_refused({"run", kScenario, "--threads", "99999999999999999999"},
                 "--threads: 99999999999999999999 is out of range; valid is 1 to 1024");
  expect_refused({"run", kScenario, "--seed", "x"}, "--seed: 'x' is not a whole number");
  expect_refused({"demo", "--duration", "0"}, "--duration: 0 ps is out of range; valid is 1 ps to 1000000 s");
  expect_refused({"demo", "--duration", "10 ns"}, "--duration: no flow starts within 10 ns; take a longer time");
  // the same key, set by its name
  expect_refused({"run", kScenario, "--set", "run.threads=0"},
                 "--set run.threads: 0 is out of range; valid is 1 to 1024");
}

TEST(CommandLine, RefusesEmptyValues) {
  for (const char* option : {"--out", "--seed", "--threads"})
    expect_refused({"run", kScenario, option, ""},
                   fmt::format("{}: it is empty; write a value; see weir run --help", option));
  for (const char* option : {"--out", "--seed", "--duration"})
    expect_refused({"demo", option, ""}, fmt::format("{}: it is empty; write a value; see weir demo --help", option));
}

TEST(CommandLine, TellsIfStandardOutputCannotBeWritten) {
  for (const std::string& arguments : {"run " + kScenario + " --json", "run " + kScenario, std::string("list"),
                                       "validate " + kScenario, std::string("--help"), std::string("bench --list")}) {
    const Output o = shell("exec \"$weir\" " + arguments + " >/dev/full");
    EXPECT_EQ(o.status, 1) << arguments;
    EXPECT_TRUE(o.err.starts_with("weir: cannot write standard output")) << arguments << ": " << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

#if !WEIR_SANITIZED  // their shadow memory takes more address space than any limit
TEST(CommandLine, TellsThatMemoryIsOut) {
  const Output o = shell(
      "ulimit -v 100000; exec \"$weir\" run scenarios/permutation-fat-tree.toml --memory '1 TB' "
      "--set topology.k=64");
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err, "weir: out of memory\n");
}
#endif

TEST(Run, PrintsASummary) {
  const Output o = weir({"run", kScenario});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  for (const std::string& word :
       {std::string("slowdown"), std::string("packet-hops"), expected_digest(), std::string("--out DIR")})
    EXPECT_NE(o.out.find(word), std::string::npos) << word << " in " << o.out;
}

// Seven flows: no more than the median of them is told apart from the largest.
// Two numbers of marks and two of losses, each with a name of its own.
TEST(Run, SaysWhoMarkedAndWhereItWasLost) {
  const Output o = weir({"run", "tests/scenarios/lossy-links.toml", "--set", "probes.links=true"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* text : {"; switches marked ", " packets and dropped ", ", observed links lost ",
                           "; switches dropped ", ", links lost ", " data packets arrived marked"})
    EXPECT_NE(o.out.find(text), std::string::npos) << text << " is not in\n" << o.out;
}

TEST(Run, QuietPrintsNothingUnlessSomethingIsWrong) {
  const Output o = weir({"run", kScenario, "-q"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out + o.err, "");
  const Output incomplete = weir({"run", "tests/scenarios/cut-off.toml", "-q"});
  EXPECT_EQ(incomplete.out, "");
  EXPECT_NE(incomplete.err.find("; the result is incomplete\n"), std::string::npos) << incomplete.err;
}

// What probes of single events found stands there in sentences, as all else.
TEST(Run, TellsInWordsWhatTheTimeOfFlowsWentInto) {
  const Output o = weir(
      {"run", "tests/scenarios/pfc-small-buffer.toml", "--set", "probes.anatomy=true", "--set", "probes.view=true"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("\nanatomy: of the time that "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(" % paused (PFC)"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("\nview: ports and flows in steps of 1 us, queues looked at every 10 us\n"), std::string::npos)
      << o.out;
  EXPECT_EQ(o.out.find("_share"), std::string::npos) << o.out;
}

TEST(Help, SaysOfWhichTypeValuesAreAndWhatBelongsTogether) {
  const std::string run = weir({"run", "--help"}).out;
  for (const char* text : {"--out DIR", "--checkpoint TIME", "--memory SIZE", "--steer FILE", "--set KEY=VALUE",
                           "Packets for Wireshark:", "A trace for Perfetto:"})
    EXPECT_NE(run.find(text), std::string::npos) << text << " is not in\n" << run;
  for (const char* command : {"run", "resume", "fork", "validate", "sweep", "report", "view", "demo"})
    EXPECT_EQ(weir({command, "--help"}).out.find(" TEXT"), std::string::npos) << command;
  EXPECT_EQ(weir({"theory", "spraying", "--help"}).out.find("--json NUMBER"), std::string::npos);
}

TEST(Run, PercentilesOfFewFlowsAreNotShown) {
  const Output o = weir({"run", kScenario});
  std::istringstream lines(o.out);
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("  all ")) {
  }
  std::istringstream words(line);
  std::string name, count, mean, p50, p95, p99, p999, max;
  words >> name >> count >> mean >> p50 >> p95 >> p99 >> p999 >> max;
  EXPECT_EQ(count, "7");
  EXPECT_NE(p50, "-");
  EXPECT_EQ(p95 + p99 + p999, "---");
  EXPECT_NE(max, "");
  EXPECT_NE(o.out.find("\n-: too few values for this percentile, which would be their maximum\n"), std::string::npos);
  // in the result they stay, beside their count
  const Json all = Json::parse(weir({"run", kScenario, "--json"}).out).at("summary").at("slowdown").at("all");
  EXPECT_EQ(all.at("count"), 7);
  EXPECT_EQ(all.at("p99"), all.at("max"));
}

// The second of two at once does not even begin.
TEST(Run, TakesTheNameFirst) {
  const Folder folder("weir-name");
  const Output o =
      shell("cd " + std::filesystem::current_path().string() + "; mkdir " + folder.path() + "/x.partial-run; exec 9<" +
            folder.path() + "/x.partial-run; flock -x 9; \"$weir\" run " + kScenario + " -o " + folder.path() + "/x");
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.err, fmt::format("weir: result directory {}/x: another run is writing it; wait for it, or choose another "
                               "name\n",
                               folder.path()));
}

TEST(Run, JsonHasManifestAndSummary) {
  const Output o = weir({"run", kScenario, "--json", "--threads", "2"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(digest_of(o), expected_digest());
  EXPECT_EQ(Json::parse(o.out).at("summary").at("flows").at("finished"), 7);
}

TEST(Run, SeedAndOverrides) {
  const std::string poisson = "tests/scenarios/fat-tree-poisson.toml";
  const Output a = weir({"run", poisson, "--json", "--seed", "8"});
  EXPECT_EQ(Json::parse(a.out).at("manifest").at("seed"), 8);
  const Output b = weir({"run", poisson, "--json", "--set", "run.seed=8", "--set", "network.port=queued"});
  EXPECT_EQ(digest_of(a), digest_of(b));
  EXPECT_NE(digest_of(a), digest_of(weir({"run", poisson, "--json"})));
}

TEST(Run, LeavesADirectoryThatRunsAgain) {
  const Folder folder("weir-run-out");
  const std::string dir = folder / "a";
  const Output o = weir({"run", kScenario, "--out", dir});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
  const Json manifest = Json::parse(read_file(dir + "/manifest.json"));
  EXPECT_TRUE(manifest.at("complete").get<bool>());
  EXPECT_EQ(manifest.at("digest"), expected_digest());
  EXPECT_TRUE(Json::accept(read_file(dir + "/summary.json")));

  const Output again = weir({"run", dir + "/scenario.toml", "--json"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(digest_of(again), expected_digest());

  const std::string before = read_file(dir + "/manifest.json");
  const Output refused = weir({"run", kScenario, "--out", dir});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("exists already"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(dir + "/manifest.json"), before);
}

TEST(Run, BadInputLeavesNothing) {
  const Folder folder("weir-run-bad");
  const std::string dir = folder / "a";
  for (const std::string bad : {"run.sede=1", "topology.file=no.graph", "network.buffer.size=1 KB",
                                "probes.pfc.ports=cores", "traffic.0.file=../../README.md"}) {
    const Output o = weir({"run", kScenario, "--out", dir, "--set", bad});
    EXPECT_EQ(o.status, 2) << bad;
    EXPECT_EQ(o.out, "") << bad;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_TRUE(folder.names().empty()) << bad;
  }
  expect_refused(
      {"run", folder / "no.toml"},
      (folder / "no.toml") + ": cannot be read (No such file or directory); it should be a scenario, a TOML file");
}

TEST(Run, RefusesADirectoryThatCannotBeWritten) {
  const Folder folder("weir-run-unwritable");
  std::ofstream(folder / "file") << "in the way";
  const Output o = weir({"run", kScenario, "--out", folder / "file/a"});
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_NE(o.err.find("cannot create it"), std::string::npos) << o.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

// Before it builds the network, which is impossible here.
TEST(Run, RefusesATakenDirectoryAtOnce) {
  const Folder folder("weir-run-taken");
  std::filesystem::create_directory(folder / "a");
  std::ofstream(folder / "a/mine") << "kept";
  std::filesystem::create_symlink(folder / "nowhere", folder / "link");
  for (const char* name : {"a", "link"}) {
    const Output o =
        weir({"run", "scenarios/permutation-fat-tree.toml", "--set", "topology.k=5", "--out", folder / name});
    EXPECT_EQ(o.status, 2) << name;
    EXPECT_EQ(o.out, "") << name;
    EXPECT_NE(o.err.find("choose another name"), std::string::npos) << o.err;
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "link"}));
  EXPECT_EQ(read_file(folder / "a/mine"), "kept");
}

// A network that stands at once, however slow the build, and a run that does not end by itself.
TEST(Run, ASignalEndsItWithAnIncompleteResult) {
  for (const auto& [signal, status] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    const Folder folder("weir-run-signal");
    const std::string dir = folder / "a";
    const Output o = weir({"run", "scenarios/incast-16.toml", "--set", "traffic.0.size=1 TB", "--out", dir}, signal, 1);
    EXPECT_EQ(o.status, status) << o.err;
    EXPECT_NE(o.err.find("incomplete"), std::string::npos) << o.err;
    EXPECT_NE(o.out.find("\nThese are the figures of an incomplete run, interrupted at "), std::string::npos) << o.out;
    const Json manifest = Json::parse(read_file(dir + "/manifest.json"));
    EXPECT_FALSE(manifest.at("complete").get<bool>());
    EXPECT_TRUE(manifest.at("interrupted").get<bool>());
    EXPECT_GT(manifest.at("packet_hops").get<std::uint64_t>(), 0u);
  }
}

TEST(Run, GoesOnWhereHangUpsAreIgnored) {
  const Output o = shell("trap '' HUP; \"$weir\" run " + kScenario + " --json & kill -HUP $!; wait $!");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(digest_of(o), expected_digest());
}

TEST(Validate, TellsWhatWouldRun) {
  const Output o = weir({"validate", "--json", "scenarios/demo-hpcc.toml", kScenario});
  EXPECT_EQ(o.status, 0) << o.err;
  const Json all = Json::parse(o.out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].at("hosts"), 320);
  EXPECT_EQ(all[0].at("switches"), 56);
  EXPECT_EQ(all[0].at("links"), 480);
  EXPECT_GT(all[0].at("flows").get<int>(), 1000);
  EXPECT_EQ(all[1].at("profiles"), Json({"hpcc", "slow"}));
  const Output text = weir({"validate", kScenario});
  EXPECT_NE(text.out.find("8 hosts, 5 switches"), std::string::npos) << text.out;
  EXPECT_EQ(all[0].at("ecn"), Json::array());
}

// With whose they are; the scenario writes none.
TEST(Validate, AndRunTellTheThresholdsOfEcn) {
  const std::string scenario = "tests/scenarios/mixed-profiles.toml";
  const std::string told =
      "at 100 Gbps K_min = 400 KB, K_max = 1.6 MB, P_max = 0.2; at 400 Gbps K_min = 1.6 MB, K_max = 6.4 MB, P_max = "
      "0.2 (dcqcn: HPCC 5.1, p_max of its public simulator)\n";
  const auto without = [](std::vector<std::string> line) {
    for (const char* set : {"profile.1.algorithm=timely", "profile.1.preset=", "network.ecn.enabled=false"})
      line.insert(line.end(), {"--set", set});
    return line;
  };
  EXPECT_NE(weir({"validate", scenario}).out.find("  ECN       " + told), std::string::npos);
  EXPECT_EQ(weir(without({"validate", scenario})).out.find("ECN"), std::string::npos);
  const Json ecn = Json::parse(weir({"validate", "--json", scenario}).out).at(0).at("ecn");
  EXPECT_EQ(
      ecn.at(0),
      Json({{"rate_bps", 100'000'000'000}, {"k_min_bytes", 400'000}, {"k_max_bytes", 1'600'000}, {"p_max", 0.2}}));
  const std::vector<std::string> run{"run", scenario, "--set", "run.stop=1 us"};
  EXPECT_NE(weir(run).out.find("\necn      " + told), std::string::npos);
  EXPECT_EQ(weir(without(run)).out.find("\necn "), std::string::npos);
}

// What sampled series of ports will take on disk, before anything runs.
TEST(Validate, ForetellsTheSizeOfSeries) {
  const std::vector<std::string> series{"validate", kScenario,        "--set", "probes.queues.series=true",
                                        "--set",    "run.stop=100 us"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), series.begin(), series.end());
    const Output o = weir(more);
    EXPECT_EQ(o.status, 0) << o.err;
    return o.out;
  };
  const std::string little = with({});
  EXPECT_NE(little.find("\n  series    up to "), std::string::npos) << little;
  EXPECT_EQ(little.find("on disk"), std::string::npos) << little;
  const std::string much = with({"--set", "run.stop=100 s"});
  EXPECT_NE(much.find("  warning   queues.csv with "), std::string::npos) << much;
  EXPECT_NE(much.find(" on disk, as estimated"), std::string::npos) << much;
  EXPECT_EQ(weir({"validate", kScenario, "--set", "probes.queues.series=false"}).out.find("\n  series "),
            std::string::npos);
  // of a run whose end is not known, at least
  const Output open = weir({"validate", kScenario, "--set", "probes.links.series=true"});
  EXPECT_NE(open.out.find("\n  series    at least "), std::string::npos) << open.out;
}

// The estimate against what a run has written: half as much to twice as much.
TEST(Validate, TheSizeOfSeriesIsNearTheTruth) {
  const Folder folder("weir-series");
  const std::vector<std::string> set{"--set", "probes.queues.series=true", "--set", "probes.queues.interval=100 ns",
                                     "--set", "probes.links.series=true",  "--set", "probes.links.interval=100 ns"};
  std::vector<std::string> run{"run", kScenario, "-q", "--out", folder / "a"};
  run.insert(run.end(), set.begin(), set.end());
  ASSERT_EQ(weir(run).status, 0);
  const Json manifest = Json::parse(read_file(folder / "a/manifest.json"));
  const auto ps = manifest.at("sim_time_ps").get<std::int64_t>();
  std::vector<std::string> validate{"validate", kScenario, "--json", "--set", fmt::format("run.stop={} ps", ps)};
  validate.insert(validate.end(), set.begin(), set.end());
  const auto estimate = Json::parse(weir(validate).out).at(0).at("series_bytes").get<double>();
  const auto taken = static_cast<double>(std::filesystem::file_size(folder / "a/queues.csv") +
                                         std::filesystem::file_size(folder / "a/link_series.csv"));
  EXPECT_GT(estimate, 0.5 * taken);
  EXPECT_LT(estimate, 2 * taken);
}

TEST(Validate, RefusesAllForOne) {
  const Folder folder("weir-validate");
  std::ofstream(folder / "a.toml") << "[topology]\nkind = \"str\"\n[algorithm]\nname = \"hpcc\"\n[[traffic]]\n";
  expect_refused(
      {"validate", kScenario, folder / "a.toml"},
      (folder / "a.toml") +
          ":2: key 'topology.kind': unknown topology 'str' (did you mean 'star'?); valid is star, dumbbell, "
          "parking-lot, leaf-spine, "
          "hpcc-testbed-32, hpcc-testbed-64, rail, rail-optimised, dgx-superpod-512, simai-spectrum-x-128, "
          "simai-hpn-single-plane-128, simai-hpn-dual-plane-128, simai-dcn-single-tor-128, simai-dcn-dual-tor-128, "
          "clos, hpcc-fat-tree-320, fat-tree, file");
}

TEST(List, NamesEverything) {
  const Output o = weir({"list"});
  EXPECT_EQ(o.status, 0);
  for (const char* name : {"hpcc", "dcqcn", "fat-tree", "hpcc-fat-tree-320", "FB_Hadoop", "poisson", "queues"})
    EXPECT_NE(o.out.find(name), std::string::npos) << name;
  const std::string help = weir({"list", "--help"}).out;
  const Output one = weir({"list", "algorithms", "hpcc"});
  EXPECT_NE(one.out.find("max_stage"), std::string::npos);
  const Json all = Json::parse(weir({"list", "--json"}).out);
  for (const auto& section : all.items())
    EXPECT_NE(help.find(section.key() + (section.key() == "curricula" ? "" : ",")), std::string::npos) << section.key();
  const auto algorithms = listed("algorithms");
  for (const char* name : {"dcqcn", "fixed-window", "hpcc"})
    EXPECT_NE(std::find(algorithms.begin(), algorithms.end(), name), algorithms.end()) << name;
  EXPECT_EQ(all.at("topologies").at(0).at("tables").at(0).at("parameters").at(0).at("default"), 17);
  const Json workload = Json::parse(weir({"list", "workloads", "FB_Hadoop", "--json"}).out);
  EXPECT_EQ(workload.at("workloads").at(0).at("sizes").at("mean"), "120421 B");
}

TEST(Demo, ComparesBothOnTheSameFlows) {
  const Folder folder("weir-demo");
  const Output o = weir({"demo", "--duration", "50 us", "--out", folder / "demo", "--quiet"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* word : {"HPCC", "DCQCN", "up to 1 KB", "p99", "PFC", "packet-hops per CPU second"})
    EXPECT_NE(o.out.find(word), std::string::npos) << word << " in " << o.out;
  const Json a = Json::parse(read_file(folder / "demo/hpcc/summary.json"));
  const Json b = Json::parse(read_file(folder / "demo/dcqcn/summary.json"));
  EXPECT_EQ(a.at("flows").at("finished"), b.at("flows").at("finished"));
  // unless this build has no report
  EXPECT_NE(std::filesystem::exists(folder / "demo/report.html"), o.err.find("no report") != std::string::npos)
      << o.err;
  expect_refused({"demo", "--duration", "5"},
                 "--duration: '5' is not a time: it has no unit; write a number and one of s, ms, us, ns, ps, "
                 "like \"1.5 ms\"");
}

// Whole or not at all: nothing is written beside what is there.
TEST(Demo, RefusesATakenDirectory) {
  const Folder folder("weir-demo-taken");
  std::filesystem::create_directories(folder / "demo/dcqcn");
  std::ofstream(folder / "demo/dcqcn/mine") << "kept";
  expect_refused(
      {"demo", "--duration", "50 us", "--out", folder / "demo", "--quiet"},
      "result directory " + (folder / "demo") + ": it exists already; choose another name or remove it first");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"demo"});
  EXPECT_FALSE(std::filesystem::exists(folder / "demo/hpcc"));
}

TEST(Demo, ASignalLeavesBothResultsAndNoComparison) {
  const Folder folder("weir-demo-signal");
  const Output o = weir({"demo", "--duration", "50 ms", "--out", folder / "demo", "--quiet"}, SIGTERM, 2);
  EXPECT_EQ(o.status, 143) << o.err;
  EXPECT_NE(o.out.find("HPCC   interrupted: "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("DCQCN  interrupted: "), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("slowdown"), std::string::npos) << o.out;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"demo"});
  for (const char* side : {"hpcc", "dcqcn"})
    EXPECT_TRUE(Json::parse(read_file(fmt::format("{}/{}/manifest.json", folder / "demo", side)))
                    .at("interrupted")
                    .get<bool>());
}

// Its child ends with it. The child is at work, then stopped, so that it does not end by itself. A process that has
// ended and that nobody has waited for is in state Z.
TEST(Bench, LeavesNoProcessBehind) {
  const Output o = shell(R"sh(
    "$weir" bench --case permutation-8192 >/dev/null 2>&1 & bench=$!
    child=
    while [ -z "$child" ]; do sleep 0.05; read -r child rest < /proc/$bench/task/$bench/children; done
    while [ "$(cut -d' ' -f14 /proc/$child/stat)" -lt 10 ]; do sleep 0.05; done
    kill -STOP $child
    kill -TERM $bench
    wait $bench
    tries=0
    while [ $tries -lt 6000 ]; do
      case $(cut -d' ' -f3 /proc/$child/stat 2>/dev/null) in '' | Z) echo ended; exit 0 ;; esac
      sleep 0.1
      tries=$((tries + 1))
    done
    kill -KILL $child)sh");
  EXPECT_EQ(o.out, "ended\n") << o.err;
}

TEST(Bench, MeasuresACase) {
  const Output o = weir({"bench", "--json", "--case", "incast-16-hpcc", "--repeat", "1"});
  EXPECT_EQ(o.status, 0) << o.err;
  const Json cases = Json::parse(o.out).at("cases");
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].at("name"), "incast-16-hpcc");
  EXPECT_GT(cases[0].at("packet_hops_per_cpu_s").get<double>(), 0);
  EXPECT_NEAR(cases[0].at("packet_hops_per_cpu_s").get<double>() * cases[0].at("ns_per_packet_hop").get<double>(), 1e9,
              1);
  EXPECT_GT(cases[0].at("max_rss_bytes").get<std::uint64_t>(), 1'000'000u);
  for (const char* key : {"wall_s", "cpu_s", "packet_hops", "data_packet_hops", "events", "repeats", "digest"})
    EXPECT_TRUE(cases[0].contains(key)) << key;
}

}  // namespace
}  // namespace weir::app
