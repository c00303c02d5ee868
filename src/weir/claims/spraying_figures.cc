// Claims of the evaluation of Congestion Control for Spraying with Congested Paths (2025). How the rules were read:
// docs/evidence/claims/spraying.md.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/claims/catalogue.h"
#include "weir/claims/measures.h"
#include "weir/claims/spraying.h"
#include "weir/claims/spraying_comparisons.h"

namespace weir::claims {
namespace {

// What LSwift's increase is, in MSwift's.
std::vector<double> ratios(const Figure& f, const Algorithm& over, const Algorithm& under) {
  std::vector<double> out;
  for (const Balancer& b : kBalancers) out.push_back(f.mean(over, b) / f.mean(under, b));
  return out;
}
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

// Of most claims; and of those that 20 seeds left undecided: in tens, at least as many as would take the bound out of
// the interval if mean and deviation stayed (E17: 4.53 +- 7.35 %, E23: 3.43 +- 4.67 %, E33: 2.79 +- 4.18 %). They were
// fixed before more seeds were run; whatever comes out stays.
constexpr int kSeeds = 20;
constexpr int kSeedsOfCloseBars = 60;
constexpr int kSeedsOfHsdp = 40;
constexpr int kSeedsOfPercentile90 = 50;

void figure_4(Context& context, const Figure& f) {
  tell_bars(context, "figure-4", f, kAll);
  context.judge("E12", {each_from(f, "Swift", 500)}, f.text({"Swift"}));
  context.judge("E13", {together({each_from(f, "LSwift", 80), each_up_to(f, "LSwift", 350)})}, f.text({"LSwift"}));
  context.judge("E14", {together({each_from(f, "MSwift", 12), each_up_to(f, "MSwift", 70)})}, f.text({"MSwift"}));
  const Comparisons of_nscc = together(
      {each_from(f, "NSCC", 20), each_up_to(f, "NSCC", 90), each_from(f, "MNSCC", 20), each_up_to(f, "MNSCC", 90)});
  context.judge("E15",
                {together({of_nscc, each_below(f, "MNSCC", 1, "NSCC", 5)}),
                 together({of_nscc, each_below(f, "MNSCC", 1, "NSCC", 0, true)})},
                f.text({"NSCC", "MNSCC"}));
  context.judge("E16", {{at_least_times(f, "LSwift", 4, "MSwift")}}, times(ratios(f, "LSwift", "MSwift")));
}

// The 99th percentile of one bar is at most that of another.
Compared p99_below(const std::string& text, const Bar& a, const Bar& b) {
  const auto p99 = [](const Bar& bar, std::size_t seed) { return percentile(bar.fct[seed], 990); };
  return by_seed(text, a.fct.size(), [&](std::size_t seed) { return p99(b, seed) - p99(a, seed); });
}

void figure_5(Context& context, const Figure& f) {
  std::string tails;
  Comparisons all;
  for (const Algorithm& a : kResilient) {
    tails += fmt::format("{}{} {:.0f} / {:.0f} / {:.0f}", tails.empty() ? "" : "; ", a, f.at(a, "ops").p99(),
                         f.at(a, "adaptive").p99(), f.at(a, "reps").p99());
    for (const Balancer& b : kBalancers)
      if (a != "LSwift") all.push_back(p99_below(fmt::format("{} <= LSwift, {}", a, b), f.at(a, b), f.at("LSwift", b)));
    if (a != "MSwift")
      all.push_back(p99_below(fmt::format("MSwift <= {}, reps", a), f.at("MSwift", "reps"), f.at(a, "reps")));
  }
  context.judge("E19", {all}, tails + " us");
}

void figures_4_and_5(Context& context) {
  const Figure f(baseline(context, kSeeds), kAll);
  figure_4(context, f);
  figure_5(context, f);
}

void close_bars_of_figure_4(Context& context) {
  const Figure f(baseline(context, kSeedsOfCloseBars), kResilient);
  context.judge("E17", {is_lowest(f, "MSwift", "reps")}, fmt::format("{}: {}", lowest(f), f.text()));
  const Bar& adaptive = f.at("NSCC", "adaptive");
  context.judge("E18",
                {{below("adaptive < ops", adaptive, 1, f.at("NSCC", "ops"), 0, true),
                  below("adaptive < reps", adaptive, 1, f.at("NSCC", "reps"), 0, true)}},
                f.text({"NSCC"}));
}

double lowest_mean(const Figure& f) {
  double low = INFINITY;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers) low = std::min(low, f.mean(a, b));
  return low;
}

void figure_6(Context& context) {
  const Figure f(permutation(context, kSeeds), kResilient);
  tell_bars(context, "figure-6", f, kResilient);
  context.judge("E20", {{below("LSwift < NSCC, reps", f.at("LSwift", "reps"), 1, f.at("NSCC", "reps"), 0, true)}},
                f.text({"LSwift", "NSCC", "MNSCC"}));
  context.judge("E21",
                {together({each_below(f, "MSwift", 1 / 0.95, "LSwift"), {at_least_times(f, "LSwift", 1.25, "MSwift")}}),
                 each_below(f, "MSwift", 1, "LSwift", 0, true)},
                f.text({"MSwift"}) + "; LSwift's are " + times(ratios(f, "LSwift", "MSwift")));
  context.judge("E22", {is_lowest(f, "MSwift", "reps")}, fmt::format("{}: {:.0f} %", lowest(f), lowest_mean(f)));
}

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double mean_fct(const Bar& bar) {
  std::vector<double> means;
  for (const std::vector<double>& seed : bar.fct) means.push_back(mean_of(seed));
  return mean_of(means);
}

// On one path, by ECMP.
void single_path(Context& context) {
  const Figure f(permutation(context, kSeeds), {"LSwift", "MSwift"}, {"ecmp"});
  const Bar& lswift = f.at("LSwift", "ecmp");
  const Bar& mswift = f.at("MSwift", "ecmp");
  const auto within = [&](const std::string& text, double factor, const Bar& a, const Bar& b) {
    return by_seed(text, kSeeds, [&, factor](std::size_t s) { return factor * mean_of(b.fct[s]) - mean_of(a.fct[s]); });
  };
  context.judge("E41",
                {{within("MSwift <= 1.05 LSwift", 1.05, mswift, lswift),
                  within("MSwift >= 0.95 LSwift", 1 / 0.95, lswift, mswift)},
                 {within("MSwift <= LSwift", 1, mswift, lswift)}},
                fmt::format("mean FCT LSwift {:.0f}, MSwift {:.0f} us: {:.3f}; the last one's {}", mean_fct(lswift),
                            mean_fct(mswift), mean_fct(mswift) / mean_fct(lswift), f.text()));
}

void figure_7(Context& context) {
  const Figure f(hsdp(context, kSeedsOfHsdp), kResilient);
  const Bar& mswift = f.at("MSwift", "reps");
  const auto reps = [&](const Algorithm& a) { return fmt::format("{:.2f} times", f.mean(a, "reps") / mswift.mean()); };
  context.judge("E23", {is_best_with_each(f, "MSwift")}, f.text());
  context.judge("E24", {{below("LSwift >= 1.3 MSwift, reps", mswift, 1 / 1.3, f.at("LSwift", "reps"))}},
                reps("LSwift"));
  context.judge("E25", {{below("NSCC >= 1.5 MSwift, reps", mswift, 1 / 1.5, f.at("NSCC", "reps"))}}, reps("NSCC"));
  context.judge("E26", {together({each_below(f, "MNSCC", 1.2, "NSCC"), each_below(f, "NSCC", 1 / 0.8, "MNSCC")})},
                times(ratios(f, "MNSCC", "NSCC")));
}

void figure_8(Context& context) {
  const Figure f(baseline(context, kSeeds, {"topology.k=10"}), kResilient);
  context.judge("E27", {is_best_with_each(f, "MSwift")}, f.text());
}

void figure_9(Context& context, const Figure& before) {
  const Figure f(baseline(context, kSeeds, {"traffic.0.size=16 MB"}), kResilient);
  const auto largest = [](const Figure& of, std::size_t seed) {
    const Balancer b = largest_ratio(of, "LSwift", "MSwift");
    return of.at("LSwift", b).increase[seed] / of.at("MSwift", b).increase[seed];
  };
  context.judge("E28",
                {{at_least_times(f, "LSwift", 5, "MSwift"),
                  by_seed(
                      "LSwift / MSwift larger than with 8 MB", kSeeds,
                      [&](std::size_t s) { return largest(f, s) - largest(before, s); }, true)}},
                fmt::format("{}; {}", times(ratios(f, "LSwift", "MSwift")), f.text()));
  context.judge("E29", {{is_larger(f, before, "LSwift"), is_larger(f, before, "NSCC")}},
                fmt::format("LSwift {:.0f} -> {:.0f} %, NSCC {:.0f} -> {:.0f} %", before.mean("LSwift"),
                            f.mean("LSwift"), before.mean("NSCC"), f.mean("NSCC")));
}

void figure_10(Context& context, const Figure& before) {
  const Figure f(baseline(context, kSeeds, {"traffic.0.elephants=8"}), kResilient);
  Comparisons similar;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers) {
      const Bar& now = f.at(a, b);
      const Bar& four = before.at(a, b);
      similar.push_back(below(fmt::format("{}, {}: 8 <= 1.35 of 4", a, b), now, 1.35, four));
      similar.push_back(below(fmt::format("{}, {}: 8 >= 0.65 of 4", a, b), four, 1 / 0.65, now));
    }
  context.judge("E30", {similar}, f.text());
}

