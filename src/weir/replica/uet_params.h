// What uet-htsim can be told beyond what a scenario says anyway: the table [fidelity] of a scenario with
// run.fidelity = "htsim-uet". The words with a dash are htsim_uec's own options.
#pragma once

#include <cstdint>
#include <string>

#include "weir/base/params.h"

namespace weir::replica {

struct UetParams {
  enum class Spraying : std::uint8_t { oblivious, reps, reps_legacy, bitmap, mixed };
  enum class Routing : std::uint8_t { ecmp, adaptive, round_robin, host_adaptive, edge_round_robin };
  enum class Load : std::uint8_t { queue, bandwidth };

  Bytes buffer{798'720};
  bool trimming = true;
  Bytes trim_size{64};
  Spraying load_balancing = Spraying::mixed;
  std::uint32_t paths = 64;
  Routing routing = Routing::ecmp;
  Load load = Load::queue;
  bool flowlets = false;
  Time flowlet_gap{10'000'000};
  std::uint32_t slow_links = 0;
  Bytes sack_threshold{16'384};
  Bytes window{0};
  bool sender_cc = true;
  bool receiver_cc = false;
  bool oversubscribed_cc = false;
  double least_rate = 0.01;
  double rate_increase = 0.01;
  double rate_decrease = 0.5;
  double rate_gain = 0.5;
  bool sleek = false;
  bool own_base_rtt = false;
  bool base_rtt_of_nacks = true;
  Time edge_latency;
  Time middle_latency;
  Time core_latency;
  std::string connections;
  std::string one_path;

  static void describe(ParamList<UetParams>& p) {
    constexpr Bytes kMost{1'000'000'000};
    p.bytes("buffer", &UetParams::buffer,
            "of each switch port for data; headers and acknowledgements have a queue of their own that holds twice as "
            "much and goes first",
            "-q, in packets", Bytes{1}, kMost);
    p.flag("trimming", &UetParams::trimming, "a full port cuts packets to their headers; else it drops them",
           "-disable_trim");
    p.bytes("trim_size", &UetParams::trim_size, "size of a trimmed packet", "-trimsize", Bytes{64}, Bytes{60'000});
    p.choice("load_balancing", &UetParams::load_balancing, {"oblivious", "reps", "reps_legacy", "bitmap", "mixed"},
             "how a sender chooses the entropy of each packet", "-load_balancing_algo");
    p.integer("paths", &UetParams::paths, 1, 8192, "entropies of a flow; a power of two, 1 = one path",
              "-paths; -strat ecmp_ar and ecmp_rr set 1");
    p.choice("routing", &UetParams::routing, {"ecmp", "adaptive", "round-robin", "host-adaptive", "edge-round-robin"},
             "how a switch chooses among equal paths: ecmp: by hash of flow and entropy; adaptive: a port with the "
             "least load, and short packets by hash; round-robin: one after the other, and short packets by hash; "
             "host-adaptive: by hash, and half of the packets that this gives a port with the greatest load take one "
             "with the least; edge-round-robin: switches with hosts one after the other, others by hash",
             "-strat ecmp_host, ecmp_ar, ecmp_rr, ecmp_host_ar, rr_ecmp");
    p.choice("load", &UetParams::load, {"queue", "bandwidth"},
             "what adaptive switches compare: queue: four levels of the port's queue; bandwidth: what the simulator "
             "never measures, so that all ports are alike",
             "-ar_method queue or qb, bandwidth")
        .only_with("routing", {"adaptive", "host-adaptive"});
    p.flag("flowlets", &UetParams::flowlets,
           "adaptive: a flow keeps its port, and may change it after a pause; else each packet has a port of its own",
           "-ar_granularity flow")
        .only_with("routing", {"adaptive"});
    p.time("flowlet_gap", &UetParams::flowlet_gap, "a longer pause, after which every second packet looks for a port",
           "-ar_sticky_delta")
        .only_with("flowlets", {"true"});
    p.integer("slow_links", &UetParams::slow_links, 0, UINT32_MAX,
              "number of places with a quarter of their rate, buffer and ECN thresholds: with two tiers of switches, "
              "switches of the second with all their links; with three, links from the third down",
              "-failed");
    p.bytes("sack_threshold", &UetParams::sack_threshold,
            "bytes on the wire after which the receiver acknowledges; marked packets are acknowledged at once. Its "
            "count has 16 bits: a threshold that whole packets do not reach below 65,536 B is hardly ever reached",
            "-sack_threshold", Bytes{0}, kMost);
    p.bytes("window", &UetParams::window, "first window of a flow; 0 = that of the algorithm", "-cwnd, in packets",
            Bytes{0}, Bytes{1'000'000'000'000});
    p.flag("sender_cc", &UetParams::sender_cc, "senders have NSCC's window; else only receiver_cc holds them",
           "-sender_cc, -receiver_cc_only");
    p.flag("receiver_cc", &UetParams::receiver_cc,
           "receivers pull packets, each host at 0.99 of the rate of its link; ports to hosts do not mark",
           "-receiver_cc, -receiver_cc_only");
    p.flag("oversubscribed_cc", &UetParams::oversubscribed_cc,
           "the rate of pulls follows marks and trimmed packets; without receiver_cc it only changes what is random",
           "-oversubscribed_cc; oversubscribed topologies");
    p.number("least_rate", &UetParams::least_rate, 0.001, 1, "least rate of pulls, as a part of the link's",
             "0.9 over the oversubscription, at least 0.01")
        .only_with("oversubscribed_cc", {"true"});
    p.number("rate_increase", &UetParams::rate_increase, 0, 1,
             "increase of that rate at a time; doubled each time while there are no marks", "-Ai")
        .only_with("oversubscribed_cc", {"true"});
    p.number("rate_decrease", &UetParams::rate_decrease, 0, 1,
             "decrease by this part of what the smoothed share of marked packets exceeds 0.3 by", "-Md")
        .only_with("oversubscribed_cc", {"true"});
    p.number("rate_gain", &UetParams::rate_gain, 0, 1, "weight of the latest share in the smoothed one", "-alpha")
        .only_with("oversubscribed_cc", {"true"});
    p.flag("sleek", &UetParams::sleek,
           "packets are lost when many beyond them have arrived, and probes ask after silence", "-sleek")
        .only_with("sender_cc", {"true"});
    p.flag("own_base_rtt", &UetParams::own_base_rtt,
           "a flow begins with the base round trip of its path; else with that of the network, and learns its own",
           "-enable_accurate_base_rtt");
    p.flag("base_rtt_of_nacks", &UetParams::base_rtt_of_nacks, "it learns from trimmed packets too",
           "-disable_base_rtt_update_on_nack");
    p.time("edge_latency", &UetParams::edge_latency, "of a switch with hosts, from arrival to the next port's queue",
           "-switch_latency; Tier 0: Switch_Latency_ns");
    p.time("middle_latency", &UetParams::middle_latency, "of a switch above these", "Tier 1: Switch_Latency_ns");
    p.time("core_latency", &UetParams::core_latency, "of a switch of the third tier", "Tier 2: Switch_Latency_ns");
    Param& file = p.text("connections", &UetParams::connections,
                         "CSV of flows instead of [[traffic]]: their numbers, triggers and priorities");
    file.names_file = [](std::string_view name) { return !name.empty(); };
    p.text("one_path", &UetParams::one_path,
           "tag of the flows of [[traffic]] that keep to one path each, whatever load_balancing and routing are; "
           "\"\" = none",
           "ours; connections of a file say it themselves");
  }
};

// The scenario's words for it.
inline constexpr const char* kHtsimUet = "htsim-uet";

}  // namespace weir::replica
