// Receiver credit of uet-htsim: the host that flows end at pulls their packets, as fast as its link takes them. Credit
// is counted in quanta of 256 B; numbers are sums since the flow's start.
#pragma once

#include <cstdint>
#include <deque>

#include "weir/replica/uet_params.h"

namespace weir::replica::uet {

inline constexpr std::int64_t kQuantum = 256;             // bytes
inline constexpr std::uint32_t kFirstPull = 100'000'000;  // quanta, at both ends

// At the sender. A flow begins with a window of credit that nobody has granted; the first answer ends that.
struct Credit {
  std::int64_t bytes = 0;           // that may be sent; any amount above 0 lets a whole packet go
  std::uint32_t pull = kFirstPull;  // the last one heard
  std::uint32_t target = 0;         // the last one that a packet carried: what the sender could send up to
  bool speculating = true;          // no answer yet
};

// At the receiver.
struct Grants {
  std::uint32_t latest = kFirstPull;   // pulled
  std::uint32_t highest = kFirstPull;  // target heard
  bool in_pull = false;                // among the active flows of its host's pacer
  bool in_slow = false;                // among the idle ones
  std::uint8_t pulls = 0;              // sent, in 7 bits; also their entropy
};

// Of a host, for all flows that end there. Idle ones are pulled when no other wants to send. A flow may be active and
// idle, and idle several times: each time counts.
struct Pacer {
  std::deque<std::uint32_t> active;
  std::deque<std::uint32_t> idle;
  bool running = false;
  std::int64_t quantum = 0;  // time for one
};

// Under oversubscription (-oversubscribed_cc): the rate of a host's pacer, as a part of the link's, which follows marks
// and trimmed packets there.
class SharedRate {
 public:
  enum class What : std::uint8_t { plain, marked, trimmed_last, trimmed };

  void count(What what);
  // Once in a while. The new rate.
  double adapt(const UetParams& params);

 private:
  double rate_ = 1;
  double marks_ = 0;  // smoothed share of marked packets
  int steps_ = 0;     // without a decrease
  // since the last time
  std::uint64_t packets_ = 0;
  std::uint64_t marked_ = 0;
  std::uint64_t trimmed_last_ = 0;  // by the last switch
  std::uint64_t trimmed_ = 0;       // by others
};

}  // namespace weir::replica::uet