void figure_11(Context& context, const Figure& before) {
  const Figure f(baseline(context, kSeeds, {"network.failure=[{probability=0.01}]"}), kResilient);
  Comparisons higher;
  for (const Algorithm& a : kResilient)
    for (const Balancer& b : kBalancers)
      higher.push_back(below(fmt::format("{}, {}: higher", a, b), before.at(a, b), 1, f.at(a, b), 0, true));
  context.judge("E31", {together({higher, is_best_with_each(f, "MSwift")})}, f.text());
}

void figure_12(Context& context) {
  const Figure f(baseline(context, kSeeds), {"MSwift-P10", "MSwift", "MSwift-P90"});
  const Compared p10 = below("MSwift-P10 < MSwift, ops", f.at("MSwift-P10", "ops"), 1, f.at("MSwift", "ops"), 0, true);
  context.judge("E32", {together({{p10}, is_best(f, "MSwift", "adaptive"), is_best(f, "MSwift", "reps")})}, f.text());
}

void percentile_90_with_reps(Context& context) {
  const Figure f(baseline(context, kSeedsOfPercentile90), {"MSwift", "MSwift-P90"}, {"reps"});
  const double ratio = f.mean("MSwift-P90", "reps") / f.mean("MSwift", "reps");
  context.judge("E33", {{at_least_times(f, "MSwift-P90", 3, "MSwift")}},
                fmt::format("{:.2f} times: {}", ratio, f.text()));
}

