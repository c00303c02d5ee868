#include "hosts/clock/edge.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weir::hosts::clock {
namespace {

// Windows in multiples of the shortest.
constexpr std::array<int, 3> kLengths{1, 2, 4};
// What stamps are good for, ns.
constexpr double kStampNoise = 20;
// Beyond the error of the line and of the smallest delay, so much more is a step, ns.
constexpr double kStepTolerance = 200;
// So many observations must come too early within so long.
constexpr std::size_t kEarlyOnes = 3;
constexpr std::int64_t kEarlyWithin = 200'000'000;
// Margins that are remembered: half a minute at two fits per second. With fewer than some the smallest delay is a
// guess, known within a share of it that falls with their number.
constexpr std::size_t kMargins = 64;
constexpr std::size_t kSettled = 12;
constexpr double kGuess = 0.2;
// A prediction is looked at so many fits later, which is the shortest window.
constexpr std::size_t kPredicted = 4;
constexpr double kForgetScale = 0.9;
// Of what has been fitted, so many layers of hulls are kept: as many observations of a step may be wrong but one.
constexpr int kLayers = 3;

void insert(std::deque<Observation>& list, const Observation& o, std::int64_t length) {
  auto place = list.end();
  while (place != list.begin() && std::prev(place)->at > o.at) --place;
  list.insert(place, o);
  while (list.front().at < list.back().at - length) list.pop_front();
}

std::vector<Observation> since(const std::deque<Observation>& list, std::int64_t begin) {
  const auto first = std::partition_point(list.begin(), list.end(), [&](const Observation& o) { return o.at < begin; });
  return {first, list.end()};
}

// Those of a list that make up the outer layers towards the other set.
void mark_layers(std::span<const Observation> list, bool pure_only, int sign, std::vector<bool>& marked) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!pure_only || list[i].pure) left.push_back(i);
  }
  for (int layer = 0; layer < kLayers && !left.empty(); ++layer) {
    std::vector<Dot> dots;
    for (const std::size_t i : left) {
      dots.push_back(
          {static_cast<double>(list[i].at - list[0].at), static_cast<double>(list[i].difference - list[0].difference)});
    }
    const auto corners = sign > 0 ? facing_upper(dots) : facing_lower(dots);
    for (auto i = corners.rbegin(); i != corners.rend(); ++i) {
      marked[left[*i]] = true;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(*i));
    }
  }
}

}  // namespace

// The smallest delay as the windows tell it whose lines counted, `smallest` being that of now.
Edge::Floor Edge::floor(double smallest) const {
  std::vector<double> margins(margins_.begin(), margins_.end());
  margins.push_back(smallest);
  std::sort(margins.begin(), margins.end());
  // the fastest fifth met no queue; what they differ by is noise
  const double low = margins[margins.size() / 5];
  const double middle = margins[margins.size() / 2];
  if (margins.size() <= kSettled) {
    // windows that overlap, and perhaps none of them free of queues
    const double guess = kGuess * margins.front() / static_cast<double>(margins.size());
    return {margins.front(), kStampNoise + middle - margins.front() + guess, false};
  }
  return {low, kStampNoise + (low - margins.front()), true};
}

bool Edge::too_early(const Observation& o, int sign) {
  if (!line_) return false;
  const double delay =
      sign * (static_cast<double>(o.difference - line_->offset) - line_->drift * static_cast<double>(o.at - line_->at));
  const Floor least = floor(line_->margin);
  if (delay > std::min(line_->margin, least.delay) - least.noise - error_at(o.at) - kStepTolerance) return false;
  early_.push_back(o.at);
  while (early_.front() < o.at - kEarlyWithin) early_.pop_front();
  return true;
}

bool Edge::add(const Observation& o, int sign) {
  if (too_early(o, sign)) {
    // one alone is an error of a stamp
    if (early_.size() < kEarlyOnes) return true;
    forget();
    ++steps_;
    return false;
  }
  insert(sign > 0 ? ours_ : theirs_, o, kLengths.back() * window_);
  return true;
}

