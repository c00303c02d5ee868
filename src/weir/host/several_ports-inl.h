// Nics: hosts with several ports. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/host/nics.h"

namespace weir::host {

template <class P>
template <class Model>
void Nics<P>::find_ports(const Model& m) {
  several_.resize(m.topology.hosts);
  for (std::uint32_t h = 0; h < m.topology.hosts; ++h)
    for (const std::uint32_t port : m.routing.ports_of(h)) {
      OwnPort& own = several_[h].ports.emplace_back();
      own.port = port;
      // Hosts are fewer than 2^21, and ports of a host at most 16: no two streams are the same.
      const auto lane = static_cast<std::uint32_t>(several_[h].ports.size() - 1);
      if (!is_ideal_) own.timing.emplace(m.host, m.seed, lane * kMaxHosts + h);
    }
}

template <class P>
std::uint32_t Nics<P>::number_of(const Host& host) const {
  return static_cast<std::uint32_t>(&host - network().hosts.data());
}

template <class P>
typename Nics<P>::OwnPort& Nics<P>::own_port(std::uint32_t h, std::uint32_t port) {
  auto& ports = several_[h].ports;
  return *std::find_if(ports.begin(), ports.end(), [&](const OwnPort& own) { return own.port == port; });
}

template <class P>
std::uint32_t Nics<P>::port_of(const Host& host, const Flow& flow) const {
  if (!have_several_ || flow.takes_all_ports()) return host.nic();
  return switching().routing().nic(number_of(host), flow.dst, flow.entropy);
}

template <class P>
Rate Nics<P>::rate_of(const Host& host, const Flow& flow) const {
  if (!have_several_ || !flow.takes_all_ports()) return model().host.capped(shared().port(port_of(host, flow)).rate);
  Rate all;
  for (const std::uint32_t port : switching().routing().ports_to(number_of(host), flow.dst))
    all = all + shared().port(port).rate;
  return model().host.capped(all);
}

template <class P>
Rate Nics<P>::path_rate_of(const Host& host, const Flow& flow, Rate slowest) const {
  if (!have_several_ || !flow.takes_all_ports()) return model().host.capped(slowest);
  const auto ports = static_cast<std::int64_t>(switching().routing().ports_to(number_of(host), flow.dst).size());
  return model().host.capped({ports * slowest.bits_per_second});
}

template <class P>
std::uint32_t Nics<P>::next_entropy(std::uint32_t h, const Flow& flow, Time now) {
  auto& drawn = several_[h].drawn;
  if (flow.slot >= drawn.size()) drawn.resize(flow.slot + std::size_t{1});
  Drawn& next = drawn[flow.slot];
  if (!next.is_there || next.generation != flow.generation) {
    Host& host = network().hosts[h];
    const std::uint32_t connection = host.extras_of(flow.slot).connection;
    next = {flow.generation, host.connections.paths(connection).next(now), true};
  }
  return next.entropy;
}

template <class P>
std::uint32_t Nics<P>::take_entropy(std::uint32_t h, const Flow& flow, Time now) {
  const std::uint32_t out = next_entropy(h, flow, now);
  several_[h].drawn[flow.slot].is_there = false;
  return out;
}

// The port by which the flow's next packet leaves, unless the flow leaves by any (PortChoice::free).
template <class P>
std::uint32_t Nics<P>::port_of_next(std::uint32_t h, const Flow& flow, Time now) {
  if (flow.ports != PortChoice::entropy) return port_of(network().hosts[h], flow);
  return switching().routing().nic(h, flow.dst, next_entropy(h, flow, now));
}

template <class P>
void Nics<P>::make_ready_of_several(Host& host, Flow& flow, Time now) {
  const std::uint32_t h = number_of(host);
  SlotQueue* queue = &host.ready;
  if (flow.ports == PortChoice::free)
    for (OwnPort& own : several_[h].ports) own.skips_common = false;
  else
    queue = &own_port(h, port_of_next(h, flow, now)).ready;
  if (flow.burst_left == 0)
    queue->push({flow.slot, flow.generation});
  else
    queue->push_front({flow.slot, flow.generation});
}

template <class P>
void Nics<P>::serve_several(std::uint32_t h, Time now) {
  HostPorts& all = several_[h];
  const auto count = static_cast<std::uint32_t>(all.ports.size());
  const std::uint32_t first = all.last + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t index = (first + i) % count;
    OwnPort& own = all.ports[index];
    const net::Port& port = shared().port(own.port);
    if (port.paused == all_classes_) continue;
    while (port.free_at <= now) {
      const bool common = all.common_is_next;
      if (!(common ? send_common(h, own, now) || send_own(h, own, now)
                   : send_own(h, own, now) || send_common(h, own, now)))
        break;
      all.last = index;
    }
  }
}

