// What of a network stays in which of a core's caches. Whoever fetches ahead, or chooses how long turns are, asks here.
#pragma once

#include <cstdint>
#include <limits>

namespace weir {

// Of a network with so many ports; the bounds are round numbers for common processors.
struct CacheFit {
  explicit constexpr CacheFit(std::uint32_t ports)
      : ports_in_l1(ports <= 256),
        ports_in_l2(ports <= 4096),
        flows_in_l2(ports_in_l2 ? 1024 : std::numeric_limits<std::uint32_t>::max()) {}

  // How many events before an event the prefetcher looks at it; 0 = it has nothing to do.
  constexpr std::uint32_t lookahead() const { return ports_in_l1 ? 0 : ports_in_l2 ? 3 : 9; }
  // Whether what a turn touches stays near until it is touched again.
  static constexpr bool turn_in_l1(std::int64_t bytes) { return bytes <= 32'768; }

  bool ports_in_l1;  // ports and their rings
  bool ports_in_l2;
  std::uint32_t flows_in_l2;  // so many active flows at most; no bound where ports are not, and the prefetcher fetches
                              // flows as well
};

}  // namespace weir
