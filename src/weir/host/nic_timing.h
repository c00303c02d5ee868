// How the sending side of a NIC deviates from an ideal one: [host] rate_tolerance and send_jitter.
//
// An ideal NIC sends at exactly the rate of its link, and begins with a packet at the very instant at which it may.
// Then equal senders keep step with the port that they share, and which of them it drops is decided by their numbers
// for ever (phase effects: Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched Gateways", 1992). A real
// one has a clock of its own, and takes a while that varies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/host/params.h"

namespace weir::host {

// The timing of one host's NIC. A NIC that is slower than its link leaves a gap before each packet. What is drawn on
// top delays single packets but not the whole: a packet that is late does not make the next ones later than they are
// themselves.
class NicTiming {
 public:
  NicTiming(const HostParams& p, std::uint64_t seed, std::uint32_t host)
      : random_(seed, host, Purpose::send_jitter),
        slower_(std::llround(
            std::ldexp(RandomStream(seed, host, Purpose::nic_rate).uniform(0) * p.rate_tolerance * 1e-6, kSlowerBits))),
        jitter_(std::llround(std::ldexp(p.send_jitter, kJitterBits))) {}

  // Returns how long a packet waits whose turn has come at `now` and that takes `serialisation` on the link. The NIC
  // was busy until `free_at`, which is no later than `now`.
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
  // The time by which a packet takes longer than on the link. A fraction of a picosecond counts with the next packet.
  Time gap(Time serialisation) {
    const __int128 sum = static_cast<__int128>(serialisation.ps) * slower_ + rest_;
    rest_ = static_cast<std::int64_t>(sum & ((std::int64_t{1} << kSlowerBits) - 1));
    return {static_cast<std::int64_t>(sum >> kSlowerBits)};
  }

  // Shares are binary fractions of so many bits: a division of 128 bits for each packet would take as long as all else.
  static constexpr int kSlowerBits = 40;
  static constexpr int kJitterBits = 20;

  RandomStream random_;
  std::int64_t slower_;  // than the link
  std::int64_t jitter_;  // in packets
  std::uint64_t drawn_ = 0;
  Time late_;              // by which the last packet left later than its turn
  std::int64_t rest_ = 0;  // of gaps, in 2^-kSlowerBits ps
};

}  // namespace weir::host
