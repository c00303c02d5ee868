#include "weir/theory/newton_step.h"

#include <cmath>

namespace weir::theory {
namespace {

constexpr int kMostIterations = 200;
// Relative, of the residual. Steps are repeated, so that a rough solution is enough.
constexpr double kRough = 1e-3;

}  // namespace

void NewtonStep::set_up(std::span<const double> prices, double unit) {
  rows_.clear();
  weights_.clear();
  links_.clear();
  diagonal_.assign(prices.size(), 0);
  residual_.resize(prices.size());
  for (std::size_t i = 0; i < prices.size(); ++i)
    residual_[i] = -prices[i] * network_.capacity(static_cast<std::uint32_t>(i)) / unit;
  for (std::uint32_t flow = 0; flow < network_.numbers(); ++flow) {
    if (!network_.is_present(flow)) continue;
    double price = 0;
    for (const auto& use : network_.path(flow)) price += use.share * prices[use.link];
    if (price == 0) continue;  // too little for a number
    const double rate = alpha_ == 1 ? 1 / price : std::pow(price, -1 / alpha_);
    const double curvature = rate * price / alpha_;
    for (const auto& use : network_.path(flow)) {
      const double part = use.share * prices[use.link];
      if (part == 0) continue;
      const double weight = part / price;
      weights_.push_back(weight);
      links_.push_back(use.link);
      residual_[use.link] += part * rate;
      diagonal_[use.link] += curvature * weight * weight;
    }
    rows_.push_back({weights_.size(), curvature});
  }
}

void NewtonStep::multiply() {
  product_.assign(direction_.size(), 0);
  std::size_t at = 0;
  for (const Row& row : rows_) {
    double sum = 0;
    for (std::size_t i = at; i < row.end; ++i) sum += weights_[i] * direction_[links_[i]];
    sum *= row.curvature;
    for (; at < row.end; ++at) product_[links_[at]] += weights_[at] * sum;
  }
}

std::span<const double> NewtonStep::find(std::span<const double> prices, double unit) {
  set_up(prices, unit);
  const std::size_t n = prices.size();
  change_.assign(n, 0);
  direction_.assign(n, 0);
  const auto scaled = [&](std::size_t i) { return diagonal_[i] > 0 ? residual_[i] / diagonal_[i] : 0.0; };
  const auto size = [&] {
    double out = 0;
    for (std::size_t i = 0; i < n; ++i) out += residual_[i] * scaled(i);
    return out;
  };
  double left = size();
  const double enough = left * kRough * kRough;
  double ratio = 0;
  for (int k = 0; k < kMostIterations && left > enough; ++k) {
    for (std::size_t i = 0; i < n; ++i) direction_[i] = scaled(i) + ratio * direction_[i];
    multiply();
    double curvature = 0;
    for (std::size_t i = 0; i < n; ++i) curvature += direction_[i] * product_[i];
    if (!(curvature > 0)) break;
    const double length = left / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      change_[i] += length * direction_[i];
      residual_[i] -= length * product_[i];
    }
    const double before = left;
    left = size();
    ratio = left / before;
  }
  return change_;
}

}  // namespace weir::theory
