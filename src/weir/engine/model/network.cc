#include "weir/engine/model/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "weir/base/marking.h"

namespace weir::engine {

// The sum of the packet that made the pause due, the packet that the pause frame must wait for, the frame itself, the
// data that arrives while the frame travels and that is on the wire when it arrives, and the packet in transmission at
// the far end.
Bytes after_pause(const Model& model, const net::Link& link) {
  const Bytes packet = std::max(model.largest_data_wire(), model.largest_ack_wire());
  return 2 * bytes_in(link.delay, link.rate) + 3 * packet + model.network.pfc_frame;
}

namespace {

net::IngressLimits ingress_limits(const Model& model, const net::Link& link, Rate slowest_host) {
  net::IngressLimits limits;
  const auto on_wire = static_cast<double>(bytes_in(link.delay, link.rate).count);
  limits.headroom =
      std::max(after_pause(model, link).count, static_cast<std::int64_t>(model.buffer.headroom_delays * on_wire));
  double alpha = model.buffer.pfc_alpha;
  if (model.buffer.pfc_scale_alpha)
    for (auto r = slowest_host.bits_per_second * 2; r <= link.rate.bits_per_second; r *= 2) alpha *= 2;
  limits.alpha_q16 = net::SwitchBuffer::q16(alpha);
  return limits;
}

std::uint32_t packets_on_wire(const net::Link& link, Bytes packet) {
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(1 + bytes_in(link.delay, link.rate).count / packet.count, 1024));
}

Rate slowest_host_link(const net::Topology& t) {
  Rate out{std::numeric_limits<std::int64_t>::max()};
  for (const auto& link : t.links)
    if (link.a < t.hosts || link.b < t.hosts) out = std::min(out, link.rate);
  return out;
}

net::SwitchBuffer make_buffer(const Model& model, std::uint32_t s, Rate slowest_host) {
  std::vector<net::IngressLimits> limits;
  for (const std::uint32_t id : model.routing.ports(s))
    limits.push_back(ingress_limits(model, model.topology.links[id / 2], slowest_host));
  net::SwitchBuffer out(model.buffer, limits, model.data_classes(), model.pfc_classes());
  if (out.shared_capacity() < 0)
    throw InputError(
        "size", fmt::format("{} is smaller than the reserve and headroom of node {}, a switch; valid is {} or more, or "
                            "mode = \"lossy\", which sets nothing aside (headroom grows with the delays of links and "
                            "with headroom_delays)",
                            format_value(model.buffer.size), model.topology.hosts + s,
                            format_value(model.buffer.size + Bytes{-out.shared_capacity()})));
  return out;
}

}  // namespace

std::vector<net::SwitchBuffer> make_buffers(const Model& model) {
  const Rate slowest_host = slowest_host_link(model.topology);
  std::vector<net::SwitchBuffer> out;
  out.reserve(model.topology.switches);
  for (std::uint32_t s = 0; s < model.topology.switches; ++s) out.push_back(make_buffer(model, s, slowest_host));
  return out;
}

net::EcnThresholds ecn_thresholds(const Model& model, Rate rate) {
  if (!model.ecn.enabled) return {};
  std::vector<RedMarkingOfRate> rows;
  for (const auto& o : model.ecn_overrides) rows.push_back({o.rate, {o.k_min, o.k_max, o.p_max}});
  const auto marking = marking_at(rate, {model.ecn.k_min, model.ecn.k_max, model.ecn.p_max}, model.ecn.at_rate, rows);
  return {static_cast<std::uint32_t>(marking.k_min.count), static_cast<std::uint32_t>(marking.k_max.count),
          marking.p_max};
}

Network::Network(const Model& model, Time soonest)
    : ports(model.topology.ports()), path_policies(model), hosts(model.topology.hosts), soonest_news(soonest) {
  const auto& t = model.topology;
  for (std::uint32_t id = 0; id < t.ports(); ++id) {
    net::Port& p = ports[id];
    const auto& link = t.links[id / 2];
    p.rate = link.rate;
    p.rate_mbps = static_cast<std::uint32_t>(link.rate.bits_per_second / 1'000'000);
    p.delay = link.delay;
    p.owner = t.port_owner(id);
    p.peer = t.port_peer(id);
    p.at_switch = p.owner >= t.hosts;
    if (const auto faults = model.faults.links.find(id / 2); faults != model.faults.links.end())
      p.faults = &faults->second;
    if (p.faults != nullptr) p.effects |= net::kLoses;
    if (path_policies.follows_departures() && p.at_switch && p.peer >= t.hosts) p.effects |= net::kTells;
    const std::int64_t bits_ps = 8 * kPicosecondsPerSecond;
    const std::int64_t per_byte = bits_ps / link.rate.bits_per_second;
    if (bits_ps % link.rate.bits_per_second == 0 && per_byte <= 0xffffffff)
      p.ps_per_byte = static_cast<std::uint32_t>(per_byte);
    p.ring.expect(2 * packets_on_wire(link, model.transport.payload));
    p.kind = p.at_switch ? model.port_kind() : model.nic_kind();
    if (p.kind == net::PortKind::queued) {
      p.queues = static_cast<std::uint32_t>(queues.size());
      queues.emplace_back();
    }
    if (p.at_switch) {
      const net::EcnThresholds ecn = ecn_thresholds(model, p.rate);
      p.ecn_min = ecn.min;
      p.ecn_max = ecn.max;
      p.ecn_probability = ecn.probability;
    } else {
      const auto own = model.routing.ports_of(p.owner);
      p.local = static_cast<std::uint16_t>(std::find(own.begin(), own.end(), id) - own.begin());
      if (p.local == 0) hosts[p.owner].port = id;
    }
  }

  if (model.clocks)
    for (std::uint32_t h = 0; h < t.hosts; ++h) hosts[h].clock = host::Clock(*model.clocks, model.seed, h);
  if (const Time tick = model.transport.timer_tick; tick > Time{})
    for (std::uint32_t h = 0; h < t.hosts; ++h)
      hosts[h].first_tick = Time{-static_cast<std::int64_t>(
          RandomStream(model.seed, h, Purpose::timer_ticks).below(0, static_cast<std::uint64_t>(tick.ps)))};
  network_rtt = model.paths.network_rtt(model.largest_data_wire(), model.largest_ack_wire());

  if (model.watches()) watches.resize(t.ports());
  std::vector<net::SwitchBuffer> buffers = make_buffers(model);
  switches.resize(t.switches);
  for (std::uint32_t s = 0; s < t.switches; ++s) {
    std::uint16_t local = 0;
    for (const std::uint32_t id : model.routing.ports(s)) {
      ports[id].local = local++;
      ports[net::Topology::reverse(id)].index_at_peer = ports[id].local;
    }
    switches[s].buffer = std::move(buffers[s]);
  }
}

}  // namespace weir::engine
