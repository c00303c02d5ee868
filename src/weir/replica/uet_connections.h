// Flows as uet-htsim's connection matrices describe them: with numbers of their own, and started at a time or by what
// others do.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"

namespace weir::replica {

inline constexpr std::uint32_t kNoTrigger = ~std::uint32_t{0};

struct UetConnection {
  std::uint32_t number = 0;  // of the flow, from 1 on; a part of what switches hash
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  Bytes size;                           // of all its messages, if it has some
  Time start;                           // without a trigger; of its first row
  std::uint32_t trigger = kNoTrigger;   // what starts it, as an index
  std::uint32_t triggers = kNoTrigger;  // what its end triggers: all is acknowledged
  bool one_path = false;                // the same entropy for all its packets, and no adaptive routing
  std::uint16_t tag = 0;
  std::uint16_t profile = 0;
};

// Starts all its connections, or with `one_each` the next one at each call, once it has been called `calls` times.
struct UetTrigger {
  std::uint32_t calls = 1;
  bool one_each = false;
};

// One of several that a connection carries one after the other.
struct UetMessage {
  std::uint32_t row = 0;  // of its connection
  Bytes size;
  Time start;
};

struct UetConnections {
  std::vector<UetConnection> rows;
  std::vector<UetTrigger> triggers;
  // Of all connections, in the order of their rows; none: each connection is one flow. There are no triggers then.
  std::vector<UetMessage> messages;
};

}  // namespace weir::replica
