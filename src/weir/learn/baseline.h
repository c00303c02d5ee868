// What a method that is there to be compared with comes to: the figures of claims D4, D5 and D34.
#pragma once

#include <cstdint>

#include "weir/learn/curriculum.h"
#include "weir/learn/evaluation.h"
#include "weir/learn/trainer.h"

namespace weir::learn {

class Baseline {
 public:
  // Trains by the curriculum, without files.
  Baseline(const Curriculum& curriculum, unsigned threads);

  // What was learned last, on so many flows to one host: as it is, or exploring as it does while it trains.
  Evaluation run(std::uint32_t flows, bool explores = false) const;

 private:
  Trainer trainer_;
};

}  // namespace weir::learn
