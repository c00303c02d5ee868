// Claims of the evaluation of Congestion Control for Spraying with Congested Paths (2025): docs/claims.md has the
// rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/claims/record.h"
#include "tests/claims/spraying.h"

namespace weir::claims {
namespace {

const std::string kTable = "spraying";

// All of them, by balancer or by algorithm and balancer.
template <class Rule>
bool with_each(Rule rule) {
  return std::all_of(kBalancers.begin(), kBalancers.end(), rule);
}

void reproduced(const std::string& claim, bool holds, const std::string& measured) {
  EXPECT_TRUE(holds) << claim;
  record(kTable, claim, holds, measured);
}

// docs/claims.md says why.
void not_reproduced(const std::string& claim, bool holds, const std::string& measured) {
  EXPECT_FALSE(holds) << claim << " holds now: move it to the claims that are reproduced";
  record(kTable, claim, holds, measured);
}

// What LSwift's increase is, in MSwift's.
std::vector<double> ratios(const Figure& f, const Algorithm& over, const Algorithm& under) {
  std::vector<double> out;
  for (const Balancer& b : kBalancers) out.push_back(f.mean(over, b) / f.mean(under, b));
  return out;
}
double most(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
double least(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }
std::string times(const std::vector<double>& x) {
  return fmt::format("{:.2f} / {:.2f} / {:.2f} times", x[0], x[1], x[2]);
}

// Of all bars.
std::string lowest(const Figure& f) {
  std::string out;
  double low = INFINITY;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers)
      if (f.mean(a, b) < low) {
        low = f.mean(a, b);
        out = a + " with " + b;
      }
  return out;
}

// A table of docs/spraying.md: a row for each bar of the paper's, and what is measured.
void record_bars(const std::string& table, const Figure& f, const std::vector<Algorithm>& algorithms) {
  for (const Algorithm& a : algorithms) {
    std::vector<std::string> cells;
    for (const Balancer& b : kBalancers)
      cells.push_back(fmt::format("{:.0f} +- {:.0f}", f.mean(a, b), f.at(a, b).error()));
    expect_row("docs/spraying.md", table, a, cells);
  }
}

const std::vector<Algorithm> kAll{"Swift", "LSwift", "MSwift", "NSCC", "MNSCC"};

// That others are compared with is run once.
const Figure& the_baseline() {
  static const Figure f(baseline(3), kAll);
  return f;
}

bool mswift_is_best(const Figure& f) {
  return with_each([&](const Balancer& b) { return f.best("MSwift", b); });
}

// Figures 4 and 5.
TEST(SprayingClaims, Baseline) {
  const Figure& f = the_baseline();
  record_bars("figure-4", f, kAll);

  const auto in = [&](const Algorithm& a, double from, double to) {
    return with_each([&](const Balancer& b) { return f.mean(a, b) >= from && f.mean(a, b) <= to; });
  };
  const bool e12 = in("Swift", 500, INFINITY);
  reproduced("E12", e12, f.text({"Swift"}));
  const bool e13 = in("LSwift", 80, 350);
  not_reproduced("E13", e13, f.text({"LSwift"}));
  const bool e14 = in("MSwift", 12, 70);
  reproduced("E14", e14, f.text({"MSwift"}));
  const bool e15 = in("NSCC", 20, 90) && in("MNSCC", 20, 90) &&
                   with_each([&](const Balancer& b) { return f.mean("MNSCC", b) <= f.mean("NSCC", b) + 5; });
  reproduced("E15", e15, f.text({"NSCC", "MNSCC"}));
  const bool e16 = most(ratios(f, "LSwift", "MSwift")) >= 4;
  not_reproduced("E16", e16, times(ratios(f, "LSwift", "MSwift")));
  const bool e17 = lowest(f) == "MSwift with reps";
  not_reproduced("E17", e17, lowest(f));
  const bool e18 =
      f.mean("NSCC", "adaptive") < f.mean("NSCC", "ops") && f.mean("NSCC", "adaptive") < f.mean("NSCC", "reps");
  reproduced("E18", e18, f.text({"NSCC"}));

  std::string tails;
  bool worst = true;
  for (const Algorithm& a : kResilient) {
    tails += fmt::format("{}{} {:.0f} / {:.0f} / {:.0f}", tails.empty() ? "" : "; ", a, f.at(a, "ops").p99(),
                         f.at(a, "adaptive").p99(), f.at(a, "reps").p99());
    for (const Balancer& b : kBalancers) worst &= f.at(a, b).p99() <= f.at("LSwift", b).p99();
  }
  bool better = true;
  for (const Algorithm& a : kResilient) better &= f.at("MSwift", "reps").p99() <= f.at(a, "reps").p99();
  const bool e19 = worst && better;
  not_reproduced("E19", e19, tails + " us");
}

// Figure 6.
TEST(SprayingClaims, Permutation) {
  const Figure f(permutation(3), kResilient);
  record_bars("figure-6", f, kResilient);
  const bool e20 = f.mean("LSwift", "reps") < f.mean("NSCC", "reps");
  reproduced("E20", e20, f.text({"LSwift", "NSCC", "MNSCC"}));
  const std::vector<double> r = ratios(f, "LSwift", "MSwift");
  const bool e21 = most(r) >= 1.25 && least(r) >= 0.95;
  not_reproduced("E21", e21, f.text({"MSwift"}) + "; LSwift's are " + times(r));
  const bool e22 = lowest(f) == "MSwift with reps";
  not_reproduced("E22", e22, fmt::format("{}: {:.0f} %", lowest(f), [&] {
                   double low = INFINITY;
                   for (const Algorithm& a : kResilient)
                     for (const Balancer& b : kBalancers) low = std::min(low, f.mean(a, b));
                   return low;
                 }()));
}

// On one path, by ECMP.
TEST(SprayingClaims, SinglePath) {
  const Figure f(permutation(3), {"LSwift", "MSwift"}, {"ecmp"});
  const auto mean_fct = [&](const Algorithm& a) {
    const std::vector<double>& x = f.at(a, "ecmp").fct;
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  };
  const double ratio = mean_fct("MSwift") / mean_fct("LSwift");
  reproduced("E41", std::abs(ratio - 1) <= 0.05,
             fmt::format("mean FCT LSwift {:.0f}, MSwift {:.0f} us: {:.3f}; the last one's {}", mean_fct("LSwift"),
                         mean_fct("MSwift"), ratio, f.text()));
}

// Figure 14.
TEST(SprayingClaims, Incast) {
  const Figure f(incast(3), kResilient);
  const bool small = with_each([&](const Balancer& b) {
    return std::all_of(kResilient.begin(), kResilient.end(), [&](const Algorithm& a) { return f.mean(a, b) <= 8; });
  });
  reproduced("E36", small, f.text());
  const bool little_worse = with_each([&](const Balancer& b) {
    return f.mean("MSwift", b) <= f.mean("LSwift", b) + 2 && f.mean("MNSCC", b) <= f.mean("NSCC", b) + 2;
  });
  reproduced("E37", little_worse, "as E36");
}

// Those below take a minute or two each on a slow machine.
class LongSprayingClaims : public testing::Test {
 protected:
  void SetUp() override {
    if (!long_tests()) GTEST_SKIP() << "WEIR_LONG=1 runs it";
  }
};

// Figure 7.
TEST_F(LongSprayingClaims, Hsdp) {
  const Figure f(hsdp(3), kResilient);
  reproduced("E23", mswift_is_best(f), f.text());
  const double lswift = f.mean("LSwift", "reps") / f.mean("MSwift", "reps");
  not_reproduced("E24", lswift >= 1.3, fmt::format("{:.2f} times", lswift));
  const double nscc = f.mean("NSCC", "reps") / f.mean("MSwift", "reps");
  not_reproduced("E25", nscc >= 1.5, fmt::format("{:.2f} times", nscc));
  const std::vector<double> r = ratios(f, "MNSCC", "NSCC");
  reproduced("E26", least(r) >= 0.8 && most(r) <= 1.2, times(r));
}

// Figure 8.
TEST_F(LongSprayingClaims, TwoHundredAndFiftyHosts) {
  const Figure f(baseline(2, {"topology.k=10"}), kResilient);
  not_reproduced("E27", mswift_is_best(f), f.text());
}

// Figure 9.
TEST_F(LongSprayingClaims, SixteenMegabytes) {
  const Figure f(baseline(2, {"traffic.0.size=16 MB"}), kResilient);
  const double ratio = most(ratios(f, "LSwift", "MSwift"));
  const double before = most(ratios(the_baseline(), "LSwift", "MSwift"));
  not_reproduced("E28", ratio >= 5 && ratio > before,
                 fmt::format("{}; {}", times(ratios(f, "LSwift", "MSwift")), f.text()));
  const bool worse = f.mean("LSwift") > the_baseline().mean("LSwift") && f.mean("NSCC") > the_baseline().mean("NSCC");
  not_reproduced("E29", worse,
                 fmt::format("LSwift {:.0f} -> {:.0f} %, NSCC {:.0f} -> {:.0f} %", the_baseline().mean("LSwift"),
                             f.mean("LSwift"), the_baseline().mean("NSCC"), f.mean("NSCC")));
}

// Figure 10.
TEST_F(LongSprayingClaims, EightElephants) {
  const Figure f(baseline(3, {"traffic.0.elephants=8"}), kResilient);
  bool similar = true;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers) similar &= std::abs(f.mean(a, b) / the_baseline().mean(a, b) - 1) <= 0.35;
  not_reproduced("E30", similar, f.text());
}

// Figure 11.
TEST_F(LongSprayingClaims, Failures) {
  const Figure f(baseline(3, {"network.failure=[{probability=0.01}]"}), kResilient);
  bool higher = true;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers) higher &= f.mean(a, b) > the_baseline().mean(a, b);
  not_reproduced("E31", higher && mswift_is_best(f), f.text());
}

