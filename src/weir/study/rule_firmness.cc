#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weir/study/firmness.h"
#include "weir/study/rule.h"

namespace weir::study {
namespace {

// The share of all elements in which the rule is true, by seed; without a value it is not.
std::vector<double> shares_by_seed(const Rule& rule, const Measurements& measured) {
  std::vector<double> good(measured.seeds);
  std::vector<double> all(measured.seeds);
  for (const Evaluation& e : evaluate(rule, measured)) {
    const std::size_t length = e.values.size() / measured.seeds;
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      good[i / length] += e.values[i] == 1 ? 1 : 0;
      all[i / length] += 1;
    }
  }
  for (std::size_t seed = 0; seed < measured.seeds; ++seed) good[seed] /= all[seed];
  return good;
}

std::string label_text(const Labels& labels) {
  std::vector<std::string> out;
  for (const auto& axis_and_label : labels) out.push_back(axis_and_label.second);
  return out.empty() ? "" : fmt::format(" for {}", fmt::join(out, ", "));
}

// By comparison and combination of labels; none if the rule is no such thing, or about lists.
std::vector<Compared> comparisons(const Rule& rule, const Measurements& measured) {
  std::vector<Compared> out;
  if (rule.in_share < 1) return out;
  for (const Comparison& c : comparisons_of(rule.text)) {
    Rule difference = rule;
    difference.text = c.difference();
    for (Evaluation& e : evaluate(difference, measured)) {
      if (e.values.size() != measured.seeds) return {};
      out.push_back({c.text + label_text(e.labels), std::move(e.values), c.is_strict()});
    }
  }
  return out;
}

Finding over_perturbed(const Rule& rule, const Measurements& measured) {
  const std::vector<double> shares = shares_by_seed(rule, measured);
  std::vector<Perturbed> runs;
  for (std::size_t run = 1; run < shares.size(); ++run)
    runs.push_back({measured.planned[run].perturbation, shares[run] >= rule.in_share});
  return judge_perturbed(runs);
}

}  // namespace

Finding firmness_of(const Rule& rule, const Measurements& measured) {
  if (measured.study.perturbed) return over_perturbed(rule, measured);
  std::vector<Compared> compared = comparisons(rule, measured);
  if (compared.empty()) {
    compared.push_back({fmt::format("share of elements >= {:g}", rule.in_share), shares_by_seed(rule, measured)});
    for (double& share : compared.front().by) share -= rule.in_share;
  }
  return judge_over_seeds(compared);
}

}  // namespace weir::study
