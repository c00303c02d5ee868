// Claims of the evaluation of Congestion Control for Spraying with Congested Paths (2025). How the rules were read:
// docs/evidence/claims/spraying.md.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/claims/catalogue.h"
#include "weir/claims/spraying.h"

namespace weir::claims {
namespace {

// All of them, by balancer or by algorithm and balancer.
template <class Rule>
bool with_each(Rule rule) {
  return std::all_of(kBalancers.begin(), kBalancers.end(), rule);
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
        out = fmt::format("{} with {}", a, b);
      }
  return out;
}

// A table of docs/evidence/spraying.md: a row for each bar of the paper's, and what is measured.
void tell_bars(Context& context, const std::string& table, const Figure& f, const std::vector<Algorithm>& algorithms) {
  for (const Algorithm& a : algorithms) {
    std::vector<std::string> cells;
    for (const Balancer& b : kBalancers)
      cells.push_back(fmt::format("{:.0f} +- {:.0f}", f.mean(a, b), f.at(a, b).error()));
    context.row({"docs/evidence/spraying.md", table, a, cells});
  }
}

const std::vector<Algorithm> kAll{"Swift", "LSwift", "MSwift", "NSCC", "MNSCC"};

constexpr int kFewSeeds = 5;
// Of bars that are close to each other.
constexpr int kManySeeds = 10;

bool mswift_is_best(const Figure& f) {
  return with_each([&](const Balancer& b) { return f.best("MSwift", b); });
}

bool each_in(const Figure& f, const Algorithm& a, double from, double to) {
  return with_each([&](const Balancer& b) { return f.mean(a, b) >= from && f.mean(a, b) <= to; });
}

// At most this many points above the other algorithm.
bool little_worse(const Figure& f, const Algorithm& a, const Algorithm& than, double points) {
  return with_each([&](const Balancer& b) { return f.mean(a, b) <= f.mean(than, b) + points; });
}

void figure_4(Context& context, const Figure& f) {
  tell_bars(context, "figure-4", f, kAll);
  context.judge("E12", each_in(f, "Swift", 500, INFINITY), f.text({"Swift"}));
  context.judge("E13", each_in(f, "LSwift", 80, 350), f.text({"LSwift"}));
  context.judge("E14", each_in(f, "MSwift", 12, 70), f.text({"MSwift"}));
  context.judge("E15", each_in(f, "NSCC", 20, 90) && each_in(f, "MNSCC", 20, 90) && little_worse(f, "MNSCC", "NSCC", 5),
                f.text({"NSCC", "MNSCC"}));
  context.judge("E16", most(ratios(f, "LSwift", "MSwift")) >= 4, times(ratios(f, "LSwift", "MSwift")));
}

void figure_5(Context& context, const Figure& f) {
  std::string tails;
  bool worst = true;
  bool better = true;
  for (const Algorithm& a : kResilient) {
    tails += fmt::format("{}{} {:.0f} / {:.0f} / {:.0f}", tails.empty() ? "" : "; ", a, f.at(a, "ops").p99(),
                         f.at(a, "adaptive").p99(), f.at(a, "reps").p99());
    for (const Balancer& b : kBalancers) worst &= f.at(a, b).p99() <= f.at("LSwift", b).p99();
    better &= f.at("MSwift", "reps").p99() <= f.at(a, "reps").p99();
  }
  context.judge("E19", worst && better, tails + " us");
}

void figures_4_and_5(Context& context) {
  const Figure f(baseline(context, kFewSeeds), kAll);
  figure_4(context, f);
  figure_5(context, f);
}

void close_bars_of_figure_4(Context& context) {
  const Figure f(baseline(context, kManySeeds), kResilient);
  context.judge("E17", lowest(f) == "MSwift with reps", fmt::format("{}: {}", lowest(f), f.text()));
  const double adaptive = f.mean("NSCC", "adaptive");
  context.judge("E18", adaptive < f.mean("NSCC", "ops") && adaptive < f.mean("NSCC", "reps"), f.text({"NSCC"}));
}

double lowest_mean(const Figure& f) {
  double low = INFINITY;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers) low = std::min(low, f.mean(a, b));
  return low;
}

void figure_6(Context& context) {
  const Figure f(permutation(context, kManySeeds), kResilient);
  tell_bars(context, "figure-6", f, kResilient);
  context.judge("E20", f.mean("LSwift", "reps") < f.mean("NSCC", "reps"), f.text({"LSwift", "NSCC", "MNSCC"}));
  const std::vector<double> r = ratios(f, "LSwift", "MSwift");
  context.judge("E21", most(r) >= 1.25 && least(r) >= 0.95, f.text({"MSwift"}) + "; LSwift's are " + times(r));
  context.judge("E22", lowest(f) == "MSwift with reps", fmt::format("{}: {:.0f} %", lowest(f), lowest_mean(f)));
}

double mean_fct(const Bar& bar) {
  return std::accumulate(bar.fct.begin(), bar.fct.end(), 0.0) / static_cast<double>(bar.fct.size());
}

// On one path, by ECMP.
void single_path(Context& context) {
  const Figure f(permutation(context, kFewSeeds), {"LSwift", "MSwift"}, {"ecmp"});
  const double lswift = mean_fct(f.at("LSwift", "ecmp"));
  const double mswift = mean_fct(f.at("MSwift", "ecmp"));
  context.judge("E41", std::abs(mswift / lswift - 1) <= 0.05,
                fmt::format("mean FCT LSwift {:.0f}, MSwift {:.0f} us: {:.3f}; the last one's {}", lswift, mswift,
                            mswift / lswift, f.text()));
}

