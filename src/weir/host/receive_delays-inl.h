// ReceiveDelays: the bodies. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <cmath>

#include "weir/base/random.h"
#include "weir/host/receive_delays.h"

namespace weir::host {

template <class P>
void ReceiveDelays<P>::delay(std::uint32_t port, std::uint32_t h, const net::Packet& packet, Time now) {
  const auto& delays = model().host;
  const bool is_cnp = packet.kind == net::PacketKind::cnp;
  net::PacketRing& ring = is_cnp ? queues_[h].cnps : queues_[h].answers;
  Time due = now + (is_cnp ? delays.cnp_delay : delays.receive_delay + draw(h, delays.receive_jitter));
  if (!ring.empty()) due = std::max(due, ring[ring.tail - 1].departs);
  if ((packet.flags & net::kSack) != 0) packets().sack(packet).host_delay = due - now;
  net::Descriptor& placed = ring.push();
  placed = packet;
  placed.departs = due;
  placed.ingress = shared().port(port).local;
  placed.record = packets().store(packet);
  schedule(h);
}

template <class P>
inline Time ReceiveDelays<P>::stamp(std::uint32_t h, Time now) {
  return queues_.empty() ? now : now + draw(h, model().host.timestamp_jitter);
}

template <class P>
void ReceiveDelays<P>::on_due(std::uint32_t h, Time now) {
  for (net::PacketRing* ring : {&queues_[h].cnps, &queues_[h].answers})
    while (!ring->empty() && ring->front().departs <= now) {
      const std::uint32_t port = model().routing.ports_of(h)[ring->front().ingress];
      const net::Packet packet = packets().load(ring->front());
      ring->pop();
      links().send(port, packet, now);
    }
  schedule(h);
}

template <class P>
Time ReceiveDelays<P>::draw(std::uint32_t h, Time mean) {
  if (mean == Time{}) return {};
  const RandomStream random(model().seed, h, Purpose::host_delay);
  return {std::llround(static_cast<double>(mean.ps) * random.exponential(queues_[h].drawn++))};
}

template <class P>
void ReceiveDelays<P>::schedule(std::uint32_t h) {
  Time next = Time::max();
  for (const net::PacketRing* ring : {&queues_[h].cnps, &queues_[h].answers})
    if (!ring->empty()) next = std::min(next, ring->front().departs);
  if (next < Time::max()) scheduler().schedule(shared().receive_delays(h), next);
}

template <class P>
template <class Visit>
void ReceiveDelays<P>::for_each_packet(Visit&& visit) const {
  for (std::uint32_t h = 0; h < queues_.size(); ++h)
    for (const net::PacketRing* ring : {&queues_[h].answers, &queues_[h].cnps})
      for (std::uint32_t at = ring->head; at != ring->tail; ++at)
        visit(model().routing.ports_of(h)[(*ring)[at].ingress], packets().packet((*ring)[at]));
}

}  // namespace weir::host
