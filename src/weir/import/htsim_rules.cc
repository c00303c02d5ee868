#include "weir/import/htsim_rules.h"

#include <fmt/format.h>

#include <map>

#include "weir/base/params.h"

namespace weir::scenario {
namespace {

// By names of strategies; those that mark in another way route as others do.
const std::map<std::string, std::string> kRoutings{
    {"ecmp_host", "ecmp"},          {"ecmp_host_ecn", "ecmp"},         {"reactive_ecn", "ecmp"},
    {"ecmp_ar", "adaptive"},        {"ecmp_host_ar", "host-adaptive"}, {"ecmp_rr", "round-robin"},
    {"rr_ecmp", "edge-round-robin"}};

}  // namespace

std::string HtsimRouting::routing() const { return kRoutings.at(strategy); }

bool HtsimRouting::marks_at_half() const {
  return strategy == "ecmp_host_ecn" || strategy == "reactive_ecn" || strategy == "rr_ecmp";
}

void HtsimRouting::write(TomlWriter& toml) const {
  toml.text("load_balancing", balancing);
  toml.value("paths", paths);
  toml.text("routing", routing());
  if (adaptive() || strategy == "ecmp_host_ar") toml.text("load", load);
  if (!flowlets) return;
  toml.value("flowlets", true);
  toml.text("flowlet_gap", format_value(flowlet_gap));
}

HtsimRouting read_htsim_routing(const HtsimOptions& options) {
  HtsimRouting out;
  out.balancing =
      options.choice("-load_balancing_algo", "mixed", {"oblivious", "reps", "reps_legacy", "bitmap", "mixed"});
  out.strategy =
      options.choice("-strat", "ecmp_host",
                     {"ecmp_host", "ecmp_ar", "ecmp_rr", "ecmp_host_ar", "rr_ecmp", "ecmp_host_ecn", "reactive_ecn"});
  if (options.repeated("-strat"))
    throw HtsimOptions::error_at("-strat",
                                 "it is there twice, at which htsim_uec stops with an assertion; write it once");
  if (out.marks_at_half() && options.later("-queue_type", "-strat"))
    throw HtsimOptions::error_at(
        "-queue_type", fmt::format("htsim_uec stops if it stands behind -strat {}; leave it out", out.strategy));
  out.paths = options.whole("-paths", 64, 1, 8192);
  if ((out.adaptive() || out.strategy == "ecmp_rr") && options.later("-strat", "-paths")) out.paths = 1;
  const bool any = out.balancing == "reps" || out.balancing == "reps_legacy";
  if (!any && (out.paths & (out.paths - 1)) != 0)
    throw HtsimOptions::error_at("-paths",
                                 fmt::format("{} is no power of two, which {} needs", out.paths, out.balancing));
  // By lossless queues, which the other methods need, no option sends packets: the program crashes.
  out.load = options.choice("-ar_method", "queue", {"queue", "qb", "bandwidth"}) == "bandwidth" ? "bandwidth" : "queue";
  const bool by_flow = options.choice("-ar_granularity", "packet", {"packet", "flow"}) == "flow";
  out.flowlets = out.adaptive() && by_flow;
  out.flowlet_gap = options.microseconds("-ar_sticky_delta", 10);
  if (!out.flowlets && options.has("-ar_sticky_delta")) out.ignored.emplace_back("-ar_sticky_delta");
  if (by_flow && !out.flowlets) out.ignored.emplace_back("-ar_granularity");
  return out;
}

}  // namespace weir::scenario
