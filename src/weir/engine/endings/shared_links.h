// When messages are received at the soonest, for all that the links they share have to carry: those of hosts, those
// between groups of hosts and the rest of the network (net/model/cuts.h), taken as one, and GPUs' ways out to the
// scale-up switches of their servers.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "weir/engine/endings/message_facts.h"
#include "weir/net/model/cuts.h"
#include "weir/traffic/scale_up.h"

namespace weir::engine {

// When all messages are received, and when the last sender knows it.
struct WideEnds {
  net::WideTime received = 0;
  net::WideTime acknowledged = 0;

  void move_to(net::WideTime r, net::WideTime a) {
    received = r > received ? r : received;
    acknowledged = a > acknowledged ? a : acknowledged;
  }
};

// A link that serves one message after the other, the one whose head can be there first before the others.
class SharedLink {
 public:
  // What waits at one instant is one. What has come before `now` is served: nothing else will.
  void add(net::WideTime now, net::WideTime head, net::WideTime work, net::WideTime tail, net::WideTime ack);
  // When all is received that it has served.
  WideEnds ends() const;

 private:
  net::WideTime served(net::WideTime before, std::map<net::WideTime, net::WideTime>::const_iterator& next) const;

  std::map<net::WideTime, net::WideTime> waiting_;  // work by head
  net::WideTime end_ = 0;                           // of what is served
  net::WideTime tail_ = net::kNever;                // the least from there to the receipt
  net::WideTime tail_and_ack_ = net::kNever;
};

// Of a message by such a way alone, rounded down, since the switch shares ways without rounding.
inline Time least_scale_up_time(Bytes size, const traffic::ScaleUp& by) {
  return net::saturated(net::WideTime{size.count} * 8 * kPicosecondsPerSecond / by.rate.bits_per_second);
}

class SharedLinks {
 public:
  explicit SharedLinks(const Model& model);

  // A message by the network. None will start before `now`.
  void add(net::WideTime now, net::WideTime start, std::uint32_t src, std::uint32_t dst, const MessageFacts& facts);
  // A message by the scale-up links. Where messages to one GPU share its way in, that counts as well.
  void move(net::WideTime now, std::uint32_t src, std::uint32_t dst, Bytes size, const traffic::ScaleUp& by,
            bool shares_ways_in);
  WideEnds ends() const;

 private:
  struct Cut {
    net::Division division;
    std::vector<SharedLink> out;  // by group
    std::vector<SharedLink> in;
  };
  enum Kind : std::uint8_t { up, down, scale_up, scale_down };

  std::vector<SharedLink> of_hosts_[4];  // by host
  std::vector<Cut> cuts_;
};

}  // namespace weir::engine
