#include "weir/engine/model/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "weir/base/random.h"
#include "weir/traffic/hosts.h"

namespace weir::engine {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// All links between two nodes, or with `parallel` above 0 the one with this place. Complaints are about `key`.
std::vector<std::uint32_t> links_between(const net::Topology& t, std::uint32_t a, std::uint32_t b,
                                         std::uint32_t parallel, std::string_view key) {
  std::vector<std::uint32_t> out;
  std::string neighbours;
  for (std::uint32_t l = 0; l < t.links.size(); ++l) {
    const net::Link& link = t.links[l];
    if ((link.a == a && link.b == b) || (link.a == b && link.b == a)) out.push_back(l);
    if ((link.a == a || link.b == a) && neighbours.size() < 60)
      neighbours += fmt::format(" {}", link.a == a ? link.b : link.a);
  }
  for (const std::uint32_t node : {a, b})
    if (node >= t.nodes())
      throw InputError(std::string(key), fmt::format("there is no node {}; nodes are 0 to {}", node, t.nodes() - 1));
  if (out.empty())
    throw InputError(std::string(key), fmt::format("there is no link {}-{}; {} is linked to{}", a, b, a, neighbours));
  if (parallel > out.size())
    throw InputError(std::string(key), fmt::format("there are {} links {}-{}; valid is 1 to {}, or all without a place",
                                                   out.size(), a, b, out.size()));
  return parallel == 0 ? out : std::vector{out[parallel - 1]};
}

std::vector<std::uint32_t> links_named(const net::Topology& t, const std::string& name, const std::string& key) {
  std::vector<std::uint32_t> out;
  const auto those = [&](auto&& wanted) {
    for (std::uint32_t l = 0; l < t.links.size(); ++l)
      if (wanted(t.links[l].a < t.hosts || t.links[l].b < t.hosts)) out.push_back(l);
    if (out.empty()) throw InputError(std::string(key), "this network has no such links");
    return out;
  };
  if (name == "all") return those([](bool) { return true; });
  if (name == "hosts") return those([](bool of_host) { return of_host; });
  if (name == "fabric") return those([](bool of_host) { return !of_host; });
  if (name.find("->") != std::string::npos)
    throw InputError(
        std::string(key),
        fmt::format("'{}' is one direction, and links lose packets in both; write two nodes as 320-0", name));
  const auto dash = name.find('-');
  const auto a = number(std::string_view(name).substr(0, dash));
  const std::string_view rest =
      dash == std::string::npos ? std::string_view() : std::string_view(name).substr(dash + 1);
  const auto hash = rest.find('#');
  const auto b = number(rest.substr(0, hash));
  const auto place = hash == std::string_view::npos ? std::optional(0u) : number(rest.substr(hash + 1));
  if (!a || !b || !place || (hash != std::string_view::npos && *place == 0))
    throw InputError(std::string(key), fmt::format("'{}' names no links; valid is all, hosts, fabric, or two nodes as "
                                                   "320-0, or 320-0#2 for the second link between them",
                                                   name));
  return links_between(t, *a, *b, *place, key);
}

// A link goes down only when it is up, and the other way round.
void add_outages(const std::vector<LinkEventRow>& rows, const net::Topology& t, Faults& out) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return rows[x].time < rows[y].time; });
  for (const std::size_t i : order) {
    const LinkEventRow& row = rows[i];
    const std::string key = fmt::format("network.link_event.{}", i);
    for (const auto link : links_between(t, row.a, row.b, row.parallel, key)) {
      auto& outages = out.links[link].outages;
      const bool is_down = !outages.empty() && outages.back().up == Time::max();
      if (is_down == (row.state == LinkState::down))
        throw InputError(key + ".state", fmt::format("the link {}-{} is {} already at {}", row.a, row.b,
                                                     is_down ? "down" : "up", format_value(row.time)));
      if (is_down && row.time == outages.back().down)
        throw InputError(key + ".time",
                         fmt::format("the link {}-{} goes down at that instant; write a later time", row.a, row.b));
      if (is_down)
        outages.back().up = row.time;
      else
        outages.push_back({row.time});
      out.changes.push_back({row.time, link, row.state});
    }
  }
}

// Links that a link_event names are left to it, and no link fails twice.
void add_failures(const std::vector<FailureRow>& rows, const net::Topology& t, std::uint64_t seed, Faults& out) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::uint32_t l = 0; l < t.links.size(); ++l) {
      if (t.links[l].a < t.hosts || t.links[l].b < t.hosts) continue;
      if (RandomStream(seed, l, Purpose::link_failure).uniform(i) >= rows[i].probability) continue;
      auto& outages = out.links[l].outages;
      if (!outages.empty()) continue;
      outages.push_back({rows[i].time});
      out.changes.push_back({rows[i].time, l, LinkState::down});
    }
  std::stable_sort(out.changes.begin(), out.changes.end(), [](auto& x, auto& y) { return x.time < y.time; });
}

void add_pauses(const std::vector<HostPauseRow>& rows, const net::Topology& t, Faults& out) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].host >= t.hosts)
      throw InputError(fmt::format("host.pause.{}.host", i),
                       fmt::format("there is no host {}; hosts are 0 to {}", rows[i].host, t.hosts - 1));
  out.pauses = rows;
  std::stable_sort(out.pauses.begin(), out.pauses.end(), [](auto& x, auto& y) { return x.start < y.start; });
}

void add_slow_hosts(const std::vector<SlowHostRow>& rows, const net::Topology& t, Faults& out) {
  traffic::Context context;
  context.host_rates.resize(t.hosts);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string key = fmt::format("host.slow.{}", i);
    const host::SlowSpan span{rows[i].rate, rows[i].from, rows[i].until == Time{} ? Time::max() : rows[i].until};
    if (span.until <= span.from)
      throw InputError(key + ".until", fmt::format("{} is not after from = {}; valid is later, or 0 for ever",
                                                   format_value(span.until), format_value(span.from)));
    for (const std::uint32_t h : traffic::parse_hosts(rows[i].hosts, key + ".hosts", context)) {
      auto& spans = out.slow[h];
      const auto next = std::find_if(spans.begin(), spans.end(), [&](const auto& s) { return s.until > span.from; });
      if (next != spans.end() && next->from < span.until)
        throw InputError(key + ".hosts", fmt::format("host {} is slow already from {} on; one row for each time", h,
                                                     format_value(next->from)));
      spans.insert(next, span);
    }
  }
}

void add_loss(const std::vector<LossRow>& rows, const net::Topology& topology, Faults& out) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string key = fmt::format("network.loss.{}", i);
    if (rows[i].retry && rows[i].probability == 1)
      throw InputError(key + ".probability",
                       "a link that loses every packet would retry for ever; valid with retry is less than 1");
    for (const auto link : links_named(topology, rows[i].links, key + ".links")) {
      out.links[link].loss = net::LinkFaults::scaled(rows[i].probability);
      out.links[link].retries = rows[i].retry;
      out.some_links_retry |= rows[i].retry;
    }
  }
}

}  // namespace

Faults work_out(const FaultRows& rows, const net::Topology& topology, std::uint64_t seed) {
  Faults out;
  add_loss(rows.loss, topology, out);
  add_outages(rows.link_events, topology, out);
  add_failures(rows.failures, topology, seed, out);
  add_pauses(rows.host_pauses, topology, out);
  add_slow_hosts(rows.slow_hosts, topology, out);
  return out;
}

}  // namespace weir::engine
