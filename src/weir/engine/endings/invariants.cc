#include "weir/engine/endings/invariants.h"

#include <fmt/format.h>

#include <vector>

namespace weir::engine {
namespace {

std::string broken_at(const net::Port& p, const std::vector<net::ClassQueues>& queues) {
  if (p.ring.cursor - p.ring.head > p.ring.size()) return "the cursor is outside the ring";
  if (p.urgent.cursor - p.urgent.head > p.urgent.size()) return "the cursor is outside the ring of the first class";
  std::uint64_t bytes = 0;
  std::uint32_t control = 0;
  const auto count = [&](const net::PacketRing& ring, std::uint32_t from) {
    for (std::uint32_t at = from; at != ring.tail; ++at)
      if (ring[at].is_control())
        ++control;
      else
        bytes += ring[at].wire;
  };
  count(p.urgent, p.urgent.cursor);
  if (bytes != p.urgent_queued) return fmt::format("{} bytes of the first class wait, not {}", bytes, p.urgent_queued);
  count(p.ring, p.ring.cursor);
  if (p.kind != net::PortKind::queued) {
    if (control != p.pending_control) return fmt::format("{} frames wait, not {}", control, p.pending_control);
    if (bytes != p.queued) return fmt::format("{} bytes wait, not {}", bytes, p.queued);
    return "";
  }
  const net::ClassQueues& of_port = queues[p.queues];
  for (unsigned c = 0; c < net::kTrafficClasses; ++c) {
    std::uint64_t waiting = 0;
    const net::PacketRing& ring = of_port.waiting[c];
    for (std::uint32_t at = ring.head; at != ring.tail; ++at) waiting += ring[at].wire;
    if (waiting != of_port.bytes[c])
      return fmt::format("{} bytes of class {} wait, not {}", waiting, c, of_port.bytes[c]);
  }
  return "";
}

std::string broken_at(const host::Flow& f, const host::Host& host) {
  if (f.snd_una < 0 || f.snd_una > f.snd_nxt || f.snd_nxt > f.size()) return "its sequence numbers are out of order";
  if (f.snd_max > f.size()) return "more has been sent than there is";
  if (f.not_in_flight < 0 || f.in_flight() < 0) return fmt::format("{} bytes are in flight", f.in_flight());
  if (f.rests() && (f.in_flight() != 0 || f.control.timer != cc::kNoTimer)) return "it rests, but waits for something";
  if (!f.selective) {  // all bytes but those between messages are in flight
    const bool has_gaps = f.is_connection && f.snd_nxt > f.snd_una;
    return has_gaps || f.not_in_flight == 0 ? "" : fmt::format("{} bytes are not in flight, not 0", f.not_in_flight);
  }
  const host::Scoreboard& board = host.extras[f.slot].scoreboard;
  const std::int64_t known = board.lost_bytes() + board.delivered_bytes() + board.gap_bytes();
  if (known != f.not_in_flight) return fmt::format("{} bytes are not in flight, not {}", known, f.not_in_flight);
  if (f.resend != (board.lost_bytes() > 0)) return "what is lost is not what is to be sent again";
  return "";
}

std::string broken_at(const host::Host& host) {
  std::vector<bool> free(host.flows.size());
  if (host.generations.size() != host.flows.size()) return "slots and generations are not as many";
  for (const std::uint32_t slot : host.free_slots) {
    if (slot >= host.flows.size() || free[slot] || host.flows[slot] != nullptr)
      return fmt::format("slot {} is free twice, or has a flow", slot);
    free[slot] = true;
  }
  for (std::uint32_t slot = 0; slot < host.flows.size(); ++slot) {
    const host::Flow* f = host.flows[slot];
    if ((f == nullptr) != free[slot]) return fmt::format("slot {} is neither free nor used", slot);
    if (f == nullptr) continue;
    if (f->slot != slot || f->generation != host.generations[slot])
      return fmt::format("slot {} has the flow of another", slot);
    if (const std::string broken = broken_at(*f, host); !broken.empty())
      return fmt::format("flow {}: {}", f->id, broken);
  }
  return "";
}

}  // namespace

std::string broken_invariant(const Network& network) {
  for (std::size_t id = 0; id < network.ports.size(); ++id)
    if (const std::string broken = broken_at(network.ports[id], network.queues); !broken.empty())
      return fmt::format("port {}: {}", id, broken);
  for (std::size_t h = 0; h < network.hosts.size(); ++h)
    if (const std::string broken = broken_at(network.hosts[h]); !broken.empty())
      return fmt::format("host {}: {}", h, broken);
  return "";
}

}  // namespace weir::engine
