// The connections of one sending host: what several flows to the same receiver share of their knowledge of the paths.
//
// Ultra Ethernet and uet-htsim (-conn_reuse) send many messages by one connection, which outlives them. Of what such a
// connection keeps, these keep only which entropies are good (PathChoice); windows, round-trip times and sequence
// numbers are each flow's own.
//
// A connection without flows is idle. A host remembers up to kMostIdle of them and forgets the one that has been idle
// for longest, so that memory follows active flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/host/path_choice.h"

namespace weir::host {

class Connections {
 public:
  static constexpr std::uint32_t kMostIdle = 1024;

  // Flows of a sender with the same key share a connection.
  struct Key {
    std::uint32_t dst = 0;
    std::uint16_t sport = 0;
    std::uint16_t dport = 0;
    std::uint16_t profile = 0;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return mix32(k.dst ^ mix32(std::uint32_t{k.sport} << 16 | k.dport) ^ k.profile);
    }
  };

  // Opens a connection for one flow alone; leave() ends it. Random choices follow from `draw`.
  std::uint32_t open(const BalancingParams& params, std::uint32_t draw) {
    std::uint32_t c = free_;
    if (c == kNone) {
      c = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      free_ = entries_[c].next;
    }
    entries_[c] = {.users = 1};
    entries_[c].paths.start(params, draw);
    return c;
  }

  // Returns the connection of this key, as earlier flows have left it, or a new one if there is none.
  std::uint32_t join(const Key& key, const BalancingParams& params, std::uint32_t draw) {
    const auto [known, is_new] = by_key_.try_emplace(key);
    if (is_new) {
      known->second = open(params, draw);
      entries_[known->second].key = key;
      entries_[known->second].kept = true;
    } else if (entries_[known->second].users++ == 0) {
      unlink(known->second);
    }
    return known->second;
  }

  // One of the connection's flows has ended.
  void leave(std::uint32_t c) {
    if (--entries_[c].users > 0) return;
    if (!entries_[c].kept) return release(c);
    append(c);
    if (idle_ > kMostIdle) forget(oldest_);
  }

  // Prefetches what paths() of the connection touches, if there is such a connection.
  void prefetch(std::uint32_t c) const {
    if (c < entries_.size()) prefetch_line(&entries_[c]);
  }
  PathChoice& paths(std::uint32_t c) { return entries_[c].paths; }
  const PathChoice& paths(std::uint32_t c) const { return entries_[c].paths; }
  // The number of connections that flows have joined, with and without a flow at present.
  std::size_t known() const { return by_key_.size(); }

  // `known`: see PathChoice::archive.
  template <class A>
  void archive(A& a, std::span<const BalancingParams* const> known) {
    a.each(entries_, [&](Entry& e) {
      e.paths.archive(a, known);
      a.value(e.key);
      for (auto* figure : {&e.users, &e.previous, &e.next}) a.value(*figure);
      a.value(e.kept);
    });
    for (auto* figure : {&free_, &oldest_, &newest_, &idle_}) a.value(*figure);
    std::vector<std::pair<Key, std::uint32_t>> keys(by_key_.begin(), by_key_.end());
    a.each(keys, [&](auto& key) {
      a.value(key.first);
      a.value(key.second);
    });
    if constexpr (A::kLoads) {
      by_key_.clear();
      by_key_.insert(keys.begin(), keys.end());
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Entry {
    PathChoice paths = {};
    Key key = {};
    std::uint32_t users = 0;
    std::uint32_t previous = kNone;  // in the list of idle connections, the oldest first
    std::uint32_t next = kNone;      // in that list, or in the list of free entries
    bool kept = false;
  };

  void append(std::uint32_t c) {
    entries_[c].previous = newest_;
    entries_[c].next = kNone;
    (newest_ == kNone ? oldest_ : entries_[newest_].next) = c;
    newest_ = c;
    ++idle_;
  }
  void unlink(std::uint32_t c) {
    const Entry& e = entries_[c];
    (e.previous == kNone ? oldest_ : entries_[e.previous].next) = e.next;
    (e.next == kNone ? newest_ : entries_[e.next].previous) = e.previous;
    --idle_;
  }
  void forget(std::uint32_t c) {
    unlink(c);
    by_key_.erase(entries_[c].key);
    release(c);
  }
  void release(std::uint32_t c) {
    entries_[c].next = free_;
    free_ = c;
  }

  LargePageVector<Entry> entries_;
  std::unordered_map<Key, std::uint32_t, Hash> by_key_;
  std::uint32_t free_ = kNone;
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
  std::uint32_t idle_ = 0;
};

}  // namespace weir::host
