#include "weir/scenario/fidelity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "weir/cc/dcqcn.h"
#include "weir/cc/dctcp.h"
#include "weir/cc/hpcc.h"
#include "weir/cc/nscc.h"
#include "weir/cc/timely.h"
#include "weir/scenario/document.h"

namespace weir::scenario {
namespace {

using replica::Ns3Params;

constexpr Bytes kPauseFrame{43};
constexpr Bytes kUetHeader{64};
constexpr Bytes kUetPayload{4'086};  // of packets of 4150 bytes

// One of the algorithms that the replica has a form of: what it lets a scenario set, and what it stands for in all
// else.
struct Form {
  std::string_view algorithm;
  std::vector<std::string_view> free;
  std::shared_ptr<const void> fixed;
};

std::vector<Form> forms() {
  auto hpcc = std::make_shared<cc::Hpcc::Params>();
  hpcc->additive_increase = cc::Hpcc::Increase::rate;
  auto dctcp = std::make_shared<cc::Dctcp::Params>();
  dctcp->start = cc::Dctcp::Start::line_rate;
  return {
      {cc::Hpcc::about.name, {"eta", "max_stage", "r_ai", "r_min", "reaction"}, hpcc},
      {cc::Dcqcn::about.name,
       {"T_i", "T_d", "T_alpha", "g", "clamp_target", "fast_recovery", "r_ai", "r_hai", "scale_rate", "r_min",
        "window"},
       std::make_shared<cc::Dcqcn::Params>()},
      {cc::Timely::about.name,
       {"alpha", "beta", "T_low", "T_high", "min_rtt", "delta", "hai", "hai_after", "scale_rate", "r_min", "window"},
       std::make_shared<cc::Timely::Params>()},
      {cc::Dctcp::about.name, {"g"}, dctcp}};
}

[[noreturn]] void refuse(const Scenario& s, const std::string& key, std::string_view what) {
  fail_key(s.place(key), key,
           fmt::format("{} under run.fidelity = \"{}\"", what,
                       s.run.fidelity == Fidelity::ns3_hpcc ? replica::kNs3Hpcc : replica::kHtsimUet));
}

// Parameters other than `free` have the values of `fixed`.
void hold(const Scenario& s, const std::string& table, const ParamSet& set, const void* object, const void* fixed,
          const std::vector<std::string_view>& free) {
  for (const Param& p : set.params()) {
    if (std::find(free.begin(), free.end(), p.name) != free.end()) continue;
    if (p.get(object) != p.get(fixed))
      refuse(s, join(table, p.name),
             fmt::format("it is '{}', but only '{}' is possible", format_value(p.get(object)),
                         format_value(p.get(fixed))));
  }
}

void check_profile(const Scenario& s) {
  if (s.profiles.size() > 1) refuse(s, "profile.0", "all flows have the one profile of [algorithm]: remove this one");
  const host::RecoveryParams go_back_n;
  hold(s, "algorithm.recovery", params_of<host::RecoveryParams>(), &s.profiles.front().recovery, &go_back_n, {});
  const host::BalancingParams ecmp;
  hold(s, "algorithm.load_balancing", params_of<host::BalancingParams>(), &s.profiles.front().balancing, &ecmp, {});
  if (s.profiles.front().on_ramp) refuse(s, "algorithm.on_ramp", "On-Ramp is not possible");
}

void check_algorithm(const Scenario& s) {
  check_profile(s);
  const std::vector<Form> known = forms();
  const auto form = std::find_if(known.begin(), known.end(), [&](const Form& f) {
    return f.algorithm == s.profiles.front().algorithm->about.name;
  });
  if (form == known.end())
    refuse(s, "algorithm.name",
           fmt::format("'{}' is not possible; valid is hpcc, dcqcn, timely, dctcp", s.profiles.front().name));
  const Profile& profile = s.profiles.front();
  hold(s, "algorithm", *profile.algorithm->params, profile.params.get(), form->fixed.get(), form->free);
  if (form->algorithm != cc::Hpcc::about.name) return;
  if (static_cast<const cc::Hpcc::Params*>(profile.params.get())->reaction == cc::Hpcc::Reaction::per_ack)
    refuse(s, "algorithm.reaction", "'per-ack' is not possible; valid is hpcc, per-rtt");
  if (s.ns3.window == Ns3Params::Window::none)
    refuse(s, "fidelity.window", "HPCC needs a window; valid is bdp, variable");
}

void check_links(const Scenario& s, const engine::Model& model) {
  const bool hpcc = s.profiles.front().reads_telemetry();
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const net::Link& link : model.topology.links) {
    const std::string name = fmt::format("the link {} - {}", link.a, link.b);
    if (link.delay.ps % 1000 != 0)
      refuse(s, "topology",
             fmt::format("{} has a delay of {}; valid are whole nanoseconds", name, format_value(link.delay)));
    const std::int64_t gbps = link.rate.bits_per_second / 1'000'000'000;
    const bool coded = link.rate.bits_per_second % 1'000'000'000 == 0 &&
                       (gbps == 25 || gbps == 50 || gbps == 100 || gbps == 200 || gbps == 400);
    if (hpcc && !coded)
      refuse(s, "topology",
             fmt::format("{} has {}, for which HPCC's telemetry has no code; valid is 25, 50, 100, 200, 400 Gbps", name,
                         format_value(link.rate)));
    if (!pairs.insert(std::minmax(link.a, link.b)).second)
      refuse(s, "topology", fmt::format("{} is there twice; parallel links are not possible", name));
  }
}

// What the originals know of failures stands in [fidelity].
void check_faults(const Scenario& s) {
  const bool ns3 = s.run.fidelity == Fidelity::ns3_hpcc;
  if (!s.faults.loss.empty())
    refuse(s, "network.loss.0", ns3 ? "it is not possible; set fidelity.loss for all links" : "it is not possible");
  if (!s.faults.failures.empty())
    refuse(s, "network.failure.0",
           ns3 ? "it is not possible; set fidelity.link_down_at for one link" : "it is not possible");
  if (!s.faults.link_events.empty())
    refuse(s, "network.link_event.0",
           ns3 ? "it is not possible; set fidelity.link_down_at for one link" : "it is not possible");
  if (!s.faults.host_pauses.empty()) refuse(s, "host.pause.0", "pauses of hosts are not possible");
  if (!s.classes.empty()) refuse(s, "network.class.0", "classes are not possible");
}

void check_link_down(const Scenario& s, const engine::Model& model) {
  if (s.ns3.link_down_at == Time{}) return;
  const auto ends = std::minmax(s.ns3.link_down_a, s.ns3.link_down_b);
  const auto& links = model.topology.links;
  const bool known = std::any_of(links.begin(), links.end(), [&](const net::Link& link) {
    return std::minmax(link.a, link.b) == ends && link.a >= model.topology.hosts && link.b >= model.topology.hosts;
  });
  if (!known)
    refuse(s, "fidelity.link_down_a",
           fmt::format("there is no link {} - {} between two switches", s.ns3.link_down_a, s.ns3.link_down_b));
}

// Headroom is 3 * rate * delay, in whole bytes of each.
void check_buffer(const Scenario& s, const engine::Model& model) {
  for (std::uint32_t sw = 0; sw < model.topology.switches; ++sw) {
    std::int64_t needed = 0;
    for (const std::uint32_t port : model.routing.ports(sw)) {
      const net::Link& link = model.topology.links[port / 2];
      needed += 3 * bytes_in(link.delay, link.rate).count + s.buffer.reserve.count;
    }
    if (needed >= s.buffer.size.count)
      refuse(s, "network.buffer.size",
             fmt::format("{} is not more than reserve and headroom of switch {}, {} bytes", format_value(s.buffer.size),
                         sw, needed));
  }
}

// Three tiers at most, links only from one to the next, and all links of a tier alike but for their rates.
void check_tiers(const Scenario& s, const net::Topology& t) {
  std::map<unsigned, const net::Link*> first;
  for (const net::Link& link : t.links) {
    const auto [low, high] = std::minmax(t.tier[link.a], t.tier[link.b]);
    const std::string name = fmt::format("the link {} - {}", link.a, link.b);
    if (high != low + 1 || high > 3)
      refuse(s, "topology",
             fmt::format("{} joins tiers {} and {}; valid is a tree of at most three tiers, hosts and switches", name,
                         low, high));
    const net::Link& other = *first.emplace(low, &link).first->second;
    if (link.delay != other.delay || (low == 0 && link.rate != other.rate))
      refuse(
          s, "topology",
          fmt::format("{} has {} and {}, the link {} - {} {} and {}; valid is the same delay in a tier, and the same "
                      "rate of all hosts",
                      name, format_value(link.rate), format_value(link.delay), other.a, other.b,
                      format_value(other.rate), format_value(other.delay)));
  }
}

void check_uet(const Scenario& s, const engine::Model& model) {
  check_profile(s);
  if (s.profiles.front().algorithm->about.name != cc::Nscc::about.name)
    refuse(s, "algorithm.name", fmt::format("'{}' is not possible; valid is nscc", s.profiles.front().name));
  Scenario plain;
  plain.run.fidelity = s.run.fidelity;
  set_fidelity_defaults(plain);
  hold(s, "network", params_of<net::NetworkParams>(), &s.network, &plain.network, {"port"});
  hold(s, "network.buffer", params_of<net::BufferParams>(), &s.buffer, &plain.buffer, {});
  hold(s, "network.ecn", params_of<net::EcnParams>(), &s.ecn, &plain.ecn, {"enabled", "k_min", "k_max"});
  if (!s.ecn_overrides.empty()) refuse(s, "network.ecn.rate.0", "all ports mark alike: remove this");
  hold(s, "network.pfc.watchdog", params_of<net::WatchdogParams>(), &s.watchdog, &plain.watchdog, {});
  hold(s, "transport", params_of<host::TransportParams>(), &s.transport, &plain.transport, {"payload"});
  check_faults(s);
  check_tiers(s, model.topology);
  const Bytes packet = s.transport.payload + s.transport.header;
  if (s.uet.buffer < 2 * packet)
    refuse(s, "fidelity.buffer",
           fmt::format("{} hold no two packets of {}", format_value(s.uet.buffer), format_value(packet)));
  if (s.uet.trim_size > packet)
    refuse(s, "fidelity.trim_size", fmt::format("more than a packet, {}", format_value(packet)));
  const bool any = s.uet.load_balancing == replica::UetParams::Spraying::reps ||
                   s.uet.load_balancing == replica::UetParams::Spraying::reps_legacy;
  if (!any && !std::has_single_bit(s.uet.paths))
    refuse(s, "fidelity.paths", fmt::format("{} is not a power of two", s.uet.paths));
}

void check_ns3(const Scenario& s, const engine::Model& model) {
  check_algorithm(s);
  Scenario plain;
  plain.run.fidelity = s.run.fidelity;
  set_fidelity_defaults(plain);
  hold(s, "network", params_of<net::NetworkParams>(), &s.network, &plain.network, {"port"});
  hold(s, "network.buffer", params_of<net::BufferParams>(), &s.buffer, &plain.buffer,
       {"size", "reserve", "resume_offset", "egress_alpha"});
  hold(s, "network.pfc.watchdog", params_of<net::WatchdogParams>(), &s.watchdog, &plain.watchdog, {});
  hold(s, "transport", params_of<host::TransportParams>(), &s.transport, &plain.transport,
       {"payload", "int_multiplier", "nack_interval"});
  check_faults(s);
  check_links(s, model);
  check_link_down(s, model);
  check_buffer(s, model);
}

}  // namespace

void set_fidelity_defaults(Scenario& s) {
  if (s.run.fidelity == Fidelity::ns3_hpcc) {
    s.network.pfc_frame = kPauseFrame;
    s.transport.int_mode = host::IntMode::wire;
  } else if (s.run.fidelity == Fidelity::htsim_uet) {
    s.ecn.p_max = 1;
    s.ecn.at_rate = {};
    s.transport.payload = kUetPayload;
    s.transport.header = s.transport.ack_header = s.transport.min_frame = kUetHeader;
    s.transport.ack_class = host::AckClass::priority;
  }
}

void check_fidelity(const Scenario& s, const engine::Model& model) {
  if (s.run.fidelity == Fidelity::ns3_hpcc) check_ns3(s, model);
  if (s.run.fidelity == Fidelity::htsim_uet) check_uet(s, model);
}

}  // namespace weir::scenario
