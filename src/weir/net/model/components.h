// Components: which members of a set hang together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weir::net {

// Union-find with path halving.
class Components {
 public:
  explicit Components(std::size_t members) : parent_(members) { std::iota(parent_.begin(), parent_.end(), 0u); }

  // The lowest member of the component of this one.
  std::uint32_t root(std::uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace weir::net
