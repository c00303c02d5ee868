// Places in arrays, which are counted by int here, as std::size_t.
#pragma once

#include <cstddef>

namespace weir::policy {

// `i` from 0 on.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace weir::policy
