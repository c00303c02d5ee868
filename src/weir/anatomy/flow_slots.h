// What is kept of each flow that is under way, found by the packets that name it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weir/net/trace.h"

namespace weir::anatomy {

// T has a member `generation`.
template <class T>
class FlowSlots {
 public:
  explicit FlowSlots(std::uint32_t hosts) : slots_(hosts) {}

  // Instead of whatever used the slot before.
  T& start(const net::TraceEvent& started) {
    auto& of_host = slots_[started.src];
    if (started.packet.slot >= of_host.size()) of_host.resize(started.packet.slot + std::size_t{1});
    auto& place = of_host[started.packet.slot];
    place = std::make_unique<T>();
    place->generation = started.packet.generation;
    return *place;
  }
  // Null if the flow is not known, or has ended.
  T* find(const net::TraceEvent& event) {
    auto& of_host = slots_[event.src];
    if (event.packet.slot >= of_host.size()) return nullptr;
    T* const flow = of_host[event.packet.slot].get();
    return flow != nullptr && flow->generation == event.packet.generation ? flow : nullptr;
  }
  void end(const net::TraceEvent& ended) { slots_[ended.src][ended.packet.slot].reset(); }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& of_host : slots_)
      for (auto& flow : of_host)
        if (flow != nullptr) visit(*flow);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& of_host : slots_)
      for (const auto& flow : of_host)
        if (flow != nullptr) visit(static_cast<const T&>(*flow));
  }

  template <class A>
  void archive(A& a) {
    a.each(slots_, [&](auto& of_host) {
      a.each(of_host, [&](std::unique_ptr<T>& flow) {
        bool is_there = flow != nullptr;
        a.value(is_there);
        if (!is_there) return;
        if (flow == nullptr) flow = std::make_unique<T>();
        flow->archive(a);
      });
    });
  }

 private:
  std::vector<std::vector<std::unique_ptr<T>>> slots_;  // by sender, then slot
};

}  // namespace weir::anatomy
