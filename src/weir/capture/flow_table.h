// Which flow a packet belongs to, also when it has outlived the flow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "weir/capture/frames.h"
#include "weir/net/trace.h"

namespace weir::capture {

// Holds 56 bytes for each flow that has started.
class FlowTable {
 public:
  void add(const net::TraceEvent& started) {
    const net::PacketView& p = started.packet;
    if (started.src >= slots_.size()) slots_.resize(started.src + std::size_t{1});
    auto& slots = slots_[started.src];
    if (p.slot >= slots.size()) slots.resize(p.slot + std::size_t{1});
    auto& flows = slots[p.slot];
    FlowOfPacket flow{.generation = p.generation,
                      .dst = p.dst,
                      .id = started.flow,
                      .connection = started.flow,
                      .begin = p.seq,
                      .end = p.seq + started.first.count};
    if (p.seq > 0 && !flows.empty()) {  // the connection goes on
      flow.connection = flows.back().connection;
      flow.before = flows.back().before + 1;
      flow.echo_us = flows.back().echo_us;
    }
    flows.push_back(flow);
  }

  // Null if it has not started.
  FlowOfPacket* find(std::uint32_t src, const net::PacketView& packet) {
    if (src >= slots_.size() || packet.slot >= slots_[src].size()) return nullptr;
    auto& flows = slots_[src][packet.slot];
    const std::int64_t byte = byte_of(packet);
    const auto is_of = [&](const FlowOfPacket& f) { return f.generation == packet.generation && f.begin <= byte; };
    if (!flows.empty() && is_of(flows.back())) [[likely]]
      return &flows.back();
    const auto at = std::find_if(flows.rbegin(), flows.rend(), is_of);
    return at == flows.rend() ? nullptr : &*at;
  }

 private:
  // A byte of the message that it has to do with: an acknowledgement with the last that it acknowledges.
  static std::int64_t byte_of(const net::PacketView& p) {
    if (p.is_acknowledgement()) return std::max<std::int64_t>(0, p.seq - 1);
    return p.is_data() || p.kind == net::PacketKind::or_ack ? p.seq : std::numeric_limits<std::int64_t>::max();
  }

  std::vector<std::vector<std::vector<FlowOfPacket>>> slots_;  // by sender, then slot, in order of start
};

}  // namespace weir::capture
