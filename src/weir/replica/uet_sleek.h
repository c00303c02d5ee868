// SLEEK of uet-htsim: packets are taken for lost when many beyond them have arrived, and probes ask the receiver what
// it has when nothing comes back.
#pragma once

#include <cstdint>

namespace weir::replica::uet {

// At the sender.
struct Sleek {
  bool losing = false;               // loss mode: until all packets before `recovery` have arrived
  std::uint32_t recovery = 0;        // the first packet that was not sent when it began
  std::uint32_t highest_resent = 0;  // packets before it are not sent again by this rule
  std::uint32_t probes = 0;          // sent; also the number of the last one
  std::int64_t probe_sent = 0;       // when
  bool timer = false;                // a probe is due
  std::int64_t due = 0;
  std::uint32_t timer_number = 0;
};

}  // namespace weir::replica::uet
