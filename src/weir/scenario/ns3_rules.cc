// The simulator of HPCC's authors: what a scenario may ask of its replica.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weir/cc/dcqcn.h"
#include "weir/cc/dctcp.h"
#include "weir/cc/hpcc.h"
#include "weir/cc/timely.h"
#include "weir/replica/ns3_hpcc.h"
#include "weir/replica/ns3_numbers.h"
#include "weir/scenario/replica_rules.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

using replica::Ns3Params;

constexpr Bytes kPauseFrame{43};

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

void check_algorithm(const Scenario& s) {
  hold_profile(s);
  const std::vector<Form> known = forms();
  const auto form = std::find_if(known.begin(), known.end(), [&](const Form& f) {
    return f.algorithm == s.profiles.front().algorithm->about.name;
  });
  if (form == known.end())
    throw replica_error(
        s, "algorithm.name",
        fmt::format("'{}' is not possible; valid is hpcc, dcqcn, timely, dctcp", s.profiles.front().name));
  const ProfileSettings& profile = s.profiles.front();
  hold(s, "algorithm", *profile.algorithm->params, profile.params.get(), form->fixed.get(), form->free);
  if (form->algorithm != cc::Hpcc::about.name) return;
  if (static_cast<const cc::Hpcc::Params*>(profile.params.get())->reaction == cc::Hpcc::Reaction::per_ack)
    throw replica_error(s, "algorithm.reaction", "'per-ack' is not possible; valid is hpcc, per-rtt");
  if (fidelity_params<Ns3Params>(s).window == Ns3Params::Window::none)
    throw replica_error(s, "fidelity.window", "HPCC needs a window; valid is bdp, variable");
}

void check_links(const Scenario& s, const engine::Model& model) {
  const bool hpcc = s.profiles.front().reads_telemetry();
  for (const net::Link& link : model.topology.links) {
    const std::string name = fmt::format("the link {} - {}", link.a, link.b);
    if (link.delay.ps % 1000 != 0)
      throw replica_error(
          s, "topology",
          fmt::format("{} has a delay of {}; valid are whole nanoseconds", name, format_value(link.delay)));
    const std::int64_t gbps = link.rate.bits_per_second / 1'000'000'000;
    const bool coded = link.rate.bits_per_second % 1'000'000'000 == 0 &&
                       (gbps == 25 || gbps == 50 || gbps == 100 || gbps == 200 || gbps == 400);
    if (hpcc && !coded)
      throw replica_error(
          s, "topology",
          fmt::format("{} has {}, for which HPCC's telemetry has no code; valid is 25, 50, 100, 200, 400 Gbps", name,
                      format_value(link.rate)));
  }
}

void check_link_down(const Scenario& s, const engine::Model& model) {
  const auto& params = fidelity_params<Ns3Params>(s);
  if (params.link_down_at == Time{}) return;
  const auto ends = std::minmax(params.link_down_a, params.link_down_b);
  const auto& links = model.topology.links;
  const bool known = std::any_of(links.begin(), links.end(), [&](const net::Link& link) {
    return std::minmax(link.a, link.b) == ends && link.a >= model.topology.hosts && link.b >= model.topology.hosts;
  });
  if (!known)
    throw replica_error(
        s, "fidelity.link_down_a",
        fmt::format("there is no link {} - {} between two switches", params.link_down_a, params.link_down_b));
}

void check_numbers(const Scenario& s, const engine::Model& model) {
  try {
    replica::ns3_numbers(fidelity_params<Ns3Params>(s).switches, model.topology);
  } catch (const InputError& error) {
    throw replica_error(s, "fidelity.switches", error.what());
  }
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
      throw replica_error(s, "network.buffer.size",
                          fmt::format("{} is not more than reserve and headroom of switch {}, {} bytes",
                                      format_value(s.buffer.size), model.topology.hosts + sw, needed));
  }
}

void set_ns3_defaults(Scenario& s) {
  s.network.pfc_frame = kPauseFrame;
  s.transport.int_mode = host::IntMode::wire;
}

void check_ns3(const Scenario& s, const engine::Model& model) {
  check_algorithm(s);
  Scenario plain;
  set_ns3_defaults(plain);
  hold(s, "network", params_of<net::NetworkParams>(), &s.network, &plain.network, {"port"});
  hold(s, "network.buffer", params_of<net::BufferParams>(), &s.buffer, &plain.buffer,
       {"size", "reserve", "resume_offset", "egress_alpha"});
  hold(s, "network.pfc.watchdog", params_of<net::WatchdogParams>(), &s.watchdog, &plain.watchdog, {});
  hold(s, "transport", params_of<host::TransportParams>(), &s.transport, &plain.transport,
       {"payload", "int_multiplier", "nack_interval"});
  hold_failures(s, "set fidelity.link_down_at for one link");
  check_numbers(s, model);
  check_links(s, model);
  check_link_down(s, model);
  check_buffer(s, model);
}

void for_each_ns3_flow(const Scenario& s, const engine::Model&, traffic::Traffic& traffic, const VisitFlow& visit) {
  while (const auto flow = traffic.next()) {
    if (s.run.stop > Time{} && flow->start >= s.run.stop) break;
    if (flow->size > kNs3MaxFlowSize)
      throw replica_error(
          s, "traffic", fmt::format("a flow of {} bytes; valid is up to {}", flow->size.count, kNs3MaxFlowSize.count));
    visit(*flow, false);
  }
}

std::unique_ptr<engine::Engine> make_ns3(const Scenario& s, const engine::Model& model, traffic::Traffic& traffic,
                                         const engine::RunOptions& options) {
  return std::make_unique<replica::Ns3Hpcc>(model, fidelity_params<Ns3Params>(s), traffic, options.stop);
}

}  // namespace

Fidelity ns3_hpcc() {
  return {.name = replica::kNs3Hpcc,
          .meaning = "the public simulator of HPCC's authors, to the nanosecond",
          .source = "docs/guides/from-ns3.md",
          .params = &params_of<Ns3Params>(),
          .set_defaults = set_ns3_defaults,
          .check = check_ns3,
          .for_each_flow = for_each_ns3_flow,
          .make = make_ns3};
}

}  // namespace weir::scenario