void figure_13(Context& context, const Figure& before) {
  const std::vector<std::string> drr{"network.scheduling=drr", "network.class=[{quantum=\"4 KB\"},{quantum=\"4 KB\"}]",
                                     "profile.0.class=1"};
  const Figure f(baseline(context, kSeeds, drr), kResilient);
  context.judge("E34",
                {{is_larger(f, before, "LSwift"), is_larger(f, before, "MSwift"), is_larger(f, before, "NSCC", false),
                  is_larger(f, before, "MNSCC", false)}},
                f.text());
  context.judge("E35",
                {together({each_below(f, "MSwift", 1, "LSwift", 0, true), each_below(f, "MNSCC", 1.15, "NSCC"),
                           each_below(f, "NSCC", 1 / 0.85, "MNSCC")})},
                fmt::format("LSwift over MSwift {}, MNSCC over NSCC {}", times(ratios(f, "LSwift", "MSwift")),
                            times(ratios(f, "MNSCC", "NSCC"))));
}

// Each is the baseline with one change.
void figures_beside_the_baseline(Context& context) {
  const Figure before(baseline(context, kSeeds), kResilient);
  figure_9(context, before);
  figure_10(context, before);
  figure_11(context, before);
  figure_13(context, before);
}

void figure_14(Context& context) {
  const Figure f(incast(context, kSeeds), kResilient);
  Comparisons small;
  for (const Algorithm& a : kResilient) small = together({small, each_up_to(f, a, 8)});
  context.judge("E36", {small}, f.text());
  context.judge("E37", {together({each_below(f, "MSwift", 1, "LSwift", 2), each_below(f, "MNSCC", 1, "NSCC", 2)})},
                "as E36");
}

}  // namespace

std::vector<Evaluator> spraying_figures() {
  return {
      {{"E12", "E13", "E14", "E15", "E16", "E19"}, Tier::slow, 180, figures_4_and_5, Evidence::seeds, true},
      {{"E41"}, Tier::slow, 20, single_path, Evidence::seeds},
      {{"E36", "E37"}, Tier::slow, 68, figure_14, Evidence::seeds, true},
      {{"E17", "E18"}, Tier::slow, 110, close_bars_of_figure_4, Evidence::seeds, true},
      {{"E20", "E21", "E22"}, Tier::slow, 134, figure_6, Evidence::seeds, true},
      {{"E23", "E24", "E25", "E26"}, Tier::slow, 125, figure_7, Evidence::seeds, true},
      {{"E27"}, Tier::slow, 400, figure_8, Evidence::seeds, true},
      {{"E28", "E29", "E30", "E31", "E34", "E35"}, Tier::slow, 760, figures_beside_the_baseline, Evidence::seeds, true},
      {{"E32"}, Tier::slow, 120, figure_12, Evidence::seeds, true},
      {{"E33"}, Tier::slow, 15, percentile_90_with_reps, Evidence::seeds, true},
  };
}

}  // namespace weir::claims
