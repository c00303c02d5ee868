// Evaluators give the accepted verdicts and figures (papers/verdicts.json, and the tables of documents), and the list
// of claims, the verdicts and the documents are in step. `weir paper check --update` accepts what is measured.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "weir/base/error.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/check.h"
#include "weir/claims/claim.h"
#include "weir/claims/document.h"
#include "weir/claims/verdict.h"

namespace weir::claims {
namespace {

const std::vector<Claim>& all() {
  static const std::vector<Claim> claims = read_claims("papers/claims.toml");
  return claims;
}

Verdicts accepted() { return read_verdicts("papers/verdicts.json", all()); }

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
  }
  for (const Row& row : found.rows) {
    const std::string text = read_text(row.document);
    EXPECT_TRUE(with_row(text, row) == text)
        << row.document << ", table " << row.table << ", row " << row.key << ": the figures are others now";
  }
}

// Of the quick ones, those that take less than half a second, or more: sanitizers leave out the latter.
std::vector<const Evaluator*> quick(bool brief) {
  std::vector<const Evaluator*> out;
  for (const Evaluator& e : evaluators())
    if (e.tier == Tier::quick && (e.cost_s < 0.5) == brief) out.push_back(&e);
  return out;
}

std::string name(const testing::TestParamInfo<const Evaluator*>& info) { return info.param->ids.front(); }

INSTANTIATE_TEST_SUITE_P(Brief, Evaluators, testing::ValuesIn(quick(true)), name);
INSTANTIATE_TEST_SUITE_P(Lengthy, Evaluators, testing::ValuesIn(quick(false)), name);

TEST(Claims, AreThoseOfTheList) {
  ASSERT_EQ(all().size(), 212u);
  const std::pair<std::string, int> last[] = {{"A", 56}, {"B", 35}, {"C", 46}, {"D", 34}, {"E", 41}};
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
    EXPECT_EQ(v.holds(), v.reason.empty()) << v.id;
  }
}

TEST(Claims, AreInTheDocumentAsInTheData) {
  const std::string readme = read_text("README.md");
  EXPECT_TRUE(with_summary(readme, "README.md", all(), accepted()) == readme) << "weir paper check --update writes it";
  const std::string text = read_text("docs/claims.md");
  EXPECT_TRUE(with_overview(text, "docs/claims.md", all(), accepted()) == text)
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
  write("hpcc/fig2.toml", "hpcc", "A57");
  EXPECT_EQ(complaint(), "/hpcc/fig2.toml:7: key 'claim.id': claims.toml has no claim 'A57'");
  write("hpcc/fig2.toml", "hpcc", "B24");
  EXPECT_EQ(complaint(), "/hpcc/fig2.toml:7: key 'claim.id': B24 is a claim of the paper 'fairness'");
  write("hpcc/fig2.toml", "hpcc", "A1");
  EXPECT_EQ(complaint(), "/hpcc/fig2.toml:7: key 'claim.id': A1 is judged by code; list it under paper.claims");
  write("hpcc/fig2.toml", "hpc", "A37");
  EXPECT_EQ(complaint(),
            "/hpcc/fig2.toml:3: key 'paper.paper': 'hpc' is unknown; valid is hpcc, fairness, onramp, rl or spraying");
}

TEST(Verdicts, AreHoldsFailsOrNotRun) {
  const app::Folder folder("weir-verdicts");
  std::ofstream(folder / "v.json") << R"({"claims": [{"id": "A1", "verdict": "hold", "measured": ""}]})";
  EXPECT_THROW(read_verdicts(folder / "v.json", all()), InputError);
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

}  // namespace
}  // namespace weir::claims
