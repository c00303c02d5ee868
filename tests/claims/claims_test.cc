// Evaluators that are quick give the accepted verdicts and figures (papers/verdicts.json, and the tables of documents),
// and the list of claims, the verdicts and the documents are in step. `weir paper check --update` accepts what is
// measured.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "weir/base/error.h"
#include "weir/base/version.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/check.h"
#include "weir/claims/claim.h"
#include "weir/claims/document.h"
#include "weir/claims/verdict.h"
#include "weir/claims/watch.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

const std::vector<Claim>& all() {
  static const std::vector<Claim> claims = read_claims("papers");
  return claims;
}

Verdicts accepted() { return read_verdicts("papers/verdicts.json", all()); }

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string text = read_text(row.document);
    EXPECT_TRUE(with_row(text, row) == text)
        << row.document << ", table " << row.table << ", row " << row.key << ": the figures are others now";
  }
}

class Evaluators : public testing::TestWithParam<const Evaluator*> {};

TEST_P(Evaluators, GiveTheAcceptedVerdicts) {
  const Found found = run(*GetParam(), "papers");
  ASSERT_EQ(found.error, "");
  const Verdicts before = accepted();
  Verdicts now(all());
  for (const Judgement& j : found.judgements) {
    now.set(j);
    EXPECT_EQ(now.of(j.id).measured, before.of(j.id).measured) << j.id;
    EXPECT_EQ(now.of(j.id).verdict, before.of(j.id).verdict) << j.id;
    EXPECT_EQ(now.of(j.id).firmness, before.of(j.id).firmness) << j.id;
    EXPECT_EQ(now.of(j.id).by_words, before.of(j.id).by_words) << j.id;
    EXPECT_EQ(now.of(j.id).by_words_firmness, before.of(j.id).by_words_firmness) << j.id;
  }
  expect_rows(found.rows);
}

// Those whose perturbed runs take too long for a test: what their plain run measures.
class PlainEvaluators : public testing::TestWithParam<const Evaluator*> {};

TEST_P(PlainEvaluators, MeasureWhatWasAccepted) {
  const Found found = run_plainly(*GetParam(), "papers");
  ASSERT_EQ(found.error, "");
  for (const Reading& r : found.readings) EXPECT_EQ(r.measured, accepted().of(r.id).measured) << r.id;
  expect_rows(found.rows);
}

// Of those that are quick or without randomness, those that take so long; sanitizers leave out what takes more than
// half a second. `weir paper check` judges those that take longer still.
std::vector<const Evaluator*> quick(double (*cost)(const Evaluator&), double from, double to) {
  std::vector<const Evaluator*> out;
  for (const Evaluator& e : evaluators())
    if ((e.tier == Tier::quick || e.evidence == Evidence::perturbed) && cost(e) >= from && cost(e) < to)
      out.push_back(&e);
  return out;
}
double whole(const Evaluator& e) { return e.whole_cost_s(); }
double plain(const Evaluator& e) { return e.whole_cost_s() < 15 ? INFINITY : e.cost_s; }

std::string name(const testing::TestParamInfo<const Evaluator*>& info) { return info.param->ids.front(); }

INSTANTIATE_TEST_SUITE_P(Brief, Evaluators, testing::ValuesIn(quick(whole, 0, 0.5)), name);
INSTANTIATE_TEST_SUITE_P(Lengthy, Evaluators, testing::ValuesIn(quick(whole, 0.5, 15)), name);
INSTANTIATE_TEST_SUITE_P(Lengthy, PlainEvaluators, testing::ValuesIn(quick(plain, 0, 15)), name);

TEST(Claims, AreThoseOfTheList) {
  ASSERT_EQ(all().size(), 246u);
  const std::pair<std::string, int> last[] = {{"A", 77}, {"B", 48}, {"C", 46}, {"D", 34}, {"E", 41}};
  auto claim = all().begin();
  for (const auto& [letter, count] : last)
    for (int i = 1; i <= count; ++i, ++claim) EXPECT_EQ(claim->id, letter + std::to_string(i));
}

TEST(Claims, HaveAtMostOneEvaluator) {
  std::set<std::string> judged;
  for (const Evaluator& e : evaluators())
    for (const std::string& id : e.ids) {
      EXPECT_TRUE(judged.insert(id).second) << id << " is judged twice";
      const Claim* claim = find(all(), id);
      ASSERT_NE(claim, nullptr) << id;
      EXPECT_EQ(claim->not_run, "") << id << " is judged, and its row says that it cannot be";
    }
}

