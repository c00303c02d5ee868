#include "weir/scenario/perturbation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "weir/probe/catalogue.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/incast.h"

namespace weir::scenario {
namespace {

constexpr std::array<int, 7> kThousandths{0, -10, -5, 5, 10, 10, 20};  // of delays and of T, by number
constexpr std::uint32_t kOrder = 7;
constexpr std::uint32_t kSizes = 8;
constexpr std::uint32_t kHosts = 9;

std::int64_t changed(std::int64_t value, int thousandths) {
  return value + value / 1000 * thousandths + value % 1000 * thousandths / 1000;
}

// Sets some parameters of an object that others may share: `change` gets each and returns whether it has changed it.
template <class Change>
bool change_params(const ParamSet& set, std::shared_ptr<const void>& object, Change&& change) {
  const std::shared_ptr<void> copy = set.make();
  bool any = false;
  for (const Param& p : set.params()) {
    ParamValue value = p.get(object.get());
    if (change(p, value)) {
      check_value(p, value);
      any = true;
    }
    p.set(copy.get(), value);
  }
  if (any) object = copy;
  return any;
}

bool is_delay(const std::string& name) { return name == "delay" || name.ends_with("_delay"); }

bool change_delays(Scenario& s, int thousandths) {
  if (s.topology.kind == nullptr)
    return change_params(s.topology.list(), s.topology.params, [&](const Param& p, ParamValue& value) {
      if (p.name != "delay_scale") return false;
      value = std::get<double>(value) * (1 + thousandths / 1000.0);
      return true;
    });
  return change_params(s.topology.list(), s.topology.params, [&](const Param& p, ParamValue& value) {
    if (!is_delay(p.name) || std::get<Time>(value) == Time{}) return false;
    value = Time{changed(std::get<Time>(value).ps, thousandths)};
    return true;
  });
}

bool change_base_rtt(Scenario& s, int thousandths) {
  bool any = false;
  for (ProfileSettings& profile : s.profiles)
    any |= change_params(*profile.algorithm->params, profile.params, [&](const Param& p, ParamValue& value) {
      const Time* t = p.name == "T" ? std::get_if<Time>(&value) : nullptr;
      if (t == nullptr || *t == Time{}) return false;
      value = Time{changed(t->ps, thousandths)};
      return true;
    });
  return any;
}

std::uint32_t hosts_of(const Scenario& s) { return build_topology(s).hosts; }

std::vector<std::uint32_t> listed(const std::string& text, const std::string& key, std::uint32_t hosts) {
  traffic::Context context;
  context.host_rates.resize(hosts);
  return traffic::parse_hosts(text, key, context);
}

std::string list_text(const std::vector<std::uint32_t>& hosts) { return fmt::format("{}", fmt::join(hosts, ",")); }

// An incast's senders in the order in which they start.
std::vector<std::uint32_t> senders_of(const traffic::Incast::Params& p, std::uint32_t hosts) {
  std::vector<std::uint32_t> out = listed(p.senders, "senders", hosts);
  if (p.senders == "all") std::erase(out, p.receiver == "last" ? hosts - 1 : listed(p.receiver, "receiver", hosts)[0]);
  if (p.fan_in > 0 && p.fan_in < out.size()) out.resize(p.fan_in);
  return out;
}

bool reverse_incast(const Scenario& s, TrafficSource& source) {
  auto p = *static_cast<const traffic::Incast::Params*>(source.params.get());
  if (p.stagger == Time{}) return false;
  std::vector<std::uint32_t> senders = senders_of(p, hosts_of(s));
  std::reverse(senders.begin(), senders.end());
  p.senders = list_text(senders);
  source.params = std::make_shared<traffic::Incast::Params>(p);
  return senders.size() > 1;
}

// Flows of one size and profile, of all sources that list theirs, swap their starts.
bool reverse_starts(std::vector<InlineFlow*> flows) {
  bool any = false;
  std::stable_sort(flows.begin(), flows.end(), [](auto* a, auto* b) { return a->start < b->start; });
  while (!flows.empty()) {
    const InlineFlow first = *flows.front();
    const auto alike = std::stable_partition(flows.begin(), flows.end(), [&](const InlineFlow* f) {
      return f->size != first.size || f->profile != first.profile;
    });
    for (auto a = alike, b = flows.end(); a < b && a < --b; ++a) {
      any |= (*a)->start != (*b)->start;
      std::swap((*a)->start, (*b)->start);
    }
    flows.erase(alike, flows.end());
  }
  return any;
}

bool change_order(Scenario& s) {
  bool any = false;
  std::vector<InlineFlow*> flows;
  for (TrafficSource& source : s.traffic) {
    for (InlineFlow& flow : source.flows) flows.push_back(&flow);
    if (source.kind->params == &params_of<traffic::Incast::Params>()) any |= reverse_incast(s, source);
  }
  return reverse_starts(flows) || any;
}

Bytes larger(Bytes size) { return std::min(Bytes{size.count + (size.count + 9) / 10}, traffic::kMaxFlowSize); }

bool change_sizes(Scenario& s) {
  bool any = false;
  for (TrafficSource& source : s.traffic) {
    for (InlineFlow& flow : source.flows) flow.size = larger(flow.size);
    any |= !source.flows.empty();
    any |= change_params(*source.kind->params, source.params, [](const Param& p, ParamValue& value) {
      const Bytes* size = p.name == "size" || p.name == "elephant_size" ? std::get_if<Bytes>(&value) : nullptr;
      if (size == nullptr || *size == Bytes{}) return false;
      value = larger(*size);
      return true;
    });
  }
  return any;
}

// Whether the network looks the same from its last host on, and nothing but traffic and ports of probes names hosts.
bool can_mirror(const Scenario& s) {
  if (s.topology.kind == nullptr || s.topology.kind->params == &params_of<net::ParkingLot>()) return false;
  if (s.topology.kind->params == &params_of<net::Dumbbell>()) {
    const auto& p = *static_cast<const net::Dumbbell*>(s.topology.params.get());
    if (p.left != p.right) return false;
  }
  const engine::FaultRows& f = s.faults;
  return f.loss.empty() && f.failures.empty() && f.link_events.empty() && f.host_pauses.empty() && f.slow_hosts.empty();
}

bool names_hosts(const std::string& key) {
  return key == "hosts" || key == "to" || key == "senders" || key == "receiver" || key == "slow";
}

std::string mirrored_list(const std::string& text, const std::string& key, std::uint32_t hosts) {
  if (text == "last") return "0";
  std::vector<std::uint32_t> out = listed(text, key, hosts);
  for (std::uint32_t& host : out) host = mirrored_host(host, hosts);
  return list_text(out);
}

bool mirror_source(TrafficSource& source, std::uint32_t hosts) {
  for (InlineFlow& flow : source.flows) {
    flow.src = mirrored_host(flow.src, hosts);
    flow.dst = mirrored_host(flow.dst, hosts);
  }
  if (source.kind->params == &params_of<traffic::Incast::Params>()) {  // "all" has an order here
    auto p = *static_cast<const traffic::Incast::Params*>(source.params.get());
    p.senders = list_text(senders_of(p, hosts));
    source.params = std::make_shared<traffic::Incast::Params>(p);
  }
  const bool any = change_params(*source.kind->params, source.params, [&](const Param& p, ParamValue& value) {
    auto* text = names_hosts(p.name) ? std::get_if<std::string>(&value) : nullptr;
    if (text == nullptr || text->empty() || *text == "all") return false;
    *text = mirrored_list(*text, p.name, hosts);
    return true;
  });
  return any || !source.flows.empty();
}

void mirror_probes(Scenario& s) {
  const net::Topology topology = build_topology(s);
  for (const auto& kind : probe::probe_kinds()) {
    if (s.probes.get(kind) == nullptr) continue;
    const std::shared_ptr<void> copy = kind.params->make();
    for (const Param& p : kind.params->params()) {
      ParamValue value = p.get(s.probes.get(kind));
      if (p.name == "ports") value = mirrored_ports(std::get<std::string>(value), topology, s.mirrored_hosts);
      p.set(copy.get(), value);
    }
    s.probes.set(kind, copy);
  }
}

bool change_hosts(Scenario& s) {
  if (!can_mirror(s)) return false;
  const std::uint32_t hosts = hosts_of(s);
  bool any = false;
  for (TrafficSource& source : s.traffic) any |= mirror_source(source, hosts);
  if (!any) return false;
  s.mirrored_hosts = hosts;
  mirror_probes(s);
  return true;
}

bool apply(Scenario& s, std::uint32_t number) {
  if (number == kOrder) return change_order(s);
  if (number == kSizes) return change_sizes(s);
  if (number == kHosts) return change_hosts(s);
  return number <= 4 ? change_delays(s, kThousandths[number]) : change_base_rtt(s, kThousandths[number]);
}

// The switch of a host becomes that of the host counted from the other end; other switches stay.
std::uint32_t mirrored_node(std::uint32_t node, const net::Topology& topology, std::uint32_t hosts) {
  const auto switch_of = [&](std::uint32_t host) {
    for (const net::Link& link : topology.links)
      if (link.a == host || link.b == host) return link.a == host ? link.b : link.a;
    return host;
  };
  for (std::uint32_t host = 0; node >= hosts && host < hosts; ++host)
    if (switch_of(host) == node) return switch_of(mirrored_host(host, hosts));
  return mirrored_host(node, hosts);
}

}  // namespace

std::string perturbation_text(std::uint32_t number) {
  if (number == kOrder) return "starts of equal flows in the reverse order";
  if (number == kSizes) return "sizes + 10 %";
  if (number == kHosts) return "host numbers of the traffic counted from the other end";
  const int thousandths = kThousandths.at(number);
  return fmt::format("{} {} {:g} %", number <= 4 ? "all link delays" : "T of the algorithms",
                     thousandths < 0 ? '-' : '+', std::abs(thousandths) / 10.0);
}

void perturb(Scenario& s) {
  const std::uint32_t number = s.run.perturbation;
  if (number == 0) return;
  s.run.perturbation = 0;
  try {
    s.perturbed = apply(s, number);
  } catch (const InputError& error) {
    throw key_error(s, "run.perturbation", fmt::format("{} ({})", error.what(), perturbation_text(number)));
  }
  s.notices.push_back(fmt::format("run.perturbation = {}: {}{}", number, perturbation_text(number),
                                  s.perturbed ? "" : "; nothing in this scenario changes by that"));
}

std::uint32_t mirrored_host(std::uint32_t host, std::uint32_t hosts) { return host < hosts ? hosts - 1 - host : host; }

std::string mirrored_ports(const std::string& ports, const net::Topology& topology, std::uint32_t hosts) {
  std::string out;
  for (std::size_t at = 0; at < ports.size();) {
    const auto is_digit = [&](std::size_t i) {
      return i < ports.size() && std::isdigit(static_cast<unsigned char>(ports[i])) != 0;
    };
    std::size_t end = at;
    while (is_digit(end) && end - at < 9) ++end;
    if (end == at) {
      out += ports[at++];
      continue;
    }
    out += std::to_string(
        mirrored_node(static_cast<std::uint32_t>(std::stoul(ports.substr(at, end - at))), topology, hosts));
    at = end;
  }
  return out;
}

}  // namespace weir::scenario
