#include "weir/host/flow_pool.h"

#include <algorithm>

namespace weir::host {

Flow* FlowPool::take(std::uint16_t profile, std::size_t state_size) {
  constexpr std::size_t kChunk = (std::size_t{32} << 10) / sizeof(Line);
  if (free_.size() <= profile) free_.resize(profile + std::size_t{1});
  auto& free = free_[profile];
  if (free.empty()) {
    const std::size_t block = (sizeof(Flow) + state_size + sizeof(Line) - 1) / sizeof(Line);
    auto& chunk = chunks_.emplace_back(std::max(kChunk, block));
    for (std::size_t i = chunk.size() / block; i-- > 0;) free.push_back(reinterpret_cast<Flow*>(&chunk[i * block]));
  }
  Flow* flow = free.back();
  free.pop_back();
  return new (flow) Flow();
}

}  // namespace weir::host