// Keeps of what came since the last time what may touch a line.
void Edge::thin(std::deque<Observation>& list, int sign) {
  const auto first =
      std::partition_point(list.begin(), list.end(), [&](const Observation& o) { return o.at <= thinned_; });
  const std::vector<Observation> fresh(first, list.end());
  std::vector<bool> marked(fresh.size());
  mark_layers(fresh, false, sign, marked);
  mark_layers(fresh, true, sign, marked);
  list.erase(first, list.end());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (marked[i]) list.push_back(fresh[i]);
  }
}

bool Edge::fit(std::int64_t now) {
  const auto fresh = [&](const Observation& o) { return o.at > thinned_; };
  const auto pure = [&](const Observation& o) { return o.at > thinned_ && o.pure; };
  const auto all =
      std::count_if(ours_.begin(), ours_.end(), fresh) + std::count_if(theirs_.begin(), theirs_.end(), fresh);
  const auto good =
      std::count_if(ours_.begin(), ours_.end(), pure) + std::count_if(theirs_.begin(), theirs_.end(), pure);
  if (all > 0) purity_ += (static_cast<double>(good) / static_cast<double>(all) - purity_) / 4;
  thin(ours_, 1);
  thin(theirs_, -1);
  thinned_ = now;

  std::vector<PairFit> fits;
  for (const int length : kLengths) {
    const std::int64_t begin = now - length * window_;
    auto fit = fit_pair(since(ours_, begin), since(theirs_, begin), window_ * (2 * length - 1) / 4);
    if (fit) fits.push_back(std::move(*fit));
  }
  if (fits.empty()) return true;

  const double smallest = std::min_element(fits.begin(), fits.end(), [](auto& a, auto& b) {
                            return a.line.margin < b.line.margin;
                          })->line.margin;
  const Floor least = floor(smallest);
  std::optional<PairLine> best;
  double best_error = 0;
  for (const PairFit& fit : fits) {
    // a line that leaves less than the smallest delay is none that clocks ran along
    if (least.settled && fit.line.margin < least.delay - 4 * least.noise - kStepTolerance) continue;
    const PairLine line = fit.judged(least.delay, least.noise);
    const double age = static_cast<double>(fit.half) + 1e9;
    const double error = line.error_at(fit.at + fit.half + 1'000'000'000) + wander_ * age * age / 2;
    if (!best || error < best_error) {
      best = line;
      best_error = error;
    }
  }
  if (!best) {
    forget();
    ++steps_;
    return false;
  }
  line_ = best;
  margins_.push_back(best->margin);
  if (margins_.size() > kMargins) margins_.pop_front();
  compare(now);
  return true;
}

void Edge::compare(std::int64_t now) {
  scale_ = std::max(1.0, kForgetScale * scale_);
  if (earlier_.size() == kPredicted) {
    const PairLine& then = earlier_.front();
    const double difference = std::abs(then.offset_at(now) - line_->offset_at(now));
    scale_ = std::max(scale_, difference / std::hypot(then.error_at(now), line_->error_at(now)));
    earlier_.pop_front();
  }
  earlier_.push_back(*line_);
}

double Edge::error_at(std::int64_t t) const {
  const double age = static_cast<double>(t - line_->at);
  return scale_ * line_->error_at(t) + wander_ * age * age / 2;
}

Estimate Edge::estimate(std::int64_t t) const {
  Estimate out{t, line_->offset, line_->drift, error_at(t), 0};
  out.offset += std::llround(line_->drift * static_cast<double>(t - line_->at));
  out.growth = std::max(0.0, error_at(t + kForesight) - out.error) / static_cast<double>(kForesight);
  return out;
}

std::int64_t Edge::last_seen() const {
  if (ours_.empty() || theirs_.empty()) return INT64_MIN;
  return std::min(ours_.back().at, theirs_.back().at);
}

void Edge::forget() {
  ours_.clear();
  theirs_.clear();
  line_.reset();
  earlier_.clear();
  scale_ = 1;
  margins_.clear();
  early_.clear();
  thinned_ = INT64_MIN;
}

}  // namespace weir::hosts::clock
