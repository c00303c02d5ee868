#include "weir/import/ns3_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "weir/base/text.h"
#include "weir/import/ns3_words.h"
#include "weir/replica/ns3_clock.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

Time parse_ns3_delay(const std::string& text, const Where& where) {
  struct Unit {
    std::string_view name;
    double ns = 0;
  };
  constexpr Unit kUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
  std::string_view unit;
  const auto value = leading_ns3_number(text, unit);
  const auto known = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == unit; });
  if (value && known != std::end(kUnits)) {
    const double ns = *value * known->ns;
    if (ns >= 0 && ns <= 1e9 && std::abs(ns - std::round(ns)) < 1e-6) return {1000 * std::llround(ns)};
  }
  throw InputError(where,
                   fmt::format("delay: '{}' is not valid; write whole nanoseconds up to 1 s, like 1000ns or 0.001ms",
                               one_line(text, kQuoted)));
}

// "0-3,8" for ascending numbers.
std::string as_ranges(const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    out += fmt::format("{}{}", out.empty() ? "" : ",", numbers[i]);
    if (end - i > 1) out += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return out;
}

struct Head {
  std::uint32_t nodes = 0;
  std::uint32_t links = 0;
};

// The first line, whose length tells which program it is for.
Head read_head(Ns3Words& words, Ns3Topology& out) {
  const std::size_t length = words.left_in_line();
  const bool of_datacenter = length == 4;
  const bool of_simai = length == 6;
  Head head;
  head.nodes = words.whole("the number of nodes", 1, kMaxHosts);
  if (of_simai) {
    words.whole("the number of GPUs per server", 0, UINT32_MAX);
    if (words.whole("the number of NVSwitches", 0, UINT32_MAX) > 0)
      throw InputError(
          words.where(),
          "NVSwitches make hosts with several links, which the rules of this simulator do not have; a host has one");
  }
  net::Topology& t = out.topology;
  t.switches = words.whole("the number of switches", 1, std::min(head.nodes, net::kMaxSwitches));
  t.hosts = head.nodes - t.switches;
  if (of_datacenter) {
    words.whole("the number of switches of hosts", 0, UINT32_MAX);
    out.begin_ns = 0;
  }
  head.links = words.whole("the number of links", 1, net::kMaxLinks);
  if (of_simai) words.next("the type of the GPUs");
  return head;
}

// The second line: switches may have any numbers.
void read_switches(Ns3Words& words, std::uint32_t nodes, Ns3Topology& out) {
  const net::Topology& t = out.topology;
  std::set<std::uint32_t> switches;
  for (std::uint32_t i = 0; i < t.switches; ++i) {
    const std::uint32_t id = words.whole("the number of a switch", 0, nodes - 1);
    if (!switches.insert(id).second) throw InputError(words.where(), fmt::format("switch {} is there twice", id));
  }
  std::uint32_t next_host = 0;
  std::uint32_t next_switch = t.hosts;
  for (std::uint32_t id = 0; id < nodes; ++id)
    out.number_here.push_back(switches.contains(id) ? next_switch++ : next_host++);
  if (*switches.begin() < t.hosts) out.switches = as_ranges({switches.begin(), switches.end()});
}

}  // namespace

Ns3Topology parse_ns3_topology(std::string_view text, const std::string& file) {
  Ns3Words words(text, file);
  Ns3Topology out;
  net::Topology& t = out.topology;
  t.name = "file";
  const Head head = read_head(words, out);
  const auto [nodes, links] = head;
  read_switches(words, nodes, out);
  for (std::uint32_t i = 0; i < links; ++i) {
    net::Link link;
    link.a = out.number_here[words.whole("one end of a link", 0, nodes - 1)];
    out.where.push_back(words.where());
    link.b = out.number_here[words.whole("the other end of a link", 0, nodes - 1)];
    link.rate = parse_ns3_rate(words.next("the rate of a link"), words.where());
    link.delay = parse_ns3_delay(words.next("the delay of a link"), words.where());
    out.loss.push_back(words.number("the error rate of a link", 0, 1));
    try {
      net::check_link(t, link);
    } catch (const InputError& error) {
      throw InputError(words.where(), error.what() + out.hint());
    }
    t.links.push_back(link);
  }
  out.rest = words.rest(fmt::format("the {} links that its first line counts", links));
  try {
    net::check(t);
    net::check_one_port(t);
  } catch (const InputError& error) {
    throw InputError(Where{file, 0}, error.what() + out.hint());
  }
  net::assign_tiers(t);
  return out;
}

