#include "weir/replica/uet_htsim.h"

#include <algorithm>

namespace weir::replica {

std::uint32_t HtsimUet::queued_bytes(std::uint32_t port) {
  const uet::Port& p = network_.ports()[port];
  return static_cast<std::uint32_t>(p.data_bytes + p.header_bytes);
}

void HtsimUet::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  for (const uet::Flow& f : network_.flows()) {
    if (f.finished || f.start < 0) continue;
    const cc::FlowFacts& facts = f.sender.facts;
    const Bytes in_order{std::min(f.connection.size.count, f.receiver.payload)};
    const Bytes next{std::min(f.connection.size.count, f.sender.next_seq * facts.payload.count)};
    visit({.id = f.id,
           .src = f.connection.src,
           .dst = f.connection.dst,
           .retransmitted = f.retransmitted,
           .profile = f.connection.profile,
           .tag = f.connection.tag,
           .size = facts.size,
           .start = facts.start,
           .sent = next,
           .next = next,
           .in_order = in_order,
           .acknowledged = in_order,
           .in_flight = next - in_order,
           .window = f.sender.control.window,
           .rate = f.sender.control.rate,
           .line_rate = facts.line_rate,
           .base_rtt = facts.base_rtt,
           .payload = facts.payload,
           .wire = facts.wire});
  }
}

}  // namespace weir::replica
