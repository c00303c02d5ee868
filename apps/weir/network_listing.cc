#include "weir/network_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

#include "weir/base/params.h"
#include "weir/base/text_table.h"
#include "weir/net/model/planes.h"
#include "weir/net/model/topologies.h"
#include "weir/probe/port_choice.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

std::string range(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

// Links in a row that are alike and whose ends are the same or one further at each: first to last.
struct LinkRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

std::vector<LinkRun> runs(const net::Topology& t) {
  std::vector<LinkRun> out;
  std::uint32_t step_a = 0;
  std::uint32_t step_b = 0;
  for (std::uint32_t l = 0; l < t.links.size(); ++l) {
    const net::Link& link = t.links[l];
    if (!out.empty()) {
      LinkRun& run = out.back();
      const net::Link& before = t.links[run.last];
      const std::uint32_t a = link.a - before.a;  // wraps to a large number if it is less
      const std::uint32_t b = link.b - before.b;
      const bool goes_on = run.first == run.last ? a <= 1 && b <= 1 && a + b <= 1 : a == step_a && b == step_b;
      if (goes_on && link.rate == before.rate && link.delay == before.delay) {
        step_a = a;
        step_b = b;
        run.last = l;
        continue;
      }
    }
    out.push_back({l, l});
  }
  return out;
}

std::string tiers_text(const net::Topology& t) {
  std::vector<std::uint32_t> ports(t.nodes());
  for (std::uint32_t p = 0; p < t.ports(); ++p) ++ports[t.port_owner(p)];
  TextRows out{{"tier", "nodes", "ports of each"}};
  const auto tiers = nodes_by_tier(t);
  for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
    if (tiers[tier].empty()) continue;
    const auto [least, most] = std::minmax_element(tiers[tier].begin(), tiers[tier].end(),
                                                   [&](auto x, auto y) { return ports[x] < ports[y]; });
    out.push_back({probe::tier_name(static_cast<std::uint8_t>(tier)), number_ranges(tiers[tier]),
                   ports[*least] == ports[*most] ? fmt::format("{}", ports[*least])
                                                 : fmt::format("{} to {}", ports[*least], ports[*most])});
  }
  return text_table(out, kAllColumns);
}

std::string links_text(const net::Topology& t) {
  TextRows out{{"links", "a", "b", "rate", "delay", "ports"}};
  for (const auto& [first, last] : runs(t)) {
    const net::Link& f = t.links[first];
    const net::Link& l = t.links[last];
    out.push_back({range(first, last), range(f.a, l.a), range(f.b, l.b), format_value(f.rate), format_value(f.delay),
                   range(2 * first, 2 * last + 1)});
  }
  return text_table(out, kAllColumns);
}

std::string event_text(const net::Topology& t) {
  const auto of_fabric = [&](const net::Link& l) { return l.a >= t.hosts && l.b >= t.hosts; };
  const auto found = std::find_if(t.links.begin(), t.links.end(), of_fabric);
  const net::Link& link = found == t.links.end() ? t.links.front() : *found;
  return fmt::format(
      "Link l leaves its node a by port 2 l and its node b by port 2 l + 1; results number ports alike.\n"
      "In a scenario a link goes down by the numbers of its nodes:\n\n"
      "[[network.link_event]]\n"
      "time = \"1 ms\"\n"
      "a = {}\n"
      "b = {}\n"
      "state = \"down\"\n",
      link.a, link.b);
}

std::vector<std::uint32_t> nodes_of(const net::Topology& t, const NetworkPath& path) {
  std::vector<std::uint32_t> out{t.port_owner(path.ports.front())};
  for (const std::uint32_t port : path.ports) out.push_back(t.port_peer(port));
  return out;
}

// "link 12 (8-10)".
std::string link_text(const net::Topology& t, std::uint32_t link) {
  return fmt::format("link {} ({}-{})", link, t.links[link].a, t.links[link].b);
}

// The first link of a path that is down; packets fall back to such a path where no other is left.
std::optional<std::uint32_t> broken_link(const NetworkPath& path, const std::vector<std::uint32_t>& down) {
  for (const std::uint32_t port : path.ports)
    if (std::binary_search(down.begin(), down.end(), port / 2)) return port / 2;
  return std::nullopt;
}

