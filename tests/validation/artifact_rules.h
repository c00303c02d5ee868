// What the artifact computes in a way of its own: transmission times, HPCC, and the choice of paths.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "weir/base/random.h"
#include "weir/cc/hpcc.h"
#include "weir/traffic/flow.h"

namespace weir::validation {

// bytes * 8 / rate as ns-3.17 computes it: a double, cut to 64 binary places, times 10^9, cut to whole nanoseconds.
inline Time whole_nanoseconds(Bytes size, Rate rate) {
  const double seconds = static_cast<double>(size.count) * 8 / static_cast<double>(rate.bits_per_second);
  const auto fraction = static_cast<unsigned __int128>(std::ldexp(seconds, 64));
  return {static_cast<std::int64_t>(fraction * 1'000'000'000 >> 64) * 1'000};
}

// HPCC as in the artifact's rdma-hw.cc, UpdateRateHp.
struct IntegerHpcc {
  std::int64_t rate = 0;
  std::int64_t reference = 0;
  double u = 1;
  int stage = 0;
  std::int64_t last_update = 0;
  std::array<HopTelemetry, kMaxTelemetryHops> before;

  // Returns whether the rate was set anew.
  bool on_ack(const cc::Hpcc::Params& p, const cc::FlowFacts& facts, const cc::Ack& ack, cc::Control& control) {
    if (last_update == 0) {
      last_update = ack.snd_nxt.count;
      std::copy_n(ack.telemetry->hop.begin(), ack.hops, before.begin());
      return false;
    }
    const bool sync = ack.seq.count > last_update;
    const std::int64_t line = facts.line_rate.bits_per_second;
    const auto window = static_cast<double>(bytes_in(p.base_rtt, facts.line_rate).count);
    const double t = static_cast<double>(p.base_rtt.ps) / 1000;
    double most = 0;
    double tau = 0;
    for (std::size_t i = 0; i < ack.hops; ++i) {
      const HopTelemetry& now = ack.telemetry->hop[i];
      const double elapsed = static_cast<double>(facts.telemetry.elapsed_ps(now, before[i])) / 1000;
      const auto bits = static_cast<double>(8 * facts.telemetry.sent_bytes(now, before[i]));
      const auto queue =
          static_cast<double>(std::min(facts.telemetry.queue_bytes(now), facts.telemetry.queue_bytes(before[i])));
      const double capacity = now.rate_mbps * 1e6;
      const double load = bits / (elapsed * 1e-9) / capacity + queue * static_cast<double>(line) / capacity / window;
      if (load > most) {
        most = load;
        tau = std::min(elapsed, t);
      }
      before[i] = now;
    }
    u = (u * (t - tau) + most * tau) / t;
    const bool multiply = u / p.eta >= 1 || stage >= p.max_stage;
    const auto base = multiply ? static_cast<std::int64_t>(static_cast<double>(reference) / (u / p.eta)) : reference;
    rate = std::clamp(base + p.r_ai.bits_per_second, p.r_min.bits_per_second, line);
    if (sync) {
      reference = rate;
      stage = multiply ? 0 : stage + 1;
      last_update = std::max(last_update, ack.snd_nxt.count);
    }
    control.rate = {rate};
    control.window = window_of(p, facts);
    return true;
  }

  Bytes window_of(const cc::Hpcc::Params& p, const cc::FlowFacts& facts) const {
    const auto whole = static_cast<__int128>(bytes_in(p.base_rtt, facts.line_rate).count);
    return {std::max<std::int64_t>(1, static_cast<std::int64_t>(whole * rate / facts.line_rate.bits_per_second))};
  }
};

// MurmurHash3 (x86, 32 bits) of source address, destination address and ports; the seed is the switch's number.
inline std::uint32_t murmur_hash(const traffic::Flow& flow, bool back, std::uint32_t seed) {
  const auto address = [](std::uint32_t node) { return 0x0b000001u + (node / 256 << 16) + (node % 256 << 8); };
  const std::uint32_t from = address(back ? flow.dst : flow.src);
  const std::uint32_t to = address(back ? flow.src : flow.dst);
  const std::uint32_t sport = back ? 100 : flow.sport;
  const std::uint32_t dport = back ? flow.sport : 100;
  std::uint32_t h = seed;
  for (std::uint32_t k : {from, to, sport | dport << 16}) {
    k *= 0xcc9e2d51u;
    k = (k << 15 | k >> 17) * 0x1b873593u;
    h ^= k;
    h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
  }
  return mix32(h ^ 12);
}

}  // namespace weir::validation
