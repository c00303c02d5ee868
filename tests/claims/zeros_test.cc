// No rule is true where nothing was measured: of runs whose measures are all 0.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weir/claims/claim.h"
#include "weir/study/rule.h"

namespace weir::claims {
namespace {

// All that a plan's runs have is 0; lists have two elements.
study::Measurements zeros(const study::Plan& plan) {
  study::Measurements out = study::no_measurements(plan);
  for (study::Record& run : out.runs) {
    run.status = study::Record::Status::done;
    for (const study::Measure& m : plan.study.measures) run.measures.emplace_back(m.is_list() ? 2 : 1, 0.0);
  }
  return out;
}

std::vector<FigureFile> all_files() {
  const auto claims = read_claims("papers");
  std::vector<FigureFile> out = read_figures("papers", claims);
  for (FigureFile& f : read_experiments("papers", claims)) out.push_back(std::move(f));
  return out;
}

TEST(Rules, AreNotTrueOfZeros) {
  for (const FigureFile& f : all_files()) {
    if (f.study.claims.empty()) continue;
    const study::Measurements nothing = study::worlds_of(f.study, zeros(study::make_plan(f.study.study))).front();
    for (const study::PaperClaim& claim : f.study.claims) {
      EXPECT_FALSE(study::judge(claim.rule, nothing).holds) << f.name << ", " << claim.id << ": " << claim.rule.text;
      if (!claim.literal) continue;
      EXPECT_FALSE(study::judge(*claim.literal, nothing).holds)
          << f.name << ", " << claim.id << ": " << claim.literal->text;
    }
  }
}

}  // namespace
}  // namespace weir::claims
