// Time, Bytes and Rate: distinct integer types for times, amounts of data and rates, used in all of Weir.
//
// Time counts picoseconds, Bytes counts octets, Rate counts bits per second; each is a signed
// 64-bit integer. At 10, 25, 40, 50, 100, 200, 400 and 800 Gb/s a byte lasts a whole number of
// picoseconds. Where it does not, the time of a transmission is rounded up to the next picosecond.
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>
#include <limits>

namespace weir {

struct Time {
  std::int64_t ps = 0;

  static constexpr Time max() { return {std::numeric_limits<std::int64_t>::max()}; }
  constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }

  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
  friend constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
  friend constexpr Time operator*(Time a, std::int64_t n) { return {a.ps * n}; }
  friend constexpr Time operator*(std::int64_t n, Time a) { return {a.ps * n}; }
  friend constexpr Time operator/(Time a, std::int64_t n) { return {a.ps / n}; }
  friend constexpr std::int64_t operator/(Time a, Time b) { return a.ps / b.ps; }
  constexpr Time& operator+=(Time b) { return *this = *this + b; }
  constexpr Time& operator-=(Time b) { return *this = *this - b; }
};

struct Bytes {
  std::int64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return {a.count * n}; }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return {a.count * n}; }
  friend constexpr Bytes operator/(Bytes a, std::int64_t n) { return {a.count / n}; }
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.count / b.count; }
  constexpr Bytes& operator+=(Bytes b) { return *this = *this + b; }
  constexpr Bytes& operator-=(Bytes b) { return *this = *this - b; }
};

struct Rate {
  std::int64_t bits_per_second = 0;

  friend constexpr auto operator<=>(Rate, Rate) = default;
  friend constexpr Rate operator+(Rate a, Rate b) { return {a.bits_per_second + b.bits_per_second}; }
  friend constexpr Rate operator-(Rate a, Rate b) { return {a.bits_per_second - b.bits_per_second}; }
  friend constexpr Rate operator*(Rate a, std::int64_t n) { return {a.bits_per_second * n}; }
  friend constexpr Rate operator*(std::int64_t n, Rate a) { return {a.bits_per_second * n}; }
  friend constexpr Rate operator/(Rate a, std::int64_t n) { return {a.bits_per_second / n}; }
  constexpr double bytes_per_second() const { return static_cast<double>(bits_per_second) / 8.0; }
};

inline constexpr Rate kMaxRate{100'000'000'000'000};  // of a link or a parameter: 100 Tb/s

inline constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

// a + b, or the largest Time or Bytes if that is more. b >= 0.
constexpr std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a < kMost - b ? a + b : kMost;
}
constexpr Time saturating_sum(Time a, Time b) { return {saturating_sum(a.ps, b.ps)}; }
constexpr Bytes saturating_sum(Bytes a, Bytes b) { return {saturating_sum(a.count, b.count)}; }

// The time that a link of `rate` needs to send `size`, rounded up to whole picoseconds; Time::max() if that is longer.
// size >= 0, rate > 0.
constexpr Time transmission_time(Bytes size, Rate rate) {
  assert(size.count >= 0 && rate.bits_per_second > 0);
  constexpr std::uint64_t ps = 8u * kPicosecondsPerSecond;
  const auto bytes = static_cast<std::uint64_t>(size.count);
  const auto r = static_cast<std::uint64_t>(rate.bits_per_second);
  // Below 1 MiB, the product fits 64 bits, whose division is many times cheaper than that of 128 bits.
  if (bytes < (1u << 20)) [[likely]]
    return {static_cast<std::int64_t>((bytes * ps + r - 1) / r)};
  const unsigned __int128 out = (static_cast<unsigned __int128>(bytes) * ps + r - 1) / r;
  return {static_cast<std::int64_t>(out < static_cast<std::uint64_t>(Time::max().ps) ? out : Time::max().ps)};
}

// Whole bytes that a link of `rate` carries in `span`, such as a bandwidth-delay product; at most 2^62.
constexpr Bytes bytes_in(Time span, Rate rate) {
  constexpr __int128 kMost = __int128{1} << 62;
  const auto product = static_cast<__int128>(span.ps) * rate.bits_per_second;
  const __int128 out = product / (8 * static_cast<__int128>(kPicosecondsPerSecond));
  return {static_cast<std::int64_t>(out < kMost ? out : kMost)};
}

namespace literals {
constexpr Time operator""_ps(unsigned long long v) { return {static_cast<std::int64_t>(v)}; }
constexpr Time operator""_ns(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000}; }
constexpr Time operator""_us(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000'000}; }
constexpr Time operator""_ms(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000'000'000}; }
constexpr Time operator""_s(unsigned long long v) { return {static_cast<std::int64_t>(v) * kPicosecondsPerSecond}; }
constexpr Bytes operator""_B(unsigned long long v) { return {static_cast<std::int64_t>(v)}; }
constexpr Bytes operator""_KB(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000}; }
constexpr Bytes operator""_MB(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000'000}; }
constexpr Bytes operator""_GB(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000'000'000}; }
constexpr Bytes operator""_KiB(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'024}; }
constexpr Bytes operator""_MiB(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'048'576}; }
constexpr Bytes operator""_GiB(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'073'741'824}; }
constexpr Rate operator""_bps(unsigned long long v) { return {static_cast<std::int64_t>(v)}; }
constexpr Rate operator""_Kbps(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000}; }
constexpr Rate operator""_Mbps(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000'000}; }
constexpr Rate operator""_Gbps(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000'000'000}; }
constexpr Rate operator""_Tbps(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1'000'000'000'000}; }
}  // namespace literals

}  // namespace weir
