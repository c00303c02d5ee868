// The staggered incast of Fast Convergence to Fairness, run and measured.
#pragma once

#include <string>
#include <vector>

#include "weir/base/units.h"
#include "weir/claims/evaluator.h"

namespace weir::claims {

// How many flows, and when. The queue is looked at between `settled` and `busy_until`; `interval` is that of the index
// of deliveries.
struct Incast {
  int flows = 0;
  Time last_start;
  Time settled;
  Time busy_until;
  Time end;
  Time interval;
};
extern const Incast kSixteen;
extern const Incast kNinetySix;

struct Variant {
  std::string file;  // in papers/scenarios
  std::vector<std::string> overrides;
  bool random = false;  // draws numbers: run with several seeds
};

// The preset fast-convergence + `suffix` of an algorithm.
Variant hpcc(const std::string& suffix, const std::vector<std::string>& overrides = {});
Variant swift(const std::string& suffix, const std::vector<std::string>& overrides = {});

// In bytes.
struct Queue {
  double mean = 0;
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
  double swing() const { return p95 - p5; }
};

// Times in us.
struct Outcome {
  double fair_rates = 0;       // time to fairness; infinite = not reached
  double fair_deliveries = 0;  // the same
  double correlation = 0;      // of start and finish
  double spread = 0;           // last less first finish
  double deviation = 0;        // of finishes
  double mean_index = 0;       // of rates, while settled and until the first finish
  Queue queue;
  Queue queue_of_all;  // until the first flow has finished
  Queue late_queue;    // from 2 ms on, where the incast lasts so long
  double busy = 0;     // share of the link's capacity that is used while the queue is looked at
};

// One per seed: ten if the variant is random.
std::vector<Outcome> run_staggered(const Context&, const Incast&, const Variant&);

}  // namespace weir::claims
