// The links of a path as HPCC sees them: what the previous acknowledgement brought of each, and how full a link is by
// the difference to what this one brings.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "weir/cc/algorithm.h"

namespace weir::cc {

class HpccLinks {
 public:
  struct Reading {
    bool rx_rate = false;  // count bytes that entered the queue, not those that left the port
    bool min_queue = true;
    double per_t = 0;  // 1 / T, T in picoseconds
  };
  struct Utilisation {
    double u = -1;   // -1: the two records are of one instant and tell nothing
    double tau = 0;  // picoseconds between them
  };

  std::size_t hops() const { return path_ & kHops; }

  // Whether the previous acknowledgement was of the same path: its pathID (HPCC 4.1) and the number of its switches.
  bool is_of_path_of(const IntFormat& format, const Ack& ack) const { return path_of(format, ack) == path_; }
  // Do differences to the previous acknowledgement mean anything? Not for the first one of a flow or of a path, and not
  // where truncated counters may have wrapped unseen.
  bool continue_with(const IntFormat& format, const Ack& ack) const {
    return is_of_path_of(format, ack) && !ambiguous(format, ack);
  }

  // Equation 2 of one link: u' = (qlen / T + bytes / dt) / B.
  Utilisation utilisation(const Reading& reading, const IntFormat& format, const Ack& ack, std::size_t hop) const {
    const HopTelemetry& now = ack.telemetry->hop[hop];
    const HopTelemetry& before = link_[hop];
    const auto dt = format.elapsed_ps(now, before);
    if (dt <= 0) return {};
    const auto queue_now = format.queue_bytes(now);
    const auto queue_before = format.queue_bytes(before);
    auto bytes = format.sent_bytes(now, before);
    // What had entered the queue when a packet left it is what had left, the packet, and what waits behind it. The
    // packets are a flow's own and of one size (but for its last one), so they cancel in the difference.
    if (reading.rx_rate) bytes = std::max<std::int64_t>(0, bytes + queue_now - queue_before);
    const auto queue = reading.min_queue ? std::min(queue_now, queue_before) : queue_now;
    // With one division: both sides times dt.
    const auto span = static_cast<double>(dt);
    const double inflight = static_cast<double>(bytes) + static_cast<double>(queue) * span * reading.per_t;
    return {kMbpsPerBytePs * inflight / (static_cast<double>(now.rate_mbps) * span), span};
  }

  void remember(const IntFormat& format, const Ack& ack) {
    assert(ack.hops <= kMaxTelemetryHops);
    path_ = path_of(format, ack);
    std::copy_n(ack.telemetry->hop.begin(), ack.hops, link_.begin());
    last_sent_ = ack.sent_at;
  }

 private:
  static constexpr double kMbpsPerBytePs = 8e6;  // one byte per picosecond in Mb/s

  // By the sender's own clock: has more than half of the shortest wrap period gone by between the packets of this and
  // of the previous acknowledgement? The periods are those of TS and, at the speed of the fastest port, of txBytes
  // (section 4.1, figure 7).
  bool ambiguous(const IntFormat& format, const Ack& ack) const {
    if (format.is_exact()) return false;
    std::uint32_t fastest = 0;
    for (std::size_t i = 0; i < hops(); ++i) fastest = std::max(fastest, ack.telemetry->hop[i].rate_mbps);
    const auto elapsed = static_cast<double>((ack.sent_at - last_sent_).ps);
    const auto time_range = static_cast<double>((format.time_mask + 1) * format.time_unit_ps);
    const auto tx_range = static_cast<double>((format.tx_mask + 1) * format.tx_unit);
    const double could_send = elapsed * static_cast<double>(fastest) / kMbpsPerBytePs;
    return 2 * elapsed > time_range || 2 * could_send > tx_range;
  }

  // The path, and in the last bits the number of its switches.
  static constexpr std::uint64_t kHops = 15;
  static_assert(kMaxTelemetryHops <= kHops);
  static std::uint64_t path_of(const IntFormat& format, const Ack& ack) {
    return (format.path(*ack.telemetry) & ~kHops) | ack.hops;
  }

  Time last_sent_;                                    // of the packet that the previous acknowledgement was for
  std::uint64_t path_ = 0;                            // that it took; 0 = none yet
  std::array<HopTelemetry, kMaxTelemetryHops> link_;  // L: what the previous acknowledgement brought
};

}  // namespace weir::cc
