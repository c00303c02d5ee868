// Everything about a run that does not change while it runs. Shared by all partitions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "weir/engine/model/epochs.h"
#include "weir/engine/model/faults.h"
#include "weir/host/clock.h"
#include "weir/host/params.h"
#include "weir/host/transport.h"
#include "weir/net/model/path_facts.h"
#include "weir/net/model/routing.h"
#include "weir/net/model/topology.h"
#include "weir/net/switch/params.h"
#include "weir/net/switch/path_policies.h"
#include "weir/net/switch/switch_buffer.h"
#include "weir/net/switch/watchdog.h"

namespace weir::engine {

struct Model {
  // `routing` has all links up, and divides packets among next hops as `n.ecmp` says. So do the routings without links
  // that are down.
  Model(net::Topology t, std::uint64_t s, const net::NetworkParams& n = {})
      : seed(s), topology(std::move(t)), routing(topology, s, {}, n.ecmp), paths(routing), network(n) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  std::uint64_t seed;
  net::Topology topology;
  net::Routing routing;
  net::Paths paths;
  net::NetworkParams network;
  net::BufferParams buffer;
  net::EcnParams ecn;
  std::vector<net::EcnOverride> ecn_overrides;
  net::AdaptiveParams adaptive;
  net::WatchdogParams watchdog;
  std::vector<net::ClassRow> classes;  // none: one, of all defaults
  Faults faults;
  host::TransportParams transport;
  host::HostParams host;
  std::optional<host::ClockParams> clocks;
  std::vector<host::Profile> profiles;

  // Wire sizes of a profile's full packet and of its acknowledgement.
  Bytes data_wire(const host::Profile& p) const {
    return transport.payload + transport.header + (p.reads_telemetry() ? transport.int_bytes : Bytes{0});
  }
  Bytes ack_wire(const host::Profile& p) const {
    const Bytes bare = transport.ack_header + (p.reads_telemetry() ? transport.int_bytes : Bytes{0});
    return bare < transport.min_frame ? transport.min_frame : bare;
  }
  // How a profile's flows are cut into packets; and how they would be without telemetry, which shows what they pay for
  // INT.
  net::Framing framing(const host::Profile& p) const {
    return {.payload = transport.payload,
            .header = data_wire(p) - transport.payload,
            .ack = ack_wire(p),
            .each_acked = p.ack_every.count == 0 && !p.stack,
            .sprayed = !p.balancing.has_one_path()};
  }
  net::Framing framing_without_int(const host::Profile& p) const {
    net::Framing out = framing(p);
    out.header = transport.header;
    out.ack = std::max(transport.ack_header, transport.min_frame);
    return out;
  }
  // The largest full packet, and the largest acknowledgement, of any profile.
  Bytes largest_data_wire() const {
    Bytes out;
    for (const auto& p : profiles) out = std::max(out, data_wire(p));
    return out;
  }
  Bytes largest_ack_wire() const {
    Bytes out;
    for (const auto& p : profiles) out = std::max(out, ack_wire(p));
    return out;
  }
  // The largest packet of any kind that switches hold: data, answers to them, and trimmed packets.
  Bytes largest_wire() const {
    Bytes out = std::max(largest_data_wire(), largest_ack_wire());  // none has less than min_frame
    if (network.trimming) out = std::max(out, network.trimmed_frame);
    for (const auto& p : profiles)
      if (p.on_ramp) out = std::max(out, p.on_ramp->ack_size);
    return out;
  }
  IntFormat int_format() const {
    return transport.int_mode == host::IntMode::exact ? IntFormat::exact() : IntFormat::wire(transport.int_multiplier);
  }
  unsigned data_classes() const { return std::max(1u, static_cast<unsigned>(classes.size())); }
  // The classes that PFC pauses.
  net::ClassSet pfc_classes() const {
    unsigned set = classes.empty() ? 1 : 0;
    for (std::size_t c = 0; c < classes.size(); ++c) set |= static_cast<unsigned>(classes[c].pfc) << c;
    return static_cast<net::ClassSet>(set);
  }
  net::ClassRules class_rules() const {
    net::ClassRules rules{.scheduling = network.scheduling, .classes = data_classes()};
    for (std::size_t c = 0; c < classes.size(); ++c)
      rules.quantum[c] = static_cast<std::uint32_t>(classes[c].quantum.count);
    return rules;
  }
  bool is_lossless() const { return buffer.mode == net::BufferMode::lossless && pfc_classes() != 0; }
  bool tells_found_queue() const { return network.int_queue == net::IntQueue::found; }
  bool watches() const { return watchdog.enabled && is_lossless(); }
  // The kind of the switches' ports. Several data classes need ports that decide at departure, and the watchdog needs
  // ports whose queue can be dropped. The queue that a packet finds is known only when it arrives, and how often a link
  // fails to send it only when it leaves.
  net::PortKind port_kind() const {
    if (data_classes() > 1 || watches() || tells_found_queue() || faults.some_links_retry) return net::PortKind::queued;
    const bool has_priority = transport.ack_class == host::AckClass::priority || network.trimming;
    return has_priority && network.port == net::PortKind::fifo ? net::PortKind::priority : network.port;
  }
  // Whether switches choose paths by this policy for some packets.
  bool uses(net::PathPolicy policy) const {
    return std::any_of(profiles.begin(), profiles.end(), [&](const auto& p) {
      return p.balancing.path_policy() == policy || p.balancing.ack_path_policy() == policy;
    });
  }
  // Whether switches may take turns, for all policies by which packets' paths are chosen.
  bool choices_keep_turns() const {
    return std::all_of(profiles.begin(), profiles.end(), [](const auto& p) {
      return net::PathPolicies::keeps_turns(p.balancing.path_policy()) &&
             net::PathPolicies::keeps_turns(p.balancing.ack_path_policy());
    });
  }
  // The entropy of a flow, which all its packets have unless it sprays. If hosts have several ports and flows keep to
  // lanes, it is an entropy with which routes take the port of the flow's lane.
  std::uint32_t entropy_of(std::uint32_t src, std::uint32_t dst, std::uint16_t sport, std::uint16_t dport,
                           std::uint16_t profile) const {
    const std::uint32_t hashed = net::flow_entropy(src, dst, sport, dport);
    const bool keeps_lane =
        routing.hosts_have_several_ports() && profiles[profile].balancing.ports == host::PortChoice::lane;
    return keeps_lane ? routing.entropy_of_lane(src, dst, hashed, sport) : hashed;
  }
  net::PortKind nic_kind() const {
    return data_classes() > 1 || faults.some_links_retry ? net::PortKind::queued : net::PortKind::fifo;
  }
};

net::EcnThresholds ecn_thresholds(const Model& model, Rate rate);

}  // namespace weir::engine
