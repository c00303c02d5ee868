// What the simulator of HPCC's authors can be told beyond what a scenario says anyway: the table [fidelity] of a
// scenario with run.fidelity = "ns3-hpcc". The words in capitals are its own keys.
#pragma once

#include <cstdint>
#include <string>

#include "weir/base/params.h"
#include "weir/net/model/topology.h"

namespace weir::replica {

struct Ns3Params {
  enum class Window : std::uint8_t { none, bdp, variable };

  Window window = Window::variable;
  bool global_t = true;
  bool rate_bound = true;
  bool multi_rate = false;
  bool sample_feedback = false;
  Rate dctcp_rate_ai{1'000'000'000};
  Rate dctcp_r_min{100'000'000};
  bool ack_high_prio = false;
  Bytes ack_interval{1};
  Bytes chunk{4000};
  bool back_to_zero = false;
  double loss = 0;
  std::string switches;
  Time link_down_at;
  std::uint32_t link_down_a = 0;
  std::uint32_t link_down_b = 0;

  static void describe(ParamList<Ns3Params>& p) {
    p.choice("window", &Ns3Params::window, {"none", "bdp", "variable"},
             "HPCC and DCTCP: no window (DCTCP only), a fixed one of the bandwidth-delay product, or one in proportion "
             "to the rate; DCQCN and TIMELY have a parameter of their own",
             "HAS_WIN, VAR_WIN");
    p.flag("global_t", &Ns3Params::global_t,
           "every flow takes the network's largest round-trip time and bandwidth-delay product; else those of its path",
           "GLOBAL_T");
    p.flag("rate_bound", &Ns3Params::rate_bound, "packets are paced at the flow's rate; else at the line rate",
           "RATE_BOUND");
    p.flag("multi_rate", &Ns3Params::multi_rate, "HPCC: a rate for each hop, the least of which counts", "MULTI_RATE");
    p.flag("sample_feedback", &Ns3Params::sample_feedback,
           "HPCC: between the updates of a round trip, hops without a queue do not count", "SAMPLE_FEEDBACK");
    p.rate("dctcp_rate_ai", &Ns3Params::dctcp_rate_ai, "DCTCP: additive increase in each round trip", "DCTCP_RATE_AI");
    p.rate("dctcp_r_min", &Ns3Params::dctcp_r_min, "DCTCP: lower bound of the rate", "MIN_RATE", Rate{1});
    p.flag("ack_high_prio", &Ns3Params::ack_high_prio,
           "a paused host still sends acknowledgements; in switches they share the data's queue all the same",
           "ACK_HIGH_PRIO");
    p.bytes("ack_interval", &Ns3Params::ack_interval,
            "bytes of a flow that arrive before its first acknowledgement; after them each packet is acknowledged",
            "L2_ACK_INTERVAL", Bytes{1}, Bytes{0xffffffff});
    p.bytes("chunk", &Ns3Params::chunk,
            "acknowledged at once: packets that end on its multiples; and what back_to_zero goes back to",
            "L2_CHUNK_SIZE", Bytes{1}, Bytes{0xffffffff});
    p.flag("back_to_zero", &Ns3Params::back_to_zero,
           "after a loss, send again from the chunk's beginning; else from the lost packet", "L2_BACK_TO_ZERO");
    p.number("loss", &Ns3Params::loss, 0, 1,
             "each packet, pause and resume frames included, is lost with this probability on each link that no row of "
             "[[network.loss]] names",
             "ERROR_RATE_PER_LINK");
    p.text("switches", &Ns3Params::switches,
           "the simulator's own numbers of the switches, ascending, like \"0\" or \"0-3,8\", where they are not the "
           "highest; hosts have the others in their order. Addresses and hashes follow them",
           "line 2 of the topology");
    p.time("link_down_at", &Ns3Params::link_down_at, "a link between two switches fails at this time; 0 = none",
           "LINK_DOWN");
    p.integer("link_down_a", &Ns3Params::link_down_a, 0, kMaxHosts + net::kMaxSwitches, "its one end, a node number",
              "LINK_DOWN");
    p.integer("link_down_b", &Ns3Params::link_down_b, 0, kMaxHosts + net::kMaxSwitches, "its other end", "LINK_DOWN");
  }
};

// The scenario's words for it.
inline constexpr const char* kNs3Hpcc = "ns3-hpcc";

}  // namespace weir::replica
