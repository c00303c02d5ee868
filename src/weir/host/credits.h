// Credits: a receiving host says when its senders may go on, as receiver-driven transports have it (ExpressPass and
// NDP, SIGCOMM 2017; RCCC of Ultra Ethernet).
//
// A flow sends its unsolicited packets by itself. Each of its data packets that arrives, and behind which there is more
// than that, asks for one packet more (net::kAsksCredit). The host grants these packets one by one, flow by flow in
// turn, as far apart as its link needs for a full packet. A credit tells how many bytes have been granted in all, so
// that a later one makes up for one that was lost.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "weir/base/units.h"
#include "weir/host/host.h"
#include "weir/net/link/packet.h"

namespace weir::host {

// The credits of one receiving host.
class Credits {
 public:
  // A flow that has asked, as long as no other one has its slot.
  struct Account {
    std::uint32_t src = 0;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t entropy = 0;    // of the data packet that asked last
    std::int64_t packets = 0;     // granted since its start
    std::uint32_t asked_for = 0;  // packets, not granted yet
    std::uint16_t profile = 0;
    net::TrafficClass data_class = net::TrafficClass::data;
    bool waits = false;  // in the queue
  };

  // A data packet that asks has arrived, of this flow or of a newer one in its slot.
  void ask(const net::Packet& data) {
    const auto [place, is_new] =
        places_.try_emplace(key(data.src, data.slot), static_cast<std::uint32_t>(accounts_.size()));
    if (is_new) accounts_.push_back({.src = data.src, .slot = data.slot, .generation = data.generation});
    Account& account = accounts_[place->second];
    if (account.generation != data.generation) {
      account.generation = data.generation;
      account.packets = 0;
      account.asked_for = 0;
    }
    account.entropy = data.entropy;
    account.profile = data.profile;
    account.data_class = data.traffic_class;
    ++account.asked_for;
    if (account.waits) return;
    account.waits = true;
    queue_.push({place->second, 0});
  }
  // Whether a flow waits for a credit.
  bool has_waiting() const { return !queue_.empty(); }
  // Grants a packet to the flow whose turn it is. Only if has_waiting().
  const Account& grant() {
    const SlotQueue::Entry first = queue_.pop();
    Account& account = accounts_[first.slot];
    ++account.packets;
    --account.asked_for;
    account.waits = account.asked_for > 0;
    if (account.waits) queue_.push(first);
    return account;
  }

  Time next;              // no credit is sent before this
  bool is_timed = false;  // the host has a timer for it

  template <class A>
  void archive(A& a) {
    a.values(accounts_);
    queue_.archive(a);
    a.value(next);
    a.value(is_timed);
    if constexpr (A::kLoads)
      for (std::uint32_t i = 0; i < accounts_.size(); ++i) places_[key(accounts_[i].src, accounts_[i].slot)] = i;
  }

 private:
  static std::uint64_t key(std::uint32_t src, std::uint32_t slot) { return std::uint64_t{src} << 32 | slot; }

  std::vector<Account> accounts_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  // in accounts_, by sender and slot
  SlotQueue queue_;                                          // Entry::slot: a place in accounts_
};

}  // namespace weir::host