std::string paths_text(const net::Topology& t, const NetworkPaths& paths, bool changing) {
  TextRows rows{{"nodes", "ports", "share of flows", "slowest link", "propagation"}};
  for (const NetworkPath& path : paths.listed) {
    const auto broken = broken_link(path, paths.down);
    rows.push_back({fmt::format("{}", fmt::join(nodes_of(t, path), " ")), fmt::format("{}", fmt::join(path.ports, " ")),
                    fmt::format("{:.3g} %", 100 * path.share), format_value(path.slowest),
                    format_value(path.propagation), broken ? link_text(t, *broken) + " is down" : ""});
  }
  const std::string more =
      paths.count > static_cast<double>(paths.listed.size())
          ? fmt::format("... and {:.0f} more\n", paths.count - static_cast<double>(paths.listed.size()))
          : "";
  std::string when;
  if (changing) {
    when = paths.from == Time{} ? ", at the start" : fmt::format(", from {} on", format_value(paths.from));
    if (paths.down.empty()) when += ", all links up";
    for (const std::uint32_t link : paths.down)
      when += fmt::format("{}{}", link == paths.down.front() ? ", without " : ", ", link_text(t, link));
  }
  return fmt::format("{:.0f} path{} from {} to {}{}\n{}{}", paths.count, paths.count == 1 ? "" : "s",
                     net::name_of_host(t, paths.src), net::name_of_host(t, paths.dst), when,
                     text_table(rows, kAllColumns), more);
}

}  // namespace

NetworkPaths paths_between(const net::Routing& routing, std::uint32_t src, std::uint32_t dst) {
  const net::Topology& t = routing.topology();
  NetworkPaths out{.from = {}, .down = {}, .src = src, .dst = dst, .count = 0, .listed = {}};
  // How many ways lead to a switch: from one port of the host each hop is one nearer to the destination, so all that
  // lead to a switch come before it.
  const auto own = routing.ports_to(src, dst);
  for (const std::uint32_t up : own) {
    std::vector<double> ways(t.switches, 0);
    std::vector<std::uint32_t> order{t.port_peer(up) - t.hosts};
    ways[order.front()] = 1;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const std::uint32_t port : routing.next_hops(order[i], dst)) {
        const std::uint32_t peer = t.port_peer(port);
        double& count = peer == dst ? out.count : ways[peer - t.hosts];
        if (peer != dst && count == 0) order.push_back(peer - t.hosts);
        count += ways[order[i]];
      }
  }

  struct Step {
    std::span<const std::uint32_t> hops;
    std::vector<double> shares;
    double share = 1;  // of the way so far
    std::size_t next = 0;
  };
  const auto step = [&](std::uint32_t s, double share) {
    return Step{routing.next_hops(s, dst), routing.shares(s, dst), share};
  };
  std::vector<Step> steps{Step{own, std::vector(own.size(), 1.0 / static_cast<double>(own.size()))}};
  NetworkPath path{.ports = {}, .share = 1, .slowest = {}, .propagation = {}};
  while (!steps.empty() && out.listed.size() < kMostPaths) {
    Step& at = steps.back();
    path.ports.resize(steps.size() - 1);
    if (at.next == at.hops.size()) {
      steps.pop_back();
      continue;
    }
    const std::uint32_t port = at.hops[at.next];
    const double share = at.share * at.shares[at.next++];
    path.ports.push_back(port);
    if (t.port_peer(port) != dst) {
      steps.push_back(step(t.port_peer(port) - t.hosts, share));
      continue;
    }
    NetworkPath& done = out.listed.emplace_back(path);
    done.share = share;
    done.slowest = t.links[path.ports.front() / 2].rate;
    for (const std::uint32_t p : path.ports) {
      done.slowest = std::min(done.slowest, t.links[p / 2].rate);
      done.propagation += t.links[p / 2].delay;
    }
  }
  return out;
}

std::string number_ranges(const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    out += (out.empty() ? "" : ", ") + range(numbers[i], numbers[last]);
    i = last + 1;
  }
  return out;
}

std::vector<std::vector<std::uint32_t>> nodes_by_tier(const net::Topology& t) {
  std::vector<std::vector<std::uint32_t>> out(1u + *std::max_element(t.tier.begin(), t.tier.end()));
  for (std::uint32_t node = 0; node < t.nodes(); ++node) out[t.tier[node]].push_back(node);
  return out;
}

std::vector<NetworkPaths> paths_over_time(const engine::Model& model, std::uint32_t src, std::uint32_t dst) {
  const Time delay = model.network.reroute ? model.network.reroute_delay : Time{};
  const std::size_t count = model.topology.links.size();
  engine::LinksOverTime links(model.faults.changes, count);
  engine::LinksOverTime known(model.faults.changes, count, delay);
  std::vector<NetworkPaths> out;
  for (Time from; from < Time::max(); from = std::min(links.next(), known.next())) {
    links.advance(from);
    known.advance(from);
    out.push_back(known.all_are_up() || !model.network.reroute
                      ? paths_between(model.routing, src, dst)
                      : paths_between({model.topology, model.seed, known.down(), model.network.ecmp}, src, dst));
    out.back().from = from;
    for (std::uint32_t l = 0; l < count; ++l)
      if (links.down()[l]) out.back().down.push_back(l);
  }
  return out;
}

