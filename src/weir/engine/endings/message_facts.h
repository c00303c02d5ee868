// The times of a message in an empty network, from which the bounds of many messages follow
// (engine/endings/completion.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/net/model/path_graph.h"

namespace weir::engine {

struct MessageFacts {
  Time delivery;            // from its start to its receipt
  Time ack;                 // of its last acknowledgement, from the receipt to the sender
  net::WideTime up_work;    // transmissions of its packets by the sender's link
  net::WideTime up_tail;    // from the end of these to the receipt of the last packet
  net::WideTime down_head;  // from its start until its first packet stands at the receiver's link
  net::WideTime down_work;  // transmissions of its packets by the receiver's link
  net::WideTime down_tail;  // from the end of these to the receipt of the last packet
  net::WideTime cut_head;   // from its start until its first packet has left the sender's link
  net::WideTime cut_bits;   // bits of all its packets
  net::WideTime cut_tail;   // time of its last packet on the receiver's link
};

class FactsOfMessages {
 public:
  explicit FactsOfMessages(const Model& model);

  // The facts of a message. They are the same for all messages of one size and profile between hosts that have the same
  // two attachments and equal links.
  const MessageFacts& of(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t profile);
  Time least_delay_of_links(std::uint32_t host) const { return kinds_[kind_[host]].least_delay; }

 private:
  // The links of a host: the sum of their rates, the rates of the slowest and the fastest one, and the least and the
  // longest delay.
  struct HostLinks {
    std::uint32_t attachment = 0;
    Rate rate;
    Rate slowest;
    Rate fastest;
    Time least_delay = Time::max();
    Time longest_delay;
    friend auto operator<=>(const HostLinks&, const HostLinks&) = default;
  };
  struct Key {
    std::uint32_t src = 0;  // kinds of hosts
    std::uint32_t dst = 0;
    std::int64_t size = 0;
    std::uint16_t profile = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  HostLinks links_of(std::uint32_t host) const;
  MessageFacts work_out(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t profile) const;

  const Model& model_;
  std::vector<std::uint32_t> kind_;  // by host
  std::vector<HostLinks> kinds_;
  std::unordered_map<Key, MessageFacts, Hash> known_;
};

}  // namespace weir::engine
