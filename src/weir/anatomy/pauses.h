// For how long ports were paused by PFC in a span of time that ends now.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "weir/net/trace.h"

namespace weir::anatomy {

// Of each class of each port it keeps the last pauses, kKept at least; a span that began before the first of them sees
// fewer pauses than there were.
class Pauses {
 public:
  static constexpr std::size_t kKept = 4096;

  explicit Pauses(std::uint32_t ports) : of_port_(ports, kNever) {}

  // `paused` and `resumed`, in order of time.
  void add(const net::TraceEvent& event) {
    std::uint32_t& place = of_port_[event.port];
    if (place == kNever) {
      place = static_cast<std::uint32_t>(pauses_.size());
      pauses_.emplace_back();
    }
    auto& list = pauses_[place][static_cast<std::size_t>(event.packet.traffic_class)];
    if (event.kind == net::EventKind::paused) {
      if (list.size() >= 2 * kKept) list.erase(list.begin(), list.begin() + kKept);
      list.push_back({event.time, Time::max(), list.empty() ? Time{} : list.back().sum(list.back().until)});
    } else if (!list.empty() && list.back().until == Time::max()) {
      list.back().until = event.time;
    }
  }

  // How much of [from, until) the class was paused. No later event than `until` has been added.
  Time within(std::uint32_t port, net::TrafficClass of, Time from, Time until) const {
    if (of_port_[port] == kNever) return {};
    const std::vector<Pause>& list = pauses_[of_port_[port]][static_cast<std::size_t>(of)];
    return before(list, until) - before(list, from);
  }

  template <class A>
  void archive(A& a) {
    a.values(of_port_);
    a.each(pauses_, [&](auto& of_class) {
      for (auto& list : of_class) a.values(list);
    });
  }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  struct Pause {
    Time from;
    Time until;    // Time::max() = it goes on
    Time earlier;  // what the pauses before this one took together
    Time sum(Time end) const { return earlier + (std::min(end, until) - from); }
  };

  // How much time before `end` was paused, but for pauses that are not kept.
  static Time before(const std::vector<Pause>& list, Time end) {
    if (list.empty()) return {};
    // mostly the last one
    const auto later = list.back().from < end
                           ? list.end()
                           : std::lower_bound(list.begin(), list.end(), end,
                                              [](const Pause& pause, Time time) { return pause.from < time; });
    return later == list.begin() ? list.front().earlier : std::prev(later)->sum(end);
  }

  std::vector<std::uint32_t> of_port_;  // its place in pauses_; kNever = it was never paused
  std::vector<std::array<std::vector<Pause>, net::kTrafficClasses>> pauses_;
};

}  // namespace weir::anatomy
