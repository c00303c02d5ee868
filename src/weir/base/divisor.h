// Division by a number that seldom changes.
#pragma once

#include <cassert>
#include <cstdint>

namespace weir {

// Numbers below 2^32, which most are, are multiplied by 2^64 / divisor, rounded up by less than 1. The product over
// 2^64 is so too large by less than 2^-32, which is less than 1 / divisor, and its whole part is exact (Granlund and
// Montgomery, PLDI'94, theorem 4.2).
class Divisor {
 public:
  // Above 0. It is quick from 2 to 2^32 - 1.
  explicit Divisor(std::int64_t divisor = 1)
      : divisor_(divisor),
        inverse_(divisor > 1 && divisor >> 32 == 0 ? ~std::uint64_t{0} / static_cast<std::uint64_t>(divisor) + 1 : 0) {
    assert(divisor > 0);
  }

  std::int64_t value() const { return divisor_; }
  // Of a number that is not negative.
  std::int64_t quotient(std::int64_t number) const {
    assert(number >= 0);
    if (number >> 32 != 0 || inverse_ == 0) [[unlikely]]
      return number / divisor_;
    return static_cast<std::int64_t>(static_cast<unsigned __int128>(inverse_) * static_cast<std::uint64_t>(number) >>
                                     64);
  }

 private:
  std::int64_t divisor_;
  std::uint64_t inverse_;
};

}  // namespace weir
