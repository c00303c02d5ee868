// Random numbers of traffic, switches and algorithms: a draw is a pure function of (seed, entity, purpose, index).
//
// The generator is Philox-4x32-10 (Salmon et al., SC'11) from Random123. No draw depends on the order in
// which other entities draw, so results do not depend on the number of threads.
#pragma once

#include <Random123/philox.h>

#include <cstdint>

namespace weir {

// The purpose of a stream: one value for each kind of random decision, so that a new kind leaves every
// other stream as it is. A value never changes, because all results depend on it.
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
  host_delay = 17,
  learning = 18,
  first_rate = 19,
  fast_forward = 20,
  nic_rate = 21,
  send_jitter = 22,
  flowlets = 23,
  host_port = 24,
  timer_ticks = 25,
};

// The draws of one entity (a host, a flow, a port) for one purpose. It has no position: the caller counts its draws.
class RandomStream {
 public:
  RandomStream() = default;
  constexpr RandomStream(std::uint64_t seed, std::uint32_t entity, Purpose purpose)
      : seed_(seed), entity_(entity), purpose_(static_cast<std::uint32_t>(purpose)) {}

  // The entity: for a flow's own stream, the lowest 32 bits of the flow's id.
  std::uint32_t entity() const { return entity_; }

  // The draw with this index, as 64 uniform bits.
  std::uint64_t bits(std::uint64_t index) const {
    using Philox = r123::Philox4x32;
    const Philox::ctr_type counter{
        {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), entity_, purpose_}};
    const Philox::key_type key{{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}};
    const auto out = Philox{}(counter, key);
    return (static_cast<std::uint64_t>(out[1]) << 32) | out[0];
  }

  // The draw as a uniform number in [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t index) const { return static_cast<double>(bits(index) >> 11) * 0x1.0p-53; }

  // The draw as a uniform integer in [0, n), n > 0; the bias is below n / 2^64.
  std::uint64_t below(std::uint64_t index, std::uint64_t n) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(index)) * n) >> 64);
  }

  // The draw as an exponentially distributed number with mean 1. It uses only correctly rounded operations, so that
  // the same seed gives the same arrivals on every machine; the logarithm of libm does not promise that.
  double exponential(std::uint64_t index) const;

 private:
  std::uint64_t seed_ = 0;
  std::uint32_t entity_ = 0;
  std::uint32_t purpose_ = 0;
};

// Mixes 32 bits so that every input bit affects every output bit (the finaliser of MurmurHash3); used by the ECMP hash.
constexpr std::uint32_t mix32(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

}  // namespace weir
