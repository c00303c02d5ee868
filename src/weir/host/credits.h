// Credits: a receiving host says when its senders may go on, as receiver-driven transports have it (ExpressPass and
// NDP, SIGCOMM 2017; RCCC of Ultra Ethernet).
//
// A flow sends its unsolicited packets by itself. Each data packet with at least as many packets behind it asks for one
// more packet when it arrives (net::kAsksCredit), and tells how large the flow is. The host grants these packets one by
// one, as far apart as its link needs for a full packet. A credit tells how many bytes have been granted in all, so
// that a later credit makes up for one that was lost.
//
// transport.credit_order says which flow gets the next credit. `fair`: the flows that have asked, round robin. `srpt`:
// of the `overcommitment` flows that have the fewest bytes left among those not granted whole, the first that has asked
// (Homa 3.3 and 3.5, Montazeri et al., SIGCOMM 2018). The flow with the fewest bytes left is thus not slowed down by
// the others, which fill the link when it does not send.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/base/units.h"
#include "weir/host/host.h"
#include "weir/host/transport.h"
#include "weir/net/link/packet.h"

namespace weir::host {

// The credits of one receiving host.
class Credits {
 public:
  explicit Credits(const TransportParams& p = {}) : order_(p.credit_order), overcommitment_(p.overcommitment) {}

  // The account of the latest flow in a sender's slot that has asked.
  struct Account {
    std::uint32_t src = 0;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t entropy = 0;    // of the data packet that asked last
    std::int64_t packets = 0;     // granted since its start
    std::int64_t most = 0;        // packets of the flow that need a credit
    std::int64_t left = 0;        // bytes that have not arrived, as far as asking packets tell
    std::uint32_t asked_for = 0;  // packets that it has asked for and that are not granted yet
    std::uint16_t profile = 0;
    net::TrafficClass data_class = net::TrafficClass::data;
    bool waits = false;  // in the queue
  };

  // Takes in a data packet that asks, of the flow in its slot or of a newer one. The flow has `size` bytes, and `most`
  // of its packets need credits.
  void ask(const net::Packet& data, std::int64_t size, std::int64_t most) {
    const auto [found, is_new] =
        places_.try_emplace(key(data.src, data.slot), static_cast<std::uint32_t>(accounts_.size()));
    const std::uint32_t place = found->second;
    if (is_new) accounts_.push_back({.src = data.src, .slot = data.slot});
    Account& account = accounts_[place];
    if (order_ == CreditOrder::srpt) open_.erase({account.left, place});
    if (is_new || account.generation != data.generation) {
      account.generation = data.generation;
      account.packets = 0;
      account.most = most;
      account.left = size;
      account.asked_for = 0;
    }
    account.entropy = data.entropy;
    account.profile = data.profile;
    account.data_class = data.traffic_class;
    account.left -= data.payload;
    ++account.asked_for;
    if (order_ == CreditOrder::srpt) {
      open(place);
    } else if (!account.waits) {
      account.waits = true;
      queue_.push({place, 0});
    }
  }
  // Whether there is a flow that may get a credit.
  bool has_waiting() const { return order_ == CreditOrder::srpt ? shortest().has_value() : !queue_.empty(); }
  // Grants a packet to the flow that is next in the credit order. Call only if has_waiting().
  const Account& grant() {
    const std::uint32_t place = order_ == CreditOrder::srpt ? *shortest() : queue_.pop().slot;
    Account& account = accounts_[place];
    ++account.packets;
    --account.asked_for;
    if (order_ == CreditOrder::srpt) {
      if (account.packets >= account.most) open_.erase({account.left, place});
      return account;
    }
    account.waits = account.asked_for > 0;
    if (account.waits) queue_.push({place, 0});
    return account;
  }

  Time next;              // no credit is sent before this
  bool is_timed = false;  // the host has set a timer for `next`

  template <class A>
  void archive(A& a) {
    a.values(accounts_);
    queue_.archive(a);
    a.value(next);
    a.value(is_timed);
    if constexpr (A::kLoads)
      for (std::uint32_t i = 0; i < accounts_.size(); ++i) {
        places_[key(accounts_[i].src, accounts_[i].slot)] = i;
        if (order_ == CreditOrder::srpt) open(i);
      }
  }

 private:
  static std::uint64_t key(std::uint32_t src, std::uint32_t slot) { return std::uint64_t{src} << 32 | slot; }

  void open(std::uint32_t place) {
    if (accounts_[place].packets < accounts_[place].most) open_.insert({accounts_[place].left, place});
  }
  // The place of the first flow that has asked, among the `overcommitment_` flows with the fewest bytes left.
  std::optional<std::uint32_t> shortest() const {
    std::int64_t number = 0;
    for (const auto& [left, place] : open_) {
      if (number++ == overcommitment_) break;
      if (accounts_[place].asked_for > 0) return place;
    }
    return std::nullopt;
  }

  CreditOrder order_;
  std::int64_t overcommitment_;
  std::vector<Account> accounts_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  // in accounts_, by sender and slot
  SlotQueue queue_;                                          // fair: Entry::slot is a place in accounts_
  std::set<std::pair<std::int64_t, std::uint32_t>> open_;    // srpt: (bytes left, place) of flows not granted whole
};

}  // namespace weir::host
