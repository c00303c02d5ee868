#include "weir/scenario/ns3_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "weir/base/text.h"
#include "weir/replica/ns3_clock.h"
#include "weir/scenario/document.h"
#include "weir/scenario/ns3_words.h"

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
  fail(where, fmt::format("delay: '{}' is not valid; write whole nanoseconds up to 1 s, like 1000ns or 0.001ms",
                          one_line(text, kQuoted)));
}

}  // namespace

Ns3Topology parse_ns3_topology(std::string_view text, const std::string& file) {
  Ns3Words words(text, file);
  Ns3Topology out;
  net::Topology& t = out.topology;
  t.name = "file";
  const std::uint32_t nodes = words.whole("the number of nodes", 1, kMaxHosts);
  t.switches = words.whole("the number of switches", 1, std::min(nodes, net::kMaxSwitches));
  const std::uint32_t links = words.whole("the number of links", 1, net::kMaxLinks);
  t.hosts = nodes - t.switches;
  std::set<std::uint32_t> switches;
  for (std::uint32_t i = 0; i < t.switches; ++i) {
    const std::uint32_t id = words.whole("the number of a switch", 0, nodes - 1);
    if (id < t.hosts)
      fail(words.where(), fmt::format("switch {} is numbered among the hosts; with {} hosts switches have the numbers "
                                      "{} to {} here",
                                      id, t.hosts, t.hosts, nodes - 1));
    if (!switches.insert(id).second) fail(words.where(), fmt::format("switch {} is there twice", id));
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < links; ++i) {
    net::Link link;
    link.a = words.whole("one end of a link", 0, nodes - 1);
    out.where.push_back(words.where());
    link.b = words.whole("the other end of a link", 0, nodes - 1);
    link.rate = parse_ns3_rate(words.next("the rate of a link"), words.where());
    link.delay = parse_ns3_delay(words.next("the delay of a link"), words.where());
    out.loss.push_back(words.number("the error rate of a link", 0, 1));
    try {
      net::check_link(t, link);
    } catch (const InputError& error) {
      fail(words.where(), error.what());
    }
    if (!pairs.insert(std::minmax(link.a, link.b)).second)
      fail(words.where(), fmt::format("a second link {} - {}; there is no room for parallel links", link.a, link.b));
    t.links.push_back(link);
  }
  words.finish(fmt::format("{} links", links));
  try {
    net::check(t);
  } catch (const InputError& error) {
    fail({file, 0}, error.what());
  }
  net::assign_tiers(t);
  return out;
}

std::vector<traffic::Flow> parse_ns3_flows(std::string_view text, const std::string& file, std::uint32_t hosts) {
  constexpr std::int64_t kBegin = 2'000'000'000;  // ns
  constexpr std::uint64_t kClass = 3;
  constexpr std::uint32_t kFirstPort = 10'000;
  Ns3Words words(text, file);
  const std::uint32_t count = words.whole("the number of flows", 1, UINT32_MAX);
  std::vector<traffic::Flow> out;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ports;
  for (std::uint32_t i = 0; i < count; ++i) {
    traffic::Flow flow;
    flow.id = i;
    flow.src = words.whole("the source of a flow", 0, hosts - 1);
    flow.dst = words.whole("the destination of a flow", 0, hosts - 1);
    if (flow.src == flow.dst) fail(words.where(), fmt::format("flow of host {} to itself", flow.src));
    words.whole("the priority group of a flow", kClass, kClass);
    flow.dport = static_cast<std::uint16_t>(words.whole("the destination port of a flow", 1, 65535));
    flow.size = {words.whole("the size of a flow", 1, UINT32_MAX)};
    const std::int64_t start = replica::seconds_to_ns(words.number("the start of a flow", 2, 1e6));
    flow.start = {(start - kBegin) * 1000};
    if (!out.empty() && flow.start < out.back().start)
      fail(words.where(), "the flow starts before the one above it; sort flows by their starts");
    const std::uint32_t port = kFirstPort + ports[{flow.src, flow.dst}]++;
    if (port > 65535)
      fail(words.where(), fmt::format("more than {} flows from {} to {}", 65536 - kFirstPort, flow.src, flow.dst));
    flow.sport = static_cast<std::uint16_t>(port);
    out.push_back(flow);
  }
  words.finish(fmt::format("{} flows", count));
  return out;
}

std::vector<std::uint32_t> parse_ns3_trace(std::string_view text, const std::string& file, std::uint32_t nodes) {
  Ns3Words words(text, file);
  const std::uint32_t count = words.whole("the number of trace nodes", 0, nodes);
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(words.whole("a trace node", 0, nodes - 1));
  words.finish(fmt::format("{} trace nodes", count));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace weir::scenario
