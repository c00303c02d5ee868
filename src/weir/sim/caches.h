// What of a network stays in which of a core's caches, and how far ahead of its use the rest is asked for. Whoever
// fetches ahead, or chooses how long turns are, asks here; what is asked for and when is engine/prefetch's business.
#pragma once

#include <cstdint>
#include <limits>

namespace weir::sim {

// Of a ring's places on which packets are put or from which they are taken: so many ahead of the one that is used.
inline constexpr std::uint32_t kPlacesAhead = 8;
// As a packet arrives at a host: the record of the one that is so many behind the next one ...
inline constexpr std::int32_t kRecordsAhead = 2;
// ... and where flows exceed the caches, the flow of the one that is so many behind it.
inline constexpr std::uint32_t kFlowsAhead = 6;
// Where nodes take turns: so many nodes, and so many of the first packets that come to each.
inline constexpr std::uint32_t kNodesAhead = 5;
inline constexpr std::uint32_t kPacketsAhead = 3;
// Where events are taken in the order of time, so many events before an event in a network that L2 holds; and in a
// larger one, stage by stage: the ring, the record, the node, what lies behind it, what selective recovery looks at.
inline constexpr std::uint32_t kEventsAhead = 3;
inline constexpr std::uint32_t kStagesAhead[] = {9, 7, 5, 2, 1};

// Of a network with so many ports; the bounds are round numbers for common processors.
struct CacheFit {
  explicit constexpr CacheFit(std::uint32_t ports)
      : ports_in_l1(ports <= 256),
        ports_in_l2(ports <= 4096),
        flows_in_l2(ports_in_l2 ? 1024 : std::numeric_limits<std::uint32_t>::max()) {}

  // How many events before an event the prefetcher looks at it; 0 = it has nothing to do.
  constexpr std::uint32_t lookahead() const { return ports_in_l1 ? 0 : ports_in_l2 ? kEventsAhead : kStagesAhead[0]; }
  // Whether what a turn touches stays near until it is touched again.
  static constexpr bool turn_in_l1(std::int64_t bytes) { return bytes <= 32'768; }

  bool ports_in_l1;  // ports and their rings
  bool ports_in_l2;
  std::uint32_t flows_in_l2;  // so many active flows at most; no bound where ports are not, and the prefetcher fetches
                              // flows as well
};

}  // namespace weir::sim
