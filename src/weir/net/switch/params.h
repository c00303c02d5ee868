// What a scenario says of a network's switches and links: marking, classes, adaptive routing, trimming, pause frames.
// The shared buffer's parameters are in switch_buffer.h, the watchdog's in watchdog.h.
#pragma once

#include <cstdint>

#include "weir/base/params.h"
#include "weir/net/model/routing.h"
#include "weir/net/port/class_queues.h"
#include "weir/net/port/port.h"

namespace weir::net {

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
            Bytes{4'000'000'000})
        .only_with("enabled", {"true"});
    p.bytes("k_max", &EcnParams::k_max, "queue length above which everything is marked", "HPCC 5.1", Bytes{0},
            Bytes{4'000'000'000})
        .only_with("enabled", {"true"});
    p.number("p_max", &EcnParams::p_max, 0, 1, "marking probability at k_max", "HPCC public simulator")
        .only_with("enabled", {"true"});
    p.rate("at_rate", &EcnParams::at_rate,
           "link rate for which k_min and k_max are given; other links scale in proportion, 0 bps = all links alike",
           "HPCC 5.1")
        .only_with("enabled", {"true"});
  }
};

// Thresholds of the links of one rate, instead of the scaled ones.
struct EcnOverride {
  Rate rate{100'000'000'000};
  Bytes k_min;
  Bytes k_max;
  double p_max = 1;

  static void describe(ParamList<EcnOverride>& p) {
    p.rate("rate", &EcnOverride::rate, "links of exactly this rate", "", Rate{1})
        .only_with("network.ecn.enabled", {"true"})
        .required = true;
    p.bytes("k_min", &EcnOverride::k_min, "queue length up to which nothing is marked", "", Bytes{0},
            Bytes{4'000'000'000})
        .only_with("network.ecn.enabled", {"true"})
        .required = true;
    p.bytes("k_max", &EcnOverride::k_max, "queue length above which everything is marked", "", Bytes{0},
            Bytes{4'000'000'000})
        .only_with("network.ecn.enabled", {"true"})
        .required = true;
    p.number("p_max", &EcnOverride::p_max, 0, 1, "marking probability at k_max")
        .only_with("network.ecn.enabled", {"true"});
  }
};

// A data class: the first row is class 0, the next one class 1...
struct ClassRow {
  Bytes quantum{4'096};
  bool pfc = true;

  static void describe(ParamList<ClassRow>& p) {
    p.bytes("quantum", &ClassRow::quantum, "what the class may send more at each visit; scheduling = drr",
            "Shreedhar and Varghese, ToN 1996", Bytes{64}, Bytes{1'000'000})
        .only_with("network.scheduling", {"drr"});
    p.flag("pfc", &ClassRow::pfc, "paused in lossless mode; else its packets are dropped as in lossy mode",
           "IEEE 802.1Qbb")
        .only_with("network.buffer.mode", {"lossless"});
  }
};

// What holds for the ports of one link: marked never up to min, always above max; in bytes.
struct EcnThresholds {
  std::uint32_t min = ~std::uint32_t{0};
  std::uint32_t max = ~std::uint32_t{0};
  double probability = 0;  // at max
};

// How a switch measures its queues for packets that take the shortest (adaptive routing; uet-htsim ecmp_ar).
struct AdaptiveParams {
  bool quantised = true;
  double level_1 = 0.05;
  double level_2 = 0.1;
  double level_3 = 0.2;
  Time refresh{100'000};

  static void describe(ParamList<AdaptiveParams>& p) {
    using A = AdaptiveParams;
    p.flag("quantised", &A::quantised, "queues are told apart by four levels only; else by their bytes",
           "Spraying II-A; uet-htsim")
        .only_with("algorithm.load_balancing.kind", {"adaptive"});
    p.number("level_1", &A::level_1, 0, 1, "a queue below this share of network.buffer.size is of level 0", "uet-htsim")
        .only_with("algorithm.load_balancing.kind", {"adaptive"})
        .only_with("quantised", {"true"});
    p.number("level_2", &A::level_2, 0, 1, "... below this of level 1", "uet-htsim")
        .only_with("algorithm.load_balancing.kind", {"adaptive"})
        .only_with("quantised", {"true"});
    p.number("level_3", &A::level_3, 0, 1, "... below this of level 2, above of level 3", "uet-htsim")
        .only_with("algorithm.load_balancing.kind", {"adaptive"})
        .only_with("quantised", {"true"});
    p.time("refresh", &A::refresh, "how long a switch goes by its last look at a queue before it looks again",
           "uet-htsim", Time{0}, Time{1'000'000'000})
        .only_with("algorithm.load_balancing.kind", {"adaptive"});
  }

  // The level, or else the bytes, by which a queue of so many bytes in a buffer of `size` is compared with others.
  std::uint32_t measure(std::uint32_t queued, Bytes size) const {
    if (!quantised) return queued;
    const double share = static_cast<double>(queued) / static_cast<double>(size.count);
    return share < level_1 ? 0 : share < level_2 ? 1 : share < level_3 ? 2 : 3;
  }
};

// The queue that a record of telemetry tells: what a packet leaves behind when it departs, or what it found on arrival.
enum class IntQueue : std::uint8_t { left, found };

// How a switch takes its ports in turn, for flows that leave it the choice in this way.
enum class Rounds : std::uint8_t { shuffled, fixed };

// How leaves estimate and remember congestion (net/switch/conga.h).
struct CongaParams {
  Time tau{160'000'000};
  double alpha = 0.1;
  std::int64_t bits = 3;
  Time age{10'000'000'000};

  static void describe(ParamList<CongaParams>& p) {
    using C = CongaParams;
    p.time("tau", &C::tau,
           "load_balancing.kind = \"conga\": about how long the estimator of a link remembers what was sent",
           "CONGA 3.2, 3.6", Time{1'000}, Time{100'000'000'000})
        .only_with("algorithm.load_balancing.kind", {"conga"});
    p.number("alpha", &C::alpha, 0.001, 0.9, "the estimator forgets this share of what it holds every tau * alpha",
             "CONGA 3.2, which names no value")
        .only_with("algorithm.load_balancing.kind", {"conga"});
    p.integer("bits", &C::bits, 1, 8, "of a congestion metric", "CONGA 3.6: Q = 3, 3 to 6")
        .only_with("algorithm.load_balancing.kind", {"conga"});
    p.time("age", &C::age, "age at which a metric that is not told again begins to fall; it is 0 at twice that age",
           "CONGA 3.3: 10 ms", Time{1'000'000}, Time{kPicosecondsPerSecond})
        .only_with("algorithm.load_balancing.kind", {"conga"});
  }
};

struct NetworkParams {
  PortKind port = PortKind::fifo;
  bool telemetry = true;
  Scheduling scheduling = Scheduling::fifo;
  IntQueue int_queue = IntQueue::left;
  Bytes pfc_frame{64};
  bool reroute = true;
  Time reroute_delay;
  bool trimming = false;
  Bytes trimmed_frame{64};
  Rounds rounds = Rounds::shuffled;
  Time flowlet_gap{500'000'000};
  std::int64_t flowlet_entries = 65'536;
  CongaParams conga;
  Multipath ecmp = Multipath::equal;

  static void describe(ParamList<NetworkParams>& p) {
    p.choice("port", &NetworkParams::port, {"fifo", "queued"},
             "switch ports: one event per packet, or the plain two-event reference; the same results");
    p.flag("telemetry", &NetworkParams::telemetry,
           "switches can write telemetry (INT); it is written for flows that read it");
    p.choice(
         "int_queue", &NetworkParams::int_queue, {"left", "found"},
         "the queue that telemetry tells: what a packet leaves behind at the port when it departs, or what it found "
         "there when it arrived; found takes two events per packet",
         "HPCC 4.1, A.4")
        .only_with("algorithm.telemetry");
    p.flag("reroute", &NetworkParams::reroute,
           "when a link goes down or up, all switches know of it after reroute_delay and take the shortest paths that "
           "are left; without it they go on sending by links that are down")
        .only_with("network.changes");
    p.time("reroute_delay", &NetworkParams::reroute_delay,
           "how long routes take to converge; until then switches and hosts go on as if nothing had happened")
        .only_with("network.changes")
        .only_with("reroute", {"true"});
    p.flag("trimming", &NetworkParams::trimming,
           "a data packet for which there is no room loses its payload, and goes on ahead of all data",
           "Cheng et al., NSDI 2014; Ultra Ethernet 1.0");
    p.bytes("trimmed_frame", &NetworkParams::trimmed_frame, "size of a trimmed packet", "uet-htsim", Bytes{1},
            Bytes{1'000})
        .only_with("trimming", {"true"});
    p.choice("rounds", &NetworkParams::rounds, {"shuffled", "fixed"},
             "the order in which a switch takes its ports for flows with load_balancing.kind = \"round-robin\": drawn "
             "anew for each round, or always the same",
             "uet-htsim")
        .only_with("algorithm.load_balancing.kind", {"round-robin"});
    p.time("flowlet_gap", &NetworkParams::flowlet_gap,
           "load_balancing.kind = \"flowlets\" or \"conga\": silence of a flow after which a switch chooses its port "
           "anew; where this is less than paths differ in delay, packets overtake each other",
           "CONGA, SIGCOMM 2014; LetFlow, NSDI 2017", Time{1}, Time{kPicosecondsPerSecond})
        .only_with("algorithm.load_balancing.kind", {"flowlets", "conga"});
    p.integer("flowlet_entries", &NetworkParams::flowlet_entries, 1, 1 << 24,
              "places in a switch's table of flowlets; flows whose hashes have the same place share their port",
              "CONGA, SIGCOMM 2014")
        .only_with("algorithm.load_balancing.kind", {"flowlets", "conga"});
    p.part("conga_", &NetworkParams::conga);
    p.choice("ecmp", &NetworkParams::ecmp, {"equal", "capacity"},
             "how hashes are shared among equal-cost next hops: to each the same, or by what it can carry to the "
             "destination, the slowest link beyond it included",
             "WCMP, EuroSys 2014");
    p.choice(
         "scheduling", &NetworkParams::scheduling, {"fifo", "priority", "drr"},
         "several data classes at a port: in order of arrival, the class with the smallest number first, or deficit "
         "round robin",
         "Shreedhar and Varghese, ToN 1996")
        .only_with("network.class");
    p.bytes("pfc_frame", &NetworkParams::pfc_frame, "size of a pause or resume frame", "IEEE 802.1Qbb", Bytes{1},
            Bytes{1'000})
        .only_with("network.buffer.mode", {"lossless"});
  }
};

}  // namespace weir::net
