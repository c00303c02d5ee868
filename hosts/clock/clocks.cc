#include "hosts/clock/clocks.h"

#include <algorithm>

namespace weir::hosts::clock {
namespace {

constexpr std::size_t kMostOrigins = 256;
// Hosts report twice a second; one report may be lost.
constexpr std::int64_t kReportLives = 1'200'000'000;

}  // namespace

Reports::News Reports::take(const Report& report, std::int64_t now) {
  const auto [place, fresh] = latest_.try_emplace(report.origin);
  Entry& entry = place->second;
  if (fresh && latest_.size() > kMostOrigins) {
    latest_.erase(place);
    return News::none;
  }
  const bool newer = std::pair{report.started, report.number} > std::pair{entry.report.started, entry.report.number};
  if (!fresh && !newer && now - entry.came < kReportLives) return News::none;
  const bool less = std::any_of(entry.report.edges.begin(), entry.report.edges.end(), [&](const ReportEdge& old) {
    return std::none_of(report.edges.begin(), report.edges.end(), [&](const ReportEdge& e) { return e.to == old.to; });
  });
  entry = {report, now};
  return less ? News::less : News::more;
}

void Reports::expire(std::int64_t now) {
  std::erase_if(latest_, [&](const auto& e) { return now - e.second.came >= kReportLives; });
}

const Report* Reports::find(const Address& origin) const {
  const auto found = latest_.find(origin);
  return found == latest_.end() ? nullptr : &found->second.report;
}

void Clocks::solve(std::span<const OwnEdge> own, const Reports& reports, std::span<const Address> self,
                   std::int64_t at) {
  places_.clear();
  for (const Address& address : self) places_.emplace(address, 0);
  std::size_t hosts = 1;
  const auto place = [&](const Address& host) {
    const auto [it, fresh] = places_.try_emplace(host, hosts);
    if (fresh) ++hosts;
    return it->second;
  };
  std::vector<GraphEdge> edges;
  for (const OwnEdge& e : own) {
    edges.push_back({0, place(e.to), e.measured});
  }
  // Both ends of an edge have measured it from the same probes: what the one with the smaller address says counts. What
  // others say of us we have measured ourselves.
  std::map<std::pair<Address, Address>, GraphEdge> others;
  reports.each([&](const Report& report) {
    const std::size_t from = place(report.origin);
    if (from == 0) return;
    for (const ReportEdge& e : report.edges) {
      const std::size_t to = place(e.to);
      if (to == 0 || to == from) continue;
      const bool first = report.origin < e.to;
      const auto ends = first ? std::pair{report.origin, e.to} : std::pair{e.to, report.origin};
      const GraphEdge edge{from, to, {report.at, e.offset, e.drift, e.error, e.growth, e.bias}};
      if (first) {
        others.insert_or_assign(ends, edge);
      } else {
        others.emplace(ends, edge);
      }
    }
  });
  for (const auto& [ends, edge] : others) edges.push_back(edge);
  solution_ = reconcile(hosts, edges, at);
}

std::optional<Estimate> Clocks::find(const Address& host) const {
  const auto place = places_.find(host);
  if (place == places_.end() || place->second >= solution_.nodes.size()) return std::nullopt;
  const GraphNode& node = solution_.nodes[place->second];
  return node.known ? std::optional(node.estimate) : std::nullopt;
}

}  // namespace weir::hosts::clock