// Sends one packet of a flow in this port's own queue. Returns whether there was one.
template <class P>
bool Nics<P>::send_own(std::uint32_t h, OwnPort& own, Time now) {
  Host& host = network().hosts[h];
  const net::Port& port = shared().port(own.port);
  while (!own.ready.empty()) {
    const SlotQueue::Entry next = own.ready.pop();
    Flow* flow = host.find(next.slot, next.generation);
    if (flow == nullptr) continue;
    if (is_paused(port, *flow)) {
      own.parked.push_back(next);
    } else if (take_turn(h, *flow, own.port, now)) {
      several_[h].common_is_next = true;
      return true;
    }
  }
  return false;
}

// Sends one packet of a flow in the common queue by this port. Returns whether there was one. Flows whose packets may
// not leave by the port go behind the others.
template <class P>
bool Nics<P>::send_common(std::uint32_t h, OwnPort& own, Time now) {
  if (own.skips_common) return false;
  Host& host = network().hosts[h];
  const net::Port& port = shared().port(own.port);
  const net::Routing& routing = switching().routing();
  for (std::uint32_t left = host.ready.size(); left > 0; --left) {
    const SlotQueue::Entry next = host.ready.pop();
    Flow* flow = host.find(next.slot, next.generation);
    if (flow == nullptr) continue;
    if (is_paused(port, *flow) || !routing.is_usable(own.port, flow->dst)) {
      host.ready.push(next);
    } else if (take_turn(h, *flow, own.port, now)) {
      several_[h].common_is_next = false;
      return true;
    }
  }
  own.skips_common = true;
  return false;
}

template <class P>
std::uint32_t Nics<P>::choose_for_answer(std::uint32_t h, std::uint32_t dst, std::uint32_t entropy,
                                         std::uint16_t profile, net::TrafficClass c, Time now) {
  switch (model().profiles[profile].balancing.answer_ports) {
    case AnswerPorts::hash: return switching().routing().nic(h, dst, entropy);
    case AnswerPorts::free: return idle_port(h, dst, c, now);
    default: return came_by_;
  }
}

// Of the ports that lead to the destination, the next one, round robin, by which a packet of this class may begin to
// leave at once; if there is none, the next one.
template <class P>
std::uint32_t Nics<P>::idle_port(std::uint32_t h, std::uint32_t dst, net::TrafficClass c, Time now) {
  HostPorts& all = several_[h];
  const auto count = static_cast<std::uint32_t>(all.ports.size());
  const std::uint32_t before = all.last;
  bool found = false;
  for (std::uint32_t i = 1; i <= count; ++i) {
    const std::uint32_t index = (before + i) % count;
    const net::Port& port = shared().port(all.ports[index].port);
    if (!switching().routing().is_usable(all.ports[index].port, dst)) continue;
    const bool is_idle = port.free_at <= now && (port.paused & net::class_bit(c)) == 0;
    if (found && !is_idle) continue;
    all.last = index;
    found = true;
    if (is_idle) break;
  }
  return all.ports[all.last].port;
}

// When the next flow of a host with several ports may send; max = none can.
template <class P>
Time Nics<P>::wake_of_several(std::uint32_t h, Time now) const {
  const Host& host = network().hosts[h];
  Time next = Time::max();
  Time first_free = Time::max();
  for (const OwnPort& own : several_[h].ports) {
    const net::Port& port = shared().port(own.port);
    if (port.paused == all_classes_) continue;
    first_free = std::min(first_free, port.free_at);
    if (!own.ready.empty() || (!host.ready.empty() && !own.skips_common))
      next = std::min(next, std::max(now, port.free_at));
  }
  if (!host.pacing.empty() && first_free < Time::max())
    next = std::min(next, std::max(host.pacing.first(), first_free));
  return next;
}

template <class P>
void Nics<P>::follow_routes(Time now) {
  for (std::uint32_t h = 0; h < several_.size(); ++h) {
    if (!shared().mine(h)) continue;
    Host& host = network().hosts[h];
    std::vector<SlotQueue::Entry> moved;
    for (OwnPort& own : several_[h].ports) {
      own.skips_common = false;
      const auto stays = [&](const SlotQueue::Entry& entry) {
        const Flow* flow = host.find(entry.slot, entry.generation);
        if (flow == nullptr || port_of_next(h, *flow, now) == own.port) return true;
        moved.push_back(entry);
        return false;
      };
      for (std::uint32_t left = own.ready.size(); left > 0; --left)
        if (const SlotQueue::Entry entry = own.ready.pop(); stays(entry)) own.ready.push(entry);
      std::erase_if(own.parked, [&](const SlotQueue::Entry& entry) { return !stays(entry); });
    }
    for (const SlotQueue::Entry& entry : moved) {
      const Flow& flow = *host.find(entry.slot, entry.generation);
      own_port(h, port_of_next(h, flow, now)).ready.push(entry);
    }
    update_wake(h, now);
  }
}

}  // namespace weir::host
