// Counter-based randomness: a draw is a pure function of (seed, entity, purpose, index).
//
// Philox-4x32-10 (Salmon et al., SC'11) from Random123. No draw depends on the order in which
// other entities draw, so results do not depend on the number of threads.
#pragma once

#include <Random123/philox.h>

#include <cstdint>

namespace weir {

// What a stream is for: one value per kind of decision, so that adding one kind of draw
// leaves every other stream as it was. Append only; the values are part of every digest.
enum class Purpose : std::uint32_t {
  flow_arrival = 1,
  flow_size = 2,
  flow_destination = 3,
  incast_arrival = 4,
  incast_members = 5,
  ecn_mark = 6,
  ecmp_salt = 7,
  algorithm = 8,
  permutation = 9,
  clock = 10,
  link_loss = 11,
  spraying = 12,
  link_failure = 13,
  placement = 14,
  round_robin = 15,
  resampling = 16,
};

class RandomStream {
 public:
  RandomStream() = default;
  constexpr RandomStream(std::uint64_t seed, std::uint32_t entity, Purpose purpose)
      : seed_(seed), entity_(entity), purpose_(static_cast<std::uint32_t>(purpose)) {}

  // The draw with this index: 64 uniform bits.
  std::uint64_t bits(std::uint64_t index) const {
    using Philox = r123::Philox4x32;
    const Philox::ctr_type counter{
        {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), entity_, purpose_}};
    const Philox::key_type key{{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}};
    const auto out = Philox{}(counter, key);
    return (static_cast<std::uint64_t>(out[1]) << 32) | out[0];
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t index) const { return static_cast<double>(bits(index) >> 11) * 0x1.0p-53; }

  // Uniform integer in [0, n), n > 0; the bias is below n / 2^64.
  std::uint64_t below(std::uint64_t index, std::uint64_t n) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(index)) * n) >> 64);
  }

  // Exponentially distributed with mean 1. Uses only correctly rounded operations, so that
  // the same seed gives the same arrivals on every machine (libm's log does not promise that).
  double exponential(std::uint64_t index) const;

 private:
  std::uint64_t seed_ = 0;
  std::uint32_t entity_ = 0;
  std::uint32_t purpose_ = 0;
};

// Avalanche mix of 32 bits (the finaliser of MurmurHash3); used by the ECMP hash.
constexpr std::uint32_t mix32(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

}  // namespace weir
