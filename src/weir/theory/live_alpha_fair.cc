#include "weir/theory/live_alpha_fair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "weir/theory/alpha_fair.h"
#include "weir/theory/log_add.h"

namespace weir::theory {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();  // the register of a link that is not full
constexpr std::uint64_t kMostFilled = 10'000'000;
// Of the load's logarithm, when a link is filled.
constexpr double kFull = 1e-13;
// A step of Newton's method is due when filling has worked out the rates of this share of all flows, and of this many.
constexpr double kStepAfter = 1.0 / 16;
constexpr double kStepAfterFlows = 256;
// The most by which a step raises a price, as a part of it.
constexpr double kLongestStep = 100;

}  // namespace

LiveAlphaFair::LiveAlphaFair(std::vector<double> capacities, double alpha)
    : network_(std::move(capacities)),
      alpha_(alpha),
      links_(network_.links(), {.register_log = kFree, .waits = false}),
      newton_(network_, alpha) {}

void LiveAlphaFair::look_at(std::uint32_t link) {
  if (std::exchange(links_[link].waits, true)) return;
  waiting_.push_back(link);
}

void LiveAlphaFair::add(std::uint32_t flow, std::span<const Use> path) {
  network_.add(flow, path);
  if (flow >= flows_.size()) flows_.resize(flow + std::size_t{1});
  flows_[flow] = {};
  set_rate(flow);
  flows_[flow].before = 0;
  ++present_;
  for (const Use& use : path) look_at(use.link);
}

void LiveAlphaFair::remove(std::uint32_t flow) {
  for (const Use& use : network_.path(flow)) look_at(use.link);
  network_.remove(flow);
  --present_;
}

// The logarithm of the sum of the prices on a flow's path, but for one link.
double LiveAlphaFair::price(std::uint32_t flow, std::uint32_t without) const {
  double out = -std::numeric_limits<double>::infinity();
  for (const Use& use : network_.path(flow))
    if (use.link != without) out = log_add(out, std::log(use.share) - alpha_ * links_[use.link].register_log);
  return out;
}

void LiveAlphaFair::touch(std::uint32_t flow) {
  FlowState& f = flows_[flow];
  if (std::exchange(f.touched, number_) == number_) return;
  f.before = f.rate;
  touched_.push_back(flow);
}

void LiveAlphaFair::set_rate(std::uint32_t flow) {
  touch(flow);
  ++effort_.flows;
  flows_[flow].rate = std::exp(-price(flow, LiveNetwork::kNoLink) / alpha_);  // infinite if no link of its path is full
}

bool LiveAlphaFair::is_right(std::uint32_t link) const {
  double load = 0;
  for (const auto& on : network_.on(link)) load += on.share * flows_[on.flow].rate;
  const double excess = load / network_.capacity(link) - 1;
  return excess <= kAlphaFair && (links_[link].register_log == kFree || excess >= -kAlphaFair);
}

// The register with which the link is just full, by Newton's method on the logarithms of load and register, kept within
// a bracket; infinite if it is not full even without a price.
double LiveAlphaFair::level(std::uint32_t link) {
  parts_.clear();
  double bound = 0;
  double free = 0;  // the load without a price
  for (const auto& on : network_.on(link)) {
    const double others = price(on.flow, link);
    parts_.push_back({others, std::log(on.share), on.share});
    bound += std::pow(on.share, 1 - 1 / alpha_);
    free += on.share * std::exp(-others / alpha_);
  }
  const double capacity = network_.capacity(link);
  if (free <= capacity) return kFree;

  // no flow gets more than the link alone would give it
  double low = std::log(capacity / bound);
  double high = std::numeric_limits<double>::infinity();
  double r = links_[link].register_log == kFree ? low : std::max(low, links_[link].register_log);
  for (;;) {
    double load = 0;
    double slope = 0;
    for (const Part& part : parts_) {
      const double own = part.share_log - alpha_ * r;
      const double all = log_add(part.others, own);
      const double y = part.share * std::exp(-all / alpha_);
      load += y;
      slope += y * std::exp(own - all);
    }
    const double excess = std::log(load / capacity);
    if (std::abs(excess) <= kFull) return r;
    (excess > 0 ? high : low) = r;
    double next = r - excess * load / slope;
    if (!(next > low && next < high)) next = std::isinf(high) ? low + 1 : low + (high - low) / 2;
    if (next <= low || next >= high) return low;
    r = next;
  }
}

