// uet-htsim: what a scenario may ask of its replica.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "weir/cc/nscc.h"
#include "weir/replica/uet_htsim.h"
#include "weir/scenario/replica_rules.h"
#include "weir/scenario/uet_connections.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

using replica::UetParams;

constexpr Bytes kUetHeader{64};
constexpr Bytes kUetPayload{4'086};  // of packets of 4150 bytes

// Three tiers at most, links only from one to the next, and all links of a tier alike but for their rates.
void check_tiers(const Scenario& s, const net::Topology& t) {
  std::map<unsigned, const net::Link*> first;
  for (const net::Link& link : t.links) {
    const auto [low, high] = std::minmax(t.tier[link.a], t.tier[link.b]);
    const std::string name = fmt::format("the link {} - {}", link.a, link.b);
    if (high != low + 1 || high > 3)
      throw replica_error(
          s, "topology",
          fmt::format("{} joins tiers {} and {}; valid is a tree of at most three tiers, hosts and switches", name, low,
                      high));
    const net::Link& other = *first.emplace(low, &link).first->second;
    if (link.delay != other.delay || (low == 0 && link.rate != other.rate))
      throw replica_error(
          s, "topology",
          fmt::format("{} has {} and {}, the link {} - {} {} and {}; valid is the same delay in a tier, and the same "
                      "rate of all hosts",
                      name, format_value(link.rate), format_value(link.delay), other.a, other.b,
                      format_value(other.rate), format_value(other.delay)));
  }
}

void set_uet_defaults(Scenario& s) {
  s.ecn.p_max = 1;
  s.ecn.at_rate = {};
  s.transport.payload = kUetPayload;
  s.transport.header = s.transport.ack_header = s.transport.min_frame = kUetHeader;
  s.transport.ack_class = host::AckClass::priority;
}

void check_uet(const Scenario& s, const engine::Model& model) {
  hold_profile(s);
  if (s.profiles.front().algorithm->about.name != cc::Nscc::about.name)
    throw replica_error(s, "algorithm.name",
                        fmt::format("'{}' is not possible; valid is nscc", s.profiles.front().name));
  Scenario plain;
  set_uet_defaults(plain);
  hold(s, "network", params_of<net::NetworkParams>(), &s.network, &plain.network, {"port"});
  hold(s, "network.buffer", params_of<net::BufferParams>(), &s.buffer, &plain.buffer, {});
  hold(s, "network.ecn", params_of<net::EcnParams>(), &s.ecn, &plain.ecn, {"enabled", "k_min", "k_max"});
  if (!s.ecn_overrides.empty()) throw replica_error(s, "network.ecn.rate.0", "all ports mark alike: remove this");
  hold(s, "network.pfc.watchdog", params_of<net::WatchdogParams>(), &s.watchdog, &plain.watchdog, {});
  hold(s, "transport", params_of<host::TransportParams>(), &s.transport, &plain.transport, {"payload", "connections"});
  if (!s.faults.loss.empty()) throw replica_error(s, "network.loss.0", "it is not possible");
  hold_failures(s, "");
  check_tiers(s, model.topology);
  const auto& params = fidelity_params<UetParams>(s);
  const Bytes packet = s.transport.payload + s.transport.header;
  if (params.buffer < 2 * packet)
    throw replica_error(s, "fidelity.buffer",
                        fmt::format("{} hold no two packets of {}", format_value(params.buffer), format_value(packet)));
  if (params.trim_size > packet)
    throw replica_error(s, "fidelity.trim_size", fmt::format("more than a packet, {}", format_value(packet)));
  if (!params.sender_cc && !params.receiver_cc)
    throw replica_error(s, "fidelity.sender_cc", "nothing holds the senders; set receiver_cc to true");
  const bool any =
      params.load_balancing == UetParams::Spraying::reps || params.load_balancing == UetParams::Spraying::reps_legacy;
  if (!any && !std::has_single_bit(params.paths))
    throw replica_error(s, "fidelity.paths", fmt::format("{} is not a power of two", params.paths));
}

void for_each_uet_flow(const Scenario& s, const engine::Model& model, traffic::Traffic& traffic,
                       const VisitFlow& visit) {
  for (const replica::UetConnection& c : connections_of(s, model, traffic).rows)
    visit({.start = c.start, .src = c.src, .dst = c.dst, .size = c.size, .tag = c.tag, .profile = c.profile},
          c.trigger != replica::kNoTrigger);
}

std::unique_ptr<engine::Engine> make_uet(const Scenario& s, const engine::Model& model, traffic::Traffic& traffic,
                                         const engine::RunOptions& options) {
  return std::make_unique<replica::HtsimUet>(model, fidelity_params<UetParams>(s), connections_of(s, model, traffic),
                                             options.stop);
}

}  // namespace

Fidelity htsim_uet() {
  return {.name = replica::kHtsimUet,
          .meaning = "uet-htsim, the public simulator of the Ultra Ethernet transport, to the picosecond",
          .source = "docs/guides/from-htsim.md",
          .params = &params_of<UetParams>(),
          .flows_param = "connections",
          .set_defaults = set_uet_defaults,
          .check = check_uet,
          .for_each_flow = for_each_uet_flow,
          .make = make_uet};
}

}  // namespace weir::scenario
