// What a method that is there to be compared with comes to: the figures of claims D4, D5 and D34.
#pragma once

#include <cstdint>

#include "weir/learn/curriculum.h"
#include "weir/learn/evaluation.h"

namespace weir::learn {

// Trains by the curriculum, without files, and evaluates what was learned last, without exploration, on so many flows
// to one host.
Evaluation run_baseline(const Curriculum& curriculum, std::uint32_t flows, unsigned threads);

}  // namespace weir::learn
