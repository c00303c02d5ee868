#include "weir/replica/uet_paths.h"

#include <algorithm>

namespace weir::replica::uet {

Paths::Paths(const UetParams& params, bool one_path, Random& random)
    : kind_(one_path ? Spraying::oblivious : params.load_balancing),
      paths_(one_path ? 1 : params.paths),
      freezes_(params.trimming),
      random_(&random) {
  if (!has_mask()) return;
  upper_ = random.below(0xffff);
  xor_ = random.below(paths_);
  if (kind_ != Spraying::oblivious) penalty_.resize(paths_);
}

std::uint16_t Paths::next(std::uint64_t sent, std::uint64_t window) {
  switch (kind_) {
    case Spraying::oblivious: return next_of_all();
    case Spraying::bitmap: return next_of_bitmap();
    case Spraying::reps: return next_of_reps();
    case Spraying::reps_legacy: return next_of_legacy(sent, window);
    case Spraying::mixed: break;
  }
  if (good_.empty()) return next_of_bitmap();
  last_ = good_.front();
  good_.pop_front();
  return last_;
}

void Paths::feedback(std::uint16_t entropy, PathFeedback what, std::int64_t now) {
  if (kind_ == Spraying::bitmap || kind_ == Spraying::mixed) {
    constexpr std::array<std::uint8_t, 4> kPenalty{0, 1, 4, kMostPenalty};
    std::uint8_t& penalty = penalty_[entropy & (paths_ - 1)];
    penalty = static_cast<std::uint8_t>(
        std::min<unsigned>(kMostPenalty, penalty + 0u + kPenalty[static_cast<std::size_t>(what)]));
  }
  if (kind_ == Spraying::mixed || kind_ == Spraying::reps_legacy) {
    if (what == PathFeedback::good) good_.push_back(entropy);
    return;
  }
  if (kind_ != Spraying::reps) return;
  // Without trimming the original ends the program here.
  if (what == PathFeedback::timeout && !frozen_ && explore_ == 0 && freezes_) {
    frozen_ = true;
    thaw_ = now + kFrozen;
  }
  if (frozen_ && now > thaw_) {
    frozen_ = false;
    ring_ = {};
    head_ = kept_ = fresh_ = frozen_at_ = 0;
    explore_ = kExplore;
  }
  if (what != PathFeedback::good) return;
  if (!ring_[head_].fresh) ++fresh_;
  ring_[head_] = {entropy, true};
  head_ = (head_ + 1) % kRing;
  fresh_ = std::min(fresh_, kRing);
  kept_ = std::min(kept_ + 1, kRing);
}

// To the next entropy; with a new mask after all have been visited.
void Paths::step() {
  if (++index_ < paths_) return;
  index_ = 0;
  xor_ = random_->bits() & (paths_ - 1);
}

// The next entropy without a penalty. Of those that are passed by only the first one loses some of its penalty, and
// after a round any will do.
std::uint16_t Paths::next_of_bitmap() {
  if (penalty_[current()] > 0) {
    --penalty_[current()];
    for (std::uint32_t passed = 1; passed <= paths_; ++passed) {
      step();
      if (penalty_[current()] == 0) break;
    }
  }
  return next_of_all();
}

std::uint16_t Paths::next_of_all() {
  const std::uint32_t entropy = current();
  step();
  return static_cast<std::uint16_t>(entropy | (upper_ & ~(paths_ - 1)));
}

std::uint16_t Paths::next_of_reps() {
  if (explore_ > 0) {
    --explore_;
    return random_path();
  }
  if (kept_ == 0 || (!frozen_ && fresh_ == 0)) return random_path();
  if (!frozen_) return oldest_fresh();
  Kept& kept = ring_[frozen_at_];
  if (kept.fresh) --fresh_;
  kept.fresh = false;
  frozen_at_ = (frozen_at_ + 1) % kept_;
  return kept.entropy;
}

std::uint16_t Paths::oldest_fresh() {
  Kept& kept = ring_[(head_ + kRing - fresh_) % kRing];
  kept.fresh = false;
  --fresh_;
  return kept.entropy;
}

std::uint16_t Paths::next_of_legacy(std::uint64_t sent, std::uint64_t window) {
  if (sent < std::min<std::uint64_t>(window, paths_)) {
    last_ = static_cast<std::uint16_t>((last_ + 1u) % paths_);
  } else if (good_.empty()) {
    last_ = random_path();
  } else {
    last_ = good_.front();
    good_.pop_front();
  }
  return last_;
}

}  // namespace weir::replica::uet
