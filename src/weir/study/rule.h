// Claims about the measures of a study: "p95{algorithm=DCTCP} / p95{algorithm=HPCC} >= 1.6".
//
// `name{axis=label, ...}` is a measure at the one point with these labels; "axis=" may be left out where the label is
// that of one axis alone, labels in double quotes may have any characters, and braces may be left out if the study has
// a single point. `max(name{axis=*})` is over all labels of an axis, `name{*}` over all axes that are not named. All
// else is muParser's: + - * / ^, < <= > >= == !=, && ||, min, max, sum, abs, sqrt, ln, a ? b : c.
//
// A rule is looked at element by element: for each combination of labels in `each`, which measures have that leave its
// axes open; for each seed; and for each element of measures that are lists. Single values stand beside each of these.
// Where a measure has no value, a rule that uses it has no value either, and a rule without a value is not true. A
// number divided by 0 is infinite, and 0 divided by 0 has no value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weir/study/judgement.h"
#include "weir/study/measurements.h"

namespace weir::study {

struct Rule {
  Where where;
  std::string text;
  double in_share = 1;  // of the elements in which it has to be true
  // Axes with their labels; kAnyLabel alone = all of them.
  std::vector<std::pair<std::string, std::vector<std::string>>> each{};
};

// In all seeds together.
struct RuleOutcome {
  bool complete = false;  // all runs that it asks for are done
  bool holds = false;     // it is complete and true in enough elements
  std::size_t elements = 0;
  std::size_t good = 0;         // elements in which it is true
  std::size_t missing = 0;      // have no value, and are not true
  std::vector<Labels> against;  // combinations of `each` that have elements in which it is not true

  double share() const { return elements == 0 ? 0 : static_cast<double>(good) / static_cast<double>(elements); }
};

// Throws InputError with the rule's place for what is no expression, or names what the study has not.
RuleOutcome judge(const Rule& rule, const Measurements& measured);
// How firmly it is met, where it is complete: over seeds, or over the perturbed runs of a perturbed study. Over seeds a
// rule that joins comparisons of single values by && is judged comparison by comparison (study/firmness.h); any other
// one by the share of elements in which it is true, seed by seed, against in_share.
Finding firmness_of(const Rule& rule, const Measurements& measured);
// The same complaints without looking at any value, also of a rule that compares nothing.
void check(const Rule& rule, const Measurements& measured);
// The same of an expression that only tells a value.
void check_expression(const Rule& expression, const Measurements& measured);

// At one combination of the labels of `each`.
struct Evaluation {
  Labels labels;  // those that the expression takes
  bool complete = false;
  std::vector<double> values;  // by element; NaN = none
  double mean = 0;             // of those there are; NaN = none
  double min = 0;
  double max = 0;
};
// Not empty: without `each`, or if the expression names all axes itself, there is one.
std::vector<Evaluation> evaluate(const Rule& expression, const Measurements& measured);

}  // namespace weir::study