void figure_7(Context& context) {
  const Figure f(hsdp(context, kFewSeeds), kResilient);
  context.judge("E23", mswift_is_best(f), f.text());
  const double lswift = f.mean("LSwift", "reps") / f.mean("MSwift", "reps");
  context.judge("E24", lswift >= 1.3, fmt::format("{:.2f} times", lswift));
  const double nscc = f.mean("NSCC", "reps") / f.mean("MSwift", "reps");
  context.judge("E25", nscc >= 1.5, fmt::format("{:.2f} times", nscc));
  const std::vector<double> r = ratios(f, "MNSCC", "NSCC");
  context.judge("E26", least(r) >= 0.8 && most(r) <= 1.2, times(r));
}

void figure_8(Context& context) {
  const Figure f(baseline(context, kManySeeds, {"topology.k=10"}), kResilient);
  context.judge("E27", mswift_is_best(f), f.text());
}

void figure_9(Context& context, const Figure& before) {
  const Figure f(baseline(context, kFewSeeds, {"traffic.0.size=16 MB"}), kResilient);
  const double ratio = most(ratios(f, "LSwift", "MSwift"));
  context.judge("E28", ratio >= 5 && ratio > most(ratios(before, "LSwift", "MSwift")),
                fmt::format("{}; {}", times(ratios(f, "LSwift", "MSwift")), f.text()));
  context.judge("E29", f.mean("LSwift") > before.mean("LSwift") && f.mean("NSCC") > before.mean("NSCC"),
                fmt::format("LSwift {:.0f} -> {:.0f} %, NSCC {:.0f} -> {:.0f} %", before.mean("LSwift"),
                            f.mean("LSwift"), before.mean("NSCC"), f.mean("NSCC")));
}

void figure_10(Context& context, const Figure& before) {
  const Figure f(baseline(context, kFewSeeds, {"traffic.0.elephants=8"}), kResilient);
  bool similar = true;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers) similar &= std::abs(f.mean(a, b) / before.mean(a, b) - 1) <= 0.35;
  context.judge("E30", similar, f.text());
}

void figure_11(Context& context, const Figure& before) {
  const Figure f(baseline(context, kFewSeeds, {"network.failure=[{probability=0.01}]"}), kResilient);
  bool higher = true;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers) higher &= f.mean(a, b) > before.mean(a, b);
  context.judge("E31", higher && mswift_is_best(f), f.text());
}

void figure_12(Context& context) {
  const Figure f(baseline(context, kFewSeeds), {"MSwift-P10", "MSwift", "MSwift-P90"});
  const bool order =
      f.mean("MSwift-P10", "ops") < f.mean("MSwift", "ops") && f.best("MSwift", "adaptive") && f.best("MSwift", "reps");
  context.judge("E32", order, f.text());
}

void percentile_90_with_reps(Context& context) {
  const Figure f(baseline(context, kManySeeds), {"MSwift", "MSwift-P90"}, {"reps"});
  const double ratio = f.mean("MSwift-P90", "reps") / f.mean("MSwift", "reps");
  context.judge("E33", ratio >= 3, fmt::format("{:.2f} times: {}", ratio, f.text()));
}

void figure_13(Context& context, const Figure& before) {
  const std::vector<std::string> drr{"network.scheduling=drr", "network.class=[{quantum=\"4 KB\"},{quantum=\"4 KB\"}]",
                                     "profile.0.class=1"};
  const Figure f(baseline(context, kFewSeeds, drr), kResilient);
  const auto change = [&](const Algorithm& a) { return f.mean(a) - before.mean(a); };
  const bool families = change("LSwift") > 0 && change("MSwift") > 0 && change("NSCC") < 0 && change("MNSCC") < 0;
  context.judge("E34", families, f.text());
  const std::vector<double> r = ratios(f, "MNSCC", "NSCC");
  const bool order = with_each([&](const Balancer& b) { return f.mean("MSwift", b) < f.mean("LSwift", b); }) &&
                     least(r) >= 0.85 && most(r) <= 1.15;
  context.judge(
      "E35", order,
      fmt::format("LSwift over MSwift {}, MNSCC over NSCC {}", times(ratios(f, "LSwift", "MSwift")), times(r)));
}

// Each is the baseline with one change.
void figures_beside_the_baseline(Context& context) {
  const Figure before(baseline(context, kFewSeeds), kResilient);
  figure_9(context, before);
  figure_10(context, before);
  figure_11(context, before);
  figure_13(context, before);
}

void figure_14(Context& context) {
  const Figure f(incast(context, kFewSeeds), kResilient);
  const bool small =
      std::all_of(kResilient.begin(), kResilient.end(), [&](const Algorithm& a) { return each_in(f, a, 0, 8); });
  context.judge("E36", small, f.text());
  context.judge("E37", little_worse(f, "MSwift", "LSwift", 2) && little_worse(f, "MNSCC", "NSCC", 2), "as E36");
}

}  // namespace

std::vector<Evaluator> spraying_figures() {
  return {
      {{"E12", "E13", "E14", "E15", "E16", "E19"}, Tier::quick, 45, figures_4_and_5},
      {{"E41"}, Tier::quick, 5, single_path},
      {{"E36", "E37"}, Tier::quick, 17, figure_14},
      {{"E17", "E18"}, Tier::slow, 75, close_bars_of_figure_4},
      {{"E20", "E21", "E22"}, Tier::slow, 67, figure_6},
      {{"E23", "E24", "E25", "E26"}, Tier::slow, 100, figure_7},
      {{"E27"}, Tier::slow, 200, figure_8},
      {{"E28", "E29", "E30", "E31", "E34", "E35"}, Tier::slow, 190, figures_beside_the_baseline},
      {{"E32"}, Tier::slow, 30, figure_12},
      {{"E33"}, Tier::slow, 12, percentile_90_with_reps},
  };
}

}  // namespace weir::claims
