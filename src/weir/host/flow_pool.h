// Blocks for flows and their algorithms' states, one size per profile, on large pages, reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/host/flow.h"

namespace weir::host {

class FlowPool {
 public:
  // A new flow, with `state_size` bytes behind it that are not initialised. All flows of a profile have the same
  // `state_size`.
  Flow* take(std::uint16_t profile, std::size_t state_size);
  void give(std::uint16_t profile, Flow* flow) { free_[profile].push_back(flow); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::vector<std::vector<Flow*>> free_;
  std::vector<LargePageVector<Line>> chunks_;
};

}  // namespace weir::host