namespace {

// "down at 1 ms, up at 2 ms" for each link that changes.
std::map<std::uint32_t, std::string> histories(const NetworkView& view) {
  std::map<std::uint32_t, std::string> out;
  for (const auto& [time, link, state] : view.changes) {
    std::string& text = out[link];
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", state == engine::LinkState::down ? "down" : "up",
                        format_value(time));
  }
  return out;
}

// A plane whose links are down and up together is one line, and each other link is.
std::string events_text(const NetworkView& view) {
  const net::Topology& t = view.topology;
  std::map<std::uint32_t, std::string> of_link = histories(view);
  if (of_link.empty()) return "";
  const net::Planes planes(t);
  std::map<std::uint32_t, std::vector<std::uint32_t>> links;  // by the first switch of their plane
  for (std::uint32_t l = 0; l < t.links.size(); ++l)
    links[planes.of_switch(std::max(t.links[l].a, t.links[l].b))].push_back(l);
  std::string out;
  std::uint32_t plane = 0;
  for (const auto& [first, own] : links) {
    const std::string history = of_link[own.front()];
    const bool is_one = links.size() > 1 && !history.empty() &&
                        std::all_of(own.begin(), own.end(), [&](auto l) { return of_link[l] == history; });
    if (is_one) {
      out += fmt::format("plane {} ({} links): {}\n", plane, own.size(), history);
      for (const std::uint32_t l : own) of_link.erase(l);
    }
    ++plane;
  }
  for (const auto& [link, history] : of_link)
    if (!history.empty()) out += fmt::format("{}: {}\n", link_text(t, link), history);
  return out + '\n';
}

}  // namespace

std::map<std::uint32_t, std::string> link_events(const NetworkView& view) {
  std::map<std::uint32_t, std::string> out = histories(view);
  for (auto& [link, history] : out) history = fmt::format("{}: {}", link_text(view.topology, link), history);
  return out;
}

std::string listing_text(const NetworkView& view) {
  const net::Topology& t = view.topology;
  std::string out = fmt::format("{}{}{}\n\n", t.name, t.name.empty() ? "" : ": ", net::summary(t));
  for (const NetworkPaths& paths : view.paths)
    out += (&paths == &view.paths.front() ? "" : "\n") + paths_text(t, paths, view.paths.size() > 1);
  if (!view.paths.empty()) return out;
  out += tiers_text(t) + '\n' + links_text(t) + '\n';
  return out + events_text(view) + event_text(t);
}

std::string listing_json(const NetworkView& view) {
  const net::Topology& t = view.topology;
  Json out{{"name", t.name}, {"hosts", t.hosts}, {"hosts_per_server", t.hosts_per_server}, {"switches", t.switches}};
  out["tiers"] = Json::array();
  const auto tiers = nodes_by_tier(t);
  for (std::size_t tier = 0; tier < tiers.size(); ++tier)
    out["tiers"].push_back({{"name", probe::tier_name(static_cast<std::uint8_t>(tier))}, {"nodes", tiers[tier]}});
  out["links"] = Json::array();
  for (std::uint32_t l = 0; l < t.links.size(); ++l) {
    const net::Link& link = t.links[l];
    out["links"].push_back({{"link", l},
                            {"a", link.a},
                            {"b", link.b},
                            {"rate_bps", link.rate.bits_per_second},
                            {"delay_ps", link.delay.ps},
                            {"port_a", 2 * l},
                            {"port_b", 2 * l + 1}});
  }
  for (const auto& [time, link, state] : view.changes)
    out["link_events"].push_back(
        {{"time_ps", time.ps}, {"link", link}, {"state", state == engine::LinkState::down ? "down" : "up"}});
  const auto of = [&](const NetworkPaths& paths) {
    Json one{{"src", paths.src}, {"dst", paths.dst}, {"count", paths.count}, {"listed", Json::array()}};
    if (paths.count < 0x1p53) one["count"] = static_cast<std::uint64_t>(paths.count);
    for (const NetworkPath& path : paths.listed)
      one["listed"].push_back({{"nodes", nodes_of(t, path)},
                               {"ports", path.ports},
                               {"share", path.share},
                               {"slowest_bps", path.slowest.bits_per_second},
                               {"propagation_ps", path.propagation.ps}});
    return one;
  };
  for (const NetworkPaths& paths : view.paths) {
    Json one = of(paths);
    if (view.paths.size() > 1) {
      one["from_ps"] = paths.from.ps;
      one["down"] = paths.down;
    }
    if (&paths == &view.paths.front())
      out["paths"] = std::move(one);
    else
      out["paths"]["later"].push_back(std::move(one));
  }
  return out.dump(2) + '\n';
}

}  // namespace weir::app
