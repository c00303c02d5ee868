// Claims about the measures of a study: "p95{algorithm=DCTCP} / p95{algorithm=HPCC} >= 1.6".
//
// `name{axis=label, ...}` is a measure at the one point with these labels; "axis=" may be left out where the label is
// that of one axis alone, labels in double quotes may have any characters, and braces may be left out if the study has
// a single point. All else is muParser's: + - * / ^, < <= > >= == !=, && ||, min, max, abs, sqrt, ln, a ? b : c.
//
// A rule is looked at element by element: for each seed, and for each element of measures that are lists; single values
// stand beside each of these.
#pragma once

#include <string>
#include <vector>

#include "weir/study/table.h"

namespace weir::study {

struct Rule {
  Where where;
  std::string text;
  double in_share = 1;  // of the elements in which it has to be true
};

struct Verdict {
  bool complete = false;  // all runs that it asks for are done
  bool holds = false;     // it is complete and true in enough elements
  double share = 0;       // of elements in which it is true
  std::size_t elements = 0;
  std::size_t missing = 0;  // have no value, and are not true
};

// Throws InputError with the rule's place for what is no expression, or names what the study has not.
Verdict judge(const Rule& rule, const Table& table);
// The same complaints without looking at any value.
void check(const Rule& rule, const Table& table);

struct Evaluation {
  bool complete = false;
  std::vector<double> values;  // by element; NaN = none
  double mean = 0;             // of those there are; NaN = none
  double min = 0;
  double max = 0;
};
Evaluation evaluate(const Rule& expression, const Table& table);

}  // namespace weir::study
