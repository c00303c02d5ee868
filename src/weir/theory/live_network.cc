#include "weir/theory/live_network.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace weir::theory {

LiveNetwork::LiveNetwork(std::vector<double> capacities)
    : capacities_(std::move(capacities)), on_(capacities_.size()) {}

std::uint32_t LiveNetwork::block_of(std::uint32_t length) {
  if (length >= free_blocks_.size()) free_blocks_.resize(length + std::size_t{1});
  auto& free = free_blocks_[length];
  if (!free.empty()) {
    const std::uint32_t first = free.back();
    free.pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(pool_.size());
  pool_.resize(pool_.size() + length);
  return first;
}

void LiveNetwork::add(std::uint32_t flow, std::span<const Use> path) {
  assert(!path.empty());
  if (flow >= flows_.size()) flows_.resize(flow + std::size_t{1});
  assert(!is_present(flow));
  const auto length = static_cast<std::uint32_t>(path.size());
  std::uint32_t at = block_of(length);
  flows_[flow] = {at, length};
  for (const Use& use : path) {
    auto& on = on_[use.link];
    pool_[at] = {use.link, static_cast<std::uint32_t>(on.size()), use.share};
    on.push_back({flow, at++, use.share});
  }
}

// The last flow of each of its links takes its place there.
void LiveNetwork::remove(std::uint32_t flow) {
  assert(is_present(flow));
  for (const Use& use : path(flow)) {
    auto& on = on_[use.link];
    const On last = on.back();
    on[use.place] = last;
    pool_[last.use].place = use.place;
    on.pop_back();
  }
  free_blocks_[flows_[flow].length].push_back(flows_[flow].first);
  flows_[flow].length = 0;
}

}  // namespace weir::theory
