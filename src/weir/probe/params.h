// The parameters of the probes.
#pragma once

#include <cstdint>
#include <string>

#include "weir/base/params.h"
#include "weir/net/path_facts.h"

namespace weir::probe {

inline constexpr const char* kPortsHelp =
    "; a list of all (switch ports), fabric (switch to switch), hosts (host NICs), edge (of switches with hosts), "
    "tier N (2: of the switches above them), both also with a direction, such as edge down (to hosts), edge up or "
    "tier 2 across (to the same tier), and links by node numbers such as 320->0, or 320-0 for both directions";
inline constexpr Time kMinInterval{1'000};

struct FlowsParams {
  net::IdealFct ideal = net::IdealFct::exact;
  std::string buckets = "1 KB, 10 KB, 100 KB, 1 MB, 10 MB";
  std::uint32_t equal_count_buckets = 0;
  bool paths = false;

  static void describe(ParamList<FlowsParams>& p) {
    p.choice("ideal", &FlowsParams::ideal, {"exact", "hpcc"},
             "what slowdown is taken against: the flow alone in the network, or the formula of HPCC's artifact; "
             "headers without INT",
             "HPCC public simulator");
    p.text("buckets", &FlowsParams::buckets, "slowdown is reported for flows up to each of these sizes and above");
    p.integer("equal_count_buckets", &FlowsParams::equal_count_buckets, 0, 1000,
              "report slowdown for this many groups of flows of similar size too, each with the same number of flows; "
              "20 in HPCC's figures; 0 = none",
              "HPCC 5.1");
    p.flag("paths", &FlowsParams::paths, "write the ports that each flow crosses to paths.csv");
  }
};

struct QueuesParams {
  std::string ports = "all";
  Time interval{1'000'000};
  Time start;
  Time stop;
  bool series = false;

  static void describe(ParamList<QueuesParams>& p) {
    p.text("ports", &QueuesParams::ports, std::string("ports to sample") + kPortsHelp);
    p.time("interval", &QueuesParams::interval, "time between samples", "HPCC 5.4", kMinInterval);
    p.time("start", &QueuesParams::start, "no sample before this time");
    p.time("stop", &QueuesParams::stop, "no sample from this time on; 0 = to the end of the run");
    p.flag("series", &QueuesParams::series, "write every sample to queues.csv");
  }
};

struct PacketsParams {
  std::string ports = "all, hosts";
  std::string flows;
  Time start;
  Time stop;

  static void describe(ParamList<PacketsParams>& p) {
    p.text("ports", &PacketsParams::ports, std::string("ports at which packets are followed") + kPortsHelp);
    p.text("flows", &PacketsParams::flows, "their ids, such as \"0, 17, 200-299\"; empty = all flows");
    p.time("start", &PacketsParams::start, "no event before this time");
    p.time("stop", &PacketsParams::stop, "no event from this time on; 0 = to the end of the run");
  }
};

struct RatesParams {
  std::string tag;
  Time interval{20'000'000};
  Time start;
  Time stop;
  bool series = true;
  double threshold = 0.95;
  Time hold{50'000'000};

  static void describe(ParamList<RatesParams>& p) {
    p.text("tag", &RatesParams::tag, "flows of this tag only; empty = all flows");
    p.time("interval", &RatesParams::interval, "rates are means over this time", "", kMinInterval);
    p.time("start", &RatesParams::start, "no interval begins before this time");
    p.time("stop", &RatesParams::stop, "no interval ends after this time; 0 = to the end of the run");
    p.flag("series", &RatesParams::series, "write rates.csv; fairness.csv is always written");
    p.number("threshold", &RatesParams::threshold, 0, 1, "rates have converged when Jain's index stays at least this");
    p.time("hold", &RatesParams::hold, "... for this long");
  }
};

struct DelaysParams {
  Time interval{1'000'000};
  Time start;
  Time stop;

  static void describe(ParamList<DelaysParams>& p) {
    p.time("interval", &DelaysParams::interval,
           "time between looks; of the OR-ACKs of a flow in between the last one counts", "", kMinInterval);
    p.time("start", &DelaysParams::start, "no look before this time");
    p.time("stop", &DelaysParams::stop, "no look from this time on; 0 = to the end of the run");
  }
};

struct PfcParams {
  std::string ports = "all, hosts";

  static void describe(ParamList<PfcParams>& p) {
    p.text("ports", &PfcParams::ports, std::string("ports whose pauses count") + kPortsHelp);
  }
};

struct LinksParams {
  std::string ports = "all, hosts";
  bool series = false;
  Time interval{10'000'000};

  static void describe(ParamList<LinksParams>& p) {
    p.text("ports", &LinksParams::ports, std::string("ports to report") + kPortsHelp);
    p.flag("series", &LinksParams::series, "write utilisation over time to link_series.csv");
    p.time("interval", &LinksParams::interval, "time between rows of link_series.csv", "", kMinInterval);
  }
};

}  // namespace weir::probe
