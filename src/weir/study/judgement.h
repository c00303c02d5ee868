// What a study or an evaluator (claims/evaluator.h) has found of one claim.
#pragma once

#include <string>

namespace weir::study {

struct Judgement {
  std::string id;  // of the claim
  bool holds = false;
  std::string measured;  // in words: "p95{HPCC} = 2.31; ..."
  bool complete = true;  // all that it asks for has been run, and some of it has values; else it does not hold
};

}  // namespace weir::study
