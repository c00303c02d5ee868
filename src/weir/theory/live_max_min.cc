#include "weir/theory/live_max_min.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace weir::theory {
namespace {

// Relative: links count as full, and rates as equal, up to this. Sums of some thousand rates are right within it.
constexpr double kTolerance = 1e-11;

}  // namespace

LiveMaxMin::LiveMaxMin(std::vector<double> capacities) : network_(std::move(capacities)), links_(network_.links()) {}

void LiveMaxMin::note_change(std::uint32_t flow) {
  for (const Use& use : network_.path(flow))
    if (std::exchange(links_[use.link].changed, number_) != number_) changed_links_.push_back(use.link);
}

void LiveMaxMin::set_bottleneck(FlowState& flow, std::uint32_t link) {
  if (flow.bottleneck == link) return;
  if (flow.bottleneck != LiveNetwork::kNoLink) --links_[flow.bottleneck].limited;
  if (link != LiveNetwork::kNoLink) ++links_[link].limited;
  flow.bottleneck = link;
}

void LiveMaxMin::add(std::uint32_t flow, std::span<const Use> path) {
  network_.add(flow, path);
  if (flow >= flows_.size()) flows_.resize(flow + std::size_t{1});
  flows_[flow] = {};
  note_change(flow);
  added_.push_back(flow);
}

void LiveMaxMin::remove(std::uint32_t flow) {
  note_change(flow);
  set_bottleneck(flows_[flow], LiveNetwork::kNoLink);
  network_.remove(flow);
}

void LiveMaxMin::choose_link(std::uint32_t link) {
  links_[link].counted = false;
  if (std::exchange(links_[link].chosen, number_) != number_) set_links_.push_back(link);
}

void LiveMaxMin::choose(std::uint32_t flow) {
  FlowState& f = flows_[flow];
  if (std::exchange(f.chosen, number_) == number_) return;
  set_.push_back({flow, f.rate});
  for (const Use& use : network_.path(flow)) choose_link(use.link);
}

// The flows whose bottleneck it is. Most links of a large network are that of none.
void LiveMaxMin::choose_limited(std::uint32_t link) {
  std::uint32_t left = links_[link].limited;
  for (const auto& on : network_.on(link)) {
    if (left == 0) return;
    if (flows_[on.flow].bottleneck != link) continue;
    choose(on.flow);
    --left;
  }
}

// What the round begins with on this link.
void LiveMaxMin::count(std::uint32_t link) {
  LinkState& l = links_[link];
  if (!std::exchange(l.counted, true)) {
    l.first = {};
    for (const auto& on : network_.on(link)) {
      const FlowState& f = flows_[on.flow];
      if (f.chosen == number_) {
        l.first.weight += on.share;
        ++l.first.open;
      } else {
        l.first.fixed += on.share * f.rate;
      }
    }
  }
  l.now = l.first;
  l.limits = false;
  if (l.now.open == 0) return;
  l.level = std::max(network_.capacity(link) - l.now.fixed, 0.0) / l.now.weight;
  levels_.emplace_back(l.level, link);
}

// The flows of the set that are still open on this link get its level.
void LiveMaxMin::settle(std::uint32_t link) {
  LinkState& l = links_[link];
  l.limits = true;
  for (const auto& on : network_.on(link)) {
    FlowState& f = flows_[on.flow];
    if (f.rate != kOpen) continue;
    f.rate = l.level;
    --open_;
    set_bottleneck(f, link);
    for (const Use& use : network_.path(on.flow)) {
      LinkState& other = links_[use.link];
      if (--other.now.open == 0 || use.link == link) continue;
      other.now.fixed += use.share * f.rate;
      other.now.weight -= use.share;
      // no lower than before, but for rounding
      other.level = std::max(other.level, (network_.capacity(use.link) - other.now.fixed) / other.now.weight);
    }
  }
}

// The first of the heap has become larger: most often by little, so that it stays near.
void LiveMaxMin::sink() {
  const std::size_t n = levels_.size();
  if (n == 0) return;
  const auto first = levels_.front();
  std::size_t at = 0;
  for (std::size_t below = 1; below < n; below = 2 * at + 1) {
    if (below + 1 < n && levels_[below + 1] < levels_[below]) ++below;
    if (first < levels_[below]) break;
    levels_[at] = levels_[below];
    at = below;
  }
  levels_[at] = first;
}

void LiveMaxMin::fill() {
  ++effort_.rounds;
  effort_.flows += set_.size();
  effort_.links += set_links_.size();
  for (const Member& m : set_) flows_[m.flow].rate = kOpen;
  open_ = set_.size();
  levels_.clear();
  for (const std::uint32_t link : set_links_) count(link);
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>());
  while (open_ > 0) {
    auto& [level, link] = levels_.front();
    if (const LinkState& l = links_[link]; l.now.open > 0 && l.level > level) {
      level = l.level;  // it has risen since
    } else {
      if (l.now.open > 0) settle(link);
      levels_.front() = levels_.back();
      levels_.pop_back();
    }
    sink();
  }
}

// Adds to the set the flows for which the rates that have been found leave no bottleneck; returns whether there are
// any.
bool LiveMaxMin::grow() {
  const std::size_t flows = set_.size();
  const std::size_t links = set_links_.size();
  for (std::size_t i = 0; i < links; ++i) {
    const std::uint32_t link = set_links_[i];
    const LinkState& l = links_[link];
    const auto on_link = network_.on(link);
    // All are of the set, or nobody's bottleneck is here.
    if (l.first.open == on_link.size() || (!l.limits && l.limited == 0)) continue;
    double load = 0;
    double most = 0;
    for (const auto& on : on_link) {
      load += on.share * flows_[on.flow].rate;
      most = std::max(most, flows_[on.flow].rate);
    }
    const double least = load >= network_.capacity(link) * (1 - kTolerance)
                             ? most * (1 - kTolerance)                   // of flows for which it is the bottleneck
                             : std::numeric_limits<double>::infinity();  // it is none
    const double limit = l.limits ? l.level * (1 + kTolerance) : std::numeric_limits<double>::infinity();
    for (const auto& on : on_link) {
      const FlowState& f = flows_[on.flow];
      if (f.chosen != number_ && (f.rate > limit || (f.bottleneck == link && f.rate < least))) choose(on.flow);
    }
  }
  return set_.size() > flows;
}

std::span<const std::uint32_t> LiveMaxMin::update() {
  changed_.clear();
  if (changed_links_.empty()) return changed_;
  set_.clear();
  set_links_.clear();
  for (const std::uint32_t flow : added_)
    if (network_.is_present(flow)) choose(flow);
  for (const std::uint32_t link : changed_links_) {
    choose_link(link);
    choose_limited(link);
  }
  if (!set_.empty()) do
      fill();
    while (grow());
  ++effort_.updates;
  for (const Member& m : set_) {
    double& rate = flows_[m.flow].rate;
    if (std::abs(rate - m.before) > kSameRate * m.before)
      changed_.push_back(m.flow);
    else
      rate = m.before;
  }
  effort_.changed += changed_.size();
  added_.clear();
  changed_links_.clear();
  if (++number_ == 0) {  // all marks are of old updates
    for (FlowState& f : flows_) f.chosen = 0;
    for (LinkState& l : links_) l.chosen = l.changed = 0;
    number_ = 1;
  }
  return changed_;
}

}  // namespace weir::theory