TEST(Claims, HaveAVerdictEach) {
  const std::string text = read_text("papers/verdicts.json");
  for (const Claim& claim : all()) {
    const std::string mark = "\"id\": \"" + claim.id + "\"";
    const std::size_t at = text.find(mark);
    ASSERT_NE(at, std::string::npos) << claim.id;
    EXPECT_EQ(text.find(mark, at + 1), std::string::npos) << claim.id;
  }
  for (const Evaluator& e : evaluators())
    for (const std::string& id : e.ids) EXPECT_NE(accepted().of(id).verdict, kNotRun) << id;
}

TEST(Claims, FailForAReason) {
  const Verdicts verdicts = accepted();
  for (const Verdict& v : verdicts.all()) {
    EXPECT_EQ(v.verdict == kFails || v.verdict == kNotRun, !v.reason.empty()) << v.id;
    EXPECT_EQ(v.verdict == kNotRun, v.firmness.empty()) << v.id;
    const Claim& claim = *find(all(), v.id);
    // The cause of a claim that holds tells why its former rule failed; what is undecided may have one.
    EXPECT_TRUE(v.verdict == kFails ? claim.cause.has_value() : !v.holds() || !claim.cause || claim.restated)
        << v.id << ", papers/causes.toml";
  }
}

// Each experiment is named by a cause: as what shows it, with a rule, or among what was tried, without one. Each cause
// finds its experiment, and what the experiments ask for is there.
TEST(Claims, ThatFailAreShownToByExperiments) {
  std::string tried;
  for (const Claim& claim : all())
    if (claim.cause)
      for (const std::string& text : claim.cause->tried) tried += text;
  std::set<std::string> names;
  for (const FigureFile& f : read_experiments("papers", all())) {
    EXPECT_TRUE(names.insert(f.name).second);
    EXPECT_TRUE(!f.study.claims.empty() || tried.find(f.name) != std::string::npos) << f.file;
    EXPECT_FALSE(f.study.study.figures.empty()) << f.file;
    EXPECT_NO_THROW(study::check_claims(f.study, study::no_measurements(study::make_plan(f.study.study)))) << f.file;
  }
}

TEST(Claims, AreInTheDocumentAsInTheData) {
  for (const Paper& paper : kPapers) {
    if (paper.page.empty()) continue;
    const std::string file = "docs/evidence/claims/" + std::string(paper.page);
    const std::string page = read_text(file);
    EXPECT_TRUE(with_causes(page, file, all(), accepted(), paper) == page) << file << ": weir paper check --update";
    if (!paper.worlds.key.empty()) {
      EXPECT_TRUE(with_worlds(page, file, all(), accepted(), paper) == page) << file << ": weir paper check --update";
    }
  }
  const std::string costs = read_text("docs/guides/papers.md");
  EXPECT_TRUE(with_costs(costs, "docs/guides/papers.md", read_figures("papers", all())) == costs)
      << "docs/guides/papers.md: weir paper check --update";
  const std::string text = read_text("docs/evidence/claims.md");
  EXPECT_TRUE(with_overview(text, "docs/evidence/claims.md", all(), accepted()) == text)
      << "weir paper check --update writes its tables anew";
}

// That a figure's file names no other claims is what reading it finds.
TEST(Claims, OfFiguresAreJudgedByWhomTheySay) {
  std::set<std::string> judged;
  for (const FigureFile& figure : read_figures("papers", all())) {
    for (const study::PaperClaim& claim : figure.study.claims) {
      EXPECT_EQ(find(all(), claim.id)->not_run, "") << figure.file << ": " << claim.id;
      EXPECT_TRUE(judged.insert(claim.id).second) << figure.file << ": " << claim.id << " is judged twice";
    }
  }
}

