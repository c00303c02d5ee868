#include "weir/engine/model/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "weir/base/random.h"
#include "weir/net/model/planes.h"
#include "weir/traffic/hosts.h"

namespace weir::engine {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// All links between two nodes, or, if `parallel` is above 0, the one with this place. Errors are about `key`, those
// about the place about `key_of_place`.
std::vector<std::uint32_t> links_between(const net::Topology& t, std::uint32_t a, std::uint32_t b,
                                         std::uint32_t parallel, std::string_view key, std::string_view key_of_place) {
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
    throw InputError(std::string(key_of_place),
                     out.size() == 1 ? fmt::format("there is no link {}-{} number {}, but one link {}-{}; leave out "
                                                   "which one it is",
                                                   a, b, parallel, a, b)
                                     : fmt::format("there is no link {}-{} number {}; valid is 1 to {}, or all of them "
                                                   "without a number",
                                                   a, b, parallel, out.size()));
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
  return links_between(t, *a, *b, *place, key, key);
}

std::vector<std::uint32_t> links_at(const net::Topology& t, std::int64_t node, const std::string& key) {
  if (node < t.hosts || node >= t.nodes())
    throw InputError(key + ".switch",
                     fmt::format("there is no switch {}; switches are {} to {}", node, t.hosts, t.nodes() - 1));
  std::vector<std::uint32_t> out;
  for (std::uint32_t l = 0; l < t.links.size(); ++l)
    if (t.links[l].a == node || t.links[l].b == node) out.push_back(l);
  return out;
}

std::vector<std::uint32_t> links_of_plane(const net::Topology& t, std::int64_t plane, const std::string& key) {
  const net::Planes planes(t);
  std::vector<std::uint32_t> first;  // by plane: its first switch
  for (std::uint32_t node = t.hosts; node < t.nodes(); ++node)
    if (planes.of_switch(node) == node) first.push_back(node);
  if (plane >= static_cast<std::int64_t>(first.size()))
    throw InputError(key + ".plane",
                     first.size() == 1
                         ? fmt::format("there is no plane {}; this network has one, number 0", plane)
                         : fmt::format("there is no plane {}; planes are 0 to {}", plane, first.size() - 1));
  std::vector<std::uint32_t> out;
  for (std::uint32_t l = 0; l < t.links.size(); ++l)
    if (planes.of_switch(std::max(t.links[l].a, t.links[l].b)) == first[static_cast<std::size_t>(plane)])
      out.push_back(l);
  return out;
}

// The links that a row of link_event names, its name in messages, and the reason for which it takes links down: 0 = the
// link itself; other numbers stand for its switch or its plane.
struct NamedLinks {
  std::string name;
  std::int64_t reason = 0;
  std::vector<std::uint32_t> links;
};

NamedLinks named_by(const LinkEventRow& row, const net::Topology& t, const std::string& key) {
  constexpr std::int64_t none = LinkEventRow::kNone;
  const bool by_nodes = row.a != none || row.b != none;
  std::vector<std::string_view> given;
  if (by_nodes) given.emplace_back("a and b");
  if (row.at_switch != none) given.emplace_back("switch");
  if (row.plane != none) given.emplace_back("plane");
  if (given.empty()) throw InputError(key, "write the two nodes a and b of links, or a switch, or a plane");
  if (given.size() > 1)
    throw InputError(key, fmt::format("it names links by {}; write one of these ways, and a row for each",
                                      fmt::join(given, " and by ")));
  if (by_nodes) {
    if (row.a == none || row.b == none)
      throw InputError(
          key, fmt::format("{} is missing; links are those between two nodes, a and b", row.a == none ? "a" : "b"));
    const auto a = static_cast<std::uint32_t>(row.a);
    const auto b = static_cast<std::uint32_t>(row.b);
    return {fmt::format("the link {}-{}", a, b), 0, links_between(t, a, b, row.parallel, key, key + ".parallel")};
  }
  if (row.parallel > 0)
    throw InputError(key + ".parallel", "it is one of the links between a and b; leave it out, or write those");
  if (row.at_switch != none)
    return {fmt::format("switch {}", row.at_switch), row.at_switch + 1, links_at(t, row.at_switch, key)};
  return {fmt::format("plane {}", row.plane), -1 - row.plane, links_of_plane(t, row.plane, key)};
}

// The outages of links that are down for several reasons at once, each of which comes and goes.
class Outages {
 public:
  explicit Outages(Faults& out) : out_(out) {}

  // Rows come in order of time.
  void add(const NamedLinks& what, Time time, LinkState state, const std::string& key) {
    for (const std::uint32_t link : what.links) check(what, link, time, state, key);
    for (const std::uint32_t link : what.links)
      if (state == LinkState::down)
        take_down(link, time);
      else
        bring_up(link, time);
  }

 private:
  // Checks that what a row takes down is up, and that what it brings up is down.
  void check(const NamedLinks& what, std::uint32_t link, Time time, LinkState state, const std::string& key) {
    Span& last = spans_.try_emplace({link, what.reason}, Span{LinkState::up, {}}).first->second;
    if (last.state == state)
      throw InputError(key + ".state", fmt::format("{} is {} already at {}", what.name,
                                                   state == LinkState::down ? "down" : "up", format_value(time)));
    if (state == LinkState::up && time == last.since)
      throw InputError(key + ".time", fmt::format("{} goes down at that instant; write a later time", what.name));
    last = {state, time};
  }

  void take_down(std::uint32_t link, Time time) {
    if (++reasons_[link] > 1) return;
    auto& outages = out_.links[link].outages;
    if (!outages.empty() && outages.back().up == time) {
      outages.back().up = Time::max();
      forget(link, time, LinkState::up);
    } else {
      outages.push_back({time});
      out_.changes.push_back({time, link, LinkState::down});
    }
  }

  void bring_up(std::uint32_t link, Time time) {
    if (--reasons_[link] > 0) return;
    out_.links[link].outages.back().up = time;
    out_.changes.push_back({time, link, LinkState::up});
  }

  void forget(std::uint32_t link, Time time, LinkState state) {
    std::erase_if(out_.changes,
                  [&](const LinkChange& c) { return c.time == time && c.link == link && c.state == state; });
  }

  struct Span {
    LinkState state;
    Time since;
  };
  Faults& out_;
  std::map<std::pair<std::uint32_t, std::int64_t>, Span> spans_;  // by link and reason
  std::map<std::uint32_t, int> reasons_;                          // by link: those for which it is down
};

void add_outages(const std::vector<LinkEventRow>& rows, const net::Topology& t, Faults& out) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return rows[x].time < rows[y].time; });
  Outages outages(out);
  for (const std::size_t i : order) {
    const std::string key = fmt::format("network.link_event.{}", i);
    outages.add(named_by(rows[i], t, key), rows[i].time, rows[i].state, key);
  }
}

// Links that a link_event names do not fail, and no link fails twice.
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
