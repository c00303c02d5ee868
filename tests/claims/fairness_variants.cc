// The last two tables of docs/claims.md: all variants of Fast Convergence to Fairness, and other readings of what the
// paper leaves open.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/claims/document.h"
#include "tests/claims/figures.h"
#include "tests/claims/staggered.h"

namespace weir::claims {
namespace {

void record_variants(const std::string& table, const Incast& incast,
                     const std::vector<std::pair<std::string, Variant>>& variants) {
  for (const auto& [name, variant] : variants) {
    const auto o = run_staggered(incast, variant);
    expect_row("docs/claims.md", table, name,
               {range(all(o, fair_rates)), range(all(o, fair_deliveries)), range(all(o, correlation), 2),
                range(all(o, spread)), range(all(o, deviation_of)), range(all(o, mean_queue), 1),
                range(all(o, p50_queue), 1), range(all(o, p95_queue), 1)});
  }
}

std::vector<std::pair<std::string, Variant>> hpcc_variants() {
  return {
      {"HPCC", hpcc("")},
      {"HPCC 1Gbps", hpcc("-1g")},
      {"HPCC Probabilistic", hpcc("-probabilistic")},
      {"`probabilistic = \"keep\"`, HPCC", hpcc("-probabilistic", {"algorithm.probabilistic=keep"})},
      {"`probabilistic = \"retry\"`, HPCC", hpcc("-probabilistic", {"algorithm.probabilistic=retry"})},
      {"HPCC VAI SF", hpcc("-vai-sf")},
      {"`sf_restart = \"any\"`, HPCC", hpcc("-vai-sf", {"algorithm.sf_restart=any"})},
      {"`sf_restart = \"separate\"`, HPCC", hpcc("-vai-sf", {"algorithm.sf_restart=separate"})},
      {"`sf_every_round = true`, HPCC", hpcc("-vai-sf", {"algorithm.sf_every_round=true"})},
      {"`vai_tokens = \"excess\"`, HPCC", hpcc("-vai-sf", {"algorithm.vai_tokens=excess"})},
      {"`r_min = \"1 Gbps\"`, HPCC VAI SF", hpcc("-vai-sf", {"algorithm.r_min=1 Gbps"})},
      {"`r_min = \"1 Gbps\"`, HPCC", hpcc("", {"algorithm.r_min=1 Gbps"})},
  };
}

std::vector<std::pair<std::string, Variant>> swift_variants() {
  return {
      {"Swift", swift("")},
      {"Swift 1Gbps", swift("-1g")},
      {"Swift Probabilistic", swift("-probabilistic")},
      {"`probabilistic = \"keep\"`, Swift", swift("-probabilistic", {"algorithm.probabilistic=keep"})},
      {"`probabilistic = \"increase\"`, Swift", swift("-probabilistic", {"algorithm.probabilistic=increase"})},
      {"Swift VAI SF", swift("-vai-sf")},
      {"`sf_restart = \"any\"`, Swift", swift("-vai-sf", {"algorithm.sf_restart=any"})},
      {"`sf_restart = \"separate\"`, Swift", swift("-vai-sf", {"algorithm.sf_restart=separate"})},
      {"`sf_every_round = true`, Swift", swift("-vai-sf", {"algorithm.sf_every_round=true"})},
  };
}

TEST(FairnessVariants, SixteenHpccFlows) { record_variants("sixteen", kSixteen, hpcc_variants()); }
TEST(FairnessVariants, SixteenSwiftFlows) { record_variants("sixteen", kSixteen, swift_variants()); }
TEST(FairnessVariants, NinetySixHpccFlows) { record_variants("ninety-six", kNinetySix, hpcc_variants()); }
TEST(FairnessVariants, NinetySixSwiftFlows) { record_variants("ninety-six", kNinetySix, swift_variants()); }

}  // namespace
}  // namespace weir::claims
