// For how long ports were paused by PFC in a span of time that ends now.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "weir/net/trace.h"

namespace weir::anatomy {

// Of each class of each port it keeps the last pauses, kKept at least; a span that began before the first of them sees
// fewer pauses than there were.
class Pauses {
 public:
  static constexpr std::size_t kKept = 4096;

  // `paused` and `resumed`, in order of time.
  void add(const net::TraceEvent& event) {
    auto& list = pauses_[key(event.port, event.packet.traffic_class)];
    if (event.kind == net::EventKind::paused) {
      if (list.size() >= 2 * kKept) list.erase(list.begin(), list.begin() + kKept);
      list.push_back({event.time, Time::max()});
    } else if (!list.empty() && list.back().until == Time::max()) {
      list.back().until = event.time;
    }
  }

  // How much of [from, until) the class was paused. No later event than `until` has been added.
  Time within(std::uint32_t port, net::TrafficClass of, Time from, Time until) const {
    Time sum;
    if (pauses_.empty()) return sum;
    const auto found = pauses_.find(key(port, of));
    if (found == pauses_.end()) return sum;
    const std::vector<Pause>& list = found->second;
    for (auto p = list.rbegin(); p != list.rend() && p->until > from; ++p)
      sum = sum + std::max(Time{}, std::min(p->until, until) - std::max(p->from, from));
    return sum;
  }

  template <class A>
  void archive(A& a) {
    std::vector<std::uint64_t> keys;
    for (const auto& [k, list] : pauses_) keys.push_back(k);
    std::sort(keys.begin(), keys.end());
    a.each(keys, [&](std::uint64_t& k) {
      a.value(k);
      a.values(pauses_[k]);
    });
  }

 private:
  struct Pause {
    Time from;
    Time until;  // Time::max() = it goes on
  };
  static std::uint64_t key(std::uint32_t port, net::TrafficClass of) {
    return std::uint64_t{port} << 8 | static_cast<std::uint64_t>(of);
  }

  std::unordered_map<std::uint64_t, std::vector<Pause>> pauses_;
};

}  // namespace weir::anatomy
