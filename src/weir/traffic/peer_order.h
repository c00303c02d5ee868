// The order in which NCCL has a rank send to and receive from all ranks, itself included, in an all-to-all of sends and
// receives (ncclP2pSchedule, NCCL 2.30). The ranks of a group are consecutive: those of the only server or, with
// several servers, the greatest common divisor of 8, the number of ranks and that of a server. Groups follow at
// distances 0, 1, 3, 6, 10, ... modulo the next power of 2, without those beyond the last group.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::traffic {

class PeerOrder {
 public:
  // For `ranks` ranks in servers of `group`.
  PeerOrder(std::uint32_t ranks, std::uint32_t group);

  // The receiver and the sender of a rank's messages in a round, 0 to ranks - 1. Round 0 is a rank with itself.
  std::uint32_t to(std::uint32_t rank, std::uint32_t round) const;
  std::uint32_t from(std::uint32_t rank, std::uint32_t round) const;

 private:
  std::uint32_t size_;                   // of a group
  std::vector<std::uint32_t> distance_;  // of groups, in order
};

}  // namespace weir::traffic
