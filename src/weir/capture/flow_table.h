// Which flow a packet belongs to, also when it has outlived the flow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weir/capture/frames.h"
#include "weir/net/trace.h"

namespace weir::capture {

// Holds 40 bytes for each flow that has started.
class FlowTable {
 public:
  void add(const net::TraceEvent& started) {
    const net::PacketView& p = started.packet;
    if (started.src >= slots_.size()) slots_.resize(started.src + std::size_t{1});
    auto& slots = slots_[started.src];
    if (p.slot >= slots.size()) slots.resize(p.slot + std::size_t{1});
    slots[p.slot].push_back({p.generation, p.dst, started.flow, started.first.count, 0});
  }

  // Null if it has not started.
  FlowOfPacket* find(std::uint32_t src, const net::PacketView& packet) {
    if (src >= slots_.size() || packet.slot >= slots_[src].size()) return nullptr;
    auto& flows = slots_[src][packet.slot];
    if (!flows.empty() && flows.back().generation == packet.generation) [[likely]]
      return &flows.back();
    const auto at = std::find_if(flows.rbegin(), flows.rend(),
                                 [&](const FlowOfPacket& f) { return f.generation == packet.generation; });
    return at == flows.rend() ? nullptr : &*at;
  }

 private:
  std::vector<std::vector<std::vector<FlowOfPacket>>> slots_;  // by sender, then slot, in order of start
};

}  // namespace weir::capture