void LiveAlphaFair::fill(std::uint32_t link) {
  ++effort_.rounds;
  links_[link].register_log = level(link);
  for (const auto& on : network_.on(link)) {
    set_rate(on.flow);
    for (const Use& use : network_.path(on.flow))
      if (use.link != link) look_at(use.link);
  }
}

// Of all links, relative to the largest; returns the register of that one, and infinity if no link is full.
double LiveAlphaFair::set_prices() {
  double unit_log = kFree;
  for (const LinkState& l : links_) unit_log = std::min(unit_log, l.register_log);
  prices_.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i)
    prices_[i] = links_[i].register_log == kFree ? 0 : std::exp(-alpha_ * (links_[i].register_log - unit_log));
  return std::exp(unit_log);
}

// The rates of all flows by these prices; returns by how much all loads together differ from what they are to be.
double LiveAlphaFair::set_rates(double unit) {
  loads_.assign(links_.size(), 0);
  for (std::uint32_t flow = 0; flow < network_.numbers(); ++flow) {
    if (!network_.is_present(flow)) continue;
    double price = 0;
    for (const Use& use : network_.path(flow)) price += use.share * prices_[use.link];
    if (price == 0) {
      set_rate(flow);
    } else {
      touch(flow);
      ++effort_.flows;
      flows_[flow].rate = unit * (alpha_ == 1 ? 1 / price : std::pow(price, -1 / alpha_));
    }
    for (const Use& use : network_.path(flow)) loads_[use.link] += use.share * flows_[flow].rate;
  }
  double out = 0;
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const double excess = loads_[i] / network_.capacity(i) - 1;
    if (excess > 0 || links_[i].register_log != kFree) out += std::abs(excess);
  }
  return out;
}

// Takes steps of Newton's method while each brings the loads nearer to what they are to be; returns whether any has.
bool LiveAlphaFair::step() {
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    if (network_.on(i).empty()) links_[i].register_log = kFree;
  double unit = set_prices();
  if (std::isinf(unit)) return false;
  double excess = set_rates(unit);
  bool has_helped = false;
  while (excess > kAlphaFair) {
    registers_.clear();
    for (const LinkState& l : links_) registers_.push_back(l.register_log);
    const std::span<const double> change = newton_.find(prices_, unit);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      double& r = links_[i].register_log;
      r = change[i] > -1 ? r - std::log1p(std::min(change[i], kLongestStep)) / alpha_ : kFree;
    }
    unit = set_prices();
    const double before = std::exchange(excess, set_rates(unit));
    if (excess < before / 2) {
      has_helped = true;
      continue;
    }
    for (std::size_t i = 0; i < links_.size(); ++i) links_[i].register_log = registers_[i];
    set_rates(set_prices());
    break;
  }
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    if (!is_right(i)) look_at(i);
  return has_helped;
}

std::span<const std::uint32_t> LiveAlphaFair::update() {
  changed_.clear();
  if (waiting_.empty()) return changed_;
  std::uint64_t filled = 0;
  double patience = std::max(kStepAfterFlows, kStepAfter * static_cast<double>(present_));
  std::uint64_t flows = 0;  // worked out since the last step
  while (!waiting_.empty()) {
    if (static_cast<double>(flows) > patience) {
      flows = 0;
      if (!step()) patience *= 2;
      continue;
    }
    const std::uint32_t link = waiting_.front();
    waiting_.pop_front();
    links_[link].waits = false;
    ++effort_.links;
    if (network_.on(link).empty()) links_[link].register_log = kFree;
    if (network_.on(link).empty() || is_right(link)) continue;
    if (++filled > kMostFilled)
      throw std::runtime_error(fmt::format(
          "alpha-fair rates are not found after {} links have been filled; an alpha nearer to 1 needs fewer",
          kMostFilled));
    fill(link);
    flows += network_.on(link).size();
  }
  ++effort_.updates;
  tell_changed();
  return changed_;
}

void LiveAlphaFair::tell_changed() {
  for (const std::uint32_t flow : touched_) {
    if (!network_.is_present(flow)) continue;
    FlowState& f = flows_[flow];
    if (f.touched != number_) continue;  // told already
    f.touched = 0;
    if (std::abs(f.rate - f.before) > kSameRate * f.before)
      changed_.push_back(flow);
    else
      f.rate = f.before;
  }
  effort_.changed += changed_.size();
  touched_.clear();
  if (++number_ == 0) number_ = 1;
}

}  // namespace weir::theory
