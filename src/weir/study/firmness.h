// How firmly a rule is met: over perturbed runs of what is deterministic, and over seeds of what is random
// (docs/evidence/claims.md, "How firmly").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/study/judgement.h"

namespace weir::study {

// Whether a rule is true in a run that is perturbed (run.perturbation).
struct Perturbed {
  std::uint32_t number = 0;
  bool is_true = false;
};
// It holds if it is true in 8/9 or more of these runs, and fails if it is in 1/9 or fewer. Without any, it is
// undecided.
Finding judge_perturbed(std::span<const Perturbed> runs);

// A comparison of a rule with the difference of its two sides in each seed: positive where it is true.
struct Compared {
  std::string text;        // as it is told
  std::vector<double> by;  // one per seed; NaN = a side has no value, and the comparison is not true
  bool strict = false;     // 0 is not enough
};

// A rule that joins comparisons: each holds if the 95 % interval of the mean of its differences is all on the right
// side of 0, fails if it is all on the wrong one, and is undecided otherwise. A single seed decides nothing.
// Differences that are not all finite count as 1 where the comparison is true and -1 elsewhere.
Finding judge_over_seeds(std::span<const Compared> comparisons);

// One side of an expression and the other, "a / b" and "1.6" of "a / b >= 1.6".
struct Comparison {
  std::string text;
  std::string left;
  std::string op;  // <, <=, >, >=, ==, !=
  std::string right;

  bool is_strict() const { return op == "<" || op == ">"; }
  // Has a difference whose sign tells whether it is true.
  bool is_ordered() const { return op != "==" && op != "!="; }
  // "(left) - (right)", or the other way round; positive where it is true.
  std::string difference() const;
};
// The comparisons that a rule joins by &&; none if it is anything else.
std::vector<Comparison> comparisons_of(std::string_view rule);

}  // namespace weir::study
