// The earliest instant at which messages can all be received, given the work of the links that they share: those of
// hosts, those between a group of hosts and the rest of the network (net/model/cuts.h), which count as one, and GPUs'
// ways to and from the scale-up switches of their servers.
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

// A link that serves one message after the other, in order of their heads: the earliest instants at which they can be
// there (completion.h).
class SharedLink {
 public:
  // Adds a message. Messages with the same head are served as one. Those with heads before `now` are served at once,
  // since no message with such a head will be added any more.
  void add(net::WideTime now, net::WideTime head, net::WideTime work, net::WideTime tail, net::WideTime ack);
  // When all its messages are received and acknowledged, at the earliest.
  WideEnds ends() const;

 private:
  net::WideTime served(net::WideTime before, std::map<net::WideTime, net::WideTime>::const_iterator& next) const;

  std::map<net::WideTime, net::WideTime> waiting_;  // work by head
  net::WideTime end_ = 0;                           // when those that have been served are done
  net::WideTime tail_ = net::kNever;                // the least time of any message from there to its receipt
  net::WideTime tail_and_ack_ = net::kNever;
};

// The time that a message takes on a scale-up link which it has to itself, rounded down, since the switch shares links
// without rounding.
inline Time least_scale_up_time(Bytes size, const traffic::ScaleUp& by) {
  return net::saturated(net::WideTime{size.count} * 8 * kPicosecondsPerSecond / by.rate.bits_per_second);
}

class SharedLinks {
 public:
  explicit SharedLinks(const Model& model);

  // Adds a message that goes by the network. No message that is added later starts before `now`.
  void add(net::WideTime now, net::WideTime start, std::uint32_t src, std::uint32_t dst, const MessageFacts& facts);
  // Adds a message that goes by scale-up links. The receiver's link counts only if messages to one GPU share it
  // (`shares_ways_in`).
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
