#include "hosts/clock/least_delay.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace weir::hosts::clock {
namespace {

constexpr std::size_t kMargins = 64;
constexpr std::size_t kApart = 16;
// So many windows at least, and so large a share of them, agree within so much, ns.
constexpr std::size_t kAgree = 5;
constexpr double kAgreeShare = 2.0 / 3;
constexpr double kAgreeWithin = 500;
constexpr double kAgreeRelative = 0.01;
constexpr double kAgreeAtMost = 2'000;

constexpr std::int64_t kPeriod = 600'000'000'000;
constexpr std::int64_t kForgotten = 3'600'000'000'000;

double tolerance(double delay) { return std::min(kAgreeAtMost, kAgreeWithin + kAgreeRelative * delay); }

template <typename T>
void push(std::deque<T>& list, T value, std::size_t most) {
  list.push_back(value);
  if (list.size() > most) list.pop_front();
}

}  // namespace

std::optional<double> LeastDelay::agreed() const {
  std::vector<double> sorted(apart_.begin(), apart_.end());
  std::sort(sorted.begin(), sorted.end());
  const auto share = static_cast<std::size_t>(std::ceil(kAgreeShare * static_cast<double>(sorted.size())));
  const std::size_t enough = std::max(kAgree, share);
  // the fastest of those that agree; what is below has stamps that were wrong
  for (std::size_t i = 0; i + enough <= sorted.size(); ++i) {
    if (sorted[i + enough - 1] <= sorted[i] + tolerance(sorted[i])) return sorted[i];
  }
  return std::nullopt;
}

void LeastDelay::add(std::int64_t at, double margin, double latest) {
  push(margins_, margin, kMargins);
  if (apart_.empty() || at - apart_at_ >= window_) {
    push(apart_, latest, kApart);
    apart_at_ = at;
  }
  const auto least = agreed();
  if (!least) return;
  // the fastest fifth met no queue; what they differ by is noise
  std::vector<double> sorted;
  std::copy_if(margins_.begin(), margins_.end(), std::back_inserter(sorted),
               [&](double m) { return m >= *least - tolerance(*least); });
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end());
  const double low = sorted[sorted.size() / 5];
  remember(at, low, kStampNoise + (low - sorted.front()));
}

void LeastDelay::remember(std::int64_t at, double delay, double noise) {
  if (periods_.empty() || at - periods_.back().begin >= kPeriod) {
    periods_.push_back({at, delay, noise});
  } else if (delay < periods_.back().delay) {
    periods_.back().delay = delay;
    periods_.back().noise = noise;
  }
  while (periods_.front().begin < at - kPeriod - kForgotten) periods_.pop_front();
  const auto least =
      std::min_element(periods_.begin(), periods_.end(), [](auto& a, auto& b) { return a.delay < b.delay; });
  floor_ = {least->delay, least->noise, true};
}

void LeastDelay::forget() {
  margins_.clear();
  apart_.clear();
  periods_.clear();
  floor_ = {0, kStampNoise, false};
}

}  // namespace weir::hosts::clock
