// What a method that is there to be compared with has come to: the figures of claims D4 and D5.
#pragma once

#include <cstdint>

#include "weir/learn/curriculum.h"
#include "weir/learn/evaluation.h"

namespace weir::learn {

struct Baseline {
  std::uint64_t decisions = 0;  // of the training
  Evaluation trained;           // the last policy, without exploration
  Evaluation untrained;         // the same with the first weights, without exploration
  Evaluation random;            // the first weights, with exploration: a random policy
};

// Trains by the curriculum, without files, and evaluates on so many flows to one host.
Baseline run_baseline(const Curriculum& curriculum, std::uint32_t flows, unsigned threads);

}  // namespace weir::learn
