// IdealFct: which ideal completion time slowdowns of results are relative to (slowdown = FCT / ideal FCT).
#pragma once

namespace weir::net {

// Two ways to compute the completion time of a flow that is alone in the network.
enum class IdealFct {
  // The time from the first bit sent until the sender has the acknowledgement of the last byte. Packets
  // are sent back to back at line rate, and each is acknowledged by itself.
  exact,
  // As in HPCC's artifact: 2 * propagation + store-and-forward of one payload over the hops
  // + (size + 48 B per packet) / slowest link. It counts the first packet twice, and no INT.
  hpcc,
};

}  // namespace weir::net