TEST(Claims, OfFiguresAreKnown) {
  const app::Folder papers("weir-figures");
  std::filesystem::create_directory(papers / "hpcc");
  const auto write = [&](const std::string& name, const std::string& paper, const std::string& id) {
    std::ofstream(papers / name) << "[study]\nscenario = \"s.toml\"\n[paper]\npaper = \"" << paper
                                 << "\"\nfigure = \"1\"\ntitle = \"f\"\n[[claim]]\nid = \"" << id
                                 << "\"\nrule = \"1 > 0\"\n";
  };
  const auto complaint = [&] {
    try {
      read_figures(papers.path(), all());
    } catch (const InputError& error) {
      return std::string(error.what()).substr(papers.path().size());
    }
    return std::string("none");
  };
  write("hpcc/fig1.toml", "hpcc", "A36");
  const auto figures = read_figures(papers.path(), all());
  EXPECT_EQ(figures.at(0).name, "hpcc/fig1");
  EXPECT_TRUE(figures.at(0).judges("A36"));
  EXPECT_FALSE(figures.at(0).judges("A37"));
  write("hpcc/fig2.toml", "hpcc", "A99");
  EXPECT_EQ(complaint(), "/hpcc/fig2.toml:7: key 'claim.id': claims.toml has no claim 'A99'");
  write("hpcc/fig2.toml", "hpcc", "B24");
  EXPECT_EQ(complaint(), "/hpcc/fig2.toml:7: key 'claim.id': B24 is a claim of the paper 'fairness'");
  write("hpcc/fig2.toml", "hpcc", "A1");
  EXPECT_EQ(complaint(), "/hpcc/fig2.toml:7: key 'claim.id': A1 is judged by code; list it under paper.claims");
  write("hpcc/fig2.toml", "hpc", "A37");
  EXPECT_EQ(
      complaint(),
      "/hpcc/fig2.toml:3: key 'paper.paper': 'hpc' is unknown; valid is hpcc, fairness, onramp, rldc or spraying");
}

// Why verdicts of this text cannot be read.
std::string complaint_about(const std::string& text) {
  const app::Folder folder("weir-verdicts");
  std::ofstream(folder / "v.json") << text;
  try {
    read_verdicts(folder / "v.json", all());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Verdicts, AreOfFourKinds) {
  const std::string wrong =
      complaint_about(R"({"format": 2, "claims": [{"id": "A1", "verdict": "hold", "measured": ""}]})");
  EXPECT_NE(wrong.find("'hold'; valid is holds, fails, undecided, not run"), std::string::npos) << wrong;
  EXPECT_EQ(
      complaint_about(
          R"({"format": 2, "claims": [{"id": "A1", "verdict": "undecided", "measured": "", "firmness": "7 of 9"}]})"),
      "");
}

TEST(Verdicts, OfAnotherFormatAreRefused) {
  const std::string old = complaint_about(R"({"format": 1, "claims": []})");
  EXPECT_NE(old.find("its format is 1; valid is 2"), std::string::npos) << old;
}

// A literal rule that has been written since is not judged yet.
TEST(Verdicts, ByTheWordsAreOfTheirRule) {
  const app::Folder folder("weir-verdicts");
  const std::string begin = R"({"format": 2, "claims": [{"id": "A39", "verdict": "holds", "measured": "20 us", )"
                            R"("firmness": "9 of 9", "by_words": "fails", "by_words_firmness": "0 of 9")";
  const auto by_words = [&](const std::string& more) {
    std::ofstream(folder / "v.json") << begin + more + "}]}";
    return read_verdicts(folder / "v.json", all()).of("A39").by_words;
  };
  EXPECT_EQ(by_words(""), kNotMeasured);
  EXPECT_EQ(by_words(R"(, "literal": "another one")"), kNotMeasured);
  EXPECT_EQ(by_words(", \"literal\": \"" + find(all(), "A39")->literal + "\""), kFails);
}

// A version that judges some claims again and writes the file has not judged the others.
TEST(Verdicts, SayWhichVersionJudgedEach) {
  const app::Folder folder("weir-verdicts");
  std::ofstream(folder / "v.json") << R"({"weir": "old", "format": 2, "claims": [
      {"id": "A1", "verdict": "fails", "measured": "", "firmness": ""},
      {"id": "A2", "verdict": "fails", "measured": "", "firmness": "", "weir": "older"},
      {"id": "A3", "verdict": "fails", "measured": "", "firmness": ""}]})";
  Verdicts verdicts = read_verdicts(folder / "v.json", all());
  verdicts.set({.id = "A3", .band = {study::Answer::fails, ""}, .measured = ""});
  std::ofstream(folder / "v.json") << to_json(all(), verdicts);
  const Verdicts again = read_verdicts(folder / "v.json", all());
  EXPECT_EQ(again.of("A1").weir, "old");
  EXPECT_EQ(again.of("A2").weir, "older");
  EXPECT_EQ(again.of("A3").weir, version());
}

TEST(Verdicts, KeepWhatTheSecondWorldChanges) {
  const app::Folder folder("weir-verdicts");
  const study::OtherReading second{{study::Answer::holds, "20 seeds"}, "8.6 times"};
  Verdicts written(all());
  for (const char* id : {"E28", "D18"})
    written.set({.id = id, .band = {study::Answer::fails, "5 seeds"}, .measured = "3.3 times", .second = second});
  // a paper with one world
  EXPECT_THROW(written.set({.id = "B1", .band = {study::Answer::fails, ""}, .measured = "", .second = second}),
               Unfounded);
  const std::string text = to_json(all(), written);
  EXPECT_NE(text.find("\"acks_first\""), std::string::npos);
  EXPECT_NE(text.find("\"public\""), std::string::npos);
  std::ofstream(folder / "v.json") << text;
  for (const char* id : {"E28", "D18"}) {
    const Verdict read = read_verdicts(folder / "v.json", all()).of(id);
    EXPECT_EQ(read.verdict, kFails);
    EXPECT_EQ(read.second, kHolds);
    EXPECT_EQ(read.second_firmness, "20 seeds");
    EXPECT_EQ(read.second_measured, "8.6 times");
  }
}

