// Credits: a receiving host says when its senders may go on, as receiver-driven transports have it (ExpressPass and
// NDP, SIGCOMM 2017; RCCC of Ultra Ethernet).
//
// A flow sends its unsolicited packets by itself. Each of its data packets that arrives, and behind which there is more
// than that, asks for one packet more (net::kAsksCredit) and tells how large the flow is. The host grants these packets
// one by one, as far apart as its link needs for a full packet. A credit tells how many bytes have been granted in all,
// so that a later one makes up for one that was lost.
//
// Whose turn it is says transport.credit_order. `fair`: flow by flow, among those that have asked. `srpt`: the flow
// that has asked and of which the fewest bytes have still to arrive, but only among the first `overcommitment` of those
// that are not granted whole (Homa 3.3 and 3.5, Montazeri et al., SIGCOMM 2018). The flow that goes first is thus not
// slowed down by others; how many may fill the link when it does not send is the overcommitment.
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

  // A flow that has asked, as long as no other one has its slot.
  struct Account {
    std::uint32_t src = 0;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t entropy = 0;    // of the data packet that asked last
    std::int64_t packets = 0;     // granted since its start
    std::int64_t most = 0;        // of its packets that need to be granted
    std::int64_t left = 0;        // bytes that have not arrived, as far as asking packets tell
    std::uint32_t asked_for = 0;  // packets, not granted yet
    std::uint16_t profile = 0;
    net::TrafficClass data_class = net::TrafficClass::data;
    bool waits = false;  // in the queue
  };

  // A data packet that asks has arrived, of this flow or of a newer one in its slot. The flow has `size` bytes, and
  // `most` packets of it need credits.
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
  // Whether a flow may get a credit.
  bool has_waiting() const { return order_ == CreditOrder::srpt ? shortest().has_value() : !queue_.empty(); }
  // Grants a packet to the flow whose turn it is. Only if has_waiting().
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
  bool is_timed = false;  // the host has a timer for it

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
  // Of the flows that may get credits, the first one that has asked.
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
  std::set<std::pair<std::int64_t, std::uint32_t>> open_;    // srpt: not granted whole; bytes left, place
};

}  // namespace weir::host