std::string Ns3Topology::hint() const {
  return switches.empty() ? ""
                          : fmt::format(" (hosts are 0 to {} here, and switches come after them)", topology.hosts - 1);
}

Ns3Loss ns3_loss(const Ns3Topology& network, double common, bool only_last_link) {
  Ns3Loss out{common, {}};
  for (std::size_t i = 0; i < network.loss.size(); ++i) {
    const net::Link& link = network.topology.links[i];
    const double loss = network.loss[i] > 0 ? network.loss[i] : common;
    const auto [known, is_new] = out.links.try_emplace(std::minmax(link.a, link.b), loss);
    if (known->second != loss && !only_last_link)
      throw InputError(network.where[i],
                       fmt::format("packets are lost with probability {} here and {} on a parallel link; only one "
                                   "for both is possible",
                                   loss, known->second));
    known->second = loss;
  }
  const double first = out.links.begin()->second;
  if (std::all_of(out.links.begin(), out.links.end(), [&](const auto& link) { return link.second == first; }))
    out.common = first;
  std::erase_if(out.links, [&](const auto& link) { return link.second == out.common; });
  return out;
}

Ns3Flows parse_ns3_flows(std::string_view text, const std::string& file, const Ns3Topology& network, Bytes largest) {
  constexpr std::uint16_t kDport = 100;
  constexpr std::uint64_t kClass = 3;
  constexpr std::uint32_t kFirstPort = 10'000;
  Ns3Words words(text, file);
  const auto host = [&](std::string_view name) {
    const std::uint32_t node = words.whole(name, 0, network.number_here.size() - 1);
    const std::uint32_t here = network.number_here[node];
    if (here >= network.topology.hosts)
      throw InputError(words.where(), fmt::format("{}: node {} is a switch", name, node));
    return here;
  };
  const std::uint32_t count = words.whole("the number of flows", 1, UINT32_MAX);
  constexpr std::size_t kColumnsWithoutPorts = 5;
  const bool has_ports = words.left_in_line() != kColumnsWithoutPorts;
  Ns3Flows out;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ports;
  for (std::uint32_t i = 0; i < count; ++i) {
    traffic::Flow flow;
    flow.id = i;
    flow.src = host("the source of a flow");
    flow.dst = host("the destination of a flow");
    if (flow.src == flow.dst) throw InputError(words.where(), "a flow of a host to itself");
    words.whole("the priority group of a flow", kClass, kClass);
    flow.dport =
        has_ports ? static_cast<std::uint16_t>(words.whole("the destination port of a flow", 1, 65535)) : kDport;
    flow.size = words.bytes("the size of a flow", largest);
    const double begin = static_cast<double>(network.begin_ns) / 1e9;
    const std::int64_t start = replica::seconds_to_ns(words.number("the start of a flow", begin, 1e6));
    flow.start = {(start - network.begin_ns) * 1000};
    if (!out.flows.empty() && flow.start < out.flows.back().start)
      throw InputError(words.where(), "the flow starts before the one above it; sort flows by their starts");
    const std::uint32_t port = kFirstPort + ports[{flow.src, flow.dst}]++;
    if (port > 65535)
      throw InputError(words.where(), fmt::format("more than {} flows of these two hosts", 65536 - kFirstPort));
    flow.sport = static_cast<std::uint16_t>(port);
    out.flows.push_back(flow);
  }
  out.rest = words.rest(fmt::format("the {} flows that its first line counts", count));
  return out;
}

Ns3Trace parse_ns3_trace(std::string_view text, const std::string& file, const Ns3Topology& network) {
  Ns3Words words(text, file);
  const std::uint32_t count = words.whole("the number of trace nodes", 0, UINT32_MAX);
  std::set<std::uint32_t> nodes;
  std::set<std::uint32_t> unknown;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t node = words.whole("a trace node", 0, UINT32_MAX);
    if (node < network.number_here.size())
      nodes.insert(network.number_here[node]);
    else
      unknown.insert(node);
  }
  Ns3Trace out;
  out.nodes = {nodes.begin(), nodes.end()};
  if (!unknown.empty())
    out.unknown = fmt::format("{}: nodes {}, which the topology does not have", file,
                              as_ranges({unknown.begin(), unknown.end()}));
  out.rest = words.rest(fmt::format("the {} trace nodes that its first line counts", count));
  return out;
}

}  // namespace weir::scenario
