// The bytes of a frame's headers, while they are written from front to back into memory that the writer was given. It
// is passed by value, so that where it has come to is kept in a register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weir::capture {

class HeaderBytes {
 public:
  explicit HeaderBytes(std::uint8_t* at) : at_(at) {}

  // `n` bytes of the value, most significant first.
  template <std::size_t n>
  void big(std::uint64_t value) {
    put<n>(at_, value);
    at_ += n;
  }
  void zeros(std::size_t n) {
    std::memset(at_, 0, n);
    at_ += n;
  }
  std::uint8_t* at() const { return at_; }
  std::size_t size_since(const std::uint8_t* begin) const { return static_cast<std::size_t>(at_ - begin); }

  // `n` bytes instead of what was written at `at`.
  template <std::size_t n>
  static void put(std::uint8_t* at, std::uint64_t value) {
    const std::uint64_t reversed = __builtin_bswap64(value << (8 * (8 - n)));
    std::memcpy(at, &reversed, n);
  }

 private:
  std::uint8_t* at_;
};

// The sum of the 16-bit words of an even number of bytes, as the checksums of the Internet add them up (RFC 1071).
inline std::uint32_t sum_of_words(const std::uint8_t* at, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (; bytes >= 4; at += 4, bytes -= 4) {
    std::uint32_t words = 0;
    std::memcpy(&words, at, 4);
    sum += words;
  }
  if (bytes != 0) {
    std::uint16_t word = 0;
    std::memcpy(&word, at, 2);
    sum += word;
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return __builtin_bswap16(static_cast<std::uint16_t>(sum));  // the sum does not depend on the order of bytes
}
inline std::uint16_t checksum(std::uint32_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace weir::capture
