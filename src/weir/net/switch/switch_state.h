// What changes in a switch, apart from its ports and what path policies keep of it (path_policies.h).
#pragma once

#include <cstdint>

#include "weir/base/units.h"
#include "weir/net/switch/switch_buffer.h"

namespace weir::net {

struct alignas(64) SwitchState {
  SwitchBuffer buffer;
  Time next_departure = Time::max();  // of the pending departure event; max() if there is none
  std::uint64_t drops = 0;
  std::uint64_t pauses_sent = 0;

  template <class A>
  void archive(A& a) {
    buffer.archive(a);
    a.value(next_departure);
    a.value(drops);
    a.value(pauses_sent);
  }
};

}  // namespace weir::net
