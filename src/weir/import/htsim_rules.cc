#include "weir/import/htsim_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "weir/base/params.h"

namespace weir::scenario {
namespace {

// By names of strategies; those that mark in another way route as others do.
const std::map<std::string, std::string> kRoutings{
    {"ecmp_host", "ecmp"},          {"ecmp_host_ecn", "ecmp"},         {"reactive_ecn", "ecmp"},
    {"ecmp_ar", "adaptive"},        {"ecmp_host_ar", "host-adaptive"}, {"ecmp_rr", "round-robin"},
    {"rr_ecmp", "edge-round-robin"}};

constexpr double kLeastRate = 0.01;
constexpr double kUsable = 0.9;  // of the rate that an oversubscribed tree has for each host

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

// The last option that says something about a kind of control counts. An oversubscribed tree switches the adapted rate
// on unless an option asks for the sender's control.
HtsimControl read_htsim_control(const HtsimOptions& options, const HtsimTree& tree) {
  const auto any_later = [&](const std::vector<std::string>& some, const std::vector<std::string>& others) {
    return std::any_of(some.begin(), some.end(), [&](const std::string& option) {
      return std::all_of(others.begin(), others.end(),
                         [&](const std::string& other) { return options.later(option, other); });
    });
  };
  HtsimControl out;
  const bool asked = any_later({"-sender_cc", "-sender_cc_only", "-sender_cc_algo"}, {"-receiver_cc_only"});
  out.sender = asked || !options.has("-receiver_cc_only");
  out.receiver = any_later({"-receiver_cc", "-receiver_cc_only"}, {"-sender_cc_only"});
  out.sleek = options.has("-sleek") && out.sender;
  if (options.has("-sleek") && !out.sender) out.ignored.emplace_back("-sleek");
  const std::string forced = "-force_disable_oversubscribed_cc";
  out.oversubscribed =
      any_later({"-oversubscribed_cc"}, {"-sender_cc", "-sender_cc_only", "-receiver_cc_only", forced});
  out.least_rate = kLeastRate;
  const std::int64_t ratio = tree.tier[0].oversubscribed * (tree.tiers == 3 ? tree.tier[1].oversubscribed : 1);
  if (ratio > 1 && !asked && !options.has(forced)) {
    out.oversubscribed = true;
    out.least_rate = std::max(kLeastRate, kUsable / static_cast<double>(ratio));
  }
  out.increase = options.number("-Ai", 0.01, 0, 1);
  out.decrease = options.number("-Md", 0.5, 0, 1);
  out.gain = options.number("-alpha", 0.5, 0, 1);
  for (const char* name : {"-Ai", "-Md", "-alpha"})
    if (!out.oversubscribed && options.has(name)) out.ignored.emplace_back(name);
  return out;
}

void HtsimControl::write(TomlWriter& toml) const {
  if (!sender) toml.value("sender_cc", false);
  if (receiver) toml.value("receiver_cc", true);
  if (sleek) toml.value("sleek", true);
  if (!oversubscribed) return;
  toml.value("oversubscribed_cc", true);
  toml.value("least_rate", least_rate);
  toml.value("rate_increase", increase);
  toml.value("rate_decrease", decrease);
  toml.value("rate_gain", gain);
}

}  // namespace weir::scenario
