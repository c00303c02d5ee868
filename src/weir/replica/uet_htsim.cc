#include "weir/replica/uet_htsim.h"

#include <algorithm>

namespace weir::replica {

std::uint32_t HtsimUet::queued_bytes(std::uint32_t port) {
  const uet::Port& p = network_.ports()[port];
  return static_cast<std::uint32_t>(p.data_bytes + p.header_bytes);
}

void HtsimUet::for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const {
  for (const uet::Flow& f : network_.flows()) {
    if (f.finished || f.start < 0) continue;
    host::Flow flow;
    const std::int64_t mss = f.sender.facts.payload.count;
    flow.snd_una = std::min(f.connection.size.count, f.receiver.payload);
    flow.snd_nxt = std::min(f.connection.size.count, f.sender.next_seq * mss);
    flow.facts = f.sender.facts;
    flow.control = f.sender.control;
    flow.dst = f.connection.dst;
    flow.profile = f.connection.profile;
    flow.id = f.id;
    flow.retransmitted = f.retransmitted;
    flow.tag = f.connection.tag;
    visit(f.connection.src, flow);
  }
}

}  // namespace weir::replica
