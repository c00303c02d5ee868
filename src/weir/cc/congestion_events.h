// Which news of congestion are new: a window is reduced once per window of data, whatever that reports.
//
// News of packets sent before the last reduction do not count. Those of packets sent after it do, and be they sent
// again: losing such a packet is a second sign of congestion (RFC 5681, section 4.3). So a recovery period lasts until
// one of them has been heard of, a round trip (RFC 9002, section 7.3.2). The window does not grow meanwhile.
#pragma once

#include <algorithm>

#include "weir/cc/algorithm.h"

namespace weir::cc {

class CongestionEvents {
 public:
  void hear(const Ack& ack) { recovering_ = recovering_ && ack.sent_at < reduced_; }
  bool recovering() const { return recovering_; }

  // A NACK has just been told as an acknowledgement, too. Where single packets are reported lost, it is their place
  // that counts, up to the recovery point of RFC 6582; and a timeout, unless it is one of several in a row.
  bool counts(const Loss& loss) const {
    switch (loss.kind) {
      case Loss::Kind::nack: return !recovering_;
      case Loss::Kind::timeout: return loss.seq > timed_out_;
      default: return loss.seq >= recover_;
    }
  }

  void reduce(Time now, Bytes snd_nxt) {
    reduced_ = now;
    recover_ = std::max(recover_, snd_nxt);  // go-back-N may have moved snd_nxt back
    recovering_ = true;
  }
  void time_out(const Loss& loss) {
    reduce(loss.now, loss.snd_nxt);
    timed_out_ = loss.seq;
  }

 private:
  Time reduced_;         // the last reduction
  Bytes recover_;        // first byte not yet sent then
  Bytes timed_out_{-1};  // first missing byte of the last timeout
  bool recovering_ = false;
};

// A window of which not even half has been in use does not grow (RFC 7661, section 4.3): what limits the flow is
// something else, its NIC for one, and a larger window would only make larger bursts.
constexpr bool in_use(const Ack& ack, Bytes window) { return 2 * (ack.in_flight + ack.acked) > window; }

}  // namespace weir::cc
