// INT as the simulator of HPCC's authors carries it: a record for each of up to 5 hops, raw counters of 24, 20 and 17
// bits. (weir::IntFormat::wire is the paper's format, whose queue has 16 bits.)
#pragma once

#include <cstdint>

namespace weir::replica {

inline constexpr unsigned kMaxHops = 5;

struct Hop {
  std::uint32_t time = 0;   // ns
  std::uint32_t bytes = 0;  // in units of 128 B * multiplier
  std::uint32_t queue = 0;  // in units of 80 B * multiplier
  std::uint32_t gbps = 0;   // of the port
};

struct HopFormat {
  std::uint32_t multiplier = 1;

  Hop write(std::int64_t now, std::uint64_t sent, std::uint64_t queued, std::int64_t rate) const {
    return {static_cast<std::uint32_t>(now) & kTimeMask,
            static_cast<std::uint32_t>(sent / (128 * multiplier)) & kBytesMask,
            static_cast<std::uint32_t>(queued / (80 * multiplier)) & kQueueMask,
            static_cast<std::uint32_t>(rate / 1'000'000'000)};
  }
  std::uint64_t elapsed_ns(const Hop& now, const Hop& before) const { return (now.time - before.time) & kTimeMask; }
  std::uint64_t sent_bytes(const Hop& now, const Hop& before) const {
    return std::uint64_t{(now.bytes - before.bytes) & kBytesMask} * 128 * multiplier;
  }
  std::uint32_t queue_bytes(const Hop& h) const { return h.queue * 80 * multiplier; }

 private:
  static constexpr std::uint32_t kTimeMask = (1u << 24) - 1;
  static constexpr std::uint32_t kBytesMask = (1u << 20) - 1;
  static constexpr std::uint32_t kQueueMask = (1u << 17) - 1;
};

}  // namespace weir::replica