// Figure 12.
TEST_F(LongSprayingClaims, OtherPercentiles) {
  const Figure f(baseline(3), {"MSwift-P10", "MSwift", "MSwift-P90"});
  const bool order =
      f.mean("MSwift-P10", "ops") < f.mean("MSwift", "ops") && f.best("MSwift", "adaptive") && f.best("MSwift", "reps");
  not_reproduced("E32", order, f.text());
  const double ratio = f.mean("MSwift-P90", "reps") / f.mean("MSwift", "reps");
  not_reproduced("E33", ratio >= 3, fmt::format("{:.2f} times", ratio));
}

// Figure 13.
TEST_F(LongSprayingClaims, FairScheduling) {
  const Figure f(baseline(3, {"network.scheduling=drr", "network.class=[{quantum=\"4 KB\"},{quantum=\"4 KB\"}]",
                              "profile.0.class=1"}),
                 kResilient);
  const auto change = [&](const Algorithm& a) { return f.mean(a) - the_baseline().mean(a); };
  const bool families = change("LSwift") > 0 && change("MSwift") > 0 && change("NSCC") < 0 && change("MNSCC") < 0;
  not_reproduced("E34", families, f.text());
  const std::vector<double> r = ratios(f, "MNSCC", "NSCC");
  const bool order = with_each([&](const Balancer& b) { return f.mean("MSwift", b) < f.mean("LSwift", b); }) &&
                     least(r) >= 0.85 && most(r) <= 1.15;
  not_reproduced(
      "E35", order,
      fmt::format("LSwift over MSwift {}, MNSCC over NSCC {}", times(ratios(f, "LSwift", "MSwift")), times(r)));
}

}  // namespace
}  // namespace weir::claims
