#include "weir/theory/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "weir/base/error.h"

namespace weir::theory {

Network from_incidence(const std::vector<std::vector<int>>& a, std::vector<double> capacities) {
  Network out{std::move(capacities), std::vector<Flow>(a.empty() ? 0 : a.front().size())};
  for (std::uint32_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j)
      if (a[i][j] != 0) out.flows.at(j).links.push_back(i);
  return out;
}

void check(const Network& network) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  for (std::size_t i = 0; i < network.capacities.size(); ++i)
    if (!positive(network.capacities[i]))
      throw InputError(fmt::format("link {} has a capacity of {}; valid is more than 0", i, network.capacities[i]));
  for (std::size_t j = 0; j < network.flows.size(); ++j) {
    const Flow& flow = network.flows[j];
    if (!positive(flow.weight))
      throw InputError(fmt::format("flow {} has a weight of {}; valid is more than 0", j, flow.weight));
    if (flow.links.empty()) throw InputError(fmt::format("flow {} crosses no link; valid is at least one", j));
    if (!flow.shares.empty() &&
        (flow.shares.size() != flow.links.size() || !std::all_of(flow.shares.begin(), flow.shares.end(), positive)))
      throw InputError(fmt::format("flow {} has shares that are not valid; valid is one above 0 for each link", j));
    auto links = flow.links;
    std::sort(links.begin(), links.end());
    if (links.back() >= network.capacities.size())
      throw InputError(fmt::format("flow {} crosses link {}, but there are {}, counted from 0", j, links.back(),
                                   network.capacities.size()));
    if (const auto twice = std::adjacent_find(links.begin(), links.end()); twice != links.end())
      throw InputError(fmt::format("flow {} crosses link {} twice; valid is once", j, *twice));
  }
}

std::vector<double> loads(const Network& network, const std::vector<double>& rates) {
  assert(rates.size() == network.flows.size());
  std::vector<double> out(network.capacities.size());
  for (std::size_t j = 0; j < rates.size(); ++j) {
    const Flow& flow = network.flows[j];
    for (std::size_t k = 0; k < flow.links.size(); ++k) out[flow.links[k]] += flow.share(k) * rates[j];
  }
  return out;
}

std::vector<double> congestion(const Network& network, const std::vector<double>& rates) {
  const auto load = loads(network, rates);
  std::vector<double> out(rates.size());
  for (std::size_t j = 0; j < rates.size(); ++j)
    for (const auto i : network.flows[j].links) out[j] = std::max(out[j], load[i] / network.capacities[i]);
  return out;
}

bool pareto_optimal(const Network& network, const std::vector<double>& rates, double tolerance) {
  const auto u = congestion(network, rates);
  return std::all_of(u.begin(), u.end(), [&](double x) { return std::abs(x - 1) <= tolerance; });
}

std::vector<std::optional<std::uint32_t>> bottlenecks(const Network& network, const std::vector<double>& rates,
                                                      double tolerance) {
  const auto load = loads(network, rates);
  std::vector<double> most(load.size());  // rate per weight on the link
  for (std::size_t j = 0; j < rates.size(); ++j)
    for (const auto i : network.flows[j].links) most[i] = std::max(most[i], rates[j] / network.flows[j].weight);

  std::vector<std::optional<std::uint32_t>> out(rates.size());
  for (std::size_t j = 0; j < rates.size(); ++j) {
    for (const auto i : network.flows[j].links) {
      const bool full = load[i] >= network.capacities[i] * (1 - tolerance);
      const bool none_has_more = rates[j] / network.flows[j].weight >= most[i] * (1 - tolerance);
      if (full && none_has_more && !out[j]) out[j] = i;
    }
  }
  return out;
}

}  // namespace weir::theory
