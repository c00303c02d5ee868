// What changes in a switch, apart from its ports.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/switch/switch_buffer.h"

namespace weir::net {

// What a switch knows of the queue of one of its ports, for adaptive routing.
struct PortLoad {
  Time until;  // it need not look again before this
  std::uint32_t level = 0;
};

struct alignas(64) SwitchState {
  SwitchBuffer buffer;
  Time next_departure = Time::max();  // of the pending departure event; max() if there is none
  std::uint64_t drops = 0;
  std::uint64_t pauses_sent = 0;
  std::vector<std::uint16_t> order;  // round robin: numbers of equal-cost ports, in the order of this round
  std::uint32_t turn = 0;            // ... its place whose port comes next
  std::uint32_t round = 0;
  std::uint32_t choices = 0;  // adaptive routing: made so far

  template <class A>
  void archive(A& a) {
    buffer.archive(a);
    a.value(next_departure);
    a.value(drops);
    a.value(pauses_sent);
    a.values(order);
    a.value(turn);
    a.value(round);
    a.value(choices);
  }
};

}  // namespace weir::net
