#include "weir/theory/recursion.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace weir::theory {
namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t j = 0; j < a.size(); ++j)
    if (std::abs(a[j] - b[j]) > kSettled * a[j]) return false;
  return true;
}

// Equation (7), of numbers of any size.
double combine(const std::vector<double>& registers, double alpha) {
  const double least = *std::min_element(registers.begin(), registers.end());
  if (std::isinf(alpha)) return least;
  double sum = 0;
  for (const double r : registers) sum += std::pow(least / r, alpha);
  return least * std::pow(sum, -1 / alpha);
}

}  // namespace

std::vector<double> next_rates(const Network& network, const std::vector<double>& rates, double increase) {
  const auto u = congestion(network, rates);
  std::vector<double> out(rates.size());
  for (std::size_t j = 0; j < rates.size(); ++j) out[j] = rates[j] / u[j] + increase * network.flows[j].weight;
  return out;
}

Settled settle(const Network& network, std::vector<double> rates, double increase, int max_steps) {
  Settled out{std::move(rates), 0, false};
  for (;; ++out.steps) {
    auto next = next_rates(network, out.rates, increase);
    out.settled = same(out.rates, next);
    if (out.settled || out.steps == max_steps) return out;
    out.rates = std::move(next);
  }
}

Settled settle_registers(const Network& network, double alpha, double increase, int max_steps) {
  assert(alpha > 0 && increase > 0);
  std::vector<std::vector<double>> registers;
  for (const Flow& flow : network.flows) {
    auto& r = registers.emplace_back();
    for (const auto i : flow.links) r.push_back(network.capacities[i]);
  }
  const auto combined = [&] {
    std::vector<double> rates;
    for (std::size_t j = 0; j < registers.size(); ++j)
      rates.push_back(combine(registers[j], alpha) * network.flows[j].weight);
    return rates;
  };

  Settled out{combined(), 0, false};
  for (;; ++out.steps) {
    const auto load = loads(network, out.rates);
    for (std::size_t j = 0; j < registers.size(); ++j) {
      const auto& links = network.flows[j].links;
      for (std::size_t k = 0; k < links.size(); ++k)
        registers[j][k] = registers[j][k] * network.capacities[links[k]] / load[links[k]] + increase;
    }
    auto next = combined();
    out.settled = same(out.rates, next);
    if (out.settled || out.steps == max_steps) return out;
    out.rates = std::move(next);
  }
}

}  // namespace weir::theory
