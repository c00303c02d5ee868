// What is kept of each flow that is under way, found by the packets that name it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weir/net/trace.h"

namespace weir::anatomy {

// T has members `id` and `generation`. A slot has one flow, or the messages of a connection.
template <class T>
class FlowSlots {
 public:
  explicit FlowSlots(std::uint32_t hosts) : slots_(hosts) {}

  // Instead of what used the slot before, unless that is of the same connection.
  T& start(const net::TraceEvent& started) {
    auto& of_host = slots_[started.src];
    if (started.packet.slot >= of_host.size()) of_host.resize(started.packet.slot + std::size_t{1});
    auto& of_slot = of_host[started.packet.slot];
    if (started.packet.seq == 0) of_slot.clear();
    T& flow = *of_slot.emplace_back(std::make_unique<T>());
    flow.id = started.flow;
    flow.generation = started.packet.generation;
    return flow;
  }
  // Null if the flow is not known, or has ended.
  T* find(const net::TraceEvent& event) {
    auto& of_host = slots_[event.src];
    if (event.packet.slot >= of_host.size()) return nullptr;
    for (const auto& flow : of_host[event.packet.slot])
      if (flow->id == event.flow && flow->generation == event.packet.generation) return flow.get();
    return nullptr;
  }
  void end(const net::TraceEvent& ended) {
    std::erase_if(slots_[ended.src][ended.packet.slot], [&](const auto& flow) { return flow->id == ended.flow; });
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& of_host : slots_)
      for (auto& of_slot : of_host)
        for (auto& flow : of_slot) visit(*flow);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& of_host : slots_)
      for (const auto& of_slot : of_host)
        for (const auto& flow : of_slot) visit(static_cast<const T&>(*flow));
  }

  template <class A>
  void archive(A& a) {
    a.each(slots_, [&](auto& of_host) {
      a.each(of_host, [&](auto& of_slot) {
        a.each(of_slot, [&](std::unique_ptr<T>& flow) {
          if (flow == nullptr) flow = std::make_unique<T>();
          flow->archive(a);
        });
      });
    });
  }

 private:
  std::vector<std::vector<std::vector<std::unique_ptr<T>>>> slots_;  // by sender, then slot, in order of start
};

}  // namespace weir::anatomy
