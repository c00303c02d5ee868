// Division of 64-bit numbers that are mostly small.
#pragma once

#include <cassert>
#include <cstdint>

namespace weir {

// a / b, of numbers that are not negative, b above 0. Many processors divide 32 bits in a third of the time that they
// take for 64.
inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
  assert(a >= 0 && b > 0);
  if (((a | b) >> 32) == 0) [[likely]]
    return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

}  // namespace weir
