// Runs evaluators, several at once, and keeps what they find in the order of the catalogue.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weir/claims/evaluator.h"

namespace weir::claims {

struct Found {
  const Evaluator* evaluator = nullptr;
  std::vector<Reading> readings;      // of the plain run
  std::vector<Judgement> judgements;  // of all runs
  std::vector<Row> rows;
  std::vector<Opened> opened;  // by the plain run
  std::string error;           // why there is no verdict; "" = there is
};

// The plain run of an evaluator alone, without judgements.
Found run_plainly(const Evaluator& evaluator, const std::string& papers);
// One evaluator, to its end.
Found run(const Evaluator& evaluator, const std::string& papers);

// `done` is told of each as it ends, by one thread at a time; `how_many` are by then.
using Done = std::function<void(const Found& found, std::size_t how_many)>;
std::vector<Found> run_all(const std::vector<const Evaluator*>& chosen, const std::string& papers, unsigned jobs,
                           const Done& done = {});

}  // namespace weir::claims
