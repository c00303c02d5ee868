// What slowdown is taken against.
#pragma once

namespace weir::net {

// The completion time of a flow that is alone in the network, against which slowdown is taken.
enum class IdealFct {
  // From the first bit sent to the acknowledgement of the last byte received, every packet sent
  // at line rate as soon as the one before has left and each acknowledged by itself.
  exact,
  // HPCC's artifact: 2 * propagation + store-and-forward of one payload over the hops
  // + (size + 48 per packet) / slowest link. Counts the first packet twice and no INT.
  hpcc,
};

}  // namespace weir::net
