// Everything about a run that does not change while it runs. Shared by all partitions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weir/host/transport.h"
#include "weir/net/path_facts.h"
#include "weir/net/port.h"
#include "weir/net/routing.h"
#include "weir/net/switch_buffer.h"
#include "weir/net/topology.h"

namespace weir::engine {

// RED marking of an egress queue when a packet leaves it: never up to k_min, with a probability
// that rises to p_max at k_max, always above (HPCC 5.1; Zhu et al., SIGCOMM'15, figure 5).
struct EcnParams {
  bool enabled = false;
  Bytes k_min{100'000};
  Bytes k_max{400'000};
  double p_max = 0.2;
  Rate at_rate{25'000'000'000};  // thresholds grow in proportion to the link rate; 0 = the same for all

  static void describe(ParamList<EcnParams>& p) {
    p.flag("enabled", &EcnParams::enabled, "mark packets on congestion");
    p.bytes("k_min", &EcnParams::k_min, "queue length up to which nothing is marked", "HPCC 5.1", Bytes{0},
            Bytes{4'000'000'000});
    p.bytes("k_max", &EcnParams::k_max, "queue length above which everything is marked", "HPCC 5.1", Bytes{0},
            Bytes{4'000'000'000});
    p.number("p_max", &EcnParams::p_max, 0, 1, "marking probability at k_max", "HPCC public simulator");
    p.rate("at_rate", &EcnParams::at_rate,
           "link rate for which k_min and k_max are given; other links scale in proportion, 0 bps = all links alike",
           "HPCC 5.1");
  }
};

// Thresholds of the links of one rate, in place of the scaled ones.
struct EcnOverride {
  Rate rate{100'000'000'000};
  Bytes k_min;
  Bytes k_max;
  double p_max = 1;

  static void describe(ParamList<EcnOverride>& p) {
    p.rate("rate", &EcnOverride::rate, "links of exactly this rate", "", Rate{1}).required = true;
    p.bytes("k_min", &EcnOverride::k_min, "queue length up to which nothing is marked", "", Bytes{0},
            Bytes{4'000'000'000})
        .required = true;
    p.bytes("k_max", &EcnOverride::k_max, "queue length above which everything is marked", "", Bytes{0},
            Bytes{4'000'000'000})
        .required = true;
    p.number("p_max", &EcnOverride::p_max, 0, 1, "marking probability at k_max");
  }
};

// What holds for the ports of one link: marked never up to min, always above max; in bytes.
struct EcnThresholds {
  std::uint32_t min = ~std::uint32_t{0};
  std::uint32_t max = ~std::uint32_t{0};
  double probability = 0;  // at max
};

struct NetworkParams {
  net::PortKind port = net::PortKind::fifo;
  Bytes pfc_frame{64};

  static void describe(ParamList<NetworkParams>& p) {
    p.choice("port", &NetworkParams::port, {"fifo", "queued"},
             "switch ports: one event per packet, or the plain two-event reference; the same results");
    p.bytes("pfc_frame", &NetworkParams::pfc_frame, "size of a pause or resume frame", "IEEE 802.1Qbb", Bytes{1},
            Bytes{1'000});
  }
};

struct Model {
  Model(net::Topology t, std::uint64_t s) : seed(s), topology(std::move(t)), routing(topology, s), paths(routing) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  std::uint64_t seed;
  net::Topology topology;
  net::Routing routing;
  net::Paths paths;
  NetworkParams network;
  net::BufferParams buffer;
  EcnParams ecn;
  std::vector<EcnOverride> ecn_overrides;
  host::TransportParams transport;
  std::vector<host::Profile> profiles;

  // Wire sizes of a profile's full packet and of its acknowledgement.
  Bytes data_wire(const host::Profile& p) const {
    return transport.payload + transport.header + (p.reads_telemetry() ? transport.int_bytes : Bytes{0});
  }
  Bytes ack_wire(const host::Profile& p) const {
    const Bytes bare = transport.ack_header + (p.reads_telemetry() ? transport.int_bytes : Bytes{0});
    return bare < transport.min_frame ? transport.min_frame : bare;
  }
  // The largest of any profile.
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
  IntFormat int_format() const {
    return transport.int_mode == host::IntMode::exact ? IntFormat::exact() : IntFormat::wire(transport.int_multiplier);
  }
  // Strict priority between classes needs ports that decide at departure.
  net::PortKind port_kind() const {
    return transport.ack_class == host::AckClass::priority ? net::PortKind::queued : network.port;
  }
};

EcnThresholds ecn_thresholds(const Model& model, Rate rate);

}  // namespace weir::engine