// An evaluator of both worlds is run in each.
TEST(Evaluator, IsJudgedInBothWorlds) {
  Evaluator evaluator{{"E28"}, Tier::quick, 0, [](Context& context) {
                        const double by = context.world() == World::second ? 1 : -1;
                        context.judge("E28", OverSeeds{{{"by", {by, by}}}}, "as told");
                      }};
  evaluator.evidence = Evidence::seeds;
  evaluator.in_both_worlds = true;
  const Judgement judged = run(evaluator, "papers").judgements.at(0);
  EXPECT_EQ(judged.band.answer, study::Answer::fails);
  ASSERT_TRUE(judged.second.has_value());
  EXPECT_EQ(judged.second->band.answer, study::Answer::holds);
}

Evaluator judged_by(void (*run)(Context&)) { return {{"A21"}, Tier::quick, 0, run}; }

// A perturbed run that breaks off is none in which the rule is true.
TEST(PerturbedEvaluators, CountTheRunsThatChangeSomething) {
  const Found found = run(judged_by([](Context& context) {
                            const auto s = load_claim_scenario(context.scenario("incast-16.toml"));
                            require(s.mirrored_hosts == 0, "its hosts are counted from the other end");
                            context.judge("A21", s.traffic.front().kind != nullptr, "x");
                          }),
                          "papers");
  ASSERT_EQ(found.error, "");
  const study::Finding& band = found.judgements.at(0).band;  // all flows of the incast start together
  EXPECT_EQ(band.firmness, "7 of 8; not with 9; 9: its hosts are counted from the other end");
  EXPECT_EQ(band.answer, study::Answer::undecided);
}

