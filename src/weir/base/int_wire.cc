#include "weir/base/int_wire.h"

#include <fmt/format.h>

#include <cassert>

#include "weir/base/error.h"

namespace weir {
namespace {

// Append only: the position is the code.
constexpr std::array<std::uint32_t, 9> kSpeedsMbps{25'000, 50'000, 100'000, 200'000, 400'000,
                                                   10'000, 40'000, 800'000, 1'000};

template <std::size_t n>
void put_big_endian(std::uint8_t* out, std::uint64_t value) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * (n - 1 - i)));
}

template <std::size_t n>
std::uint64_t get_big_endian(const std::uint8_t* in) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < n; ++i) value = value << 8 | in[i];
  return value;
}

// `value` as a field of `bits` bits.
std::uint64_t field(std::int64_t value, int bits) {
  assert(value >= 0 && value < std::int64_t{1} << bits && "the counter was not quantised");
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
}

std::int64_t bits_of(std::uint64_t word, int shift, int bits) {
  return static_cast<std::int64_t>(word >> shift & ((std::uint64_t{1} << bits) - 1));
}

}  // namespace

std::optional<std::uint8_t> int_speed_code(std::uint32_t rate_mbps) {
  for (std::size_t code = 0; code < kSpeedsMbps.size(); ++code)
    if (kSpeedsMbps[code] == rate_mbps) return static_cast<std::uint8_t>(code);
  return std::nullopt;
}

std::optional<std::uint32_t> int_speed_mbps(std::uint8_t code) {
  if (code >= kSpeedsMbps.size()) return std::nullopt;
  return kSpeedsMbps[code];
}

std::uint64_t int_hop_word(const HopTelemetry& h) {
  constexpr std::uint8_t kOtherSpeed = 15;
  return field(int_speed_code(h.rate_mbps).value_or(kOtherSpeed), 4) << 60 | field(h.time, 24) << 36 |
         field(h.tx_bytes, 20) << 16 | field(h.queue, 16);
}

IntWire encode_int(const IntStack& stack) {
  assert(stack.hops <= kMaxWireHops);
  IntWire out{};
  put_big_endian<2>(out.data(), field(stack.hops, 4) << 12 | field(stack.path_id, 12));
  for (std::size_t i = 0; i < stack.hops; ++i) {
    const HopTelemetry& h = stack.hop[i];
    if (!int_speed_code(h.rate_mbps))
      throw InputError(fmt::format("a port of {} Mb/s has no speed code in the INT header", h.rate_mbps));
    put_big_endian<8>(&out[2 + 8 * i], int_hop_word(h));
  }
  return out;
}

IntStack decode_int(std::span<const std::uint8_t, kIntWireBytes> in) {
  const auto head = get_big_endian<2>(in.data());
  IntStack stack;
  stack.hops = static_cast<std::uint8_t>(head >> 12);
  stack.path_id = static_cast<std::uint16_t>(head & 0xfff);
  if (stack.hops > kMaxWireHops)
    throw InputError(fmt::format("nHop is {}, but an INT header has room for {} hops", stack.hops, kMaxWireHops));
  for (std::size_t i = 0; i < stack.hops; ++i) {
    const auto word = get_big_endian<8>(&in[2 + 8 * i]);
    const auto code = static_cast<std::uint8_t>(word >> 60);
    const auto speed = int_speed_mbps(code);
    if (!speed) throw InputError(fmt::format("speed code {} of INT hop {} is unassigned", code, i));
    stack.hop[i] = {bits_of(word, 36, 24), bits_of(word, 16, 20), static_cast<std::int32_t>(bits_of(word, 0, 16)),
                    *speed};
  }
  return stack;
}

}  // namespace weir
