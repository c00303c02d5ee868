// Answers. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <cmath>

#include "weir/base/random.h"
#include "weir/host/answers.h"

namespace weir::host {

template <class P>
void Answers<P>::keep(std::uint32_t h, const net::Packet& packet, Time now) {
  const auto& delays = model().host;
  const bool is_cnp = packet.kind == net::PacketKind::cnp;
  net::PacketRing& ring = is_cnp ? desks_[h].cnps : desks_[h].answers;
  Time due = now + (is_cnp ? delays.cnp_delay : delays.receive_delay + draw(h, delays.receive_jitter));
  if (!ring.empty()) due = std::max(due, ring[ring.tail - 1].departs);
  if ((packet.flags & net::kSack) != 0) packets().sack(packet).held = due - now;
  net::Descriptor& placed = ring.push();
  placed = packet;
  placed.departs = due;
  placed.body = packets().keep(packet);
  schedule(h);
}

template <class P>
inline Time Answers<P>::stamp(std::uint32_t h, Time now) {
  return desks_.empty() ? now : now + draw(h, model().host.timestamp_jitter);
}

template <class P>
void Answers<P>::on_due(std::uint32_t h, Time now) {
  for (net::PacketRing* ring : {&desks_[h].cnps, &desks_[h].answers})
    while (!ring->empty() && ring->front().departs <= now) {
      const net::Packet packet = packets().arrive(ring->front());
      ring->pop();
      fabric().send(network().hosts[h].nic(), packet, now);
    }
  schedule(h);
}

template <class P>
Time Answers<P>::draw(std::uint32_t h, Time mean) {
  if (mean == Time{}) return {};
  const RandomStream random(model().seed, h, Purpose::host_delay);
  return {std::llround(static_cast<double>(mean.ps) * random.exponential(desks_[h].drawn++))};
}

template <class P>
void Answers<P>::schedule(std::uint32_t h) {
  Time next = Time::max();
  for (const net::PacketRing* ring : {&desks_[h].cnps, &desks_[h].answers})
    if (!ring->empty()) next = std::min(next, ring->front().departs);
  if (next < Time::max()) scheduler().schedule(shared().answers(h), next);
}

template <class P>
template <class Visit>
void Answers<P>::for_each_packet(Visit&& visit) const {
  for (std::uint32_t h = 0; h < desks_.size(); ++h)
    for (const net::PacketRing* ring : {&desks_[h].answers, &desks_[h].cnps})
      for (std::uint32_t at = ring->head; at != ring->tail; ++at)
        visit(network().hosts[h].nic(), packets().packet((*ring)[at]));
}

}  // namespace weir::host
