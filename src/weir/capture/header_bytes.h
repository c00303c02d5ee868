// The bytes of a frame's headers, while they are written from front to back.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace weir::capture {

class HeaderBytes {
 public:
  // `n` bytes of the value, most significant first.
  template <std::size_t n>
  void big(std::uint64_t value) {
    assert(size_ + n <= bytes_.size());
    put<n>(bytes_.data() + size_, value);
    size_ += n;
  }
  // The same in place of what was written at `at`.
  template <std::size_t n>
  void replace(std::size_t at, std::uint64_t value) {
    assert(at + n <= size_);
    put<n>(bytes_.data() + at, value);
  }
  void zeros(std::size_t n) {
    assert(size_ + n <= bytes_.size());
    for (std::size_t i = 0; i < n; ++i) bytes_[size_++] = 0;
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  std::span<const std::uint8_t> all() const { return {bytes_.data(), size_}; }

  // The sum of the 16-bit words from `at` on, as the checksums of the Internet add them up (RFC 1071).
  std::uint32_t words(std::size_t at, std::size_t end) const {
    std::uint32_t sum = 0;
    for (; at + 1 < end; at += 2) sum += static_cast<std::uint32_t>(bytes_[at] << 8 | bytes_[at + 1]);
    if (at < end) sum += static_cast<std::uint32_t>(bytes_[at] << 8);
    return sum;
  }
  static std::uint16_t checksum(std::uint32_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
  }

 private:
  template <std::size_t n>
  static void put(std::uint8_t* at, std::uint64_t value) {
    const std::uint64_t reversed = __builtin_bswap64(value << (8 * (8 - n)));
    std::memcpy(at, &reversed, n);
  }

  static constexpr std::size_t kMost = 192;
  std::array<std::uint8_t, kMost> bytes_;
  std::size_t size_ = 0;
};

}  // namespace weir::capture
