#include "weir/network_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include <nlohmann/json.hpp>

#include "weir/base/params.h"
#include "weir/net/topologies.h"
#include "weir/probe/port_choice.h"

namespace weir::app {
namespace {

// Rows of words, each column as wide as its longest.
class Columns {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> width;
    for (const auto& row : rows_) {
      width.resize(std::max(width.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{}{:<{}}", i > 0 ? "  " : "", row[i], width[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

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
  Columns out;
  out.add({"tier", "nodes", "ports of each"});
  const auto tiers = nodes_by_tier(t);
  for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
    if (tiers[tier].empty()) continue;
    const auto [least, most] = std::minmax_element(tiers[tier].begin(), tiers[tier].end(),
                                                   [&](auto x, auto y) { return ports[x] < ports[y]; });
    out.add({probe::tier_name(static_cast<std::uint8_t>(tier)), number_ranges(tiers[tier]),
             ports[*least] == ports[*most] ? fmt::format("{}", ports[*least])
                                           : fmt::format("{} to {}", ports[*least], ports[*most])});
  }
  return out.text();
}

std::string links_text(const net::Topology& t) {
  Columns out;
  out.add({"links", "a", "b", "rate", "delay", "ports"});
  for (const auto& [first, last] : runs(t)) {
    const net::Link& f = t.links[first];
    const net::Link& l = t.links[last];
    out.add({range(first, last), range(f.a, l.a), range(f.b, l.b), format_value(f.rate), format_value(f.delay),
             range(2 * first, 2 * last + 1)});
  }
  return out.text();
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

std::string paths_text(const net::Topology& t, const NetworkPaths& paths) {
  Columns rows;
  rows.add({"nodes", "ports", "share of flows", "slowest link", "propagation"});
  for (const NetworkPath& path : paths.listed)
    rows.add({fmt::format("{}", fmt::join(nodes_of(t, path), " ")), fmt::format("{}", fmt::join(path.ports, " ")),
              fmt::format("{:.3g} %", 100 * path.share), format_value(path.slowest), format_value(path.propagation)});
  const std::string more =
      paths.count > static_cast<double>(paths.listed.size())
          ? fmt::format("... and {:.0f} more\n", paths.count - static_cast<double>(paths.listed.size()))
          : "";
  return fmt::format("{:.0f} path{} from host {} to host {}\n{}{}", paths.count, paths.count == 1 ? "" : "s", paths.src,
                     paths.dst, rows.text(), more);
}

}  // namespace

NetworkPaths paths_between(const net::Routing& routing, std::uint32_t src, std::uint32_t dst) {
  const net::Topology& t = routing.topology();
  NetworkPaths out{.src = src, .dst = dst, .count = 0, .listed = {}};
  const std::uint32_t first = t.port_peer(routing.host_port(src)) - t.hosts;

  // How many ways lead to a switch: each hop is one nearer to the destination, so all that lead to it come before it.
  std::vector<double> ways(t.switches, 0);
  std::vector<std::uint32_t> order{first};
  ways[first] = 1;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::uint32_t port : routing.next_hops(order[i], dst)) {
      const std::uint32_t peer = t.port_peer(port);
      double& count = peer == dst ? out.count : ways[peer - t.hosts];
      if (peer != dst && count == 0) order.push_back(peer - t.hosts);
      count += ways[order[i]];
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
  std::vector<Step> steps{step(first, 1)};
  NetworkPath path{.ports = {routing.host_port(src)}, .share = 1, .slowest = {}, .propagation = {}};
  while (!steps.empty() && out.listed.size() < kMostPaths) {
    Step& at = steps.back();
    path.ports.resize(steps.size());
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

std::string listing_text(const net::Topology& t, const std::optional<NetworkPaths>& paths) {
  const std::string head = fmt::format("{}{}{}\n\n", t.name, t.name.empty() ? "" : ": ", net::summary(t));
  if (paths) return head + paths_text(t, *paths);
  return head + tiers_text(t) + '\n' + links_text(t) + '\n' + event_text(t);
}

std::string listing_json(const net::Topology& t, const std::optional<NetworkPaths>& paths) {
  using Json = nlohmann::ordered_json;
  Json out{{"name", t.name}, {"hosts", t.hosts}, {"switches", t.switches}};
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
  if (paths) {
    out["paths"] = {{"src", paths->src}, {"dst", paths->dst}, {"count", paths->count}, {"listed", Json::array()}};
    if (paths->count < 0x1p53) out["paths"]["count"] = static_cast<std::uint64_t>(paths->count);
    for (const NetworkPath& path : paths->listed)
      out["paths"]["listed"].push_back({{"nodes", nodes_of(t, path)},
                                        {"ports", path.ports},
                                        {"share", path.share},
                                        {"slowest_bps", path.slowest.bits_per_second},
                                        {"propagation_ps", path.propagation.ps}});
  }
  return out.dump(2) + '\n';
}

}  // namespace weir::app
