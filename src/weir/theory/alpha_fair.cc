#include "weir/theory/alpha_fair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "weir/base/error.h"
#include "weir/theory/max_min.h"

namespace weir::theory {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kMaxSweeps = 100'000;

// log(e^a + e^b)
double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return std::isinf(a) ? a : a + std::log1p(std::exp(b - a));
}

// Logarithms throughout: prices of large alpha exceed any floating-point number.
class Solver {
 public:
  Solver(const Network& network, double alpha)
      : network_(network), alpha_(alpha), flows_of_(network.capacities.size()), r_(flows_of_.size(), kInfinite) {
    for (std::size_t j = 0; j < network.flows.size(); ++j)
      for (std::size_t k = 0; k < network.flows[j].links.size(); ++k)
        flows_of_[network.flows[j].links[k]].push_back({j, network.flows[j].share(k)});
  }

  AlphaFair solve() {
    AlphaFair out;
    do {
      if (++out.sweeps > kMaxSweeps)
        throw std::runtime_error(fmt::format("alpha-fair rates are not found within {} sweeps", kMaxSweeps));
      for (std::size_t i = 0; i < r_.size(); ++i)
        if (!flows_of_[i].empty()) r_[i] = level_of(i);
    } while (!right());
    out.rates = rates();
    for (const double r : r_) out.registers.push_back(std::exp(r));
    return out;
  }

 private:
  // The sum of the prices on a flow's path, but for one link.
  double price(const Flow& flow, std::size_t without) const {
    double out = -kInfinite;
    for (std::size_t k = 0; k < flow.links.size(); ++k)
      if (flow.links[k] != without) out = log_add(out, std::log(flow.share(k)) - alpha_ * r_[flow.links[k]]);
    return out;
  }

  double level_of(std::size_t link) {
    others_.clear();
    double weight = 0;
    for (const auto& [j, share] : flows_of_[link]) {
      others_.push_back(price(network_.flows[j], link));
      weight += network_.flows[j].weight * std::pow(share, 1 - 1 / alpha_);
    }
    const double capacity = network_.capacities[link];
    const auto overloaded = [&](double r) {
      double load = 0;
      for (std::size_t k = 0; k < others_.size(); ++k) {
        const auto& [j, share] = flows_of_[link][k];
        load +=
            share * network_.flows[j].weight * std::exp(-log_add(others_[k], std::log(share) - alpha_ * r) / alpha_);
      }
      return load > capacity;
    };
    if (!overloaded(kInfinite)) return kInfinite;

    // no flow gets more than the link alone would give it
    double low = std::log(capacity / weight);
    double step = 1;
    while (!overloaded(low + step)) step *= 2;
    double high = low + step;
    for (;;) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) return low;
      (overloaded(middle) ? high : low) = middle;
    }
  }

  std::vector<double> rates() const {
    std::vector<double> out;
    for (const Flow& flow : network_.flows)
      out.push_back(flow.weight * std::exp(-price(flow, network_.capacities.size()) / alpha_));
    return out;
  }

  bool right() const {
    const auto load = loads(network_, rates());
    for (std::size_t i = 0; i < load.size(); ++i) {
      const double excess = load[i] / network_.capacities[i] - 1;
      if (excess > kAlphaFair || (r_[i] < kInfinite && excess < -kAlphaFair)) return false;
    }
    return true;
  }

  const Network& network_;
  double alpha_;
  struct On {
    std::size_t flow = 0;
    double share = 1;
  };
  std::vector<std::vector<On>> flows_of_;  // by link
  std::vector<double> r_;                  // by link, logarithms
  std::vector<double> others_;             // scratch
};

}  // namespace

AlphaFair alpha_fair(const Network& network, double alpha) {
  if (std::isinf(alpha) && alpha > 0) {
    const Filling filling = max_min(network);
    AlphaFair out{filling.rates, std::vector<double>(network.capacities.size(), kInfinite), 0};
    for (std::size_t j = 0; j < filling.rates.size(); ++j)
      out.registers[filling.bottlenecks[j]] = filling.rates[j] / network.flows[j].weight;
    return out;
  }
  if (!(alpha >= kLeastAlpha && alpha <= kLargestAlpha))
    throw InputError(fmt::format("alpha cannot be {}; valid is {} to {}, or inf", alpha, kLeastAlpha, kLargestAlpha));
  return Solver(network, alpha).solve();
}

}  // namespace weir::theory
