// How the sending side of a NIC deviates from an ideal one: [host] rate_tolerance and send_jitter.
//
// An ideal NIC sends at precisely the rate of its link, and begins with a packet at the very instant at which it may.
// With ideal NICs equal senders stay in step with the port that they share, and it drops the packets of the same ones
// for ever (phase effects: Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched Gateways", 1992). A real
// NIC has a clock of its own, and takes a varying time before it sends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/host/params.h"

namespace weir::host {

// The timing of one host's NIC. A NIC that is slower than its link leaves a gap before each packet. The random delay on
// top shifts single packets and does not lower the rate: a late packet does not make the next ones later than their own
// delays do.
class NicTiming {
 public:
  NicTiming(const HostParams& p, std::uint64_t seed, std::uint32_t host)
      : random_(seed, host, Purpose::send_jitter),
        slower_(std::llround(
            std::ldexp(RandomStream(seed, host, Purpose::nic_rate).uniform(0) * p.rate_tolerance * 1e-6, kSlowerBits))),
        jitter_(std::llround(std::ldexp(p.send_jitter, kJitterBits))) {}

  // Returns how long a packet waits that could leave at `now` and takes `serialisation` on the link. The NIC was busy
  // until `free_at`, which is no later than `now`.
  Time wait(Time now, Time free_at, Time serialisation) {
    const auto longest = static_cast<std::uint64_t>(static_cast<__int128>(serialisation.ps) * jitter_ >> kJitterBits);
    const Time drawn{static_cast<std::int64_t>(random_.below(drawn_++, longest + 1))};
    late_ = now > free_at ? Time{} : late_ - gap(serialisation);
    const Time out = std::max(Time{}, drawn - late_);
    late_ += out;
    return out;
  }

  template <class A>
  void archive(A& a) {
    a.value(drawn_);
    a.value(late_);
    a.value(rest_);
  }

 private:
  // How much longer a packet takes at the NIC's rate than at the link's. A fraction of a picosecond counts with the
  // next packet.
  Time gap(Time serialisation) {
    const __int128 sum = static_cast<__int128>(serialisation.ps) * slower_ + rest_;
    rest_ = static_cast<std::int64_t>(sum & ((std::int64_t{1} << kSlowerBits) - 1));
    return {static_cast<std::int64_t>(sum >> kSlowerBits)};
  }

  // The shares are binary fractions with these numbers of bits, since a 128-bit division for each packet would take as
  // long as all the rest.
  static constexpr int kSlowerBits = 40;
  static constexpr int kJitterBits = 20;

  RandomStream random_;
  std::int64_t slower_;  // how much longer a packet takes than on the link, in times of that
  std::int64_t jitter_;  // the largest random delay, in transmission times of the packet
  std::uint64_t drawn_ = 0;
  Time late_;              // how late the last packet left
  std::int64_t rest_ = 0;  // the fraction of a picosecond left over from gaps, in 2^-kSlowerBits ps
};

}  // namespace weir::host
