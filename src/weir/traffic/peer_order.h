// In which order NCCL has a rank send to and receive from all ranks, itself included, in an all-to-all of sends and
// receives (ncclP2pSchedule, NCCL 2.30): groups of 8 ranks, or as many as their number and that of a server have in
// common, or the ranks of the only server; groups at distances 0, 1, 3, 6, 10, ... modulo the next power of 2, of which
// those beyond the last group are left out.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::traffic {

class PeerOrder {
 public:
  // `ranks` in servers of `group`.
  PeerOrder(std::uint32_t ranks, std::uint32_t group);

  // To whom, and from whom, in a round from 0 to ranks - 1. Round 0 is a rank with itself.
  std::uint32_t to(std::uint32_t rank, std::uint32_t round) const;
  std::uint32_t from(std::uint32_t rank, std::uint32_t round) const;

 private:
  std::uint32_t size_;                   // of a group
  std::vector<std::uint32_t> distance_;  // of groups, in order
};

}  // namespace weir::traffic