TEST(PerturbedEvaluators, NameHostsAndPortsAsTheFileDoes) {
  const Found found = run(judged_by([](Context& context) {
                            Watch watch(context.scenario("incast-16.toml"), "17->16");
                            std::set<std::uint32_t> senders;
                            watch.record(1_us, 20_us, [&](Time, const host::FlowView& f) {
                              if (f.dst == 16) senders.insert(f.src);
                            });
                            const bool all_seen = senders.size() == 16 && *senders.rbegin() == 15;
                            context.judge("A21", all_seen && watch.peak().queue > 100'000, "x");
                          }),
                          "papers");
  ASSERT_EQ(found.error, "");
  EXPECT_EQ(found.judgements.at(0).band.firmness, "8 of 8");
}

// What was not recorded is said, instead of an error of the library.
TEST(Watches, SayWhatWasNotRecorded) {
  Watch watch(ClaimFile{"papers/scenarios/incast-16.toml"}, "17->16");
  watch.record(1_us, 10_us);
  EXPECT_GT(watch.utilisation(5_us, 10_us), 0);
  const auto complaint = [](const std::function<void()>& ask) {
    try {
      ask();
    } catch (const Unfounded& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint([&] { watch.utilisation(5_us, 11_us); }),
            "the port was recorded from 0 to 10 us, and what it had sent at 11 us is asked for");
  EXPECT_EQ(complaint([&] { watch.finish_of(3); }), "the flow of host 3 has not ended");
}

TEST(Documents, HaveTheirTablesReplaced) {
  const std::string text = "a\n<!-- table: t -->\n| old |\n|---|\n\nb\n";
  EXPECT_EQ(with_table(text, "d.md", "t", {"| x |", "| y |"}), "a\n<!-- table: t -->\n| x |\n| y |\n\nb\n");
  EXPECT_THROW(with_table(text, "d.md", "u", {}), InputError);
}

TEST(Documents, HaveTheLastCellsOfARowReplaced) {
  const std::string text = "<!-- table: t -->\n| k | a | b |\n|---|---|---|\n| one | 1 | 2 |\n| two | 3 | 4 |\n";
  EXPECT_EQ(with_row(text, {"d.md", "t", "two", {"5"}}),
            "<!-- table: t -->\n| k | a | b |\n|---|---|---|\n| one | 1 | 2 |\n| two | 3 | 5 |\n");
  EXPECT_THROW(with_row(text, {"d.md", "t", "three", {"5"}}), InputError);
}

// A folder of papers with one claim, and what causes.toml says of it.
class Causes : public testing::Test {
 protected:
  Causes() {
    std::ofstream(papers_ / "claims.toml") << "[[claim]]\nid = \"A42\"\npaper = \"hpcc\"\nplace = \"11\"\nexpected = "
                                              "\"slow\"\nrule = \"slow\"\ncost = \"S\"\n";
    std::ofstream(papers_ / "verdicts.json")
        << R"({"format": 2, "claims": [{"id": "A42", "verdict": "fails", "measured": "2.4", "firmness": "0 of 9"}]})";
  }
  void write(const std::string& causes) const { std::ofstream(papers_ / "causes.toml") << causes; }
  void experiment(const std::string& id) const {
    std::filesystem::create_directory(papers_ / "causes");
    std::ofstream(papers_ / "causes/stages.toml") << "[study]\nscenario = \"s.toml\"\n[paper]\npaper = \"hpcc\"\n"
                                                     "figure = \"1\"\ntitle = \"f\"\n[[claim]]\nid = \"" +
                                                         id + "\"\nrule = \"1 > 0\"\n";
  }
  std::string why(const std::string& id) const {
    const app::Output o = app::weir({"paper", "why", id, "--papers", papers_.path()});
    return o.status == 0 ? o.out : o.err;
  }
  app::Folder papers_{"weir-causes"};
};

constexpr const char* kCause = R"([[cause]]
claim = "A42"
printed = "1.24 times"
found = "2.4 times"
)";

TEST_F(Causes, AreTold) {
  EXPECT_EQ(why("A42"),
            "A42 (hpcc, 11): fails\n  claim       slow\n  counts if   slow\n  measured    2.4\n  firmness    0 of 9\n  "
            "because     The "
            "cause is unknown.\n");
  write(std::string(kCause) + "tried = [\"more seeds: 2.5\"]\n");
  EXPECT_NE(
      why("A42").find("\n  the paper   1.24 times\n  here        2.4 times\n  because     The cause is unknown.\n  "
                      "tried       more seeds: 2.5\n"),
      std::string::npos)
      << why("A42");
  write(std::string(kCause) + "study = \"stages\"\nshown = \"without stages 1.24\"\nholds_with = \"no stages\"\n");
  EXPECT_NE(
      why("A42").find("\n  shown by    without stages 1.24\n  again       weir paper run causes/stages\n  holds with  "
                      "no stages\n"),
      std::string::npos)
      << why("A42");
  const std::vector<Claim> claims = read_claims(papers_.path());
  const Verdicts verdicts = read_verdicts(papers_ / "verdicts.json", claims);
  EXPECT_EQ(standing_of(claims[0], verdicts.of("A42")), Standing::cause_shown);
  EXPECT_EQ(verdicts.of("A42").reason, "without stages 1.24");
}

TEST_F(Causes, ThatCannotBeAreRefused) {
  const auto complaint = [&](const std::string& causes) {
    write(causes);
    try {
      read_experiments(papers_.path(), read_claims(papers_.path()));
    } catch (const InputError& error) {
      return std::string(error.what()).substr(papers_.path().size());
    }
    return std::string("none");
  };
  EXPECT_EQ(why("A43"), "weir: ID: there is no claim 'A43' (did you mean 'A42'?); `weir paper list` tells them\n");
  EXPECT_EQ(complaint("[[cause]]\nclaim = \"A43\"\nprinted = \"1\"\nfound = \"2\"\n"),
            "/causes.toml:2: key 'cause.0.claim': claims.toml has no claim 'A43'");
  EXPECT_EQ(complaint(std::string(kCause) + kCause), "/causes.toml:6: key 'cause.1.claim': 'A42' is there twice");
  EXPECT_EQ(complaint(std::string(kCause) + "study = \"stages\"\n"),
            "/causes.toml:5: key 'cause.0.study': it shows something; write what under 'shown'");
  const std::string shown = std::string(kCause) + "study = \"stages\"\nshown = \"1.24\"\n";
  EXPECT_NE(complaint(shown).find("/causes/stages.toml has no [[claim]] A42"), std::string::npos);
  experiment("A42");
  EXPECT_EQ(complaint(shown), "none");
  EXPECT_NE(complaint(kCause).find("causes.toml does not name this study as what shows why A42 fails"),
            std::string::npos);
  experiment("A43");
  EXPECT_EQ(complaint(shown), "/causes/stages.toml:7: key 'claim.id': claims.toml has no claim 'A43'");
}

}  // namespace
}  // namespace weir::claims
