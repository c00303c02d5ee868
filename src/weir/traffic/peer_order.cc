#include "weir/traffic/peer_order.h"

#include <bit>
#include <numeric>

namespace weir::traffic {

PeerOrder::PeerOrder(std::uint32_t ranks, std::uint32_t group)
    : size_(ranks == group ? ranks : std::gcd(8u, std::gcd(ranks, group))) {
  const std::uint32_t groups = ranks / size_;
  const std::uint32_t all = std::bit_ceil(groups);
  std::uint32_t distance = 0;
  for (std::uint32_t i = 1; i <= all; ++i) {
    if (distance < groups) distance_.push_back(distance);
    distance = (distance + i) & (all - 1);
  }
}

std::uint32_t PeerOrder::to(std::uint32_t rank, std::uint32_t round) const {
  const auto groups = static_cast<std::uint32_t>(distance_.size());
  const std::uint32_t group = (rank / size_ + distance_[round / size_]) % groups;
  return group * size_ + (rank + round) % size_;
}

std::uint32_t PeerOrder::from(std::uint32_t rank, std::uint32_t round) const {
  const auto groups = static_cast<std::uint32_t>(distance_.size());
  const std::uint32_t group = (rank / size_ + groups - distance_[round / size_]) % groups;
  return group * size_ + (rank % size_ + size_ - round % size_) % size_;
}

}  // namespace weir::traffic
