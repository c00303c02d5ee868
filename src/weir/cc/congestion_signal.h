// The congestion signal of one acknowledgement: what an algorithm reads before it reacts.
//
// Algorithms that tell the two apart, measure() and react(), can be given another signal than that of the latest
// packet: median_of.h puts a filter between them.
#pragma once

namespace weir::cc {

struct CongestionSignal {
  double value = 0;   // a delay, a mark (0 or 1), a utilisation: the algorithm says what, and in which unit
  double weight = 1;  // of the value in what the algorithm smooths, from 0 to 1
};

}  // namespace weir::cc
